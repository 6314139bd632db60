"""Requests for the auxiliary resources of a page."""

from __future__ import annotations

from scrapy import Request
from scrapy.utils.httpobj import urlparse_cached

from wcspider.downloading.conditional import ASKED

CARRIED = ("cookiejar", "dont_cache", "proxy", "_auth_proxy")
"""The keys in the meta of a page's request that are copied to the requests for its resources."""


def resource_request(url: str, page: Request | None) -> Request:
    """Return the request for a resource, with the cookies and the proxy of the request for its page.

    A login is only sent to the host of the page. Resources may be on any host, so the spider's allowed domains do not
    apply. A proxy from the environment is selected again, because it depends on the scheme of the URL.
    """
    request = Request(url, meta={ASKED: url, "allow_offsite": True})
    if page is None:
        return request
    request.meta.update({key: page.meta[key] for key in CARRIED if key in page.meta})
    if "_scheme_proxy" in page.meta:
        request.meta.pop("proxy", None)
        request.meta.pop("_auth_proxy", None)
    if "_auth_proxy" in request.meta:
        _carry("Proxy-Authorization", page, request)
    if _origin(page) == _origin(request):
        _carry("Authorization", page, request)
    return request


def _carry(name: str, page: Request, request: Request) -> None:
    """Copy a header from the request for a page to the request for a resource."""
    value = page.headers.get(name)
    if value is not None:
        request.headers[name] = value


def _origin(request: Request) -> tuple[str, str | None, int | None]:
    """Return the origin of a request (RFC 6454, 4), to which a login belongs."""
    parts = urlparse_cached(request)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
