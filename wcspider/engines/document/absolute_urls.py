"""References of a page made absolute, in the same form as the keys of `RenderTask.assets`."""

from __future__ import annotations

from functools import lru_cache

from wcspider.exceptions import InvalidURLError
from wcspider.web.urls import resolve, split_fragment, without_login

NOTHING = "data:,"
"""A URL of nothing, for what cannot be resolved."""

_LINKED = ("http:", "https:", "ftp:", "file:", "mailto:", "tel:", "sms:", "news:", "irc:", "ircs:", "sip:", "geo:")


def absolute(base: str, reference: str, encoding: str = "utf-8") -> str:
    """Return the URL that `reference` means on a page at `base`, fragment included."""
    reference = reference.strip()
    if reference.startswith("data:"):
        return reference
    try:
        url = resolve(base, reference, encoding)
    except InvalidURLError:
        return NOTHING
    return without_login(url) if "://" in url else url


def asset_key(base: str, reference: str, encoding: str = "utf-8") -> str:
    """Return the key in `RenderTask.assets` of what `reference` names; a data: URL is its own key."""
    url = absolute(base, reference, encoding)
    return url if url.startswith("data:") else split_fragment(url)[0]


@lru_cache(maxsize=8192)
def link_target(base: str, reference: str, encoding: str = "utf-8") -> str | None:
    """Return the URI of a hyperlink, or None for anything else (``javascript:`` and the like)."""
    target = absolute(base, reference, encoding)
    return target if target.lower().startswith(_LINKED) else None
