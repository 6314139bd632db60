"""From a Scrapy response to a capture item: what came, what it is, and what it refers to."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from scrapy.http import Response, TextResponse

from wcspider.exceptions import RedirectLoop
from wcspider.items import CaptureItem
from wcspider.web.charset import decide, decode
from wcspider.web.freshness import expiry
from wcspider.web.html import Document, parse
from wcspider.web.references import links, page_references
from wcspider.web.resources import Resource
from wcspider.web.responsive import Viewport
from wcspider.web.urls import canonical_url
from wcspider.webcapture.chains import chain
from wcspider.webcapture.identifiers import text_identifier

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
"""The directives of a robots META element that forbid to follow links."""

_SIGNATURES = {
    b"%PDF-": "application/pdf",
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
UNNAMED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown"})
"""The media types by which a server says that it does not know."""

NAMELESS = frozenset({"file", "ftp"})
"""The schemes that have no media types."""

Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class Page:
    """What was read from a response."""

    item: CaptureItem
    nofollow: bool = False
    """The page asks that its links are not followed."""


def named_type(content_type: str) -> str:
    """Return the media type that a Content-Type header names, in lower case."""
    named = content_type.partition(";")[0].strip().lower()
    return SAME_AS.get(named, named)


def media_type(response: Response) -> str:
    """Return what a response is, in lower case: what its server says, or what its first bytes say.

    The bytes are asked where the server does not know, and where it calls a PDF file a text. Where there is no server
    that could say, the name of the file does.
    """
    named = named_type(_header(response, "Content-Type"))
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
    return "text/html" if body.lstrip()[:256].lower().startswith((b"<!doctype html", b"<html")) else ""


def resource_of(response: Response, clock: Clock) -> Resource:
    """Return what a server answered, with the redirections that led to it and the dates that it gave."""
    fetched = clock()
    meta = {} if response.request is None else response.request.meta
    return Resource(
        url=canonical_url(response.url),
        body=response.body,
        content_type=media_type(response),
        charset=_charset(_header(response, "Content-Type")),
        hops=hops_of(meta.get("redirect_urls", ()), response.url),
        fetched=fetched,
        expires=expiry(
            fetched, _list_header(response, "Cache-Control"), _header(response, "Expires"), _header(response, "Age")
        ),
        etag=_header(response, "ETag") or None,
        last_modified=_header(response, "Last-Modified") or None,
    )


def rendered_resource(response: TextResponse, clock: Clock) -> Resource:
    """Return what a browser made of a page: HTML, in UTF-8 whatever it says of itself.

    What the server said of the bytes that it sent (validators, until when they hold) does not hold for it.
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


def read_page(resource: Resource, *, link_charset: str | None, default_charset: str, viewport: Viewport) -> Page:
    """Read a resource of one of the `CAPTURABLE` types.

    `link_charset` is the charset attribute of the link that led to it; `viewport` is what
    the page's images and styles are chosen for.
    """
    kind = resource.content_type
    if kind in HTML | TEXT:
        decision = decide(
            resource.body,
            resource.charset,
            link_charset=link_charset,
            media_type=kind,
            default=default_charset,
        )
        if kind in HTML:
            document = parse(resource.body, decision.encoding, media_type=kind)
            return _read_html(resource, document, decision.encoding, viewport)
        item = CaptureItem(resource, decision.encoding)
        item.text_identifier = text_identifier([decode(resource.body, decision)])
        return Page(item)
    return Page(CaptureItem(resource))


def _read_html(resource: Resource, document: Document, encoding: str, viewport: Viewport) -> Page:
    item = CaptureItem(
        resource,
        encoding,
        references=page_references(document, resource.url, viewport=viewport),
        title=document.title(),
        text_identifier=text_identifier([document.text()]),
        links=tuple(dict.fromkeys(links(document, resource.url))),
    )
    return Page(item, not NOFOLLOW.isdisjoint(document.robots()))


def hops_of(urls: Sequence[str], destination: str) -> tuple[str, ...]:
    """Return the chain of redirections to a URL; a server that sent the client in a circle made none."""
    try:
        return chain(urls, destination)
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
