"""Declarations in the notation from before CSS Box Alignment 3, Display 3 and Values 4, which PlutoBook knows.

Keywords get their older names, and shorthands are written out. Calculations with percentages that cannot be done are
left out; the others need the width of the box around each element (`calculations`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import tinycss2
from tinycss2.serializer import serialize_string_value

from wcspider.engines.plutobook.css.calculations import calculated, divided, is_share
from wcspider.engines.plutobook.css.lengths import PAGE, Basis, is_math, pixels
from wcspider.engines.plutobook.css.transforms import flat
from wcspider.web.styles.css import IMAGE_SETS, image_of_set
from wcspider.web.styles.prefixes import without_prefixes
from wcspider.web.styles.tokens import declared, keywords, serialized, single, split_commas, words

FLEX_KEYWORDS: Final = {
    "start": "flex-start",
    "end": "flex-end",
    "self-start": "flex-start",
    "self-end": "flex-end",
    "left": "flex-start",
    "right": "flex-end",
}
"""The keywords of CSS Box Alignment 3, with those of CSS Flexbox 1 that have the same effect."""

_USUAL_ALIGNMENTS: Final = {
    ("align-items", "normal"): "stretch",
    ("align-self", "normal"): "stretch",
    ("align-content", "normal"): "stretch",
    ("justify-content", "normal"): "flex-start",
    ("justify-content", "stretch"): "flex-start",
}
"""Keywords that PlutoBook does not know, each with a known one of the same effect in a flex container."""

_ALIGNMENTS: Final = frozenset({"align-items", "align-self", "align-content", "justify-content"})
_QUALIFIERS: Final = frozenset({"safe", "unsafe", "first", "last"})
_PAIRS: Final = {
    "place-items": ("align-items", "justify-items"),
    "place-self": ("align-self", "justify-self"),
    "place-content": ("align-content", "justify-content"),
}
_PHYSICAL: Final = {
    f"{limit}{logical}": f"{limit}{physical}"
    for limit in ("", "min-", "max-")
    for logical, physical in (("inline-size", "width"), ("block-size", "height"))
}
"""Lines of text are horizontal, so these properties are the same."""

_GAPS: Final = {"grid-gap": "gap", "grid-row-gap": "row-gap", "grid-column-gap": "column-gap"}
_INSET: Final = re.compile(r"env\(\s*safe-area-[\w-]+\s*(?:,[^()]*(?:\([^()]*\)[^()]*)*)?\)", re.IGNORECASE)
"""A distance from the rounded corners of a display (CSS Environment Variables 1, 3.1). Paper has none."""

_PREFIX: Final = re.compile("-(webkit|moz)-(?=center|left|right)", re.IGNORECASE)
_OFFSETS: Final = frozenset(
    {"top", "right", "bottom", "left"}
    | {f"inset-{axis}-{end}" for axis in ("block", "inline") for end in ("start", "end")}
)
_TRANSFORMS: Final = ("translate", "rotate", "scale")
_ALL_TRANSFORMS: Final = (*_TRANSFORMS, "transform")
"""The properties that transform an element, in the order in which they apply (CSS Transforms 2, 6)."""

_POSITION: Final = "background-position"
_AXES: Final = (f"{_POSITION}-x", f"{_POSITION}-y")
_THICKNESSES: Final = frozenset({"auto", "from-font"})
_LENGTHS: Final = frozenset({"dimension", "percentage", "number"})
_ROUND_CLIP: Final = re.compile(
    r"(?:circle|ellipse)\((?:\s*(?:50%|closest-side))*(?:\s*at\s+(?:(?:center|50%)\s*){1,2})?\)"
    r"|inset\(\s*0(?:px|%)?\s+round\s+([^()]+)\)",
    re.IGNORECASE,
)
"""A shape that cuts off the corners of a box and nothing else (CSS Shapes 1, 3.1), and the radius of its corners."""

_KEYWORD_PROPERTIES: Final = frozenset(
    {"display", "isolation", "word-break", "overflow-wrap", "word-wrap", *_PAIRS, *_ALIGNMENTS, *_TRANSFORMS}
)
_OLD_SIZES: Final = {f"-webkit-{size}-content": f"{size}-content" for size in ("fit", "max", "min")}
"""The standard names of sizes of contents, by their names with a prefix."""

_WRAPS: Final = frozenset({"text-wrap", "text-wrap-mode"})
"""The newer names of a part of `white-space` (CSS Text 4, 5.1)."""

_DISPLAYS: Final = {
    frozenset(words.split()): keyword
    for words, keyword in {
        "flow": "block",
        "block flow": "block",
        "inline flow": "inline",
        "block flow-root": "flow-root",
        "inline flow-root": "inline-block",
        **{f"block {inner}": inner for inner in ("flex", "grid", "table")},
        **{f"inline {inner}": f"inline-{inner}" for inner in ("flex", "grid", "table")},
        **{f"{o} {i} list-item": "list-item" for o in ("", "block", "inline") for i in ("", "flow", "flow-root")},
    }.items()
}
"""The older keywords of `display` by the words of CSS Display 3, 2."""

_LIMITED: Final = frozenset({"width", "max-width", "flex-basis"})
_LONG: Final = "9999px"
_TRIFLE: Final = 1e-5
"""The part of a width in percent that makes up for rounding: a pixel in 100,000."""

_ENDLESS: Final = 1e7
"""The least number that stands for a length without end: compressed style sheets have 33554400px."""

_SHARES_ALONE: Final = re.compile(r"(?=[^%]*%)(?:calc\(|[\d.\s+*/()%-])+", re.IGNORECASE)
"""A calculation with percentages and numbers alone."""

_HUNDREDTHS: Final = Basis(100.0, 100.0)
"""Lengths of which a percentage is a hundredth."""

_VIEWPORT_UNITS: Final = re.compile(r"[sld](v[wh]|vmin|vmax)$")


def plain_values(declarations: Sequence[Any]) -> list[Any]:
    """Return declarations in the older notation. Declarations that have none are returned unchanged."""
    standard = _with_one_position(_with_one_transform(without_prefixes(declarations)))
    return [plain for declaration in standard for plain in _plain(declaration)]


def _with_one_transform(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with one transformation in the place of several."""
    own = {d.lower_name: d for d in declarations if d.lower_name in _ALL_TRANSFORMS}
    if len(own) < 2:
        return declarations
    *_, last = own.values()
    functions = (_functions(own[name]) for name in _ALL_TRANSFORMS if name in own)
    joined = declared(last, "transform", " ".join(text for text in functions if text != "none") or "none")
    return [*(d for d in declarations if d.lower_name not in own), joined]


