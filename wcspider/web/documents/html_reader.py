"""The reader of the tags and texts of a document, which a parser of libxml2 finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from wcspider.web.documents.html import BACKGROUNDS, Document, Element, is_shadow_root
from wcspider.web.documents.page_refresh import parse_refresh
from wcspider.web.styles.alternative_images import is_lazy

MAX_DEPTH: Final = 1000
"""How deep elements may be nested; libxml2 needs quadratic time for more."""

MAX_SOURCES: Final = 32
"""How many SOURCE elements before the IMG of a PICTURE are considered."""

_NO_TEXT: Final = frozenset({"script", "style", "template"})
_REFERRING: Final = frozenset(
    ("a", "area", "embed", "feimage", "frame", "iframe", "image", "img", "input", "link", "object", "use", "video")
)
READ_ELEMENTS: Final = _NO_TEXT | _REFERRING | {"base", "meta", "noscript", "picture", "source", "svg", "title"}
_EXAMINED: Final = READ_ELEMENTS | BACKGROUNDS
"""The elements that are examined even if they have no style attribute."""

_PIECES: Final = 1024
"""How many pieces of text the parser passes before they are joined."""


class TooDeepError(Exception):
    """An error for elements that are nested too deep."""


class OtherRootError(Exception):
    """An error for an XML document that is not XHTML."""


class HtmlReader:
    """A parser target that fills in a `Document`."""

    def __init__(self, encoding: str, root: str | None = None) -> None:
        self.document = Document(encoding)
        self._root = root
        self._depth = 0
        self._inside = dict.fromkeys((*_NO_TEXT, "noscript", "svg"), 0)
        self._hidden = 0
        self._shadow_roots: list[int] = []
        """The depths of the shadow roots around the current element."""

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
                raise OtherRootError
            self._root = None
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooDeepError
        name = local_name(tag)
        if not self._hidden and (name in _EXAMINED or "style" in attributes):
            self._read(name, attributes)
        if name in self._inside:
            if is_shadow_root(name, attributes):
                self._shadow_roots.append(self._depth)
                return
            self._inside[name] += 1
            self._hidden += name in _NO_TEXT

    def end(self, tag: str) -> None:
        """Handle an end tag."""
        name = local_name(tag)
        if self._shadow_roots and self._shadow_roots[-1] == self._depth:
            self._shadow_roots.pop()
        elif name in self._inside:
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
        """Read the directives of a META for robots, or a META refresh."""
        is_refresh = attributes.get("http-equiv", "").lower() == "refresh"
        if is_refresh and self.document.refresh is None and not self._inside["noscript"]:
            self.document.refresh = parse_refresh(attributes.get("content", ""))
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


_SPECIAL: Final[Mapping[str, Callable[[HtmlReader, Mapping[str, str]], None]]] = {
    "base": HtmlReader._read_base,
    "meta": HtmlReader._read_meta,
    "noscript": HtmlReader._read_noscript,
    "picture": HtmlReader._read_picture,
    "source": HtmlReader._read_source,
    "style": HtmlReader._read_style,
    "title": HtmlReader._read_title,
}


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """Return the name in a tag of lxml, in lower case and without namespace."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()
