"""Worker processes that are forked from a process with the libraries in it, instead of being started anew.

`install` is called in the process of a crawl, before the crawl has begun. The workers come from a process that is
forked there, so they have nothing of the crawl in them: neither its files nor its threads nor its log.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

from tests.support.forked import leave
from wcspider.engines.workers import fork_server, main

_LARGEST = 200_000
"""Of a message, in bytes."""

_PAUSE = 0.005
"""The seconds between two looks at a worker that is waited for."""


def install() -> None:
    """Fork the process that the workers of this process come from."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    owner = os.getpid()
    if os.fork() == 0:
        ours.close()
        main.die_with(owner)
        _serve(theirs)
        os._exit(0)
    theirs.close()
    source = _Source(ours)
    fork_server.subprocess = SimpleNamespace(  # type: ignore[assignment]
        Popen=lambda command, stdin, pass_fds: ForkedServer(source, command, pass_fds),
        DEVNULL=subprocess.DEVNULL,
        TimeoutExpired=subprocess.TimeoutExpired,
    )


class _Source:
    """The process that workers are forked from, as the crawl sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def ask(self, request: object, descriptors: Sequence[int] = ()) -> int | None:
        """Send a request; return the reply."""
        with self._lock:
            socket.send_fds(self._connection, [json.dumps(request).encode()], descriptors)
            reply: int | None = json.loads(self._connection.recv(_LARGEST))
            return reply


class ForkedServer:
    """A fork server, with those methods of `subprocess.Popen` that its parent needs."""

    def __init__(self, source: _Source, command: Sequence[str], descriptors: Sequence[int]) -> None:
        self._source = source
        self._status: int | None = None
        self._lock = threading.Lock()
        found = source.ask({"setup": json.loads(command[-1]), "environment": dict(os.environ)}, descriptors)
        assert found is not None
        self.pid = found

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs. Several threads may ask; it can be read once."""
        return self._asked({"pid": self.pid})

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return its exit status."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if timeout is not None and deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("worker", timeout)
            time.sleep(_PAUSE)
        return status

    def kill(self) -> None:
        """Kill the process."""
        self._asked({"pid": self.pid, "kill": True})

    def _asked(self, request: object) -> int | None:
        """Return the exit status if it is known, or else the reply to a request."""
        with self._lock:
            if self._status is None:
                self._status = self._source.ask(request)
            return self._status


def _serve(requests: socket.socket) -> None:
    """Fork workers, and tell how they ended, until the crawl has ended."""
    # As a worker that is started in the usual way: Ctrl-C does not reach it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, _LARGEST, 1)
        if not data:
            return
        request = json.loads(data)
        if descriptors:
            reply: int | None = _forked(requests, descriptors[0], **request)
        else:
            reply = _ended(**request)
        requests.send(json.dumps(reply).encode())


def _forked(requests: socket.socket, descriptor: int, setup: dict[str, Any], environment: dict[str, str]) -> int:
    """Fork a worker that answers on a connected socket; return its process number."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        requests.close()
        _work(setup | {"descriptor": descriptor, "parent": parent}, environment)
    os.close(descriptor)
    return pid


def _work(setup: dict[str, Any], environment: dict[str, str]) -> NoReturn:
    """Be a worker."""
    status = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = setup.pop("path")
        main.main(**setup)
        status = 0
    except BaseException:
        traceback.print_exc()
    leave(status)


def _ended(pid: int, *, kill: bool = False) -> int | None:
    """Return how a worker ended, or None if it runs; kill it first on request."""
    if kill:
        os.kill(pid, signal.SIGKILL)
    ended, status = os.waitpid(pid, 0 if kill else os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None