def _with_one_position(declarations: Sequence[Any]) -> Sequence[Any]:
    """Return the declarations of a rule with one position of the background in the place of those along the axes."""
    own = {d.lower_name: words(d.value) for d in declarations if d.lower_name.startswith(_POSITION)}
    if own.keys().isdisjoint(_AXES):
        return declarations
    both = own.get(_POSITION, [])
    usual = both if len(both) == 2 else ("0%", "0%")
    horizontal, vertical = (own.get(axis, [given]) for axis, given in zip(_AXES, usual, strict=True))
    last = next(d for d in reversed(declarations) if d.lower_name in _AXES)
    joined = declared(last, _POSITION, " ".join((*horizontal, *vertical)))
    return [joined if d is last else d for d in declarations if d is last or d.lower_name not in own]


def _functions(declaration: Any) -> str:
    """Return the functions of a transformation; "none" if it has none."""
    if declaration.lower_name == "transform":
        return serialized(declaration.value).strip()
    return _individual(declaration.lower_name, [word.lower() for word in words(declaration.value)])


def _plain(declaration: Any) -> Iterator[Any]:
    name = _PHYSICAL.get(declaration.lower_name, declaration.lower_name)
    text = serialized(declaration.value) if any(token.type == "function" for token in declaration.value) else ""
    if "env(" in text:
        declaration = declared(declaration, declaration.name, _INSET.sub("0px", text))
    folded = [_folded(token) for token in declaration.value] if "%" in text else declaration.value
    value = list(map(_with_plain_units, folded))
    is_known_share = "%" in text and "var(" not in text and is_share(name, value)
    if name.startswith("--"):
        yield declared(declaration, declaration.name, folded)
    elif name in _KEYWORD_PROPERTIES:
        yield from _in_old_words(declaration, name, [word.lower() for word in words(value)])
    elif name in _GAPS:
        yield declared(declaration, name, value)
        yield declared(declaration, _GAPS[name], value)
    elif is_known_share and not calculated(name, value, PAGE):
        return
    elif is_known_share and (limit := _limit(name, value)):
        yield from _limited(declaration, name, *limit)
    elif name == "width" and (share := _share(value)):
        yield declared(declaration, name, share)
    elif name == "text-decoration":
        yield declared(declaration, name, serialized([token for token in value if not _is_thickness(token)]))
    elif name == "clip-path" and (clip := _ROUND_CLIP.fullmatch(text.strip())):
        yield declaration
        yield declared(declaration, "border-radius", clip[1] or "50%")
    elif name in _WRAPS and keywords(value) == ("nowrap",):
        yield declared(declaration, "white-space", value)
    elif name == "text-align":
        yield declared(declaration, name, _PREFIX.sub("", serialized(value)))
    elif name in _OFFSETS and (parts := divided(serialized(value))):
        yield from _offset(declaration, name, *parts)
    elif name == "transform" and text:
        yield declared(declaration, name, flat(value))
    else:
        yield declared(declaration, name, value)


