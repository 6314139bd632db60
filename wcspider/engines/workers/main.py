"""The program of a worker process: call functions for the pool, one at a time, until the pool closes the connection.

The workers are started by a fork server, which is the same program in another role. The forkserver of `multiprocessing`
would run the main module of the crawl again in each worker.
"""

from __future__ import annotations

import base64
import ctypes
import gc
import json
import os
import pickle
import resource
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from wcspider.engines.workers.forking import serve
from wcspider.engines.workers.messages import encoded, read_message
from wcspider.exceptions import EngineCrashedError, EngineError, WebCaptureError, one_line

FORKING, STARTING, WORKING = "forking", "starting", "working"
"""The roles of a process: a server that forks workers, a server that starts new processes as workers, and a worker."""

_PR_SET_PDEATHSIG = 1

_GARBAGE = 200_000
"""How many more objects than were freed are made until Python looks for cycles among the newest of them.

Python's default of 700 takes a fifth of the time of a worker, and 50,000 a thirtieth: a page has tens of thousands of
objects, most of which are freed without a collection. The cycles of 200 pages need 40 MB until they are found."""

_NO_ROOM = "failed to map segment"
"""A part of the loader's message if a library does not fit into the address space (dlopen(3), glibc)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a call."""

    value: Any = None
    error: WebCaptureError | None = None
    memory: int = 0
    """The resident memory of the worker after the call, in bytes."""


def command(function: Callable[..., None], **setup: object) -> list[str]:
    """Return the command of a process that calls a function; its modules are found where this process finds them."""
    code = (
        "import json, sys; setup = json.loads(sys.argv[1]); sys.path[:] = setup.pop('path'); "
        f"from {function.__module__} import {function.__name__} as main; main(**setup)"
    )
    return [sys.executable, "-c", code, json.dumps({**setup, "path": [str(folder) for folder in sys.path]})]


def main(role: str, descriptor: int, parent: int, memory: int | None, load: str) -> None:
    """Serve requests on a connected socket until it is closed.

    `parent` is the process that must not be outlived, `memory` the limit of the address space in bytes, and `load` a
    pickled call in Base64, which is made first.
    """
    os.set_inheritable(descriptor, False)
    die_with(parent)
    connection = socket.socket(fileno=descriptor)
    if role == STARTING:
        serve(connection, partial(_start_anew, server=os.getpid(), memory=memory, load=load))
        return
    gc.disable()  # until everything is loaded
    _limit_memory(memory)
    loaded = _called(base64.b64decode(load))
    answer = partial(_answer, failure=None if loaded.error is None else loaded)
    _collect_rarely()
    if role == FORKING:
        serve(connection, partial(_work, server=os.getpid(), answer=answer))
    else:
        answer(connection)


def _work(connection: socket.socket, server: int, answer: Callable[[socket.socket], None]) -> None:
    """Be a worker that a server has forked."""
    die_with(server)
    answer(connection)


def _start_anew(connection: socket.socket, server: int, memory: int | None, load: str) -> None:
    """Become a worker that loads its libraries itself, in a process that a server has forked."""
    connection.set_inheritable(True)
    setup = {"role": WORKING, "descriptor": connection.fileno(), "parent": server, "memory": memory, "load": load}
    os.execv(sys.executable, command(main, **setup))


def _answer(connection: socket.socket, failure: Reply | None) -> None:
    """Answer requests until the connection is closed, all of them with `failure` if there is one."""
    requests, replies = connection.makefile("rb"), connection.makefile("wb")
    # The parent has died, or a request does not fit into memory: then there is nobody, or nothing, to reply to.
    with suppress(BrokenPipeError, ConnectionResetError, MemoryError):
        while (request := read_message(requests)) is not None:
            _send(replies, failure or _called(request))


def decoded(data: bytes) -> Reply:
    """Return the reply that a worker sent. A result that cannot be unpickled becomes an `EngineError`."""
    try:
        reply = pickle.loads(data)
    except Exception as error:
        return Reply(error=_converted(error))
    assert isinstance(reply, Reply)
    return reply


def _send(replies: IO[bytes], reply: Reply) -> None:
    """Send a reply, or the reason why it cannot be sent."""
    try:
        data = encoded(reply)
    except Exception as error:
        data = encoded(Reply(error=_converted(error), memory=reply.memory))
    replies.write(data)
    replies.flush()


def _collect_rarely() -> None:
    """Let the garbage collector pass over the modules and fonts that are loaded, and run less often."""
    gc.freeze()
    gc.set_threshold(_GARBAGE, 10, 10)
    gc.enable()


def _called(request: bytes) -> Reply:
    """Make the call that is requested."""
    try:
        function: Callable[..., Any]
        function, args, kwargs = pickle.loads(request)
        return Reply(value=function(*args, **kwargs), memory=_resident_memory())
    except Exception as error:
        return Reply(error=_converted(error), memory=_resident_memory())


def _converted(error: Exception) -> WebCaptureError:
    """Return the exception that the caller gets."""
    if isinstance(error, WebCaptureError):
        return error
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and _NO_ROOM in str(error)):
        return EngineCrashedError("the conversion exceeded the memory limit of its worker process")
    return EngineError(f"the conversion failed: {one_line(error)}")


def die_with(parent: int) -> None:
    """Make the kernel kill this process when the parent dies, even if the parent is killed."""
    if sys.platform == "linux":
        with suppress(OSError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # the parent died before the call of prctl


def _limit_memory(memory: int | None) -> None:
    """Limit the address space of this process."""
    if memory is not None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        with suppress(ValueError):  # macOS refuses any limit of the address space
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _resident_memory() -> int:
    """Return the resident memory of this process in bytes; where the system has no /proc, its maximum so far."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        maximum = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return maximum if sys.platform == "darwin" else maximum * 1024
