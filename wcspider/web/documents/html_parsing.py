"""The parsing of HTML and XHTML documents as a stream.

No tree is built: a tree would take about fifty times the memory of the source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree

from wcspider.web.charset import decoded_pieces
from wcspider.web.documents.doctype import has_internal_subset, without_internal_subset
from wcspider.web.documents.html import XHTML_TYPE, Document
from wcspider.web.documents.html_reader import READ_ELEMENTS, HtmlReader, OtherRootError, TooDeepError

_XHTML_ROOT: Final = "{http://www.w3.org/1999/xhtml}html"

MAX_FRAMES: Final = 5
"""How deep documents in the attributes of frames (``srcdoc``) may be nested."""

CHUNK: Final = 64 * 1024
_XML_DECLARATION_RE: Final = re.compile(r"\s*<\?xml\b[^>]*>")
_ENTITY_RE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
TAG_RE: Final = re.compile(r"</?([A-Za-z][^\s/<>]*)[^<>]*>")
"""A tag with its name, as far as a pattern can tell."""


def parse(source: str | bytes, encoding: str = "utf-8", *, media_type: str = "text/html") -> Document:
    """Read text, or bytes in ``encoding``, as a document.

    Invalid markup never raises. XHTML is parsed as XML if it is well-formed, otherwise as HTML. Elements nested deeper
    than `MAX_DEPTH` are not distinguished from their parents. The time and the memory are linear in the length of the
    source.
    """
    return _with_framed(_parsed(source, encoding, media_type), MAX_FRAMES)


def _with_framed(document: Document, depth: int) -> Document:
    """Return a document with the elements of the documents in its frames (``srcdoc``), which have the same base URL."""
    framed = {i: e.get("srcdoc") for i, e in enumerate(document.elements) if "srcdoc" in e.attributes} if depth else {}
    for index, source in reversed(framed.items()):
        inside = _with_framed(_parsed(source, document.encoding, "text/html"), depth - 1)
        document.elements[index : index + 1] = inside.elements
    return document


def _parsed(source: str | bytes, encoding: str, media_type: str) -> Document:
    def pieces() -> Iterator[str]:
        if isinstance(source, bytes):
            return decoded_pieces(source, encoding)
        return (source[start : start + CHUNK] for start in range(0, len(source), CHUNK))

    if media_type == XHTML_TYPE:
        found = _read_xhtml(without_internal_subset("".join(pieces())), encoding)
        if found is not None:
            return found
    for simplified in (_complete, _with_tags_that_are_read, _without_tags):
        try:
            return _read_html(simplified(_without_subset(pieces())), encoding)
        except TooDeepError:
            continue
    raise AssertionError("a text without tags has no depth")


def _without_subset(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text of a document without the internal subset of its document type."""
    first = next(pieces, "")
    if has_internal_subset(first):  # its end may be in a later piece
        yield without_internal_subset(first + "".join(pieces))
    else:
        yield first
        yield from pieces


def _complete(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text with all tags."""
    return pieces


def _with_tags_that_are_read(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text with only those tags that the reader uses."""
    yield TAG_RE.sub(lambda tag: tag[0] if tag[1].lower() in READ_ELEMENTS else "", "".join(pieces))


def _without_tags(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text without tags."""
    yield TAG_RE.sub("", "".join(pieces)).replace("<", "&lt;")


def _read_html(pieces: Iterator[str], encoding: str) -> Document:
    """Read a document with libxml2's HTML parser. Raises `TooDeepError`."""
    reader = HtmlReader(encoding)
    parser: Any = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=reader)
    _feed(parser, pieces)
    return reader.document


def _read_xhtml(text: str, encoding: str) -> Document | None:
    """Read a well-formed XHTML document; return None if it is not one."""
    named = with_characters(text)
    reader = HtmlReader(encoding, root=_XHTML_ROOT)
    parser: Any = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, target=reader
    )
    try:
        is_read = _feed(parser, (named[start : start + CHUNK] for start in range(0, len(named), CHUNK)))
    except (TooDeepError, OtherRootError):
        return None
    return reader.document if is_read else None


def with_characters(text: str) -> str:
    """Return an XHTML document with characters in place of their names, because no DTD is loaded."""
    declaration = _XML_DECLARATION_RE.match(text)
    return _ENTITY_RE.sub(lambda match: html.unescape(match[0]), text[declaration.end() :] if declaration else text)


def _feed(parser: Any, pieces: Iterator[str]) -> bool:
    """Feed text to a parser, in pieces that are small enough to stop at any time; return False after an error."""
    try:
        for piece in pieces:
            for start in range(0, len(piece), CHUNK):
                data = piece[start : start + CHUNK].replace("\0", "").encode("utf-8", "replace")
                if data:
                    parser.feed(data)
        parser.close()
    except etree.LxmlError:
        return False
    return True
