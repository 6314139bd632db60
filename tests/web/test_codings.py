"""Content codings undone: whole or not at all, and never to more than was asked for."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

import brotli
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.exceptions import ContentCodingError
from wcspider.web.codings import CHUNK, MOST_CODINGS, codings, undo, zstd

CUT_SHORT = "the answer was cut short"
NOT_COMPRESSED = "not compressed as its Content-Encoding says"
UNKNOWN = "unknown Content-Encoding"
TOO_LARGE = "decompresses to more than DOWNLOAD_MAXSIZE"

gzipped = partial(gzip.compress, mtime=0)
"""The names of the tests have these bytes in them, and are the same in each process that runs some of them."""


def _raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


PACKERS: Mapping[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzipped),
    "x-gzip": ("x-gzip", gzipped),
    "deflate": ("deflate", zlib.compress),
    "deflate without a header": ("deflate", _raw_deflate),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
}
ALL = pytest.mark.parametrize(("coding", "pack"), PACKERS.values(), ids=PACKERS)

TEXT = b"".join(b"line %d " % number for number in range(1000))
CHECKSUMMED = {zstd.CompressionParameter.checksum_flag: 1}
WIDE = {zstd.CompressionParameter.window_log: 24}

HEADERS = [
    ([], ()),
    (["gzip"], ("gzip",)),
    (["GZip , br"], ("gzip", "br")),
    (["gzip", "br"], ("gzip", "br")),  # two headers are one list
    (["", "identity", "none", " , "], ()),
    (["utf-8"], ()),  # said of the text by servers that mean Content-Type
    (["UTF8, gzip"], ("gzip",)),
    (["snappy"], ("snappy",)),
]


@pytest.mark.parametrize(("headers", "expected"), HEADERS)
def test_headers(headers: list[str], expected: tuple[str, ...]) -> None:
    assert codings(headers) == expected


@ALL
@given(data=st.binary(max_size=2000), repeats=st.integers(1, 200))
@example(data=b"0", repeats=CHUNK)  # pieces that end where the body does
@example(data=b"0", repeats=3 * CHUNK)
def test_what_was_packed_comes_out(coding: str, pack: Callable[[bytes], bytes], data: bytes, repeats: int) -> None:
    whole = data * repeats
    assert undo(pack(whole), (coding,)) == whole
    assert undo(pack(whole), (coding,), max(1, len(whole))) == whole


@ALL
@given(length=st.integers(1, 10_000))
def test_a_body_that_breaks_off_gives_nothing(coding: str, pack: Callable[[bytes], bytes], length: int) -> None:
    packed = pack(TEXT)
    with pytest.raises(ContentCodingError, match=CUT_SHORT):
        undo(packed[: min(length, len(packed) - 1)], (coding,))


@ALL
def test_nothing_is_unpacked_beyond_the_limit(coding: str, pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ContentCodingError, match=TOO_LARGE):
        undo(pack(TEXT), (coding,), len(TEXT) - 1)


@ALL
@given(body=st.binary(max_size=300), limit=st.integers(1, 1000))
def test_no_body_is_too_odd(coding: str, pack: Callable[[bytes], bytes], body: bytes, limit: int) -> None:
    with suppress(ContentCodingError):
        assert len(undo(body, (coding,), limit)) <= limit


# body, codings, what comes of it
ODD: list[tuple[bytes, tuple[str, ...], bytes | str]] = [
    (b"", ("gzip",), b""),  # an answer without a body, with the headers of one that has it
    (gzipped(b"a") + gzipped(b"b"), ("gzip",), b"ab"),
    (gzipped(b"a") + b"\0" * 9, ("gzip",), b"a"),
    (gzipped(b"a") + gzipped(b"b")[:-1], ("gzip",), CUT_SHORT),
    (gzipped(TEXT)[:-6] + b"damage", ("gzip",), NOT_COMPRESSED),
    (zlib.compress(TEXT)[:-4] + b"\0\0\0\0", ("deflate",), NOT_COMPRESSED),
    (zstd.compress(b"a") + zstd.compress(b"b"), ("zstd",), b"ab"),
    (b"\x5f\x2a\x4d\x18\2\0\0\0xy" + zstd.compress(b"a"), ("zstd",), b"a"),  # a frame to be skipped
    (zstd.compress(b"a") + b"\x5f\x2a\x4d\x18\2\0\0\0xy" + zstd.compress(b"b"), ("zstd",), b"ab"),
    (zstd.compress(b"a") + b"\nmore", ("zstd",), b"a"),
    (zstd.compress(TEXT, options=CHECKSUMMED)[:-4] + b"sums", ("zstd",), NOT_COMPRESSED),
    (zstd.compress(bytes(2**24 + 1), options=WIDE), ("zstd",), NOT_COMPRESSED),  # a window wider than it may be
    (gzipped(brotli.compress(b"a")), ("br", "gzip"), b"a"),
    (gzipped(b"a"), ("snappy", "gzip"), UNKNOWN),
    (b"", ("snappy",), UNKNOWN),
    (gzipped(b"a"), ("gzip",) * (MOST_CODINGS + 1), UNKNOWN),
    (b"<p>plain text", ("gzip",), NOT_COMPRESSED),
    (b"<p>plain text", ("deflate",), NOT_COMPRESSED),
    (b"<p>plain text", ("br",), NOT_COMPRESSED),
    (b"<p>plain text", ("zstd",), NOT_COMPRESSED),
]


@pytest.mark.parametrize(("body", "applied", "expected"), ODD)
def test_odd_bodies(body: bytes, applied: tuple[str, ...], expected: bytes | str) -> None:
    if isinstance(expected, bytes):
        assert undo(body, applied) == expected
    else:
        with pytest.raises(ContentCodingError, match=expected):
            undo(body, applied)


def test_members_without_end_are_no_body() -> None:
    with pytest.raises(ContentCodingError, match=NOT_COMPRESSED):
        undo(gzipped(b"") * 100_001, ("gzip",))
