"""SVG files as XML in UTF-8, from any encoding that browsers know, and compressed with gzip (SVG 1.1, 1.2 and G.7)."""

from __future__ import annotations

import codecs
import re
import zlib
from functools import lru_cache
from typing import Final
from xml.parsers import expat

import webencodings

from wcspider.exceptions import SourceUnreadableError
from wcspider.web.charset import BYTE_ORDER_MARKS

MAX_SIZE: Final = 20_000_000
"""How many bytes an SVG file may have without compression."""

KEPT: Final = 64
"""How many SVG files of a page are cached."""

_GZIP: Final = b"\x1f\x8b"
"""The first bytes of a file that is compressed with gzip (RFC 1952, 2.3.1)."""

_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS
_DECLARED: Final = re.compile(rb"""<\?xml\s[^<>]*?encoding\s*=\s*["']([A-Za-z][\w.:-]*)["']""")
_DECLARATION: Final = re.compile(r"^\s*<\?xml\s[^<>]*\?>")
_TAG: Final = re.compile(rb"<svg[\s>/]")
_START_TAG: Final = re.compile(rb"<svg\s[^>]*>")
_SIDE: Final = re.compile(rb"""\s(width|height)\s*=\s*["']\s*(\d+\.?\d*|\.\d+)(?:px)?\s*["']""")
_HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_START: Final = 4096
"""The number of bytes of a damaged file in which a tag of SVG or HTML tells its format."""

_ROOT: Final = "http://www.w3.org/2000/svg svg"


def may_be_svg(body: bytes) -> bool:
    """Tell whether a file is text or compressed text: no format of raster images begins like that."""
    return body.startswith((*BYTE_ORDER_MARKS, b"\0<")) or body.lstrip().startswith((b"<", _GZIP))


def svg_source(body: bytes) -> bytes | None:
    """Return an SVG file as XML in UTF-8; None for any other file.

    Raise `SourceUnreadableError` for an SVG file of which browsers show nothing, because it is not well-formed. The
    message does not contain the URL, so that the summary can group equal reasons.
    """
    return _svg_source(body) if may_be_svg(body) else None


def size_of(source: bytes) -> tuple[float, float] | None:
    """Return the width and height of an SVG file in CSS pixels; None if it does not declare both as such lengths."""
    root = _START_TAG.search(source)
    sides = dict(_SIDE.findall(root[0])) if root is not None else {}
    return (float(sides[b"width"]), float(sides[b"height"])) if len(sides) == 2 else None


def is_html(body: bytes) -> bool:
    """Tell whether a file is HTML, as far as its first bytes tell."""
    return _HTML.search(body[:_START]) is not None


def uncompressed(body: bytes) -> bytes:
    """Return a file without compression; of a damaged file, the part that can be read."""
    if not body.startswith(_GZIP):
        return body
    reader = zlib.decompressobj(_GZIP_WINDOW)
    try:
        found = reader.decompress(body, MAX_SIZE)
    except zlib.error:
        return b""
    if reader.unconsumed_tail:
        raise SourceUnreadableError(f"an SVG image has more than {MAX_SIZE} bytes", "")
    return found


@lru_cache(maxsize=KEPT)
def _svg_source(body: bytes) -> bytes | None:
    source = _in_utf_8(uncompressed(body))
    names: list[str] = []
    parser = expat.ParserCreate("utf-8", " ")

    def begin(name: str, _: object) -> None:
        names.append(name)
        parser.StartElementHandler = None

    parser.StartElementHandler = begin
    try:
        parser.Parse(source, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
    else:
        reason = "" if names == [_ROOT] else "no SVG namespace"
    if not reason:
        return source
    if names == [_ROOT] or (_TAG.search(source[:_START]) and not is_html(source)):
        raise SourceUnreadableError(f"an SVG image cannot be read: {reason}", "")
    return None


def _in_utf_8(body: bytes) -> bytes:
    """Return XML in UTF-8, without a declaration if it was in another encoding (XML 1.0, F.1)."""
    if body.startswith(b"<\0"):
        encoding = webencodings.lookup("utf-16le")
    elif body.startswith(b"\0<"):
        encoding = webencodings.lookup("utf-16be")
    else:
        declared = _DECLARED.match(body)
        found = webencodings.lookup(declared[1].decode("ascii")) if declared is not None else None
        # A declaration that can be read as ASCII is not in UTF-16.
        encoding = webencodings.UTF8 if found is None or found.name.startswith("utf-16") else found
    if encoding is webencodings.UTF8 and not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body
    text, _ = webencodings.decode(body, encoding)
    return _DECLARATION.sub("", text, count=1).encode("utf-8", "replace")
