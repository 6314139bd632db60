"""The choice between alternative images and style sheets of a page, as browsers make it.

The choice is made for one viewport with one image pixel per CSS pixel, so that a page refers to the same files at
each capture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from operator import eq, ge, gt, le, lt
from typing import Any, Final, Protocol

import tinycss2


class Attributes(Protocol):
    """The attributes of an element."""

    def get(self, name: str, default: str = "", /) -> str:
        """Return an attribute, or `default` if the element does not have it."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """The medium and the width that a page is laid out for."""

    media: str = "screen"
    """The media type, ``screen`` or ``print``."""

    width: float = 1024
    """The width of the page area in CSS pixels."""

    paper_width: float | None = None
    """The width for which an engine may choose style sheets instead, as a browser does when it prints."""


DEFAULT_VIEWPORT: Final = Viewport()

SHOWN_TYPES: Final = frozenset(
    f"image/{name}" for name in ("avif", "bmp", "gif", "jpeg", "jpg", "png", "svg+xml", "webp", "x-icon")
)
"""The media types of images that are used from a SOURCE; others (``image/jxl``) are skipped."""

# Absolute and font-relative lengths in CSS px: https://www.w3.org/TR/2024/WD-css-values-4-20240312/#absolute-lengths
_PIXELS: Final = {
    "px": 1.0,
    "em": 16.0,
    "rem": 16.0,
    "in": 96.0,
    "cm": 96 / 2.54,
    "mm": 9.6 / 2.54,
    "pt": 96 / 72,
    "pc": 16.0,
}

# https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-features: features with one value for all captures.
_WIDTHS: Final = frozenset({"width", "device-width"})
_SWITCHES: Final = {"color": True, "monochrome": False, "width": True, "device-width": True, "orientation": True}
_CHOICES: Final = {
    "scripting": ("none", {"none", "initial-only", "enabled"}),
    "prefers-color-scheme": ("light", {"light", "dark"}),
    "prefers-reduced-motion": ("no-preference", {"no-preference", "reduce"}),
}
_ORIENTATIONS: Final = {"portrait", "landscape"}
_NEITHER: Final = frozenset({"none", "no-preference"})
"""Values of features that are false in a query without a value."""

_NO_TYPES: Final = frozenset({"", "not", "only", "and", "or"})
_RELATIONS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, ":": eq}
_DEEPEST: Final = 32
"""How deep conditions may be nested in parentheses."""

# "Parse a srcset attribute": an address, then descriptors up to a comma outside parentheses.
# https://html.spec.whatwg.org/review-drafts/2023-01/#parse-a-srcset-attribute
_CANDIDATE_RE: Final = re.compile(r"[\s,]*+(\S*[^\s,])(?:\s+((?:[^,(]|\([^)]*\)?)*))?")
_DESCRIPTOR_RE: Final = re.compile(r"((?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,2})?)([wx])(?:\s+\d+h)?", re.IGNORECASE)
# Lazy images: the attributes of lazysizes, lozad, vanilla-lazyload, jQuery Lazy and the plug-ins of WordPress.
_SRCSETS: Final = ("data-srcset", "data-lazy-srcset", "srcset")
_SOURCES: Final = ("data-src", "data-lazy-src", "data-original", "src")

MOST_SOURCES: Final = 100
"""How many elements of a PICTURE are considered, counted backwards from its IMG."""

LONGEST: Final = 4_000
"""How many characters of a media query list or a sizes attribute are read: `int` reads no longer numbers."""


def is_lazy(image: Attributes) -> bool:
    """Tell whether a script loads the image of an IMG, by the attributes of the IMG."""
    return bool(_first(image, (*_SRCSETS[:-1], *_SOURCES[:-1])))


def image_url(image: Any, viewport: Viewport = DEFAULT_VIEWPORT) -> str:
    """Return the reference of the image that an IMG of a tree shows (`shown_image`).

    The elements of the tree have the interface of lxml: ``tag``, ``get``, ``getparent`` and ``itersiblings``.
    """
    return shown_image(image, _sources(image), viewport)


def shown_image(image: Attributes, sources: Iterable[Attributes] = (), viewport: Viewport = DEFAULT_VIEWPORT) -> str:
    """Return the reference, as written, of the image that an IMG shows: from its PICTURE, its srcset or its src.

    `image` has the attributes of the IMG, `sources` those of the SOURCE elements before it in its PICTURE.
    https://html.spec.whatwg.org/review-drafts/2023-01/#update-the-source-set. If a script loads the image later
    (lazy loading), the script's attributes name the image, and the attributes of HTML only name a placeholder.
    """
    for source in sources:
        kind = source.get("type", "").strip().lower()
        if (not kind or kind in SHOWN_TYPES) and applies(source.get("media", ""), viewport):
            chosen = densest(candidates(_first(source, _SRCSETS), source.get("sizes", ""), viewport))
            if chosen:
                return chosen
    srcset, source_url = _first(image, _SRCSETS), _first(image, _SOURCES)
    offered = list(candidates(srcset, image.get("sizes", ""), viewport))
    if source_url and "w" not in {unit for _, _, unit in _parsed(srcset)}:
        offered.append((source_url, 1.0))
    return densest(offered) or source_url


def _first(element: Attributes, attributes: Iterable[str]) -> str:
    """Return the value of the first attribute that is not empty; "" if all are."""
    return next((value for name in attributes if (value := element.get(name, "").strip())), "")


def candidates(srcset: str, sizes: str, viewport: Viewport) -> Iterator[tuple[str, float]]:
    """Yield the references of a srcset, each with its density in image pixels per CSS pixel."""
    size = _source_size(sizes, viewport)
    for url, value, unit in _parsed(srcset):
        if unit == "x":
            yield url, value
        elif value > 0:
            yield url, value / size if size else float("inf")


def densest(offered: Iterable[tuple[str, float]]) -> str:
    """Return the reference with the lowest density from 1 up, or with the highest below 1; "" without references."""
    listed = list(offered)
    if not listed:
        return ""
    enough = [candidate for candidate in listed if candidate[1] >= 1]
    if enough:
        return min(enough, key=lambda candidate: candidate[1])[0]
    return max(listed, key=lambda candidate: candidate[1])[0]


def applies(media: str, viewport: Viewport = DEFAULT_VIEWPORT) -> bool:
    """Tell whether a media query list applies; an empty list does, a query with an unknown feature does not.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-list
    """
    queries = _entries(media)
    return queries == [[]] or any(_query_holds(query, viewport) for query in queries)


def style_applies(media: str, viewport: Viewport = DEFAULT_VIEWPORT) -> bool:
    """Tell whether the media query list of styles applies for one of the widths of a viewport."""
    on_paper = viewport.paper_width
    return applies(media, viewport) or (on_paper is not None and applies(media, replace(viewport, width=on_paper)))


def _entries(text: str) -> list[list[Any]]:
    """Return the tokens of each entry of a list with commas, without white space and comments."""
    found: list[list[Any]] = [[]]
    for token in _significant(tinycss2.parse_component_value_list(text.strip()[:LONGEST])):
        if token == ",":
            found.append([])
        else:
            found[-1].append(token)
    return found


def _significant(tokens: Iterable[Any]) -> list[Any]:
    """Return tokens without white space and comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def _word(token: Any) -> str:
    """Return an identifier in lower case; "" for any other token."""
    return str(token.lower_value) if token.type == "ident" else ""


