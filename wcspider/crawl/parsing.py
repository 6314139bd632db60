"""Parsing of responses: the media type of a page, its text, and the URLs that it refers to."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scrapy.http import Response, TextResponse

from wcspider.exceptions import RedirectLoop
from wcspider.web.charset import decide, decoded_pieces
from wcspider.web.documents.html import Document
from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.page_notices import notice_of
from wcspider.web.freshness import expiry
from wcspider.web.references import PageReferences, Reference, links, page_references
from wcspider.web.resources import Resource
from wcspider.web.styles.responsive import Viewport
from wcspider.web.urls import canonical_url, without_login
from wcspider.webcapture.chains import chain
from wcspider.webcapture.identifiers import text_identifier
from wcspider.webcapture.records import Capture

HTML = frozenset({"text/html", "application/xhtml+xml"})
TEXT = frozenset({"text/plain"})
PDF = frozenset({"application/pdf"})
IMAGES = frozenset(
    f"image/{subtype}"
    for subtype in ("png", "jpeg", "gif", "webp", "bmp", "avif", "tiff", "svg+xml", "x-icon", "vnd.microsoft.icon")
)
CAPTURABLE = HTML | TEXT | PDF | IMAGES
"""The media types that become pages."""

SAME_AS = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png"}

NOFOLLOW = frozenset({"nofollow", "none"})
"""The directives of a robots META element that forbid robots to follow links."""

_SIGNATURES = {
    b"%PDF-": "application/pdf",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_SNIFFED = 4096
"""How many bytes at the beginning of a body are examined for HTML."""

UNNAMED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown"})
"""The media types of a server that does not know the type."""

NAMELESS = frozenset({"file", "ftp"})
"""The schemes without media types."""

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """The contents of a response."""

    capture: Capture
    references: tuple[Reference, ...] = ()
    """The auxiliary resources that the page names, in order of first reference."""

    nofollow: bool = False
    """True if the page asks robots not to follow its links."""

    unread_links: int = 0
    """The number of links behind the limit for one page."""

    has_cut_styles: bool = False
    """True if the STYLE elements are so large that their last references were not read."""

    unread_references: int = 0
    """The number of references to auxiliary resources that were counted, but not resolved."""

    has_large_styles: bool = False
    """True if `references` is empty because the STYLE elements are so large that they have to be read elsewhere."""

    def referring_to(self, found: PageReferences) -> ParsedPage:
        """Return the page with its references."""
        return replace(
            self,
            references=found.references,
            has_cut_styles=found.are_cut,
            unread_references=found.unread,
            has_large_styles=False,
        )

    def note_of_links(self) -> str:
        """Return a line for the summary about links that were not read; empty if there are none."""
        if not self.unread_links:
            return ""
        return f"only its first {len(self.capture.links)} links are stored and followed (WEBCAPTURE_MAX_LINKS)"


def named_type(content_type: str) -> str:
    """Return the media type that a Content-Type header names, in lower case."""
    named = content_type.partition(";")[0].strip().lower()
    return SAME_AS.get(named, named)


def header_type(response: Response) -> str:
    """Return the media type that the headers of a response name, in lower case; empty if they name none."""
    return named_type(_header(response, "Content-Type"))


def header_charset(response: Response) -> str:
    """Return the charset that the headers of a response name, as given; empty if they name none."""
    return _charset(_header(response, "Content-Type")) or ""


def media_type(response: Response) -> str:
    """Return the media type of a response, in lower case.

    The first bytes decide if the server does not know the type, or if it declares a PDF file as text. For file and FTP
    URLs, which have no headers, the file name decides.
    """
    named = header_type(response)
    scheme, _, path = response.url.partition("?")[0].partition(":")
    if not named and scheme in NAMELESS:
        named = mimetypes.guess_type(path)[0] or ""
    if named in UNNAMED or (named in HTML | TEXT and response.body.startswith(b"%PDF-")):
        return _sniffed(response.body) or named or "application/octet-stream"
    return named


def _sniffed(body: bytes) -> str:
    for signature, kind in _SIGNATURES.items():
        if body.startswith(signature):
            return kind
    return "text/html" if body[:_SNIFFED].lstrip()[:256].lower().startswith((b"<!doctype html", b"<html")) else ""


def resource_of(response: Response, clock: Clock) -> Resource:
    """Return the resource of a response, with the redirects that led to it and the dates in its headers."""
    fetched = clock()
    meta = {} if response.request is None else response.request.meta
    url = without_login(canonical_url(response.url))
    return Resource(
        url=url,
        body=response.body,
        content_type=media_type(response),
        charset=_charset(_header(response, "Content-Type")),
        hops=hops_of(meta.get("redirect_urls", ()), url),
        fetched=fetched,
        expires=expiry(
            fetched, _list_header(response, "Cache-Control"), _header(response, "Expires"), _header(response, "Age")
        ),
        etag=_header(response, "ETag") or None,
        last_modified=_header(response, "Last-Modified") or None,
    )


def rendered_resource(response: TextResponse, clock: Clock) -> Resource:
    """Return a browser's rendering of a page as a resource: HTML in UTF-8, whatever the page declares.

    The validators and the expiry date apply to the bytes that the server sent, so the rendering has none.
    """
    resource = resource_of(response, clock)
    return replace(
        resource,
        body=response.text.encode("utf-8", "replace"),
        content_type=resource.content_type if resource.content_type in HTML else "text/html",
        charset="utf-8",
        expires=None,
        etag=None,
        last_modified=None,
    )


def read_page(
    resource: Resource,
    *,
    link_charset: str | None,
    default_charset: str,
    viewport: Viewport,
    max_links: int = 0,
    max_references: int = 0,
    max_styles: int = 0,
) -> ParsedPage:
    """Parse a resource of one of the `CAPTURABLE` types.

    `link_charset` is the charset attribute of the link that led to it. Images and styles of the page are chosen for
    `viewport`. Links behind the first `max_links` and references behind the first `max_references` are only counted;
    0 sets no limit. The references of a page with more than `max_styles` characters in its STYLE elements are not read.
    """
    kind = resource.content_type
    if kind not in HTML | TEXT:
        return ParsedPage(Capture(resource, encoding="", identifier=b""))
    decision = decide(
        resource.body, resource.charset, link_charset=link_charset, media_type=kind, default=default_charset
    )
    if kind in HTML:
        document = parse(resource.body, decision.encoding, media_type=kind)
        page = _read_html(resource, document, decision.encoding, max_links)
        if max_styles and document.style_characters > max_styles:
            return replace(page, has_large_styles=True)
        found = page_references(document, resource.url, viewport=viewport, most=max_references)
        return page.referring_to(PageReferences(tuple(found), found.are_cut, found.unread))
    identifier = text_identifier(decoded_pieces(resource.body, decision.encoding))
    return ParsedPage(Capture(resource, decision.encoding, identifier=b"", text_identifier=identifier))


def _read_html(resource: Resource, document: Document, encoding: str, max_links: int) -> ParsedPage:
    notice = notice_of(document, resource.body)
    found = tuple(dict.fromkeys(links(document, resource.url)))
    taken = found[:max_links] if max_links else found
    capture = Capture(
        resource,
        encoding,
        identifier=b"",
        text_identifier=text_identifier(document.text_pieces),
        title=document.title,
        links=taken,
        notice="" if notice is None else str(notice),
    )
    nofollow = not NOFOLLOW.isdisjoint(document.robots())
    unread = len(found) - len(taken)
    return ParsedPage(capture, nofollow=nofollow, unread_links=unread)


def hops_of(urls: Sequence[str], destination: str) -> tuple[str, ...]:
    """Return the alias chain of a redirect to a URL (14.10.5.2), without logins; empty for a redirect loop."""
    try:
        return chain([without_login(canonical_url(url)) for url in urls], destination)
    except RedirectLoop:
        return ()


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1").strip() if value else ""


def _list_header(response: Response, name: str) -> str:
    """Return a header that is a list, which may come in several lines (RFC 9110, 5.3)."""
    return ", ".join(value.decode("latin-1").strip() for value in response.headers.getlist(name))


def _charset(content_type: str) -> str | None:
    """Return the charset parameter of a Content-Type header."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip("\"'") or None
    return None
