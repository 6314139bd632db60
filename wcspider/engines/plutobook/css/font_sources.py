"""The files of a web font (CSS Fonts 4, 4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wcspider.engines.document.css_urls import url_of
from wcspider.engines.plutobook.css.style_rules import split_commas
from wcspider.web.styles.css import SHOWN_FORMATS


def plain_sources(tokens: Sequence[Any]) -> list[Any]:
    """Return the value of a ``src`` descriptor without format() and tech(), and without formats that cannot be used.

    PlutoBook reads WOFF 2 files, but ignores a source that declares this format.
    """
    comma = [token for token in tokens if token == ","][:1]
    kept: list[Any] = []
    for alternative in filter(_is_shown, split_commas(tokens)):
        kept += [*(comma if kept else []), *(token for token in alternative if not _is_hint(token))]
    return kept


def _is_hint(token: Any) -> bool:
    return token.type == "function" and token.lower_name in ("format", "tech")


def _is_shown(alternative: Sequence[Any]) -> bool:
    if not any(url_of(token) is not None or token.type == "function" for token in alternative):
        return False
    formats = [token for token in alternative if token.type == "function" and token.lower_name == "format"]
    said = {str(part.value).lower() for token in formats for part in token.arguments if hasattr(part, "value")}
    return not said or not said.isdisjoint(SHOWN_FORMATS)
