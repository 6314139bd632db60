"""Parsing of responses: the media type of a page, its headers, and the record of its contents."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scrapy.http import Headers, Response, TextResponse

from wcspider.archive.database.content_index import Clock
from wcspider.crawl.reading.source_contents import HTML, NOFOLLOW, TEXT, PageContents
from wcspider.exceptions import RedirectLoop
from wcspider.web.documents.page_notices import Notice
from wcspider.web.freshness import expiry
from wcspider.web.resources import Resource
from wcspider.web.urls import canonical_url, without_login
from wcspider.webcapture.chains import chain
from wcspider.webcapture.records import Capture

PDF = frozenset({"application/pdf"})
IMAGES = frozenset(
    f"image/{subtype}"
    for subtype in ("png", "jpeg", "gif", "webp", "bmp", "avif", "tiff", "svg+xml", "x-icon", "vnd.microsoft.icon")
)
CAPTURABLE = HTML | TEXT | PDF | IMAGES
"""The media types that become pages."""

SAME_AS = {
    "application/x-pdf": "application/pdf",
    "image/ico": "image/x-icon",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/tif": "image/tiff",
    "image/x-bmp": "image/bmp",
    "image/x-ms-bmp": "image/bmp",
    "image/x-png": "image/png",
}
"""The media types of servers that do not use the registered name."""

_SIGNATURES = {
    re.compile(rb"%PDF-"): "application/pdf",
    re.compile(rb"\x89PNG\r\n\x1a\n"): "image/png",
    re.compile(rb"\xff\xd8\xff"): "image/jpeg",
    re.compile(rb"GIF8[79]a"): "image/gif",
    re.compile(rb"RIFF....WEBP", re.DOTALL): "image/webp",
    re.compile(rb"II\*\0|MM\0\*"): "image/tiff",
    re.compile(rb"PK\x03\x04"): "application/zip",
}
"""The first bytes of files that are not text, with the media type."""

_HTML_RE = re.compile(
    rb"\s*<(!--|(!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>])",
    re.IGNORECASE,
)
"""The beginning of an HTML page without a media type (https://mimesniff.spec.whatwg.org, 7.1)."""

UNNAMED = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/x-unknown", "unknown/unknown"})
"""The media types of a server that does not know the type."""

_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
"""The directives of the header X-Robots-Tag that have a value; any other name before a colon is that of a robot."""

NAMELESS = frozenset({"file", "ftp"})
"""The schemes without media types."""


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A response, with its contents."""

    capture: Capture
    contents: PageContents

    @classmethod
    def of(cls, resource: Resource, contents: PageContents) -> ParsedPage:
        """Return the page of a resource and its contents."""
        capture = Capture(
            resource,
            contents.encoding,
            identifier=b"",
            text_identifier=contents.text_identifier,
            title=contents.title,
            links=contents.links,
            notice=contents.notice if resource.body else str(Notice.NOTHING),
        )
        return cls(capture, contents)

    def note_of_links(self) -> str:
        """Return a line for the summary about links that were not read; empty if there are none."""
        if not self.contents.unread_links:
            return ""
        return f"only its first {len(self.capture.links)} links are stored and followed (WEBCAPTURE_MAX_LINKS)"


_MEDIA_TYPE_RE = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]{1,127}/[!#$%&'*+.^_`|~0-9a-z-]{1,127}")
"""A media type in lower case (RFC 9110, 8.3.1), of at most the length that can be registered (RFC 6838, 4.2)."""


def named_type(headers: Headers) -> str:
    """Return the media type that the headers of a response name, in lower case; empty if they name none."""
    return _type_and_charset(headers)[0]


def header_charset(response: Response) -> str:
    """Return the charset that the headers of a response name, as given; empty if they name none."""
    return _type_and_charset(response.headers)[1] or ""


def _type_and_charset(headers: Headers) -> tuple[str, str | None]:
    """Return the media type and the charset that headers name.

    If a server sends several types, the last valid type counts, as in browsers:
    https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
    """
    found, charset = "", None
    for value in ",".join(line.decode("latin-1") for line in headers.getlist("Content-Type")).split(","):
        named = value.partition(";")[0].strip().lower()
        if _MEDIA_TYPE_RE.fullmatch(named) and named != "*/*":
            charset = _charset(value) or (charset if named == found else None)
            found = named
    return SAME_AS.get(found, found), charset


def media_type(response: Response) -> str:
    """Return the media type of a response, in lower case.

    The first bytes decide if the server does not know the type, or if it declares a file as text that is not text. For
    file and FTP URLs, which have no headers, the file name decides.
    """
    named = named_type(response.headers)
    scheme, _, path = response.url.partition("?")[0].partition(":")
    if not named and scheme in NAMELESS:
        named = mimetypes.guess_type(path)[0] or ""
    if named in UNNAMED | HTML | TEXT:
        for signature, kind in _SIGNATURES.items():
            if signature.match(response.body):
                return kind
    if named in UNNAMED and _HTML_RE.match(response.body):
        return "text/html"
    return named or "application/octet-stream"


def resource_of(response: Response, clock: Clock) -> Resource:
    """Return the resource of a response, with the redirects that led to it and the dates in its headers."""
    fetched = clock()
    meta = {} if response.request is None else response.request.meta
    url = without_login(canonical_url(response.url))
    return Resource(
        url=url,
        body=response.body,
        content_type=media_type(response),
        charset=header_charset(response) or None,
        hops=hops_of(meta.get("redirect_urls", ()), url),
        fetched=fetched,
        expires=expiry(
            fetched, _list_header(response, "Cache-Control"), _header(response, "Expires"), _header(response, "Age")
        ),
        etag=_header(response, "ETag") or None,
        last_modified=_header(response, "Last-Modified") or None,
        nofollow=_asks_not_to_follow(response.headers),
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


def hops_of(urls: Sequence[str], destination: str) -> tuple[str, ...]:
    """Return the alias chain of a redirect to a URL (14.10.5.2), without logins; empty for a redirect loop."""
    try:
        return chain([without_login(canonical_url(url)) for url in urls], destination)
    except RedirectLoop:
        return ()


def _asks_not_to_follow(headers: Headers) -> bool:
    """Tell whether the headers X-Robots-Tag ask all robots not to follow links.

    A line such as ``googlebot: nofollow`` is for one robot only.
    """
    for line in headers.getlist("X-Robots-Tag"):
        for directive in line.decode("latin-1").lower().split(","):
            name, colon, _ = directive.partition(":")
            if colon and name.strip() not in _WITH_VALUE:
                break
            if name.strip() in NOFOLLOW:
                return True
    return False


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
