"""HTML and XHTML documents, read as a stream.

The reader keeps the elements that refer to something, the text, the title and a few META elements, but builds no tree:
a tree would take about fifty times the memory of the source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from lxml import etree

from wcspider.exceptions import InvalidURLError
from wcspider.web.charset import decoded_pieces
from wcspider.web.documents.doctype import has_internal_subset, without_internal_subset
from wcspider.web.styles.responsive import is_lazy
from wcspider.web.urls import is_capturable, resolve, split_fragment

XHTML_TYPE: Final = "application/xhtml+xml"
_XHTML_ROOT: Final = "{http://www.w3.org/1999/xhtml}html"

MAX_DEPTH: Final = 1000
"""How deep elements may be nested; libxml2 needs quadratic time for more."""

MAX_SOURCES: Final = 32
"""How many SOURCE elements before the IMG of a PICTURE are considered."""

CHUNK: Final = 64 * 1024
_NO_TEXT: Final = frozenset({"script", "style", "template"})
BACKGROUNDS: Final = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))
"""The elements with a background attribute."""

_REFERRING: Final = frozenset(
    ("a", "area", "embed", "feimage", "frame", "iframe", "image", "img", "input", "link", "object", "use", "video")
)
_READ: Final = _NO_TEXT | _REFERRING | {"base", "meta", "noscript", "picture", "source", "svg", "title"}
_EXAMINED: Final = _READ | BACKGROUNDS
"""The elements that are examined even if they have no style attribute."""

_PIECES: Final = 1024
"""How many pieces of text the parser passes before they are joined."""

_XML_DECLARATION_RE: Final = re.compile(r"\s*<\?xml\b[^>]*>")
_ENTITY_RE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
_TAG_RE: Final = re.compile(r"</?([A-Za-z][^\s/<>]*)[^<>]*>")


class Element:
    """An element that refers to something."""

    __slots__ = ("attributes", "is_in_noscript", "is_twin", "name", "sources", "text")

    def __init__(
        self, name: str, attributes: Mapping[str, str], is_in_noscript: bool = False, is_twin: bool = False
    ) -> None:
        self.name = name
        """The name in lower case, without namespace."""

        self.attributes = attributes
        self.is_in_noscript = is_in_noscript
        self.is_twin = is_twin
        """True in a NOSCRIPT directly after an IMG that a script loads: its images repeat that IMG."""

        self.text = ""
        """The contents of a STYLE."""

        self.sources: Sequence[Element] = ()
        """The SOURCE elements before an IMG in its PICTURE, in document order."""

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute, or `default` if the element does not have it."""
        return self.attributes.get(name, default)


