"""The absolute URLs of references in style sheets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinycss2.ast import URLToken

from wcspider.engines.document.absolute_urls import absolute


def replaced(tokens: Sequence[Any], target_for: Callable[[str], str]) -> list[Any]:
    """Return the tokens with another target in each url().

    `target_for` returns the new target, which must not contain double quotes.
    """
    result = []
    for token in tokens:
        target = url_of(token) if token.type in ("url", "function") else None
        if target is None:
            result.append(token)
        else:
            quoted = target_for(target)
            result.append(URLToken(token.source_line, token.source_column, quoted, f'url("{quoted}")'))
    return result


def in_quotes(base: str, target: str) -> str:
    """Return the absolute URL of a target, with the characters escaped that must not be in double quotes."""
    return absolute(base, target).replace("\\", "%5C").replace('"', "%22").replace("\n", "")


def url_of(token: Any) -> str | None:
    """Return the reference in a url() or a string; None for other tokens."""
    if token.type in ("url", "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name == "url":
        return next((str(t.value) for t in token.arguments if t.type == "string"), None)
    return None
