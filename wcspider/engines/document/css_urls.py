"""References in style sheets, made absolute."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from tinycss2.ast import URLToken

from wcspider.engines.document.absolute_urls import absolute


def replaced(tokens: Sequence[Any], target_for: Callable[[str], str]) -> list[Any]:
    """Return the tokens with another target in each url(), which may stand in double quotes."""
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
    """Return the absolute URL of a target, as it may stand in double quotes."""
    return absolute(base, target).replace("\\", "%5C").replace('"', "%22").replace("\n", "")


class References:
    """The targets of the url() values of a style sheet, numbered, so that the sheet can be read without its URL."""

    def __init__(self) -> None:
        self.targets: list[str] = []

    def number(self, target: str) -> str:
        """Return what stands for a target until the URL of the sheet is known."""
        self.targets.append(target)
        return f"{_NUMBERED}{len(self.targets) - 1};"


def with_targets(text: str, targets: Sequence[str], base: str) -> str:
    """Return a text with the absolute URLs of targets in place of their numbers."""

    def target(match: re.Match[str]) -> str:
        number = int(match[1])
        return in_quotes(base, targets[number]) if number < len(targets) else match[0]

    return _NUMBER.sub(target, text) if targets else text


_NUMBERED = "wcspider-reference:"
_NUMBER = re.compile(f"{_NUMBERED}([0-9]{{1,9}});")


def url_of(token: Any) -> str | None:
    """Return what a url() or a string refers to, None for anything else."""
    if token.type in ("url", "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name == "url":
        return next((str(t.value) for t in token.arguments if t.type == "string"), None)
    return None
