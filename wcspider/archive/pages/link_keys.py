"""The targets of links: the key by which a file finds the action of a target, and the action to the web."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

from wcspider.exceptions import InvalidURLError
from wcspider.pdf.objects import Name, Value, write
from wcspider.web.urls import canonical_url, split_fragment

_FRAGMENT_SAFE = "!$%&'()*+,/:;=?@-._~"
"""The characters that are not encoded in a fragment (RFC 3986, 3.5), and the percent sign of encoded characters."""


LinkTargets = Mapping[bytes, bytes]
"""The targets of links, as a worker process finds them: the key of each, with the syntax of its URI action (12.6.4.7).

The key finds the action in the name tree of links: it is the canonical URL, with the decoded fragment; or the URI of a
target that cannot be captured.
"""


@lru_cache(maxsize=4096)
def link_target(uri: bytes) -> tuple[bytes, bytes]:
    """Return the key and the action of the target of links to a URI. The pages of a site have many links in common."""
    return _key(uri) or uri, write(uri_action(uri))


def uri_action(uri: bytes) -> dict[str, Value]:
    """Return a URI action (12.6.4.7); the fragment, which is decoded in keys, is encoded again."""
    page, _, fragment = uri.partition(b"#")
    encoded = page + b"#" + quote_from_bytes(fragment, safe=_FRAGMENT_SAFE).encode() if fragment else page
    return {"S": Name("URI"), "URI": encoded}


def _key(uri: bytes) -> bytes | None:
    try:
        page, fragment = split_fragment(uri.decode("utf-8"))
        url = _page_key(page)
    except (InvalidURLError, UnicodeDecodeError):
        return None
    return url + b"#" + unquote_to_bytes(fragment) if fragment else url


@lru_cache(maxsize=4096)
def _page_key(url: str) -> bytes:
    """Return the canonical form of a URL without a fragment: many links lead to places in the same page."""
    return canonical_url(url).encode("ascii")
