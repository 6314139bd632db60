"""The contents of a page that a crawl needs: its text, and the URLs that it refers to.

Reading processes import this module, so it must not import Scrapy.
"""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.web.charset import decide, decoded_pieces
from wcspider.web.documents.html import Document
from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.page_notices import notice_of
from wcspider.web.references import Reference, links, page_references
from wcspider.web.resources import Link
from wcspider.web.styles.css import References
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.sheets import LARGE_SHEET
from wcspider.webcapture.identifiers import text_identifier

HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXT = frozenset({"text/plain"})

NOFOLLOW = frozenset({"nofollow", "none"})
"""The directives for robots that forbid them to follow links, in META elements and in the header X-Robots-Tag."""


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page of HTML or text without its bytes, and how it is read."""

    url: str
    media_type: str
    charset: str | None
    """The charset parameter of the Content-Type header."""

    link_charset: str | None
    """The charset attribute of the link that led to the page."""

    default_charset: str
    viewport: Viewport
    """The viewport for which images and styles are chosen."""

    max_links: int = 0
    """The number of links that are read; 0 sets no limit."""

    max_references: int = 0
    """The number of references that are resolved; 0 sets no limit."""

    nofollow: bool = False
    """True if the headers ask robots not to follow the links of the page."""

    reads_styles: bool = True
    """False if the references in STYLE elements are left out."""


@dataclass(frozen=True, slots=True)
class PageContents:
    """The contents of a page. Only pages of HTML and text have any."""

    encoding: str = ""
    text_identifier: bytes | None = None
    title: str = ""
    links: tuple[Link, ...] = ()
    """The links of the page. If it asks robots not to follow its links, this holds for each of them."""

    notice: str = ""
    references: tuple[Reference, ...] = ()
    """The auxiliary resources that the page names, in order of first reference."""

    unread_links: int = 0
    """The number of links behind the limit for one page."""

    has_cut_styles: bool = False
    """True if the STYLE elements are so large that their last references were not read."""

    unread_references: int = 0
    """The number of references to auxiliary resources that were counted, but not resolved."""


def prepare() -> None:
    """Load what `read_contents` needs: a process that makes this call imports this module."""


def read_contents(body: bytes, source: PageSource) -> PageContents:
    """Return the contents of a page of HTML or text."""
    found = _read(body, source)
    assert found is not None
    return found


def read_small_contents(body: bytes, source: PageSource) -> PageContents | None:
    """Return the contents of a page; None if its STYLE elements are large, because reading them takes long."""
    return _read(body, source, LARGE_SHEET)


def _read(body: bytes, source: PageSource, max_styles: int | None = None) -> PageContents | None:
    kind = source.media_type
    decision = decide(
        body, source.charset, link_charset=source.link_charset, media_type=kind, default=source.default_charset
    )
    if kind not in HTML:
        return PageContents(decision.encoding, text_identifier(decoded_pieces(body, decision.encoding)))
    document = parse(body, decision.encoding, media_type=kind)
    if max_styles is not None and document.style_characters > max_styles:
        return None
    if not source.reads_styles:
        document.elements = [element for element in document.elements if element.name != "style"]
    return _html_contents(body, document, source)


def _html_contents(body: bytes, document: Document, source: PageSource) -> PageContents:
    references: References = page_references(document, source.url, viewport=source.viewport, most=source.max_references)
    notice = notice_of(document, body)
    found = tuple(dict.fromkeys(links(document, source.url)))
    taken = found[: source.max_links] if source.max_links else found
    if source.nofollow or not NOFOLLOW.isdisjoint(document.robots()):
        taken = tuple(dict.fromkeys(link._replace(nofollow=True) for link in taken))
    return PageContents(
        document.encoding,
        text_identifier(document.text_pieces),
        document.title,
        taken,
        "" if notice is None else str(notice),
        tuple(references),
        unread_links=max(0, len(found) - source.max_links) if source.max_links else 0,
        has_cut_styles=references.are_cut or not source.reads_styles,
        unread_references=references.unread,
    )
