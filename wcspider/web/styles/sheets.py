"""The style sheets of a page: how to recognize STYLE and LINK elements with CSS, and how to read linked sheets."""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.web.charset import decide, decode
from wcspider.web.styles.alternative_images import Attributes
from wcspider.web.styles.css import Reference, stylesheet_references
from wcspider.web.styles.responsive import Viewport

LARGE_SHEET = 64 * 1024
"""The size from which styles are read in a worker process: of a sheet in bytes, of the STYLE elements of a page in
characters. In a thread, they would slow the reactor down: only one thread of a process executes Python at a time."""


def is_style(element: Attributes) -> bool:
    """Tell whether the contents of a STYLE element are CSS (HTML, 4.2.6)."""
    return element.get("type", "").strip().lower() in ("", "text/css")


def is_linked_sheet(element: Attributes) -> bool:
    """Tell whether a LINK element refers to a style sheet (HTML, 4.6.7.24); an alternate one is not used at first."""
    relations = element.get("rel", "").lower().split()
    media_type = element.get("type", "").partition(";")[0].strip().lower()
    return "stylesheet" in relations and "alternate" not in relations and media_type in ("", "text/css")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet that was read."""

    references: tuple[Reference, ...]
    encoding: str
    is_cut: bool = False
    """True if the sheet is so large that its last references were not read."""

    unread: int = 0
    """The number of references behind the limit, which are not resolved."""


def read_sheet(
    body: bytes, charset: str | None, url: str, *, encoding: str, viewport: Viewport, most: int = 0
) -> Sheet:
    """Return the contents of the style sheet at ``url``.

    `charset` is the charset parameter of its Content-Type header, `encoding` the encoding of the referring document.
    References behind the first `most` are only counted; 0 sets no limit.
    """
    decision = decide(body, charset, link_charset=encoding, media_type="text/css", default="utf-8")
    found = stylesheet_references(decode(body, decision), url, viewport=viewport, encoding=decision.encoding, most=most)
    return Sheet(tuple(found), decision.encoding, found.are_cut, found.unread)
