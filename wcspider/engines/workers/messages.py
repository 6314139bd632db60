"""The messages between the pool and a worker process: pickled values, each after its length.

Workers import this module when they start, so it must stay cheap.
"""

from __future__ import annotations

import io
import pickle
import struct
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

HEADER = struct.Struct(">Q")
"""The length of a message in bytes."""


def encoded(message: object) -> memoryview:
    """Return a message with its header. Raise whatever `pickle` raises if it cannot be pickled."""
    out = io.BytesIO()
    out.write(bytes(HEADER.size))
    pickle.dump(message, out, protocol=pickle.HIGHEST_PROTOCOL)
    data = out.getbuffer()
    HEADER.pack_into(data, 0, len(data) - HEADER.size)
    return data


def read_message(stream: IO[bytes]) -> bytes | None:
    """Return the next pickled message of a blocking stream, None at its end."""
    header = stream.read(HEADER.size)
    return stream.read(*HEADER.unpack(header)) if len(header) == HEADER.size else None


async def next_message(stream: asyncio.StreamReader) -> bytes:
    """Return the next pickled message of a stream. Raise `EOFError` or `ConnectionError` if the stream ends before."""
    return await stream.readexactly(*HEADER.unpack(await stream.readexactly(HEADER.size)))
