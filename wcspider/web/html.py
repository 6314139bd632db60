"""An HTML or XHTML document as a tree, with what the rules of the clause ask of it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from lxml import etree

from wcspider.exceptions import InvalidURLError
from wcspider.web.charset import decode
from wcspider.web.urls import is_capturable, resolve, split_fragment

XHTML_TYPE: Final = "application/xhtml+xml"
_XHTML_ROOT: Final = "{http://www.w3.org/1999/xhtml}html"

_NO_TEXT: Final = frozenset({"script", "style", "template"})
_XML_DECLARATION_RE: Final = re.compile(r"\s*<\?xml\b[^>]*>")
_INTERNAL_SUBSET_RE: Final = re.compile(
    r"""<!DOCTYPE[^<>\["']*(?:(?:"[^"]*"|'[^']*')[^<>\["']*){0,2}\[""", re.IGNORECASE
)
"""A document type with declarations of its own, behind a public and a system identifier (XML 1.0, 2.8)."""
_ENTITY_RE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
_MAX_DEPTH: Final = 1000


class Document:
    """A parsed document. An empty one has no tree, and nothing in it."""

    def __init__(self, root: Any, encoding: str) -> None:
        self.root = root
        """The root element of the lxml tree, or None if there is no element."""

        self.encoding = encoding
        """The name of the encoding that the document was decoded by."""

        self._shown: dict[frozenset[str], list[tuple[str, Any]]] = {}

    def elements(self, skip: frozenset[str] = frozenset()) -> Sequence[tuple[str, Any]]:
        """Each element with its `tag_name`, in document order, not looking into those named in ``skip``."""
        if skip not in self._shown:
            hidden = {below for name, element in self._named if name in skip for below in element.iter()}
            self._shown[skip] = [pair for pair in self._named if pair[1] not in hidden]
        return self._shown[skip]

    @cached_property
    def _named(self) -> list[tuple[str, Any]]:
        """Each element with its `tag_name`, in document order."""
        return [] if self.root is None else [(_local(found.tag), found) for found in self.root.iter(etree.Element)]

    def _all(self, wanted: str, skip: frozenset[str]) -> Iterator[Any]:
        """The elements of one name, in document order, that stand in none of those named in ``skip``."""
        for name, element in self._named:
            if name == wanted and skip.isdisjoint(map(tag_name, element.iterancestors())):
                yield element

    def base_url(self, url: str) -> str:
        """The URL that references are relative to: the first BASE with an href, or the document's ``url``.

        A BASE that cannot be captured (``data:``, a malformed URL) is as good as none.
        """
        return url if self._base is None else _base(url, self._base, self.encoding)

    @cached_property
    def _base(self) -> str | None:
        return next((element.get("href") for element in self._all("base", _NO_TEXT) if "href" in element.attrib), None)

    def title(self) -> str:
        """The text of the first TITLE, white space folded; "" if there is none."""
        title = next(self._all("title", _NO_TEXT | {"svg"}), None)
        return "" if title is None else " ".join("".join(title.itertext()).split())

    def text(self) -> str:
        """The text between markup tags, in order, for the text identifier (14.10.3.3).

        The title is text, and so are NOSCRIPT, form fields and what styles hide; SCRIPT, STYLE, TEMPLATE and
        comments are not. Nothing is put where tags stand, since the clause knows tags but not blocks:
        ``<p>a</p><p>b</p>`` is the text ``ab``, as ``a<b>b</b>`` is.
        """
        if self.root is None:
            return ""
        unread = {element.tag for name, element in self._named if name in _NO_TEXT}
        if self.root.tag in unread:
            return ""
        # In place, for a large page's tree takes ten times its bytes; what is asked of elements later is in _named.
        etree.strip_elements(self.root, *unread, etree.Comment, etree.PI, with_tail=False)
        text: str = etree.tostring(self.root, method="text", encoding="unicode", with_tail=False)
        return text

    def robots(self) -> frozenset[str]:
        """The directives for robots in META, in lower case; ``none`` is ``noindex`` and ``nofollow``."""
        found: set[str] = set()
        for element in self._all("meta", _NO_TEXT):
            if element.get("name", "").strip().lower() == "robots":
                found.update(part.strip().lower() for part in element.get("content", "").split(","))
        if "none" in found:
            found |= {"noindex", "nofollow"}
        return frozenset(found - {""})


def parse(source: str | bytes, encoding: str = "utf-8", *, media_type: str = "text/html") -> Document:
    """The document that ``source`` is: text, or bytes in ``encoding``.

    Never raises for what stands in the source. XHTML is read as XML if it is well-formed, else like HTML;
    elements nested deeper than 1000 become siblings (libxml2 itself would end the document there).
    """
    text = decode(source, encoding) if isinstance(source, bytes) else source
    declaration = _XML_DECLARATION_RE.match(text)
    data = text[declaration.end() :] if declaration else text
    root = _parse_xhtml(data) if media_type == XHTML_TYPE else None
    return Document(_parse_html(data) if root is None else root, encoding)


def tag_name(element: Any) -> str:
    """The name of an element in lower case, without namespace; "" for a comment or an instruction."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    """The name in a tag as lxml gives it: a page has thousands of elements, and some dozens of tags."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def _base(url: str, href: str, encoding: str) -> str:
    try:
        base = split_fragment(resolve(url, href, encoding))[0]
    except InvalidURLError:
        return url
    return base if is_capturable(base) else url


def _parse_html(text: str) -> Any:
    """The root of the tree that libxml2's HTML parser makes; None if there is no element."""
    data = text.replace("\0", "").encode("utf-8", "replace")
    parser: Any = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = _root(data, parser)
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        root = _root(data, etree.HTMLParser(encoding="utf-8", huge_tree=True, target=_ShallowBuilder()))
    return root


def _parse_xhtml(text: str) -> Any:
    """The root of an XHTML document that is well-formed; None if it is not.

    Named characters are replaced first, since no DTD is loaded; a document that declares its own is left to
    the HTML parser, which expands none.
    """
    if _INTERNAL_SUBSET_RE.search(text):
        return None
    named = _ENTITY_RE.sub(lambda match: html.unescape(match[0]), text)
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True)
    root = _root(named.encode("utf-8", "replace"), parser)
    return root if root is not None and root.tag == _XHTML_ROOT else None


def _root(data: bytes, parser: Any) -> Any:
    try:
        return etree.fromstring(data, parser)
    except (etree.LxmlError, AssertionError):  # TreeBuilder asserts that there is an element
        return None


class _ShallowBuilder:
    """A tree builder that leaves out the tags, not the text, of elements nested too deep."""

    def __init__(self) -> None:
        self._builder: Any = etree.TreeBuilder()
        self._depth = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._builder.start(tag, attributes)
        if self._depth > _MAX_DEPTH:
            self._builder.end(tag)

    def end(self, tag: str) -> None:
        if self._depth <= _MAX_DEPTH:
            self._builder.end(tag)
        self._depth -= 1

    def data(self, data: str) -> None:
        self._builder.data(data)

    def comment(self, text: str) -> None:
        """Comments count for nothing here."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Nor do instructions."""

    def close(self) -> Any:
        return self._builder.close()
