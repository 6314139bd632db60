"""Requests for the resources of a page."""

from __future__ import annotations

from scrapy import Request
from scrapy.utils.httpobj import urlparse_cached

from wcspider.downloading.conditional import ASKED

CARRIED = ("cookiejar", "dont_cache", "proxy", "_auth_proxy")
"""The keys of a page's request meta that hold for its resources as well."""


def resource_request(url: str, page: Request | None) -> Request:
    """Return the request for a resource, sent as that of its page was: with its cookies, and through its proxy.

    A login goes to the page's own host alone. The host of a resource is the page's choice, so a spider's domains are
    no matter. A proxy that came from the environment is chosen anew, since that goes by the scheme.
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
    value = page.headers.get(name)
    if value is not None:
        request.headers[name] = value


def _origin(request: Request) -> tuple[str, str | None, int | None]:
    """Return what a login is meant for (RFC 6454, 4)."""
    parts = urlparse_cached(request)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)
