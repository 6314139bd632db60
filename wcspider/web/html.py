"""An HTML or XHTML document as a tree, with the parts that Web Capture needs of it."""

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
"""The start of a document type with an internal subset, after any public and system identifiers (XML 1.0, 2.8)."""
_ENTITY_RE: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[A-Za-z][A-Za-z0-9]*;")
_MAX_DEPTH: Final = 1000


class Document:
    """A parsed document. An empty document has no tree."""

    def __init__(self, root: Any, encoding: str) -> None:
        self.root = root
        """The root element of the lxml tree, or None if there is no element."""

        self.encoding = encoding
        """The name of the encoding that the document was decoded with."""

        self._shown: dict[frozenset[str], list[tuple[str, Any]]] = {}

    def elements(self, skip: frozenset[str] = frozenset()) -> Sequence[tuple[str, Any]]:
        """Return each element with its `tag_name`, in document order, without those in elements named in ``skip``."""
        if skip not in self._shown:
            hidden = {below for name, element in self._named if name in skip for below in element.iter()}
            self._shown[skip] = [pair for pair in self._named if pair[1] not in hidden]
        return self._shown[skip]

    @cached_property
    def _named(self) -> list[tuple[str, Any]]:
        """Each element with its `tag_name`, in document order."""
        return [] if self.root is None else [(_local(found.tag), found) for found in self.root.iter(etree.Element)]

    def _all(self, wanted: str, skip: frozenset[str]) -> Iterator[Any]:
        """Yield the elements of one name, in document order, without those in elements named in ``skip``."""
        for name, element in self._named:
            if name == wanted and skip.isdisjoint(map(tag_name, element.iterancestors())):
                yield element

    def base_url(self, url: str) -> str:
        """Return the URL that references are relative to: the first BASE with an href, or the document's ``url``.

        A BASE that cannot be captured (``data:``, a malformed URL) is ignored.
        """
        return url if self._base is None else _base(url, self._base, self.encoding)

    @cached_property
    def _base(self) -> str | None:
        """The href of the first BASE that has one; None without one."""
        return next((element.get("href") for element in self._all("base", _NO_TEXT) if "href" in element.attrib), None)

    def title(self) -> str:
        """Return the text of the first TITLE, with white space folded; "" if there is none."""
        title = next(self._all("title", _NO_TEXT | {"svg"}), None)
        return "" if title is None else " ".join("".join(title.itertext()).split())

    def text(self) -> str:
        """Return the text between markup tags, in order, for the text identifier (14.10.3.3).

        The title, NOSCRIPT, form fields and content hidden by styles are text; SCRIPT, STYLE, TEMPLATE and comments
        are not. Tags add nothing, because the clause does not distinguish blocks: the text of ``<p>a</p><p>b</p>``
        is ``ab``, like that of ``a<b>b</b>``.
        """
        if self.root is None:
            return ""
        unread = {element.tag for name, element in self._named if name in _NO_TEXT}
        if self.root.tag in unread:
            return ""
        # In place, because the tree of a large page takes ten times its bytes. _named still has the elements.
        etree.strip_elements(self.root, *unread, etree.Comment, etree.PI, with_tail=False)
        text: str = etree.tostring(self.root, method="text", encoding="unicode", with_tail=False)
        return text

    def robots(self) -> frozenset[str]:
        """Return the directives for robots in META, in lower case; ``none`` means ``noindex`` and ``nofollow``."""
        found: set[str] = set()
        for element in self._all("meta", _NO_TEXT):
            if element.get("name", "").strip().lower() == "robots":
                found.update(part.strip().lower() for part in element.get("content", "").split(","))
        if "none" in found:
            found |= {"noindex", "nofollow"}
        return frozenset(found - {""})


def parse(source: str | bytes, encoding: str = "utf-8", *, media_type: str = "text/html") -> Document:
    """Parse text, or bytes in ``encoding``, into a document.

    Invalid markup never raises. XHTML is parsed as XML if it is well-formed, otherwise as HTML. Elements nested
    deeper than 1000 become siblings (libxml2 itself would end the document there).
    """
    text = decode(source, encoding) if isinstance(source, bytes) else source
    declaration = _XML_DECLARATION_RE.match(text)
    data = text[declaration.end() :] if declaration else text
    root = _parse_xhtml(data) if media_type == XHTML_TYPE else None
    return Document(_parse_html(data) if root is None else root, encoding)


def tag_name(element: Any) -> str:
    """Return the name of an element in lower case, without namespace; "" for a comment or an instruction."""
    tag = element.tag
    return _local(tag) if isinstance(tag, str) else ""


@lru_cache(maxsize=4096)
def _local(tag: str) -> str:
    """Return the name in a tag of lxml. Cached, because a page has thousands of elements but few distinct tags."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def _base(url: str, href: str, encoding: str) -> str:
    """Return the absolute URL of a BASE in the document at ``url``, or ``url`` if the BASE cannot be captured."""
    try:
        base = split_fragment(resolve(url, href, encoding))[0]
    except InvalidURLError:
        return url
    return base if is_capturable(base) else url


def _parse_html(text: str) -> Any:
    """Return the root of the tree from libxml2's HTML parser; None if there is no element."""
    data = text.replace("\0", "").encode("utf-8", "replace")
    parser: Any = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = _root(data, parser)
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        root = _root(data, etree.HTMLParser(encoding="utf-8", huge_tree=True, target=_ShallowBuilder()))
    return root


def _parse_xhtml(text: str) -> Any:
    """Return the root of a well-formed XHTML document; None if the document is not well-formed.

    Named character references are replaced first, because no DTD is loaded. A document with an internal subset is
    left to the HTML parser, which expands no entities of its own.
    """
    if _INTERNAL_SUBSET_RE.search(text):
        return None
    named = _ENTITY_RE.sub(lambda match: html.unescape(match[0]), text)
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True)
    root = _root(named.encode("utf-8", "replace"), parser)
    return root if root is not None and root.tag == _XHTML_ROOT else None


def _root(data: bytes, parser: Any) -> Any:
    """Parse data and return the root; None if there is no element."""
    try:
        return etree.fromstring(data, parser)
    except (etree.LxmlError, AssertionError):  # TreeBuilder asserts that there is an element
        return None


class _ShallowBuilder:
    """A tree builder that keeps the text but not the tags of elements nested too deep."""

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
        """Ignore a comment."""

    def pi(self, target: str, data: str | None = None) -> None:
        """Ignore a processing instruction."""

    def close(self) -> Any:
        return self._builder.close()
