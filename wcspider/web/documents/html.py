"""The parts of HTML and XHTML documents that Web Capture needs: their text, their title, and what they refer to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wcspider.exceptions import InvalidURLError
from wcspider.web.documents.page_refresh import Refresh
from wcspider.web.urls import is_capturable, resolve, split_fragment

XHTML_TYPE: Final = "application/xhtml+xml"
BACKGROUNDS: Final = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))
"""The elements with a background attribute."""
_SHADOW_ROOT_MODES: Final = frozenset({"open", "closed"})


def is_shadow_root(name: str, attributes: Mapping[str, str]) -> bool:
    """Tell whether an element is a TEMPLATE that parsers replace by a shadow tree, which is shown (HTML, 4.12.3)."""
    return name == "template" and attributes.get("shadowrootmode", "").lower() in _SHADOW_ROOT_MODES


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
        """The elements that refer to something, in document order, without those in SCRIPT, STYLE and TEMPLATE.

        A TEMPLATE with a shadow tree is no TEMPLATE here: see `is_shadow_root`.
        """

        self.base: str | None = None
        """The href of the first BASE that has one; None without one."""

        self.title = ""
        """The text of the first TITLE, with white space folded."""

        self.refresh: Refresh | None = None
        """The first valid META refresh that is not in a NOSCRIPT; None without one."""

        self.has_noscript = False
        """True if the text contains that of a NOSCRIPT."""

        self.directives: set[str] = set()
        self.text_pieces: list[str] = []
        """The text between markup tags, in order, for the text identifier (14.10.3.3).

        The title, NOSCRIPT, form fields, shadow trees and content hidden by styles are text; SCRIPT, STYLE, TEMPLATE
        and comments are not. Tags add nothing, because the clause does not distinguish blocks: the text of
        ``<p>a</p><p>b</p>`` is ``ab``, like that of ``a<b>b</b>``.
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
