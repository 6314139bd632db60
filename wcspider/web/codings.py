"""Decompression of content codings (RFC 9110, 8.4.1): the complete body, or an error.

A body that ends early or turns into other bytes would yield half a page, so it is an error. A small body may
decompress to any size, so decompression stops at a limit.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from io import BytesIO

import brotli
import webencodings

from wcspider.exceptions import ContentCodingError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CUT_SHORT = "the answer was cut short"
NOT_COMPRESSED = "not compressed as its Content-Encoding says"
UNKNOWN = "unknown Content-Encoding"

CHUNK = 64 * 1024
"""How many bytes are decompressed at a time."""

MOST_CODINGS = 4
"""How many codings one body may have; more than a few are only used in attacks."""

MOST_PARTS = 100_000
"""How many members or frames one body may have; each costs a decompressor, even an empty one."""

_NONE = frozenset({"", "identity", "none"})
GZIP_MAGIC = b"\x1f\x8b"
"""The first bytes of a body that is compressed with gzip (RFC 1952, 2.3.1). No text begins with them."""

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = tuple(bytes([first]) for first in range(0x50, 0x60))
_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"
_ZSTD_WINDOW = {int(zstd.DecompressionParameter.window_log_max): 23}
"""8 MB, the largest window that the coding may use (RFC 9659)."""


def codings(headers: Iterable[str]) -> tuple[str, ...]:
    """Return the content codings that Content-Encoding headers name, in the order in which they were applied.

    The name of a character encoding, which some servers send there by mistake, is ignored.
    """
    names = (name.strip().lower() for header in headers for name in header.split(","))
    return tuple(name for name in names if name not in _NONE and webencodings.lookup(name) is None)


def undo(body: bytes, applied: tuple[str, ...], limit: int = 0) -> bytes:
    """Return a body with the content codings removed. `limit` is the greatest size in bytes; 0 means no limit.

    An empty body stays empty: many servers send the header without a body. Raises `ContentCodingError`.
    """
    if len(applied) > MOST_CODINGS or not _DECODERS.keys() >= set(applied):
        raise ContentCodingError(UNKNOWN)
    for name in reversed(applied):
        body = _joined(_DECODERS[name](body), limit) if body else body
    return body


def _joined(pieces: Iterator[bytes], limit: int) -> bytes:
    """Join decompressed pieces; raise `ContentCodingError` if they are broken or exceed the limit."""
    joined = BytesIO()
    try:
        for piece in pieces:
            joined.write(piece)
            if limit and joined.tell() > limit:
                raise ContentCodingError("decompresses to more than DOWNLOAD_MAXSIZE")
    except (zlib.error, brotli.error, zstd.ZstdError) as error:
        raise ContentCodingError(NOT_COMPRESSED) from error
    return joined.getvalue()


def _gzip(body: bytes) -> Iterator[bytes]:
    """Undo gzip: one or more members (RFC 1952, 2.2). Other bytes after them are ignored."""
    rest = memoryview(body)
    for _ in range(MOST_PARTS):
        rest = yield from _inflated(zlib.decompressobj(wbits=31), rest)
        if rest[:2] != GZIP_MAGIC:
            return
    raise ContentCodingError(NOT_COMPRESSED)


def _deflate(body: bytes) -> Iterator[bytes]:
    """Undo deflate, with the zlib header that the coding has (RFC 1950, 2.2) or, as some servers send it, without."""
    wrapped = body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    yield from _inflated(zlib.decompressobj(wbits=15 if wrapped else -15), memoryview(body))


def _inflated(decompressor: zlib._Decompress, data: memoryview) -> Generator[bytes, None, memoryview]:
    """Yield the contents of one compressed stream, and return the bytes after it."""
    for start in range(0, len(data), CHUNK):
        piece: bytes | memoryview = data[start : start + CHUNK]
        given = CHUNK
        while given == CHUNK or piece:
            decompressed = decompressor.decompress(piece, CHUNK)
            yield decompressed
            given, piece = len(decompressed), decompressor.unconsumed_tail
        if decompressor.eof:
            return data[min(start + CHUNK, len(data)) - len(decompressor.unused_data) :]
    raise ContentCodingError(CUT_SHORT)


def _brotli(body: bytes) -> Iterator[bytes]:
    """Undo Brotli (RFC 7932)."""
    decompressor = brotli.Decompressor()
    for start in range(0, len(body), CHUNK):
        yield decompressor.process(body[start : start + CHUNK], output_buffer_limit=CHUNK)
        while not decompressor.can_accept_more_data():
            yield decompressor.process(b"", output_buffer_limit=CHUNK)
    # The decompressor notices the end of the stream one call after its last output.
    yield b"" if decompressor.is_finished() else decompressor.process(b"")
    if not decompressor.is_finished():
        raise ContentCodingError(CUT_SHORT)


def _zstd(body: bytes) -> Iterator[bytes]:
    """Undo Zstandard: one or more frames (RFC 8878, 3.1). Other bytes after them are ignored."""
    rest = memoryview(body)
    for _ in range(MOST_PARTS):
        rest = yield from _unframed(zstd.ZstdDecompressor(options=_ZSTD_WINDOW), rest)
        if rest[:4] != _ZSTD_MAGIC and (rest[:1].tobytes() not in _SKIPPABLE or rest[1:4] != _SKIPPABLE_MAGIC):
            return
    raise ContentCodingError(NOT_COMPRESSED)


def _unframed(decompressor: zstd.ZstdDecompressor, data: memoryview) -> Generator[bytes, None, memoryview]:
    """Yield the contents of one frame, and return the bytes after it."""
    for start in range(0, len(data), CHUNK):
        yield decompressor.decompress(data[start : start + CHUNK], CHUNK)
        while not (decompressor.eof or decompressor.needs_input):
            yield decompressor.decompress(b"", CHUNK)
        if decompressor.eof:
            return data[min(start + CHUNK, len(data)) - len(decompressor.unused_data) :]
    raise ContentCodingError(CUT_SHORT)


_DECODERS: Mapping[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
