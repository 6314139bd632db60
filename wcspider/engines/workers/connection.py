"""The connection to a worker process in the event loop of its parent."""

from __future__ import annotations

import asyncio

from wcspider.engines.workers.messages import HEADER


class MessageProtocol(asyncio.BufferedProtocol):
    """A receiver of messages. Each is read into a buffer of its own length, because messages may be large."""

    def __init__(self) -> None:
        self._begin(bytearray(HEADER.size), is_header=True)
        self._message: asyncio.Future[bytearray] | None = None
        self._is_lost = False

    async def message(self) -> bytearray:
        """Return the next pickled message. Raise `ConnectionError` if the connection ends before."""
        if self._is_lost:
            raise ConnectionResetError
        self._message = asyncio.get_running_loop().create_future()
        return await self._message

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the rest of the buffer for the current part of a message."""
        return memoryview(self._buffer)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        """Note that bytes were received."""
        self._filled += nbytes
        if self._filled < len(self._buffer):
            return
        if self._is_header:
            self._begin(bytearray(*HEADER.unpack(self._buffer)), is_header=False)
            return
        received = self._buffer
        self._begin(bytearray(HEADER.size), is_header=True)
        if self._message is not None and not self._message.done():
            self._message.set_result(received)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the connection has ended."""
        self._is_lost = True
        if self._message is not None and not self._message.done():
            self._message.set_exception(ConnectionResetError())

    def _begin(self, buffer: bytearray, *, is_header: bool) -> None:
        """Receive the next part of a message into a buffer."""
        self._buffer, self._is_header, self._filled = buffer, is_header, 0
