"""Content codings undone (RFC 9110, 8.4.1): all of what was compressed, or why there is none.

What a decompressor gives of a body that breaks off, or that turns into something else, is not a page: it is half of
one. And a small body may decompress to any size, so nothing is decompressed beyond a limit.
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
UNKNOWN = "a Content-Encoding that is not known"

CHUNK = 64 * 1024
"""How many bytes are decompressed at a time."""

MOST_CODINGS = 4
"""How often a body may be compressed; more is made only to be hard to undo."""

MOST_PARTS = 100_000
"""How many members or frames one body may have; a decompressor is made for each, be it empty."""

_NONE = frozenset({"", "identity", "none"})
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = tuple(bytes([first]) for first in range(0x50, 0x60))
_SKIPPABLE_MAGIC = b"\x2a\x4d\x18"
_ZSTD_WINDOW = {int(zstd.DecompressionParameter.window_log_max): 23}
"""8 MB, which is as much as this coding may ask for (RFC 9659)."""


def codings(headers: Iterable[str]) -> tuple[str, ...]:
    """Return the content codings that Content-Encoding headers name, in the order in which they were applied.

    Some servers name an encoding of text there; it is none of content.
    """
    names = (name.strip().lower() for header in headers for name in header.split(","))
    return tuple(name for name in names if name not in _NONE and webencodings.lookup(name) is None)


def undo(body: bytes, applied: tuple[str, ...], limit: int = 0) -> bytes:
    """Return what a body was before codings were applied to it, up to `limit` bytes; 0 sets none.

    An empty body is what it is: many answers without one have the header all the same. Raises `ContentCodingError`.
    """
    if len(applied) > MOST_CODINGS or not _DECODERS.keys() >= set(applied):
        raise ContentCodingError(UNKNOWN)
    for name in reversed(applied):
        body = _joined(_DECODERS[name](body), limit) if body else body
    return body


def _joined(pieces: Iterator[bytes], limit: int) -> bytes:
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
    """Undo gzip: members, one behind the other (RFC 1952, 2.2); other bytes behind them are passed over."""
    rest = memoryview(body)
    for _ in range(MOST_PARTS):
        rest = yield from _inflated(zlib.decompressobj(wbits=31), rest)
        if rest[:2] != _GZIP_MAGIC:
            return
    raise ContentCodingError(NOT_COMPRESSED)


def _deflate(body: bytes) -> Iterator[bytes]:
    """Undo deflate, with the zlib header that it should have (RFC 1950, 2.2) or, as some servers do, without."""
    wrapped = body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0
    yield from _inflated(zlib.decompressobj(wbits=15 if wrapped else -15), memoryview(body))


def _inflated(decompressor: zlib._Decompress, data: memoryview) -> Generator[bytes, None, memoryview]:
    """Yield what one compressed stream holds, and return what stands behind it."""
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
    yield b"" if decompressor.is_finished() else decompressor.process(b"")  # it notes an end one step behind its output
    if not decompressor.is_finished():
        raise ContentCodingError(CUT_SHORT)


def _zstd(body: bytes) -> Iterator[bytes]:
    """Undo Zstandard: frames, one behind the other (RFC 8878, 3.1); other bytes behind them are passed over."""
    rest = memoryview(body)
    for _ in range(MOST_PARTS):
        rest = yield from _unframed(zstd.ZstdDecompressor(options=_ZSTD_WINDOW), rest)
        if rest[:4] != _ZSTD_MAGIC and (rest[:1].tobytes() not in _SKIPPABLE or rest[1:4] != _SKIPPABLE_MAGIC):
            return
    raise ContentCodingError(NOT_COMPRESSED)


def _unframed(decompressor: zstd.ZstdDecompressor, data: memoryview) -> Generator[bytes, None, memoryview]:
    """Yield what one frame holds, and return what stands behind it."""
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
