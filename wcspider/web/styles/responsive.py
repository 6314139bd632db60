"""The viewport of a page, and the media queries of its style sheets and images, as browsers evaluate them.

They are evaluated for one viewport with one image pixel per CSS pixel, so that a page refers to the same files at
each capture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import eq, ge, gt, le, lt
from typing import Any, Final

import tinycss2

from wcspider.web.styles.tokens import PIXELS, RESOLUTIONS, significant, split_commas


@dataclass(frozen=True, slots=True)
class Viewport:
    """The medium and the size that a page is laid out for."""

    media: str = "screen"
    """The media type, ``screen`` or ``print``."""

    width: float = 1024
    """The width of the page area in CSS pixels."""

    height: float | None = 768
    """The height of the page area in CSS pixels; None if it is not known."""

    paper_width: float | None = None
    paper_height: float | None = None
    """The size for which an engine may choose style sheets instead, as a browser does when it prints."""


DEFAULT_VIEWPORT: Final = Viewport()

DEVICE_WIDTH: Final = 1280.0
DEVICE_HEIGHT: Final = 800.0
"""The size of the screen in CSS pixels. On paper as well, the rules for telephones do not apply."""

_UNITS: Final = {**PIXELS, "em": 16.0, "rem": 16.0}
_SIZES: Final = frozenset({"width", "device-width", "height", "device-height"})
# https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-features: features with one value for all captures.
_QUANTITIES: Final = _SIZES | {"resolution"}
_SWITCHES: Final = {"color": True, "monochrome": False, "orientation": True, **dict.fromkeys(_QUANTITIES, True)}
_HOVERING, _POINTING = ("none", {"none", "hover"}), ("none", {"none", "coarse", "fine"})
_CHOICES: Final = {
    "any-hover": _HOVERING,
    "any-pointer": _POINTING,
    "forced-colors": ("none", {"none", "active"}),
    "hover": _HOVERING,
    "overflow-block": ("paged", {"none", "scroll", "paged"}),
    "pointer": _POINTING,
    "prefers-color-scheme": ("light", {"light", "dark"}),
    "prefers-contrast": ("no-preference", {"no-preference", "less", "more", "custom"}),
    "prefers-reduced-data": ("no-preference", {"no-preference", "reduce"}),
    "prefers-reduced-motion": ("no-preference", {"no-preference", "reduce"}),
    "prefers-reduced-transparency": ("no-preference", {"no-preference", "reduce"}),
    "scripting": ("none", {"none", "initial-only", "enabled"}),
    "update": ("none", {"none", "slow", "fast"}),
}
"""The value of each feature with keywords, on paper, and all its values."""

_ORIENTATIONS: Final = {"portrait", "landscape"}
_NEITHER: Final = frozenset({"none", "no-preference"})
"""Values of features that are false in a query without a value."""

_NO_TYPES: Final = frozenset({"", "not", "only", "and", "or"})
_RELATIONS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, ":": eq}
_DEEPEST: Final = 32
"""How deep conditions may be nested in parentheses."""

LONGEST: Final = 4_000
"""How many characters of a media query list or a sizes attribute are read: `int` reads no longer numbers."""


def applies(media: str, viewport: Viewport = DEFAULT_VIEWPORT) -> bool:
    """Tell whether a media query list applies; an empty list does, a query with an unknown feature does not.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-list
    """
    queries = _entries(media)
    return queries == [[]] or any(_query_holds(query, viewport) for query in queries)


def style_applies(media: str, viewport: Viewport = DEFAULT_VIEWPORT) -> bool:
    """Tell whether the media query list of styles applies for one of the sizes of a viewport."""
    if applies(media, viewport):
        return True
    on_paper = viewport.paper_width
    return on_paper is not None and applies(media, replace(viewport, width=on_paper, height=viewport.paper_height))


def _entries(text: str) -> list[list[Any]]:
    """Return the tokens of each entry of a list with commas, without white space and comments."""
    return split_commas(significant(tinycss2.parse_component_value_list(text.strip()[:LONGEST])))


def _word(token: Any) -> str:
    """Return an identifier in lower case; "" for any other token."""
    return str(token.lower_value) if token.type == "ident" else ""


def _query_holds(query: Sequence[Any], viewport: Viewport) -> bool | None:
    """Tell whether a media query is true; None if it is unknown or invalid.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-syntax
    """
    words = [_word(token) for token in query]
    if not words or not words[0] or (words[0] == "not" and words[1:2] == [""]):
        return _media_holds(query, viewport)
    rest = query[1:] if words[0] in ("not", "only") else query
    kind = _word(rest[0]) if rest else ""
    if kind in _NO_TYPES:
        return None
    holds = kind in ("all", viewport.media)
    if len(rest) > 1:
        joined = _word(rest[1]) == "and" and "or" not in words
        condition = _media_holds(rest[2:], viewport) if joined else None
        if condition is None:
            return None
        holds = holds and condition
    return holds is not (words[0] == "not")


def _media_holds(tokens: Sequence[Any], viewport: Viewport) -> bool | None:
    """Tell whether the condition of a media query is true; None if that is unknown."""

    def holds(group: Any) -> bool | None:
        return _feature_holds(significant(group.content), viewport) if group.type == "() block" else None

    return condition_holds(tokens, holds)


def condition_holds(tokens: Sequence[Any], holds: Callable[[Any], bool | None], depth: int = 0) -> bool | None:
    """Tell whether features in parentheses, joined by "and" or "or", are true; None if that is unknown.

    `holds` answers for a single feature, or for a function.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#evaluating
    """
    if tokens and _word(tokens[0]) == "not":
        return _opposite(_group_holds(tokens[1], holds, depth)) if len(tokens) == 2 else None
    operators = {_word(token) for token in tokens[1::2]}
    groups = tokens[::2]
    if len(tokens) % 2 == 0 or len(operators) > 1 or not operators <= {"and", "or"}:
        return None
    if any(group.type not in ("() block", "function") for group in groups):
        return None
    answers = [_group_holds(group, holds, depth) for group in groups]
    if operators == {"or"}:
        return _opposite(_all_hold([_opposite(answer) for answer in answers]))
    return _all_hold(answers)


def _all_hold(answers: Sequence[bool | None]) -> bool | None:
    """Return "and" of answers in three-valued logic, where None is unknown."""
    if False in answers:
        return False
    return None if None in answers else True


def _opposite(answer: bool | None) -> bool | None:
    """Return "not" of an answer in three-valued logic, where None is unknown."""
    return None if answer is None else not answer


def _group_holds(token: Any, holds: Callable[[Any], bool | None], depth: int) -> bool | None:
    """Tell whether a feature or condition in parentheses is true; None if that is unknown."""
    tokens = significant(token.content) if token.type == "() block" and depth <= _DEEPEST else []
    if tokens and (tokens[0].type == "() block" or _word(tokens[0]) == "not"):
        return condition_holds(tokens, holds, depth + 1)
    return holds(token)


def _feature_holds(tokens: Sequence[Any], viewport: Viewport) -> bool | None:
    """Tell whether a media feature, alone, with a value or in a range, is true; None if that is unknown.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-boolean-context and the two sections after it.
    """
    operands = [token for token in tokens if token.type != "literal"]
    signs = "".join(token.value if token.type == "literal" else " " for token in tokens)
    before, *relations, after = signs.split(" ") if operands else ("", "")
    if before or after or not all(relation in _RELATIONS for relation in relations):
        return None
    names = [_word(operand) for operand in operands]
    if not relations:
        return _switch_holds(names)
    if ":" in relations:
        return _value_holds(names[0], operands[1], viewport) if len(relations) == 1 else None
    return _range_holds(operands, relations, viewport)


def _switch_holds(names: Sequence[str]) -> bool | None:
    """Tell whether a feature without a value is true; None if it is unknown."""
    if len(names) != 1:
        return None
    value, _ = _CHOICES.get(names[0], ("", ()))
    return value not in _NEITHER if value else _SWITCHES.get(names[0])


def _value_holds(name: str, value: Any, viewport: Viewport) -> bool | None:
    """Tell whether a feature has a value; None if one of them is unknown."""
    prefix, _, feature = name.partition("-") if name[:4] in ("min-", "max-") else ("", "", name)
    if feature in _QUANTITIES:
        size, limit = _quantity(feature, viewport), _limit(feature, value, viewport)
        relation = {"min": ge, "max": le}.get(prefix, eq)
        return None if size is None or limit is None else bool(relation(size, limit))
    orientation = "portrait" if viewport.media == "print" else "landscape"
    answer, values = (orientation, _ORIENTATIONS) if name == "orientation" else _CHOICES.get(name, ("", set()))
    return _word(value) == answer if _word(value) in values else None


def _range_holds(operands: Sequence[Any], relations: Sequence[str], viewport: Viewport) -> bool | None:
    """Tell whether a size or the resolution is in the range of one or two values; None if that is unknown."""
    named = [index for index, operand in enumerate(operands) if _word(operand) in _QUANTITIES]
    between = named == [1] and {relation[0] for relation in relations} in ({"<"}, {">"})
    if len(named) != 1 or len(relations) > 2 or (len(relations) == 2 and not between):
        return None
    feature = _word(operands[named[0]])
    values = [
        _quantity(feature, viewport) if index in named else _limit(feature, operand, viewport)
        for index, operand in enumerate(operands)
    ]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return all(_RELATIONS[relation](*pair) for relation, pair in zip(relations, pairwise(known), strict=True))


def _quantity(feature: str, viewport: Viewport) -> float | None:
    """Return the value of a feature of `_QUANTITIES`, in CSS pixels or in dots per CSS pixel; None if it is unknown."""
    if feature == "resolution":
        return 1.0
    if feature.startswith("device-"):
        return DEVICE_WIDTH if feature == "device-width" else DEVICE_HEIGHT
    return viewport.width if feature == "width" else viewport.height


def _limit(feature: str, token: Any, viewport: Viewport) -> float | None:
    """Return a value with which a feature of `_QUANTITIES` is compared; None if it is unknown."""
    if feature != "resolution":
        return _pixels(token, viewport)
    unit = RESOLUTIONS.get(token.lower_unit) if token.type == "dimension" else None
    return None if unit is None else float(token.value) * unit


def _pixels(token: Any, viewport: Viewport) -> float | None:
    """Return a length in CSS pixels; None if it depends on the layout or on a calculation."""
    if token.type == "number" and token.value == 0:
        return 0.0
    if token.type != "dimension":
        return None
    if token.lower_unit == "vw":
        return float(token.value) * viewport.width / 100
    pixels = _UNITS.get(token.lower_unit)
    return None if pixels is None else float(token.value) * pixels


def source_size(sizes: str, viewport: Viewport) -> float:
    """Return the width of an image by its sizes attribute; the width of the viewport if that is unclear."""
    for entry in _entries(sizes):
        if entry and entry[-1].type != "() block" and (len(entry) == 1 or _query_holds(entry[:-1], viewport)):
            pixels = _pixels(entry[-1], viewport)
            return viewport.width if pixels is None or pixels < 0 else pixels
    return viewport.width
