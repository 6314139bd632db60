"""The rules of rewritten style sheets, in which each rule begins on a line of its own."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Any, Final

import tinycss2

from wcspider.engines.document.cascade import Declared
from wcspider.engines.document.style_sheets import with_condition
from wcspider.engines.plutobook.css.selectors import names_of_each, parts_of
from wcspider.web.numbers import with_readable_numbers
from wcspider.web.styles.tokens import declarations_of, serialized, split_list

MAX_RULES: Final = 50_000
"""The largest number of rules that are read from one style sheet."""

MAX_LAYERS: Final = 100
"""The largest number of cascade layers whose selectors get a higher specificity."""

MAX_IDS: Final = 30
"""The largest number of ids that selectors get for the sake of the order of layers."""

_LIFT: Final = "#_wcspider"
"""An id that no page has."""

_IMPLIED: Final = frozenset({"html", "head", "body", "colgroup", "tbody", "tr"})
"""The elements that a parser adds to a page (HTML, 13.2.6)."""

_TAG: Final = re.compile("<([a-z][^ >/]*)", re.IGNORECASE)
_CLASSES: Final = re.compile(' class="([^"]+)"')
_ID: Final = re.compile(' id="([^"]+)"')
_END: Final = re.compile(r"(?<=\})\n")
"""The end of a rule; no other line ends with a brace."""

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)

_FLAT: Final = r"[\w\s.,%#*/+-]*"
_IN_PARENTHESES: Final = rf"\({_FLAT}(?:\({_FLAT}\){_FLAT})*\)"
_PLAIN_RULE: Final = re.compile(r"([^{}@\\\"']+)\{([\w\s.,%#*/+:;!()-]*)\}\s*", re.ASCII)
_PLAIN_DECLARATION: Final = re.compile(
    rf"\s*(--[\w-]+|-?[a-z][\w-]*)\s*:({_FLAT}(?:{_IN_PARENTHESES}{_FLAT})*)(!\s*important\s*)?",
    re.ASCII | re.IGNORECASE,
)
"""A rule, and a declaration, that can be read without a parser; nearly all are."""

_NOT_PLAIN: Final = re.compile(r"/\*|\*/|url\(|\bu\+", re.IGNORECASE)
"""Comments, and tokens with a syntax of their own."""

Names = frozenset[str]
Rule = tuple[Sequence[str], Sequence[Declared]]
"""The selectors and the declarations of a rule."""


@lru_cache(maxsize=2)
def names_on(source: str) -> Names:
    """Return the types, classes and ids of a page in HTML, as `selectors.names_in` writes them."""
    classes, ids = (set(map(html.unescape, found.findall(source))) for found in (_CLASSES, _ID))
    names = {f".{name}" for text in classes for name in text.split()}
    return _IMPLIED.union(names, (f"#{name}" for name in ids), map(str.lower, set(_TAG.findall(source))))


def used(sheet: str, names: Names) -> str:
    """Return a style sheet without the rules that need other names than those of a page.

    The style sheets of a site have rules for all of its pages. PlutoBook reads each rule, and tries those for generated
    content on each element. At-rules stay.
    """
    return "\n".join(text for text, needed in _texts(sheet) if any(map(names.issuperset, needed)))


# The pages of a site share their style sheets.
@lru_cache(maxsize=128)
def _texts(sheet: str) -> Collection[tuple[str, Collection[Names]]]:
    """Return the rules of a sheet as text, each with the names that its selectors need."""
    rules = [(rule, _COMMENT.sub("", rule).lstrip()) for rule in _END.split(sheet) if rule]
    return [(r, names_of_each(text.partition("{")[0]) if text[:1] != "@" else [frozenset()]) for r, text in rules]


def above_each_other(layers: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return the style sheets of cascade layers, so that each layer wins over those before it (CSS Cascade 5, 6.1).

    PlutoBook knows no layers. The selectors of a layer get a higher specificity than those of the layers before it.
    """
    if not 1 < len(layers) <= MAX_LAYERS:
        return list(chain.from_iterable(layers))
    texts, ids = list(layers[0]), 0
    for lower, layer in pairwise(layers):
        ids = min(MAX_IDS, ids + 1 + max(map(_most_ids, lower)))
        texts += [_lifted(text, ids) for text in layer]
    return texts


@lru_cache(maxsize=64)
def _lifted(sheet: str, ids: int) -> str:
    """Return a style sheet whose selectors have a higher specificity by a number of ids."""
    rules = (rule if rule[:1] == "@" else rule.partition("{") for rule in _END.split(sheet))
    condition = f":not({_LIFT * ids})"
    return "\n".join(r if isinstance(r, str) else f"{with_condition(r[0], condition)}{r[1]}{r[2]}" for r in rules)


@lru_cache(maxsize=64)
def _most_ids(sheet: str) -> int:
    """Return the largest number of ids in a selector of a style sheet, or a larger number."""
    return max(part.count("#") for rule in _END.split(sheet) for part in rule.partition("{")[0].split(","))


@lru_cache(maxsize=64)
def rules_of(sheet: str) -> Sequence[Rule]:
    """Return the selectors and the declarations of each rule."""
    texts = _END.split(with_readable_numbers(sheet))
    return list(islice(chain.from_iterable(map(_read, texts)), MAX_RULES))


def _read(text: str) -> Iterable[Rule]:
    plain = None if _NOT_PLAIN.search(text) else _PLAIN_RULE.fullmatch(text)
    if plain is not None:
        parts = list(filter(str.strip, plain[2].split(";")))
        found = list(filter(None, map(_PLAIN_DECLARATION.fullmatch, parts)))
        if len(found) == len(parts):
            return [(parts_of(plain[1]), [_declared(d[1], d[2].strip(), important=d[3] is not None) for d in found])]
    nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    rules = (node for node in nodes if node.type == "qualified-rule")
    return [(split_list(rule.prelude), declared_in(rule.content)) for rule in rules]


def declared_in(content: str | Sequence[Any]) -> Sequence[Declared]:
    """Return the declarations of the block of a rule, or of a STYLE attribute."""
    return [_declared(d.name, serialized(d.value), important=d.important) for d in declarations_of(content)]


def _declared(name: str, value: str, *, important: bool) -> Declared:
    return name if name.startswith("--") else name.lower(), value, important
