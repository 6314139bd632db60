"""The fork server of a pool, as its parent sees it: it starts worker processes that have loaded their libraries."""

from __future__ import annotations

import asyncio
import atexit
import base64
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from wcspider.engines.workers.forking import ENDING, FORK, READY
from wcspider.engines.workers.main import FORKING, STARTING, command, main

FORKS = sys.platform != "darwin"
"""Whether workers are copies of the server. The system libraries of macOS may crash in such a process."""


@contextmanager
def connected_sockets() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield a socket for this process, and the socket at its other end for another process.

    The other end is closed afterwards, because the other process has its own descriptor by then. After an error, both
    sockets are closed.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            yield ours, theirs
        except BaseException:
            ours.close()
            raise


class ForkServer:
    """A process that loads the libraries of workers once, and makes the workers as copies of itself.

    It starts with the first worker, and again if it has died. If `load` fails, the first call of each worker fails.
    Use it in the thread of the event loop: on Linux, a process is killed when the thread that started it ends.
    """

    def __init__(self, load: Callable[[], object], memory: int | None = None) -> None:
        """Call `load`, a function that is found by name, in each new server.

        `memory` is the largest address space of a process in bytes.
        """
        self._load = base64.b64encode(pickle.dumps((load, (), {}))).decode()
        self._memory = memory
        self._server: _Server | None = None

    def worker(self, connection: socket.socket) -> Process:
        """Start a worker that answers on a connected socket, without waiting for it.

        Raise `OSError` if the system has no room for another process.
        """
        server = self._running()
        with connected_sockets() as (ours, theirs):
            socket.send_fds(server.control, [FORK], [connection.fileno(), theirs.fileno()])
            return Process(server, ours)

    def start(self) -> None:
        """Start the server before the first worker is needed, without waiting for it."""
        with suppress(OSError):  # the first worker reports the problem if it remains
            self._running()

    def is_like(self, other: ForkServer) -> bool:
        """Tell whether both servers start the same workers."""
        return self._load == other._load and self._memory == other._memory

    def close(self) -> None:
        """End the server, and with it all workers."""
        atexit.unregister(self.close)
        if self._server is not None:
            self._server.end()
            self._server = None

    def _running(self) -> _Server:
        """Return the server, a new one if there is none."""
        if self._server is None or self._server.process.poll() is not None:
            self.close()
            with connected_sockets() as (ours, theirs):
                self._server = _Server(self._started(theirs), ours)
            atexit.register(self.close)  # before the folder of the fonts is removed
        return self._server

    def _started(self, connection: socket.socket) -> subprocess.Popen[bytes]:
        """Start the process of the server."""
        arguments = command(
            main, role=FORKING if FORKS else STARTING, descriptor=connection.fileno(), parent=os.getpid(),
            memory=self._memory, load=self._load,
        )  # fmt: skip
        # Ctrl-C reaches all processes of a terminal. They inherit the mask, so that only the parent reacts.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return subprocess.Popen(arguments, stdin=subprocess.DEVNULL, pass_fds=[connection.fileno()])
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


class _Server:
    """A fork server that was started."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self.process = process
        self.control = control
        self._is_ready = False

    def end_loading(self) -> None:
        """End the server if it is still loading: it takes no requests until then."""
        if not self._is_ready:
            with suppress(OSError):
                self._is_ready = self.control.recv(len(READY), socket.MSG_DONTWAIT) == READY
        if not self._is_ready:
            self.process.kill()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.control.close()


class Process:
    """A worker process, which only its server can kill and wait for; see `serve` about its line."""

    def __init__(self, server: _Server, line: socket.socket) -> None:
        line.setblocking(False)
        self._server = server
        self._line = line
        self._ending: tuple[int, int] | None = None

    def kill(self) -> None:
        """Have the server kill the process, whatever it does."""
        with suppress(OSError):  # the process has ended
            self._line.shutdown(socket.SHUT_WR)
        self._server.end_loading()

    async def ended(self) -> int:
        """Kill the process if it still runs, and return its exit status. Raise `OSError` if it could not be started."""
        if self._ending is None:
            self.kill()
            message = b""
            with suppress(ConnectionError):
                message = await asyncio.get_running_loop().sock_recv(self._line, ENDING.size)
            self._line.close()
            # Without a last message, the server has died, and the worker with it.
            self._ending = ENDING.unpack(message) if message else (self._server.process.wait(), 0)
        status, error = self._ending
        if error:
            raise OSError(error, os.strerror(error))
        return status
