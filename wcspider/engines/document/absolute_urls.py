"""References of a page made absolute, in the same form as the keys of `RenderTask.assets`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinycss2.ast import FunctionBlock, URLToken

from wcspider.exceptions import InvalidURLError
from wcspider.web.styles.tokens import url_of
from wcspider.web.urls import resolve, split_fragment, without_login

NOTHING = "data:,"
"""The URL that replaces a reference that cannot be resolved: an empty data: URL."""

_LINKED = ("http:", "https:", "ftp:", "file:", "mailto:", "tel:", "sms:", "news:", "irc:", "ircs:", "sip:", "geo:")
"""The schemes of links that are kept."""


def absolute(base: str, reference: str, encoding: str = "utf-8") -> str:
    """Return the absolute URL of `reference` on a page with the base URL `base`, with its fragment."""
    reference = reference.strip()
    if reference.startswith("data:"):
        return reference
    try:
        url = resolve(base, reference, encoding)
    except InvalidURLError:
        return NOTHING
    return without_login(url) if "://" in url else url


def asset_key(base: str, reference: str, encoding: str = "utf-8") -> str:
    """Return the key in `RenderTask.assets` for the resource of `reference`; a data: URL is its own key."""
    url = absolute(base, reference, encoding)
    return url if url.startswith("data:") else split_fragment(url)[0]


def link_target(base: str, reference: str, encoding: str = "utf-8") -> str | None:
    """Return the URI of a hyperlink; None for other schemes, such as ``javascript:``."""
    target = absolute(base, reference, encoding)
    return target if target.lower().startswith(_LINKED) else None


def in_quotes(base: str, target: str) -> str:
    """Return the absolute URL of a target, with the characters escaped that must not be in double quotes."""
    return absolute(base, target).replace("\\", "%5C").replace('"', "%22").replace("\n", "")


def with_absolute_urls(tokens: Sequence[Any], base: str, fragment: str | None = None) -> list[Any]:
    """Return the tokens of a value with absolute URLs in url(), and with a fragment in place of their own.

    This includes the arguments of functions such as image-set().
    """
    return [_with_absolute_url(token, base, fragment) for token in tokens]


def _with_absolute_url(token: Any, base: str, fragment: str | None) -> Any:
    target = url_of(token)
    if target is None and token.type == "function" and any(map(url_of, token.arguments)):
        arguments = with_absolute_urls(token.arguments, base, fragment)
        return FunctionBlock(token.source_line, token.source_column, token.name, arguments)
    if target is None:
        return token
    url = in_quotes(base, target)
    if fragment is not None:
        url = f"{url.partition('#')[0]}{fragment}"
    return URLToken(token.source_line, token.source_column, url, f'url("{url}")')
