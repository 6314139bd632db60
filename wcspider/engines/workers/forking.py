"""The program of a fork server: it makes worker processes as copies of itself, ends them, and tells how they ended.

The server has loaded the libraries of the workers. So a copy is ready in milliseconds instead of half a second, and all
copies share the memory of the libraries.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

READY = b"+"
"""The message of a server that takes requests."""

FORK = b"f"
"""A request for a worker, with two sockets: its connection, and its line to the server (`serve_forks`)."""

ENDING = struct.Struct("ii")
"""The message on a line about the end of its worker: the exit status, and the number of the error if it never began."""


def serve_forks(control: socket.socket, work: Callable[[socket.socket], None]) -> None:
    """Fork workers, which call `work` with their connection, until the control connection is closed.

    The line of a worker stays open while it runs. When the other side stops writing to the line, the worker is killed.
    The last message on the line is its `ENDING`.
    """
    server = _Server(control, work)
    with suppress(BrokenPipeError, ConnectionResetError):  # the other side has ended
        control.sendall(READY)
        while server.serve():
            pass


class _Server:
    def __init__(self, control: socket.socket, work: Callable[[socket.socket], None]) -> None:
        self._control = control
        self._work = work
        self._lines: dict[int, socket.socket] = {}
        """The lines by the process numbers of their workers."""

        self._wakeup, self._signals = socket.socketpair()
        self._wakeup.setblocking(False)
        self._signals.setblocking(False)
        signal.set_wakeup_fd(self._wakeup.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._signals, selectors.EVENT_READ)

    def serve(self) -> bool:
        """Do what there is to do next; return False at the end of the control connection."""
        for key, _ in self._selector.select():
            if key.fileobj is self._control:
                request, descriptors, _, _ = socket.recv_fds(self._control, len(FORK), 2)
                if not request:
                    return False
                self._fork(*map(_private_socket, descriptors))
            elif key.fileobj is self._signals:
                with suppress(BlockingIOError):
                    self._signals.recv(4096)
                self._reap()
            elif key.data in self._lines:
                self._selector.unregister(key.fileobj)
                os.kill(key.data, signal.SIGKILL)
        return True

    def _fork(self, connection: socket.socket, line: socket.socket) -> None:
        with connection:
            try:
                pid = os.fork()
            except OSError as error:
                with line:
                    _tell(line, os.EX_OSERR, error.errno or 0)
                return
            if pid == 0:
                line.close()
                self._become_worker(connection)
        self._lines[pid] = line
        self._selector.register(line, selectors.EVENT_READ, pid)

    def _become_worker(self, connection: socket.socket) -> NoReturn:
        """Work in the new process, without the connections of the server, and end it."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._selector.close()
            for own in (self._control, self._wakeup, self._signals, *self._lines.values()):
                own.close()
            self._work(connection)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        """Tell how the workers ended that have ended."""
        while self._lines:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            line = self._lines.pop(pid, None)
            if line is None:  # a process that a library has started
                continue
            with line:
                with suppress(KeyError):  # the other side has asked for the end
                    self._selector.unregister(line)
                _tell(line, os.waitstatus_to_exitcode(status))


def _private_socket(descriptor: int) -> socket.socket:
    """Return the socket of a descriptor that was received; programs that this process starts do not inherit it."""
    os.set_inheritable(descriptor, False)
    return socket.socket(fileno=descriptor)


def _tell(line: socket.socket, status: int, error: int = 0) -> None:
    with suppress(OSError):  # nobody wants to know
        line.sendall(ENDING.pack(status, error))
