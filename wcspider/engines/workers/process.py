"""A worker process, as its parent sees it: started, asked, killed."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass

from wcspider.engines.workers.fork_server import ForkServer, connected_sockets
from wcspider.engines.workers.main import Reply, decoded
from wcspider.engines.workers.messages import next_message
from wcspider.exceptions import EngineCrashedError, EngineTimeoutError, one_line

_BUFFER = 4 << 20
"""How many bytes of a message are buffered, as far as the system permits; each pause costs a change of process."""

_USUAL_MEMORY = 2 << 30
"""The memory from which the growth limit is derived if the address space is not limited, in bytes."""

_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
"""The signals by which users and the system end a process; other signals are faults of the process itself."""

_SIGNALS = {member.value: member.name for member in signal.Signals}


class WorkerDiedError(Exception):
    """A worker process could not start, or died before it replied."""

    def __init__(self, status: str, *, is_killed: bool = False) -> None:
        super().__init__(status)
        self.is_killed = is_killed
        """Whether another process killed it, or the system had no room for it."""


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """The limits of each worker process."""

    seconds: float
    """The longest time that one call may take."""

    memory: int | None = None
    """The largest address space in bytes."""

    start_seconds: float = 60.0
    """The longest time that the start may take."""

    @property
    def growth(self) -> int:
        """The growth of the resident memory, in bytes, after which a worker is replaced."""
        return (self.memory or _USUAL_MEMORY) // 4


class WorkerProcess:
    """A process that makes one call at a time."""

    def __init__(self, server: ForkServer, limits: WorkerLimits, first: memoryview) -> None:
        """Start a process and send its first call, which must be small, without waiting for the process.

        Raise `WorkerDiedError` if the system has no room for another process.
        """
        try:
            with connected_sockets() as (self._connection, theirs):
                for end in (self._connection, theirs):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
                self._process = server.worker(theirs)
        except OSError as error:
            raise _no_room(error) from error
        with suppress(OSError):  # `ready` raises an error if the process has ended already
            self._connection.sendall(first)
        self._limits = limits
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._memory_at_start = 0
        self.is_ready = False
        """Whether it waits for a call. False if a call was broken off, or if its memory has grown too much."""

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        try:
            return self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    async def ready(self) -> None:
        """Wait until the process has made its first call. Raise `WorkerDiedError` if it cannot make it."""
        try:
            async with asyncio.timeout(self._limits.start_seconds):
                self._streams = await asyncio.open_unix_connection(sock=self._connection, limit=_BUFFER)
                reply = await self._reply()
        except TimeoutError:
            raise WorkerDiedError(f"not ready after {self._limits.start_seconds:g} seconds") from None
        if reply.error is not None:
            raise WorkerDiedError(reply.error.problem)
        self._memory_at_start = reply.memory
        self.is_ready = True

    async def call(self, request: memoryview, patience: float = 1.0) -> Reply:
        """Send an encoded request and return the reply.

        Raise `WorkerDiedError` if the process dies, and `EngineTimeoutError` if there is no reply in time; `patience`
        multiplies the time limit.
        """
        assert self._streams is not None
        seconds = self._limits.seconds * patience
        self.is_ready = False
        self._streams[1].write(request)
        try:
            async with asyncio.timeout(seconds):
                reply = await self._reply()
        except TimeoutError:
            raise EngineTimeoutError(f"the conversion took longer than {seconds:g} seconds") from None
        is_exhausted = isinstance(reply.error, EngineCrashedError)
        has_grown = reply.memory - self._memory_at_start > self._limits.growth
        self.is_ready = not is_exhausted and not has_grown
        return reply

    async def _reply(self) -> Reply:
        """Return the next reply of the process. Raise `WorkerDiedError` if there is none."""
        assert self._streams is not None
        try:
            return decoded(await next_message(self._streams[0]))
        except (EOFError, ConnectionError):
            raise await self._death() from None

    async def _death(self) -> WorkerDiedError:
        """Return the way in which the process died."""
        try:
            status = await self._process.ended()
        except OSError as error:
            return _no_room(error)
        if status >= 0:
            return WorkerDiedError(f"exit status {status}")
        name = _SIGNALS.get(-status, f"signal {-status}")
        return WorkerDiedError(f"killed by {name}", is_killed=-status in _FROM_OUTSIDE)

    def kill(self) -> None:
        """Kill the process, whatever it does."""
        self.is_ready = False
        self._process.kill()

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self.kill()
        if self._streams is None:
            self._connection.close()
        else:
            self._streams[1].transport.abort()
        with suppress(OSError):  # it could not be started
            await self._process.ended()


def _no_room(error: OSError) -> WorkerDiedError:
    """Return the error for a process that could not be started: the system may have room for it later."""
    return WorkerDiedError(one_line(error), is_killed=True)