class Document:
    """The parts of a document that Web Capture needs."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        """The name of the encoding that the document was decoded with."""

        self.elements: list[Element] = []
        """The elements that refer to something, in document order, without those in SCRIPT, STYLE and TEMPLATE."""

        self.base: str | None = None
        """The href of the first BASE that has one; None without one."""

        self.title = ""
        """The text of the first TITLE, with white space folded."""

        self.has_noscript = False
        """True if the text contains that of a NOSCRIPT."""

        self.directives: set[str] = set()
        self.text_pieces: list[str] = []
        """The text between markup tags, in order, for the text identifier (14.10.3.3).

        The title, NOSCRIPT, form fields and content hidden by styles are text; SCRIPT, STYLE, TEMPLATE and comments
        are not. Tags add nothing, because the clause does not distinguish blocks: the text of ``<p>a</p><p>b</p>`` is
        ``ab``, like that of ``a<b>b</b>``.
        """

    @property
    def style_characters(self) -> int:
        """The number of characters in STYLE elements."""
        return sum(len(element.text) for element in self.elements if element.name == "style")

    @property
    def text(self) -> str:
        """The text between markup tags as one string."""
        return "".join(self.text_pieces)

    def base_url(self, url: str) -> str:
        """Return the URL that references are relative to: the first BASE with an href, or the document's ``url``.

        A BASE that cannot be captured (``data:``, a malformed URL) is ignored.
        """
        if self.base is None:
            return url
        try:
            base = split_fragment(resolve(url, self.base, self.encoding))[0]
        except InvalidURLError:
            return url
        return base if is_capturable(base) else url

    def robots(self) -> frozenset[str]:
        """Return the directives for robots in META, in lower case; ``none`` means ``noindex`` and ``nofollow``."""
        implied = {"noindex", "nofollow"} if "none" in self.directives else set()
        return frozenset(self.directives | implied)


def parse(source: str | bytes, encoding: str = "utf-8", *, media_type: str = "text/html") -> Document:
    """Read text, or bytes in ``encoding``, as a document.

    Invalid markup never raises. XHTML is parsed as XML if it is well-formed, otherwise as HTML. Elements nested deeper
    than `MAX_DEPTH` are not distinguished from their parents. The time and the memory are linear in the length of the
    source.
    """

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
        except _TooDeepError:
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
    yield _TAG_RE.sub(lambda tag: tag[0] if tag[1].lower() in _READ else "", "".join(pieces))


def _without_tags(pieces: Iterator[str]) -> Iterator[str]:
    """Yield the text without tags."""
    yield _TAG_RE.sub("", "".join(pieces)).replace("<", "&lt;")


def _read_html(pieces: Iterator[str], encoding: str) -> Document:
    """Read a document with libxml2's HTML parser. Raises `_TooDeepError`."""
    reader = _Reader(encoding)
    parser: Any = etree.HTMLParser(encoding="utf-8", huge_tree=True, target=reader)
    _feed(parser, pieces)
    return reader.document


def _read_xhtml(text: str, encoding: str) -> Document | None:
    """Read a well-formed XHTML document; return None if it is not one.

    Named character references are replaced first, because no DTD is loaded.
    """
    declaration = _XML_DECLARATION_RE.match(text)
    named = _ENTITY_RE.sub(lambda match: html.unescape(match[0]), text[declaration.end() :] if declaration else text)
    reader = _Reader(encoding, root=_XHTML_ROOT)
    parser: Any = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, target=reader
    )
    try:
        is_read = _feed(parser, (named[start : start + CHUNK] for start in range(0, len(named), CHUNK)))
    except (_TooDeepError, _OtherRootError):
        return None
    return reader.document if is_read else None


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


class _TooDeepError(Exception):
    """An error for elements that are nested too deep."""


class _OtherRootError(Exception):
    """An error for an XML document that is not XHTML."""


