"""The units and the certificates of examples/cluster, run as processes on loopback."""

from __future__ import annotations

import asyncio
import configparser
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support import cluster_faults
from tests.support.paths import ROOT
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import STOP, ClusterSettings
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.process import WorkerLimits

pytestmark = pytest.mark.crash

EXAMPLE = ROOT / "examples" / "cluster"
UNITS = ("wcspider-scheduler.service", "wcspider-worker.service")
PORT = 8786


def _command(unit: str) -> str:
    read = configparser.ConfigParser(interpolation=None)
    read.optionxform = str  # type: ignore[assignment, method-assign]
    read.read(EXAMPLE / unit)
    return read["Service"]["ExecStart"]


def test_units_form_a_cluster_whose_workers_come_back(tmp_path: Path) -> None:
    """A Dask worker that is killed is started again, and greeted again."""
    subprocess.run(["sh", EXAMPLE / "certificates.sh", tmp_path / "tls"], check=True, capture_output=True, timeout=120)
    assert (tmp_path / "tls" / "node.key").stat().st_mode & 0o077 == 0
    port = _free_port()
    files = [str(tmp_path / "tls" / name) for name in ("ca.pem", "node.pem", "node.key")]

    async def use() -> None:
        limits = WorkerLimits(60.0)
        settings = ClusterSettings(f"tls://127.0.0.1:{port}", *files, STOP)
        pool = ClusterPool(settings, limits, os.getpid, lambda: WorkerPool(1, limits), system_fonts=False)
        try:
            async with asyncio.timeout(100):
                first = await pool.run(cluster_faults.dask_worker)
                os.kill(first, signal.SIGKILL)
                assert await pool.run(cluster_faults.dask_worker) != first
        finally:
            await pool.stop()

    with ExitStack() as stack:
        for unit in UNITS:
            stack.enter_context(_running(_command(unit), tmp_path, port))
        asyncio.run(use())


@contextmanager
def _running(command: str, folder: Path, port: int) -> Iterator[None]:
    """Run the command of a unit with this machine's folder, port and programs."""
    here = command.replace("/srv/wcspider/venv/bin/dask", f"{sys.executable} -m dask")
    here = here.replace("/srv/wcspider", str(folder)).replace("scheduler.internal:8786", f"127.0.0.1:{port}")
    here = here.replace(f"--port {PORT}", f"--port {port} --host 127.0.0.1").replace(":8787", ":0")
    assert "/srv" not in here
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(shlex.split(here), env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        for child in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            child.kill()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not there to read its units")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    program = tmp_path / "dask"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for unit in UNITS:
        text = (EXAMPLE / unit).read_text().replace("/srv/wcspider/venv/bin/dask", str(program))
        (tmp_path / unit).write_text(text.replace("User=wcspider", "User=root"))
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *(str(tmp_path / u) for u in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
