"""Messages that arrive in pieces of any length, or not whole."""

from __future__ import annotations

import asyncio
import io
import os
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.workers.main import Reply, decoded
from wcspider.engines.workers.messages import HEADER, encoded, next_message, read_message
from wcspider.exceptions import EngineError


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(1, 60), min_size=1))
def test_messages_in_pieces(values: list[bytes], sizes: list[int]) -> None:
    async def received() -> list[bytes]:
        stream = asyncio.StreamReader()
        found: list[bytes] = []
        for number, value in enumerate(values):
            waiting = asyncio.ensure_future(next_message(stream))
            rest = bytes(encoded(value))
            while rest:
                size = sizes[number % len(sizes)]
                stream.feed_data(rest[:size])
                rest = rest[size:]
                await asyncio.sleep(0)
            found.append(pickle.loads(await waiting))
        return found

    assert asyncio.run(received()) == values


@given(st.lists(st.binary(max_size=40)))
def test_blocking_side(values: list[bytes]) -> None:
    stream = io.BytesIO(b"".join(bytes(encoded(value)) for value in values))
    assert [pickle.loads(read_message(stream) or b"") for _ in values] == values
    assert read_message(stream) is None


@pytest.mark.parametrize("is_waiting", [False, True])
@pytest.mark.parametrize("size", [0, 3, HEADER.size, HEADER.size + 3])
def test_connection_that_ends(is_waiting: bool, size: int) -> None:
    async def use() -> None:
        stream = asyncio.StreamReader()
        stream.feed_data(bytes(encoded("a message"))[:size])
        waiting = asyncio.ensure_future(next_message(stream)) if is_waiting else None
        await asyncio.sleep(0)
        stream.feed_eof()
        with pytest.raises(EOFError):
            await (waiting or next_message(stream))

    asyncio.run(use())


def test_end_within_a_header() -> None:
    assert read_message(io.BytesIO(bytes(HEADER.size - 1))) is None


@pytest.mark.parametrize("data", [b"", b"no pickle", pickle.dumps(os.getpid)[:-3]])
def test_reply_that_cannot_be_unpickled_is_an_error(data: bytes) -> None:
    assert isinstance(decoded(data).error, EngineError)


def test_reply() -> None:
    assert decoded(bytes(encoded(Reply(7))[HEADER.size :])) == Reply(7)