class _Reader:
    """A parser target that fills in a `Document`."""

    def __init__(self, encoding: str, root: str | None = None) -> None:
        self.document = Document(encoding)
        self._root = root
        self._depth = 0
        self._inside = dict.fromkeys((*_NO_TEXT, "noscript", "svg"), 0)
        self._hidden = 0
        self._style: Element | None = None
        self._collected: list[str] = []
        """The contents of a STYLE or TITLE, while inside it."""

        self._title_depth = 0
        self._has_title = False
        self._is_after_lazy = False
        """True if the last IMG is lazy, and there is no text after it."""

        self._is_twin = False
        self._links: set[tuple[str | None, ...]] = set()
        self._pictures: list[tuple[Element, ...]] = []
        self._buffer: list[str] = []

    # The interface of lxml

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Handle a start tag."""
        if self._root is not None:
            if tag != self._root:
                raise _OtherRootError
            self._root = None
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _TooDeepError
        name = local_name(tag)
        if not self._hidden and (name in _EXAMINED or (attributes and "style" in attributes)):
            self._read(name, attributes)
        if name in self._inside:
            self._inside[name] += 1
            self._hidden += name in _NO_TEXT

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        name = local_name(tag)
        if name in self._inside:
            self._inside[name] -= 1
            self._hidden -= name in _NO_TEXT
            self._is_twin = self._is_twin and self._inside["noscript"] > 0
        if name == "picture" and self._pictures:
            self._pictures.pop()
        if self._style is not None and not self._hidden:
            self._style.text = "".join(self._collected)
            self._style = None
        if self._title_depth == self._depth:
            self._end_title()
        self._depth -= 1

    def data(self, text: str) -> None:
        """Handle text."""
        if self._style is not None or self._title_depth:
            self._collected.append(text)
        if self._hidden:
            return
        if self._is_after_lazy and not self._inside["noscript"] and not text.isspace():
            self._is_after_lazy = False
        self._buffer.append(text)
        if len(self._buffer) >= _PIECES:
            self._flush()

    def close(self) -> None:
        """Handle the end of the document."""
        if self._title_depth:
            self._end_title()
        if self._style is not None:
            self._style.text = "".join(self._collected)
        self._flush()

    # What is read

    def _flush(self) -> None:
        """Store the text so far; a few long strings take less memory than many short ones."""
        if self._buffer:
            self.document.text_pieces.append("".join(self._buffer))
        self._buffer.clear()

    def _read(self, name: str, attributes: Mapping[str, str]) -> None:
        """Read an element that is not in SCRIPT, STYLE or TEMPLATE."""
        special = _SPECIAL.get(name)
        if special is not None:
            special(self, attributes)
        style = attributes.get("style", "")
        if name == "a" and not style:  # a page often has the same link many times
            link = tuple(map(attributes.get, ("href", "rel", "charset")))
            if link in self._links:
                return
            self._links.add(link)
        if name in _REFERRING or "(" in style or (name in BACKGROUNDS and "background" in attributes):
            element = Element(name, attributes, self._inside["noscript"] > 0, self._is_twin)
            if name == "img":
                self._is_after_lazy = not element.is_in_noscript and is_lazy(element)
                element.sources = self._pictures[-1] if self._pictures else ()
            self.document.elements.append(element)

    def _read_noscript(self, attributes: Mapping[str, str]) -> None:
        """Begin a NOSCRIPT."""
        self.document.has_noscript = True
        self._is_twin = self._is_after_lazy

    def _read_base(self, attributes: Mapping[str, str]) -> None:
        """Read a BASE; only the first with an href counts."""
        if self.document.base is None:
            self.document.base = attributes.get("href")

    def _read_meta(self, attributes: Mapping[str, str]) -> None:
        """Read the directives of a META for robots."""
        if attributes.get("name", "").strip().lower() == "robots":
            directives = (part.strip().lower() for part in attributes.get("content", "").split(","))
            self.document.directives.update(filter(None, directives))

    def _read_picture(self, attributes: Mapping[str, str]) -> None:
        """Begin a PICTURE."""
        self._pictures.append(())

    def _read_source(self, attributes: Mapping[str, str]) -> None:
        """Read a SOURCE of a PICTURE."""
        if self._pictures:
            self._pictures[-1] = (*self._pictures[-1], Element("source", attributes))[-MAX_SOURCES:]

    def _read_style(self, attributes: Mapping[str, str]) -> None:
        """Begin a STYLE."""
        self._style = Element("style", attributes, self._inside["noscript"] > 0, self._is_twin)
        self._collected = []
        self.document.elements.append(self._style)

    def _read_title(self, attributes: Mapping[str, str]) -> None:
        """Begin a TITLE; only the first counts, and none in an SVG."""
        if not self._has_title and not self._inside["svg"]:
            self._has_title = True
            self._title_depth = self._depth
            self._collected = []

    def _end_title(self) -> None:
        """End the TITLE."""
        self.document.title = " ".join("".join(self._collected).split())
        self._title_depth = 0


_SPECIAL: Final[Mapping[str, Callable[[_Reader, Mapping[str, str]], None]]] = {
    "base": _Reader._read_base,
    "meta": _Reader._read_meta,
    "noscript": _Reader._read_noscript,
    "picture": _Reader._read_picture,
    "source": _Reader._read_source,
    "style": _Reader._read_style,
    "title": _Reader._read_title,
}


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """Return the name in a tag of lxml, in lower case and without namespace."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()
