"""A Dask scheduler and Dask workers as processes on loopback, to be killed, frozen and joined by others."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.support.forked import ForkedProcess, Ready
from tests.support.forked_dask import SCHEDULER, WORKER
from tests.support.paths import ROOT
from tests.support.worker_kills import worker_processes

LOOPBACK = "127.0.0.1"
PATIENCE_SECONDS = 60.0
STEP_SECONDS = 0.02


@cache
def _ready() -> Ready:
    """Return the process that schedulers and workers are forked from."""
    made = Ready("tests.support.forked_dask")
    atexit.register(made.end)
    return made


class DaskCluster:
    """A scheduler and its workers; all end with the context."""

    def __init__(self, folder: Path, *tls: str) -> None:
        self._folder = folder
        self._tls = tls
        self._processes: list[ForkedProcess] = []
        self.workers: list[ForkedProcess] = []
        self.address = ""
        self.start_scheduler()

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)
            process.kill()
            process.wait()

    def start_scheduler(self, *arguments: str) -> None:
        """Start the scheduler, at the address that it had before if there was one."""
        file = self._folder / "scheduler.json"
        file.unlink(missing_ok=True)
        port = self.address.rpartition(":")[2] or "0"
        protocol = ("--protocol", "tls") if self._tls else ()
        self.scheduler = self._start(
            SCHEDULER,
            "--host",
            LOOPBACK,
            "--port",
            port,
            "--no-dashboard",
            "--scheduler-file",
            str(file),
            *protocol,
            *arguments,
        )
        self.address = str(_waited(lambda: json.loads(file.read_text())["address"]))

    def end_scheduler(self) -> None:
        """Kill the scheduler, whose workers then end as well."""
        self.scheduler.kill()
        self.scheduler.wait()

    def join(
        self, count: int = 1, *arguments: str, threads: int = 1, environment: Mapping[str, str] | None = None
    ) -> list[ForkedProcess]:
        """Start workers. They join within seconds."""
        common = (self.address, "--host", LOOPBACK, "--nthreads", str(threads), "--no-nanny", "--no-dashboard")
        files = ("--local-directory", str(self._folder), "--memory-limit", "0")
        started = [self._start(WORKER, *common, *files, *arguments, environment=environment) for _ in range(count)]
        self.workers += started
        return started

    @property
    def log(self) -> str:
        """The output of all processes."""
        return (self._folder / "log").read_text()

    def _start(self, program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> ForkedProcess:
        variables = {**os.environ, **(environment or {})}
        with (self._folder / "log").open("ab") as log:
            process = _ready().start_on(log.fileno(), program, [*arguments, *self._tls], ROOT, variables)
        self._processes.append(process)
        return process


def certificates(folder: Path) -> Sequence[str]:
    """Make an authority, and a certificate that it signs, with openssl; return the files: ca, certificate, key."""
    ca, ca_key, request, certificate, key = (
        str(folder / name) for name in ("ca.pem", "ca.key", "node.csr", "node.pem", "node.key")
    )
    days = ("-days", "2")
    new = ("-newkey", "rsa:2048", "-nodes")
    _openssl("req", "-x509", *new, "-keyout", ca_key, "-out", ca, *days, "-subj", "/CN=authority")
    _openssl("req", *new, "-keyout", key, "-out", request, "-subj", "/CN=node")
    _openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-out", certificate, *days)
    return ca, certificate, key


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=60)


def _waited(read: object) -> object:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError, ValueError):
            return read()  # type: ignore[operator]
        time.sleep(STEP_SECONDS)
    raise AssertionError("the scheduler does not start")


def page_processes(parent: int) -> list[int]:
    """The processes of a process that lay out pages, without those of Dask."""
    found = worker_processes(parent)
    return [process for process in found if "distributed.cli" not in Path(f"/proc/{process}/cmdline").read_text()]
