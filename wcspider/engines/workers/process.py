"""A worker process, as its parent sees it: started, asked, killed."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import Self

from wcspider.engines.workers.connection import MessageProtocol
from wcspider.engines.workers.fork_server import ForkServer, Process, connected_sockets
from wcspider.engines.workers.main import Reply, decoded
from wcspider.exceptions import EngineCrashedError, EngineTimeoutError, one_line

_BUFFER = 4 << 20
"""How many bytes of a message are buffered, as far as the system permits; each pause costs a change of process."""

_USUAL_MEMORY = 2 << 30
"""The memory from which the growth limit is derived if the address space is not limited, in bytes."""

_GRACE = 1.0
"""How many seconds a process gets to end after it has closed its connection."""

_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
"""The signals by which users and the system end a process; other signals are faults of the process itself."""

_SIGNALS = {member.value: member.name for member in signal.Signals}


class WorkerDiedError(Exception):
    """A worker process died before it replied."""

    def __init__(self, status: str, *, is_killed: bool = False) -> None:
        super().__init__(status)
        self.is_killed = is_killed
        """Whether another process killed it."""


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

    def __init__(self, process: Process, connection: socket.socket, limits: WorkerLimits) -> None:
        self._process = process
        self._connection = connection
        self._limits = limits
        self._messages = MessageProtocol()
        self._transport: asyncio.Transport | None = None
        self._memory_at_start = 0
        self.is_reusable = False
        """Whether it waits for a call. False if a call was broken off, or if its memory has grown too much."""

    @classmethod
    def launch(cls, server: ForkServer, limits: WorkerLimits, first: memoryview) -> Self:
        """Start a process and send its first call, which must be small, without waiting for the process.

        Raise `OSError` if the system has no room for another process.
        """
        with connected_sockets() as (ours, theirs):
            for end in (ours, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
            process = server.worker(theirs)
        with suppress(OSError):  # `ready` raises an error if the process has ended already
            ours.sendall(first)
        return cls(process, ours, limits)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    async def ready(self) -> None:
        """Wait until the process has made its first call. Raise `WorkerDiedError` if it cannot make it."""
        try:
            async with asyncio.timeout(self._limits.start_seconds):
                connect = asyncio.get_running_loop().create_unix_connection
                self._transport, _ = await connect(lambda: self._messages, sock=self._connection)
                reply = await self._reply()
        except TimeoutError:
            raise WorkerDiedError(f"not ready after {self._limits.start_seconds:g} seconds") from None
        if reply.error is not None:
            raise WorkerDiedError(reply.error.problem)
        self._memory_at_start = reply.memory
        self.is_reusable = True

    async def call(self, request: memoryview, patience: float = 1.0) -> Reply:
        """Send an encoded request and return the reply.

        Raise `WorkerDiedError` if the process dies, and `EngineTimeoutError` if there is no reply in time; `patience`
        multiplies the time limit.
        """
        assert self._transport is not None
        seconds = self._limits.seconds * patience
        self.is_reusable = False
        self._transport.write(request)
        try:
            async with asyncio.timeout(seconds):
                reply = await self._reply()
        except TimeoutError:
            raise EngineTimeoutError(f"the conversion took longer than {seconds:g} seconds") from None
        is_exhausted = isinstance(reply.error, EngineCrashedError)
        has_grown = reply.memory - self._memory_at_start > self._limits.growth
        self.is_reusable = not is_exhausted and not has_grown
        return reply

    async def _reply(self) -> Reply:
        """Return the next reply of the process. Raise `WorkerDiedError` if there is none."""
        try:
            return decoded(await self._messages.message())
        except ConnectionError:
            raise await self._death() from None

    async def _death(self) -> WorkerDiedError:
        """Return the way in which the process died."""
        try:
            status = await asyncio.to_thread(self._process.wait, _GRACE)
        except subprocess.TimeoutExpired:
            return WorkerDiedError("connection closed")
        except OSError as error:  # the system may have room for another process later
            return WorkerDiedError(one_line(error), is_killed=True)
        if status >= 0:
            return WorkerDiedError(f"exit status {status}")
        name = _SIGNALS.get(-status, f"signal {-status}")
        return WorkerDiedError(f"killed by {name}", is_killed=-status in _FROM_OUTSIDE)

    def kill(self) -> None:
        """Kill the process, whatever it does."""
        self.is_reusable = False
        self._process.kill()

    async def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self.kill()
        if self._transport is None:
            self._connection.close()
        else:
            self._transport.abort()
        with suppress(OSError):  # it could not be started
            await asyncio.to_thread(self._process.wait)