def _in_old_words(declaration: Any, name: str, given: Sequence[str]) -> Iterator[Any]:
    if name == "display":
        yield declared(declaration, name, _DISPLAYS.get(frozenset(given), declaration.value))
    elif name == "isolation":
        yield declared(declaration, "z-index", "0" if given == ["isolate"] else "auto")
    elif name in _PAIRS:
        for longhand, word in zip(_PAIRS[name], (*given[:1], *given[-1:]), strict=False):
            yield from _aligned(declaration, longhand, word)
    elif name in _ALIGNMENTS:
        yield from _aligned(declaration, name, " ".join(word for word in given if word not in _QUALIFIERS))
    elif name in _TRANSFORMS:
        yield declared(declaration, "transform", _individual(name, given))
    elif name == "word-break" and "break-word" not in given:  # words are broken by `source.words`
        yield declaration


def _aligned(declaration: Any, name: str, word: str) -> Iterator[Any]:
    """Yield an alignment in words that PlutoBook knows.

    A keyword that it does not know follows behind one with the same effect in a flex container. PlutoBook ignores the
    second declaration, and `grid_rewriting` reads it: in a grid, the effects differ.
    """
    known = _USUAL_ALIGNMENTS.get((name, word))
    if known:
        yield declared(declaration, name, known)
    yield declared(declaration, name, FLEX_KEYWORDS.get(word, word))


def _individual(name: str, given: Sequence[str]) -> str:
    """Return the transform function for the value of `translate`, `rotate` or `scale` (CSS Transforms 2, 5)."""
    if given == ["none"] or (name == "rotate" and not {"x", "y"}.isdisjoint(given)):
        return "none"
    plane = given[-1:] if name == "rotate" else given[:2]
    return f"{name}({', '.join(plane)})"


def _is_thickness(token: Any) -> bool:
    """Tell whether a token is the thickness of a line beside a text. PlutoBook ignores shorthands with one."""
    return token.type in _LENGTHS or is_math(token) or (token.type == "ident" and token.lower_value in _THICKNESSES)


def _share(value: Sequence[Any]) -> str:
    """Return a percentage below 100% that is a trifle smaller; "" for other values.

    The sum of the widths of a row of floats is rounded, so that it may be larger than the width of the box around them.
    Then PlutoBook would move the last float below the others.
    """
    token = single(value)
    if token is None or token.type != "percentage" or not 0 < token.value < 100:
        return ""
    return f"{token.value * (1 - _TRIFLE):.7g}%"


def _limit(name: str, value: Sequence[Any]) -> tuple[str, str] | None:
    """Return the length in min() with one length, and the other value; None for other values and properties."""
    function = single(value)
    if name not in _LIMITED or function is None or not is_math(function) or function.lower_name != "min":
        return None
    parts = sorted(map(serialized, split_commas(function.arguments)), key=lambda part: "%" in part)
    return (parts[0], parts[1]) if ["%" in part for part in parts] == [False, True] else None


def _limited(declaration: Any, name: str, length: str, other: str) -> Iterator[Any]:
    """Yield ``width: min(100% - 2rem, 60rem)`` with the length as the maximum, and the other value as the size."""
    if name == "width":
        yield declared(declaration, "max-width", f"calc({length})")
    yield declared(declaration, name, f"calc({length if name == 'max-width' else other})")


def _offset(declaration: Any, name: str, percentage: str, rest: str) -> Iterator[Any]:
    """Yield an offset from an edge as a percentage, and the rest as a margin, which has the same effect."""
    yield declared(declaration, name, percentage)
    yield declared(declaration, f"margin-{name.removeprefix('inset-')}", rest)


def _folded(token: Any) -> Any:
    """Return a calculation with percentages alone as a percentage: style sheets of Tailwind CSS have half of -100%."""
    if not is_math(token) or not _SHARES_ALONE.fullmatch(serialized([token])):
        return token
    share = pixels([token], _HUNDREDTHS)
    return token if share is None else tinycss2.parse_one_component_value(f"{share:g}%")


def _with_plain_units(token: Any) -> Any:
    """Return a length with ``vw`` and ``vh`` in place of the units of the small, large and dynamic viewport.

    An image-set() becomes the image that is fetched, and the size of contents gets its standard name. A length without
    end becomes a long one; compressed sheets write it as the largest number.
    """
    if token.type == "function" and token.lower_name in IMAGE_SETS:
        return tinycss2.parse_one_component_value(f'url("{serialize_string_value(image_of_set(token))}")')
    if token.type == "ident":
        size = _OLD_SIZES.get(token.lower_value)
        return tinycss2.parse_one_component_value(size) if size else token
    is_endless = is_math(token) and any(t.type == "ident" and t.lower_value == "infinity" for t in token.arguments)
    if is_endless or (token.type == "dimension" and token.value > _ENDLESS):
        return tinycss2.parse_one_component_value(_LONG)
    if token.type == "dimension" and _VIEWPORT_UNITS.match(token.lower_unit):
        return tinycss2.parse_one_component_value(f"{token.representation}{token.lower_unit[1:]}")
    return token
