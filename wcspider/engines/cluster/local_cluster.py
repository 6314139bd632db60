"""A cluster on this machine: a scheduler and workers in a process that ends with the process that started it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
from importlib import import_module
from pathlib import Path

from wcspider.engines.cluster.membership import ClusterLostError
from wcspider.engines.workers.main import command, die_with

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Settings with which Dask watches its own programs less often: a hundred times a second is for programs in threads."""

_LOOPBACK = "127.0.0.1"
_START_SECONDS = 60.0


class LocalCluster:
    """A scheduler and workers with one place each, on loopback, with a certificate of their own."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._folder = tempfile.TemporaryDirectory(prefix="wcspider-cluster-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> tuple[str, str, str]:
        """Start the process; return the address of the scheduler, its certificate, and the key.

        The certificate is its own authority. Raise `ClusterLostError` if the process does not start. Call this in the
        thread of the event loop: the process ends with the thread. It has a session of its own, so that Ctrl-C in a
        terminal does not reach it.
        """
        log = Path(self._folder.name) / "log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command(serve, parent=os.getpid(), folder=self._folder.name, workers=self._workers),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=output, start_new_session=True,
            )  # fmt: skip
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_START_SECONDS):
                address, certificate, key = json.loads(await asyncio.to_thread(self._process.stdout.readline))
                return address, certificate, key
        except (TimeoutError, ValueError):
            lines = log.read_text("utf-8", "replace").splitlines()
            raise ClusterLostError(
                f"the scheduler does not start ({lines[-1] if lines else 'no reason given'})"
            ) from None

    async def stop(self) -> None:
        """End the process, and remove its files."""
        if self._process is not None and self._process.stdout is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            self._process.stdout.close()
        self._folder.cleanup()


def serve(parent: int, folder: str, workers: int) -> None:
    """Be the process of a local cluster, which must not outlive its parent."""
    die_with(parent)
    import_module("dask").config.set(_QUIET)
    asyncio.run(_serve(folder, workers))


async def _serve(folder: str, workers: int) -> None:
    """Run a scheduler and workers; write the address and the certificate as one line of JSON."""
    distributed = import_module("distributed")
    made = distributed.Security.temporary()
    common = {"host": _LOOPBACK, "protocol": "tls", "security": made}
    async with distributed.Scheduler(**common, dashboard_address=f"{_LOOPBACK}:0") as scheduler:
        for _ in range(workers):
            await distributed.Worker(
                scheduler.address, **common, nthreads=1, memory_limit=0, dashboard=False, local_directory=folder
            )
        print(json.dumps([scheduler.address, made.tls_client_cert, made.tls_client_key]), flush=True)
        await scheduler.finished()
