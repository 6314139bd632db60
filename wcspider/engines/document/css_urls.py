"""References in style sheets, made absolute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinycss2.ast import URLToken

from wcspider.engines.document.absolute_urls import absolute


def resolved(tokens: Sequence[Any], base: str) -> list[Any]:
    """Return the tokens with each url() made absolute."""
    result = []
    for token in tokens:
        target = url_of(token) if token.type in ("url", "function") else None
        if target is None:
            result.append(token)
        else:
            quoted = absolute(base, target).replace("\\", "%5C").replace('"', "%22").replace("\n", "")
            result.append(URLToken(token.source_line, token.source_column, quoted, f'url("{quoted}")'))
    return result


def url_of(token: Any) -> str | None:
    """Return what a url() or a string refers to, None for anything else."""
    if token.type in ("url", "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name == "url":
        return next((str(t.value) for t in token.arguments if t.type == "string"), None)
    return None
