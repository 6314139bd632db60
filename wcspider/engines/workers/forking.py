"""The program of a fork server: it makes worker processes as copies of itself, ends them, and tells how they ended.

The server has loaded the libraries of the workers. So a copy is ready in milliseconds instead of half a second, and all
copies share the memory of the libraries.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress

READY = b"+"
"""The message of a server that takes requests."""

FORK = b"f"
"""A request for a worker, with two sockets: its connection, and its line to the server (`serve`)."""

ENDING = struct.Struct("ii")
"""The last message on a line: the exit status of the worker, and the number of the error if the worker never began."""


def serve(control: socket.socket, work: Callable[[socket.socket], None]) -> None:
    """Fork workers, which call `work` with their connection, and end them, until the control connection is closed.

    When the other side stops writing to the line of a worker, the worker is killed if it still runs, and the message on
    the line says how it ended.
    """
    lines: dict[socket.socket, int] = {}
    with suppress(BrokenPipeError, ConnectionResetError):  # the other side has ended
        control.sendall(READY)
        while True:
            for ready in select.select([control, *lines], [], [])[0]:
                if ready is not control:
                    _end(ready, lines.pop(ready))
                    continue
                request, descriptors, _, _ = socket.recv_fds(control, len(FORK), 2)
                if not request:
                    return
                connection, line = map(_private_socket, descriptors)
                try:
                    with connection:
                        lines[line] = _forked(work, connection, (control, line, *lines))
                except OSError as error:
                    _tell(line, os.EX_OSERR, error.errno or 0)


def _forked(work: Callable[[socket.socket], None], connection: socket.socket, foreign: Iterable[socket.socket]) -> int:
    """Make a copy of this process that works with its connection, without those of the server, and ends."""
    process = os.fork()
    if process:
        return process
    status = 1
    try:
        for other in foreign:
            other.close()
        work(connection)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _end(line: socket.socket, process: int) -> None:
    """Kill a worker, unless it has ended, and tell how it ended."""
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    _tell(line, os.waitstatus_to_exitcode(status))


def _private_socket(descriptor: int) -> socket.socket:
    """Return the socket of a descriptor that was received; programs that this process starts do not inherit it."""
    os.set_inheritable(descriptor, False)
    return socket.socket(fileno=descriptor)


def _tell(line: socket.socket, status: int, error: int = 0) -> None:
    """Send the last message on a line."""
    with line, suppress(OSError):  # nobody wants to know
        line.sendall(ENDING.pack(status, error))