def _query_holds(query: Sequence[Any], viewport: Viewport) -> bool | None:
    """Tell whether a media query is true; None if it is unknown or invalid.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#mq-syntax
    """
    words = [_word(token) for token in query]
    if not words or not words[0] or (words[0] == "not" and words[1:2] == [""]):
        return _condition_holds(query, viewport)
    rest = query[1:] if words[0] in ("not", "only") else query
    kind = _word(rest[0]) if rest else ""
    if kind in _NO_TYPES:
        return None
    holds = kind in ("all", viewport.media)
    if len(rest) > 1:
        joined = _word(rest[1]) == "and" and "or" not in words
        condition = _condition_holds(rest[2:], viewport) if joined else None
        if condition is None:
            return None
        holds = holds and condition
    return holds is not (words[0] == "not")


def _condition_holds(tokens: Sequence[Any], viewport: Viewport, depth: int = 0) -> bool | None:
    """Tell whether features in parentheses, joined by "and" or "or", are true; None if that is unknown.

    https://www.w3.org/TR/2021/CRD-mediaqueries-4-20211225/#evaluating
    """
    if tokens and _word(tokens[0]) == "not":
        return _opposite(_group_holds(tokens[1], viewport, depth)) if len(tokens) == 2 else None
    operators = {_word(token) for token in tokens[1::2]}
    groups = tokens[::2]
    if len(tokens) % 2 == 0 or len(operators) > 1 or not operators <= {"and", "or"}:
        return None
    if any(group.type not in ("() block", "function") for group in groups):
        return None
    answers = [_group_holds(group, viewport, depth) for group in groups]
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


