"""The style rules of a style sheet whose at-rules have been resolved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import tinycss2
from tinycss2.ast import Declaration

from wcspider.web.numbers import with_readable_numbers

MAX_RULES: Final = 50_000
"""The largest number of rules that are read from one style sheet."""

LONGEST_SELECTOR: Final = 4_000
"""The largest length of a selector list, in characters; rules with longer lists are ignored."""


@dataclass(frozen=True, slots=True)
class StyleRule:
    """A style rule (CSS Syntax 3, 9.1)."""

    selectors: tuple[str, ...]
    declarations: tuple[Any, ...]
    """The declarations, as objects of tinycss2."""


def style_rules(text: str) -> Iterator[StyleRule]:
    """Yield the style rules of a style sheet that are not inside an at-rule."""
    rules = tinycss2.parse_stylesheet(with_readable_numbers(text), skip_comments=True, skip_whitespace=True)
    for rule in rules[:MAX_RULES]:
        if rule.type == "qualified-rule":
            selectors = split_list(rule.prelude)
            declarations = _declarations(rule.content)
            if declarations and sum(map(len, selectors)) <= LONGEST_SELECTOR:
                yield StyleRule(selectors, declarations)


def style_attribute(text: str) -> tuple[Any, ...]:
    """Return the declarations of a STYLE attribute."""
    return _declarations(with_readable_numbers(text))


def declared(source: Any, name: str, value: str) -> Any:
    """Return a declaration with the importance of another (CSS Cascading and Inheritance 5, 6.4.1)."""
    tokens = tinycss2.parse_component_value_list(value)
    return Declaration(source.source_line, source.source_column, name, name.lower(), tokens, source.important)


def _declarations(content: Any) -> tuple[Any, ...]:
    return tuple(node for node in tinycss2.parse_blocks_contents(content) if node.type == "declaration")


def split_list(tokens: Sequence[Any]) -> tuple[str, ...]:
    """Split a list at its commas and return the parts as text."""
    return tuple(map(serialized, split_commas(tokens)))


def split_commas(tokens: Sequence[Any]) -> list[list[Any]]:
    """Split a list at its commas; those in parentheses, brackets and strings belong to their parts."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def serialized(tokens: Sequence[Any]) -> str:
    """Return tokens as text; "" for tokens that are nested too deep for tinycss2."""
    try:
        return str(tinycss2.serialize(tokens)).strip()
    except RecursionError:
        return ""
