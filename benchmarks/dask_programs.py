"""Programs of Dask as processes of a benchmark, which end with the benchmark even if it is killed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from importlib import import_module
from typing import IO

from wcspider.engines.workers.main import command, die_with

SCHEDULER, WORKER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""The settings of docs/scale.md, with which Dask watches its own programs less often."""


def launch(module: str, arguments: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program, such as one of Dask's. Call this in the main thread: the process ends with the thread."""
    setup = command(run, parent=os.getpid(), module=module, arguments=list(arguments))
    return subprocess.Popen(setup, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


def run(parent: int, module: str, arguments: list[str]) -> None:
    """Be the process of a program."""
    die_with(parent)
    import_module("dask").config.set(_QUIET)
    import_module(module).main(arguments)
