"""A cluster on this machine: a scheduler and workers as processes that end with the process that started them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO

from wcspider.engines.cluster.ending import ClusterLostError

COMMAND = (
    "import json, sys; setup = json.loads(sys.argv[1]); sys.path[:] = setup['path']; "
    "from wcspider.engines.workers.main import die_with; die_with(setup['parent']); "
    "from dask import config; config.set(setup['settings']); "
    "from importlib import import_module; import_module(setup['program']).main(setup['arguments'])"
)
"""The Python code of a process: one of Dask's programs, which must not outlive the process that started it."""

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Settings with which Dask watches its own programs less often: a hundred times a second is for programs in threads."""

SCHEDULER, WORKER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"
_LOOPBACK = "127.0.0.1"
_START_SECONDS = 60.0
_STEP_SECONDS = 0.05


def launch(program: str, arguments: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start one of Dask's programs. Call this in the thread of the event loop: the process ends with the thread.

    The process has a session of its own, so that Ctrl-C in a terminal does not reach it.
    """
    setup = {
        "path": sys.path,
        "parent": os.getpid(),
        "settings": QUIET,
        "program": program,
        "arguments": list(arguments),
    }
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, json.dumps(setup)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


class LocalCluster:
    """A scheduler and workers with one process each, on loopback, with certificates that only this user can read."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._folder = Path(tempfile.mkdtemp(prefix="wcspider-cluster-"))
        self._log = (self._folder / "log").open("wb")
        self._processes: list[subprocess.Popen[bytes]] = []
        self.certificate, self.key = self._folder / "certificate.pem", self._folder / "key.pem"

    async def start(self) -> str:
        """Start all processes and return the address of the scheduler. Raise `ClusterLostError` if that fails."""
        self._write_certificate()
        file = self._folder / "scheduler.json"
        scheduler = self._launch(SCHEDULER, "--protocol", "tls", "--host", _LOOPBACK, "--port", "0",
                                 "--dashboard-address", f"{_LOOPBACK}:0", "--scheduler-file", str(file))  # fmt: skip
        address = await self._address(file, scheduler)
        for _ in range(self._workers):
            self._launch(WORKER, address, "--host", _LOOPBACK, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                         "--memory-limit", "0", "--local-directory", str(self._folder))  # fmt: skip
        return address

    async def stop(self) -> None:
        """End all processes, and remove their files."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            await asyncio.to_thread(process.wait)
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write_certificate(self) -> None:
        """Write a new certificate, which is also its own authority, and its key. The folder is private."""
        made = import_module("distributed").Security.temporary()
        self.certificate.write_text(made.tls_client_cert)
        self.key.write_text(made.tls_client_key)

    def _launch(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one of Dask's programs with the certificate."""
        tls = ("--tls-ca-file", str(self.certificate), "--tls-cert", str(self.certificate), "--tls-key", str(self.key))
        process = launch(program, [*arguments, *tls], self._log)
        self._processes.append(process)
        return process

    async def _address(self, file: Path, scheduler: subprocess.Popen[bytes]) -> str:
        """Wait for the file with the address of the scheduler, and return the address."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                while scheduler.poll() is None:
                    try:
                        return str(json.loads(await asyncio.to_thread(file.read_text))["address"])
                    except (FileNotFoundError, ValueError):
                        await asyncio.sleep(_STEP_SECONDS)
        except TimeoutError:
            pass
        lines = (self._folder / "log").read_text("utf-8", "replace").splitlines()
        raise ClusterLostError(f"the scheduler does not start ({lines[-1] if lines else 'no reason given'})")
