"""Runs modules as ``python -m`` does, each in a process of its own that has the libraries in it from the start.

Most of the time of a small capture is the loading of libraries. Here its process is forked from one that has done
that; from there on it is a process as any other. What depends on the start itself, as PYTHONPATH and the seed of the
hashes do, is nothing for this.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from tests.support.paths import ROOT

LIBRARIES = (
    "scrapy.commands.crawl",
    "scrapy.core.downloader.handlers.file",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.extensions.memusage",
    "scrapy.extensions.remote_control",
    "scrapy.extensions.telnet",
    "scrapy.pqueues",
    "wcspider.addon",
    "wcspider.commands.crawl",
    "wcspider.commands.webcapture",
    "wcspider.downloading.decompress",
    "wcspider.downloading.slots",
    "wcspider.pipelines.auxiliary",
    "wcspider.pipelines.read",
    "wcspider.pipelines.render",
    "wcspider.pipelines.store",
    "wcspider.crawl.progress",
    "wcspider.spiders.starting",
)
_LARGEST = 200_000
"""Of a request, in bytes."""


class Ready:
    """A process that is ready to fork. One command is run at a time."""

    def __init__(self, patience: int) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.support.forked", str(theirs.fileno()), str(patience)]
        with theirs:
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()])

    def run(
        self, module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> tuple[int, bytes, bytes]:
        """Run a module to its end, and that of its own processes; return its status, output and error output."""
        output, error = os.pipe(), os.pipe()
        request = json.dumps([module, arguments, str(folder), dict(environment)]).encode()
        assert len(request) <= _LARGEST
        socket.send_fds(self._socket, [request], [output[1], error[1]])
        for pipe in (output, error):
            os.close(pipe[1])
        with ThreadPoolExecutor(2) as threads:
            texts = list(threads.map(_read, (output[0], error[0])))
        return int(self._socket.recv(_LARGEST)), texts[0], texts[1]

    def end(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


def _read(pipe: int) -> bytes:
    with open(pipe, "rb") as stream:
        return stream.read()


def _serve(requests: socket.socket, patience: int) -> None:
    """Fork for each request, until there are no more; the forked process goes on behind `_become`."""
    while True:
        request, pipes, _, _ = socket.recv_fds(requests, _LARGEST, 2)
        if not request:
            return
        pid = os.fork()
        if pid == 0:
            requests.close()
            _become(*json.loads(request), pipes=pipes)
            return
        for pipe in pipes:
            os.close(pipe)
        signal.signal(signal.SIGALRM, lambda *_, pid=pid: os.kill(pid, signal.SIGKILL))
        signal.alarm(patience)
        _, status = os.waitpid(pid, 0)
        signal.alarm(0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(module: str, arguments: list[str], folder: str, environment: dict[str, str], pipes: list[int]) -> None:
    """Be what ``python -m`` would be with these arguments, in that folder."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for number, pipe in enumerate([os.open(os.devnull, os.O_RDONLY), *pipes]):
        os.dup2(pipe, number)
        os.close(pipe)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = folder
    sys.argv = ["", *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    for name in LIBRARIES:
        import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # each crawl chooses it
    with socket.socket(fileno=int(sys.argv[1])) as own:
        _serve(own, int(sys.argv[2]))