def _group_holds(token: Any, viewport: Viewport, depth: int) -> bool | None:
    """Tell whether a feature or condition in parentheses is true; None if that is unknown."""
    if token.type != "() block" or depth > _DEEPEST:
        return None
    tokens = _significant(token.content)
    if tokens and (tokens[0].type == "() block" or _word(tokens[0]) == "not"):
        return _condition_holds(tokens, viewport, depth + 1)
    return _feature_holds(tokens, viewport)


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
    prefix, _, width = name.partition("-")
    if name in _WIDTHS or (prefix in ("min", "max") and width in _WIDTHS):
        limit = _pixels(value, viewport)
        relation = {"min": ge, "max": le}.get(prefix, eq)
        return None if limit is None else bool(relation(viewport.width, limit))
    orientation = "portrait" if viewport.media == "print" else "landscape"
    answer, values = (orientation, _ORIENTATIONS) if name == "orientation" else _CHOICES.get(name, ("", set()))
    return _word(value) == answer if _word(value) in values else None


def _range_holds(operands: Sequence[Any], relations: Sequence[str], viewport: Viewport) -> bool | None:
    """Tell whether the width is in the range of one or two lengths; None if that is unknown."""
    named = [index for index, operand in enumerate(operands) if _word(operand) in _WIDTHS]
    between = named == [1] and {relation[0] for relation in relations} in ({"<"}, {">"})
    if len(named) != 1 or len(relations) > 2 or (len(relations) == 2 and not between):
        return None
    values = [
        viewport.width if index in named else _pixels(operand, viewport) for index, operand in enumerate(operands)
    ]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    return all(_RELATIONS[relation](*pair) for relation, pair in zip(relations, pairwise(known), strict=True))


def _pixels(token: Any, viewport: Viewport) -> float | None:
    """Return a length in CSS pixels; None if it depends on the layout or on a calculation."""
    if token.type == "number" and token.value == 0:
        return 0.0
    if token.type != "dimension":
        return None
    if token.lower_unit == "vw":
        return float(token.value) * viewport.width / 100
    pixels = _PIXELS.get(token.lower_unit)
    return None if pixels is None else float(token.value) * pixels


def _source_size(sizes: str, viewport: Viewport) -> float:
    """Return the width of an image by its sizes attribute; the width of the viewport if that is unclear."""
    for entry in _entries(sizes):
        if entry and entry[-1].type != "() block" and (len(entry) == 1 or _query_holds(entry[:-1], viewport)):
            pixels = _pixels(entry[-1], viewport)
            return viewport.width if pixels is None or pixels < 0 else pixels
    return viewport.width


def _parsed(srcset: str) -> Iterator[tuple[str, float, str]]:
    """Yield the reference, value and unit (``w`` or ``x``) of each valid candidate."""
    end = 0
    while match := _CANDIDATE_RE.match(srcset, end):
        end = match.end()
        descriptor = _DESCRIPTOR_RE.fullmatch((match[2] or "").strip() or "1x")
        if descriptor:
            yield match[1], float(descriptor[1]), descriptor[2].lower()


def _sources(image: Any) -> list[Any]:
    """Return the SOURCE elements before an IMG in its PICTURE, in document order.

    libxml2 does not know that SOURCE is a void element: in HTML, the nodes after a SOURCE become its content. Most
    images have no PICTURE, and the elements before them are not examined.
    """
    around = [image]
    while len(around) <= MOST_SOURCES and (parent := around[-1].getparent()) is not None:
        if tag_name(parent) == "picture":
            return list(islice(_before(around), MOST_SOURCES))[::-1]
        if tag_name(parent) != "source":
            break
        around.append(parent)
    return []


def _before(around: list[Any]) -> Iterator[Any]:
    """Yield the SOURCE elements around and before an IMG, the first of ``around``; the nearest first."""
    for element in around:
        if element is not around[0]:
            yield element
        siblings = islice(element.itersiblings(preceding=True), MOST_SOURCES)
        yield from (before for before in siblings if tag_name(before) == "source")


def tag_name(element: Any) -> str:
    """Return the name of an element of a tree in lower case, without namespace; "" for a comment or an instruction."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""
