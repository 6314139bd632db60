"""Commands that are forked from a process with their libraries in it, instead of being started anew.

Most of the time of a small capture is the loading of libraries, in its own process and in each worker. A forked process
has them from the start; apart from that it is a process like any other. Whatever depends on the start itself, such as
the seed of the hashes, needs a process that is started in the usual way.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import IO, Any, NoReturn

from tests.support.paths import ROOT

_PR_SET_PDEATHSIG = 1

_LARGEST = 200_000
"""Of a request, in bytes."""


class ForkedProcess:
    """A command that was forked, with those methods of `subprocess.Popen` that tests need."""

    def __init__(self, ends: socket.socket, stdout: IO[str] | None = None, stderr: IO[str] | None = None) -> None:
        self.stdout, self.stderr = stdout, stderr
        self.returncode: int | None = None
        self._ends = ends
        self.pid = int(ends.recv(_LARGEST))

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        with suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return its exit status."""
        if self.returncode is None:
            if timeout is not None and not select.select([self._ends], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("the command", timeout)
            self.returncode = int(self._ends.recv(_LARGEST))
            self._ends.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal to the process, if it runs."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process, if it runs."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait until the process and its own processes have ended; return the output and the error output."""
        assert self.stdout is not None
        assert self.stderr is not None
        watch = Timer(timeout, self.kill)
        watch.start()
        try:
            with ThreadPoolExecutor(2) as threads, self.stdout, self.stderr:
                output, error = threads.map(lambda stream: stream.read(), (self.stdout, self.stderr))
            self.wait()
        finally:
            watch.cancel()
        return output, error


class Ready:
    """A process that is ready to fork.

    `kind` is the name of a module with two functions. ``load`` imports the libraries of the commands, and ``prepare``
    is called in each forked process before its command.
    """

    def __init__(self, kind: str) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.support.forked", str(theirs.fileno()), kind]
        with theirs:
            self._process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()])

    def start(
        self, module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> ForkedProcess:
        """Start ``python -m`` in a folder, without input, and with pipes for its output."""
        output, error = os.pipe(), os.pipe()
        with Path(os.devnull).open("rb") as nothing:
            streams = (nothing.fileno(), output[1], error[1])
            ends = self._sent([module, arguments, str(folder), dict(environment)], streams)
        for pipe in (output, error):
            os.close(pipe[1])
        return ForkedProcess(ends, os.fdopen(output[0]), os.fdopen(error[0]))

    def start_on(
        self, file: int, module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> ForkedProcess:
        """Start ``python -m`` in a folder, with an open file, such as a terminal, for its input and output."""
        return ForkedProcess(self._sent([module, arguments, str(folder), dict(environment)], [file] * 3))

    def _sent(self, request: list[Any], streams: Sequence[int]) -> socket.socket:
        """Send a request with the standard streams of a command; return where it tells its process and its status."""
        data = json.dumps(request).encode()
        assert len(data) <= _LARGEST
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            socket.send_fds(self._socket, [data], [theirs.fileno(), *streams])
        return ours

    def end(self) -> None:
        """End the process."""
        self._socket.close()
        self._process.wait()


def _serve(requests: socket.socket, prepare: Callable[[], None]) -> None:
    """Fork for each request, until there are no more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes behind `_watch`
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, _LARGEST, 4)
        if not request:
            return
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _watch(json.loads(request), prepare, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _watch(request: list[Any], prepare: Callable[[], None], ends: int, *streams: int) -> NoReturn:
    """Fork the command, and tell its process number, and at its end its status."""
    _die_with_parent()
    pid = os.fork()
    if pid == 0:
        os.close(ends)
        _die_with_parent()
        _become(*request, prepare=prepare, streams=streams)
    for descriptor in streams:
        os.close(descriptor)
    # Ctrl-C on the terminal of the tests is for pytest.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(BrokenPipeError), socket.socket(fileno=ends) as told:
        told.send(str(pid).encode())
        _, status = os.waitpid(pid, 0)
        told.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _die_with_parent() -> None:
    """End this process when its parent dies, so that no command outlives killed tests."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _become(
    module: str,
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    prepare: Callable[[], None],
    streams: Sequence[int],
) -> NoReturn:
    """Be what ``python -m`` would be with these arguments, in that folder."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    _renew_streams()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _extend_path(folder, environment.get("PYTHONPATH", ""))
    sys.argv = ["", *arguments]
    prepare()
    status = 1
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if status and end.code != status:
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    leave(status)


def _renew_streams() -> None:
    """Make Python's standard streams again, because they know the kind of file that their descriptors were before."""
    for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace")):
        stream = getattr(sys, name)
        setattr(sys, name, os.fdopen(stream.fileno(), "w", encoding=stream.encoding, errors=errors, closefd=False))


def _extend_path(folder: str, path: str) -> None:
    """Use the current folder and PYTHONPATH as Python does at its start."""
    sys.path[0] = folder
    sys.path[1:1] = filter(None, path.split(os.pathsep))
    if find_spec("sitecustomize") is not None:
        import_module("sitecustomize")


def leave(status: int) -> NoReturn:
    """End a forked process as Python ends, but without taking down its modules one by one, which takes long."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _main(descriptor: int, kind: str) -> None:
    """Load the libraries, and fork commands. The garbage collector need not look at the objects of the libraries."""
    libraries = import_module(kind)
    libraries.load()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=descriptor) as requests:
        _serve(requests, libraries.prepare)


if __name__ == "__main__":
    _main(int(sys.argv[1]), sys.argv[2])
