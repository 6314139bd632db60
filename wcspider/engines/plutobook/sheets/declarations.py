"""Declarations of the author for paper, on which nothing is clipped or repeated on each page."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import tinycss2

from wcspider.engines.document.absolute_urls import with_absolute_urls
from wcspider.engines.plutobook.css.css_colors import plain_colors
from wcspider.engines.plutobook.css.gradients import with_gradient_images
from wcspider.engines.plutobook.css.lengths import PAGE, Basis, pixels
from wcspider.engines.plutobook.css.modern_values import plain_values
from wcspider.engines.plutobook.css.transforms import LARGEST_SCALE, UNSEEN, Effect, effect
from wcspider.engines.plutobook.sheets.fading import faded
from wcspider.engines.plutobook.sheets.icon_masks import with_icons
from wcspider.engines.plutobook.sheets.image_shapes import VARIABLES, stretches
from wcspider.engines.plutobook.sheets.least_heights import AUTHORS_LEAST_HEIGHT, LEAST_HEIGHT, UNKNOWN
from wcspider.engines.plutobook.sheets.page_values import needs_page, paint_of, stand_in
from wcspider.engines.plutobook.sheets.plain_painting import with_corners, with_plain_color
from wcspider.engines.plutobook.sheets.shadows import with_outline
from wcspider.engines.plutobook.sheets.text_sizes import SIZES, is_too_large, readable_size
from wcspider.engines.plutobook.svg import drawings
from wcspider.web.styles.tokens import declarations_of, serialized, significant, single, text_of, url_of

HREF = "data-wcspider-href"
"""The attribute of a link with the original value of its HREF."""

ADDRESS = f"{HREF}-text"
"""The attribute of a link with the same value in lines that can end. Style sheets for paper show it."""

FIXED = "--wcspider-fixed"
"""A variable of elements that are placed in the page, although their position is fixed."""

FLOW_ROOT = "--wcspider-flow-root"
"""A variable of blocks that contain their floats (``display: flow-root``)."""

MOST_HEIGHT = "--wcspider-most-height"
"""The variable with the `max-height` that boxes of text lose."""

LARGEST = 20_000
"""The largest length, in CSS pixels: about twenty pages."""

_COLORED = frozenset(
    {"background", "border", "border-top", "border-right", "border-bottom", "border-left", "outline", "fill", "stroke"}
)
"""The properties that may have a color besides those with "color" in their names."""

_FONT_FEATURES = ("font-variant", "font-feature-settings")
"""The properties that choose glyphs of a font that no character has in its cmap table. Their text would be lost."""

_OF_SCREENS = ("animation", "transition", "will-change", "scroll", "cursor", "caret-color", "accent-color",
               "pointer-events", "touch-action", "user-select", "-webkit-tap-highlight-color")  # fmt: skip
"""The beginnings of properties that have no effect on paper. Their colors would be computed for each element."""

_IGNORED = ("-pluto", VARIABLES, *_FONT_FEATURES, *_OF_SCREENS)
"""The beginnings of properties that are left out."""

MARKER_GAP = "--wcspider-marker-gap"
"""The variable with the room between the mark of an item of a list and the item, besides a space behind characters."""

MARKER_HEIGHT = "--wcspider-marker-height"
"""The variable with the least height of an item of a list: that of its mark, which would cover the text below it."""

ALIGNMENT = "--wcspider-alignment"
"""The variable with the alignment of text, which header cells inherit unless it is the initial one (HTML, 15.3.8)."""

_INITIAL = (("initial",), ("start",))
_MARKERS = frozenset({"list-style", "list-style-image", "list-style-type"})
_IMAGE_GAP, _BULLET_GAP = "7px", "5px"
"""The room that browsers leave behind images and bullets. PlutoBook leaves none."""

_BULLETS = frozenset({"disc", "circle", "square"})

_CELLS = frozenset({"table", "table-cell", "table-row"})
"""The values of `display` of boxes that are as high as their text anyway."""

_CLIPPING = frozenset({"hidden", "clip", "auto", "scroll", "overlay"})
_SCROLLING = frozenset({"auto", "scroll"})
_IN_PLACE = {
    "fixed": f"absolute;{FIXED}:1",
    "sticky": f"relative{''.join(f';{side}:auto!important' for side in ('top', 'right', 'bottom', 'left'))}",
}
"""The positions on paper of elements that stay in sight on a screen. No rule moves sticky ones."""

THINNEST = 4
"""The least height of a box of text, in CSS pixels. Lower boxes are lines."""

_LOOSEST = "0.06em"
"""The largest space between letters: programs that extract text take a wider one for a space between words."""

_OUT_OF_SIGHT = 900
"""The distance in CSS pixels from which an element is considered to be moved out of sight."""

_BORDERS = frozenset({"border", "border-width", "border-top", "border-right", "border-bottom", "border-left"})
PLACING = _BORDERS | {
    "position", "left", "right", "top", "bottom", "margin-left", "margin-right", "width", "max-width", "height",
    "transform", "clip", "clip-path",
}  # fmt: skip
"""The properties that may hide elements or move them out of sight, or show them although they have no size."""

_SIDES = (("left", "right", "width"), ("right", "left", "width"), ("bottom", "top", "height"))
_DRAWER = 100
"""The assumed width and height in CSS pixels of an element beside the window whose size is unknown."""

_WIDE = Basis(100_000.0, 100_000.0)
"""A window in which no element that has a place in usual windows is at the far edge."""

_SIDEWAYS = frozenset({"translate", "translatex", "translate3d"})


@dataclass(frozen=True, slots=True)
class Written:
    """The declarations of a rule for paper."""

    text: str
    of_boxes: str = ""
    """Declarations for boxes of text, and not for images and controls."""

    of_areas: str = ""
    """Declarations for boxes with or without text that fill the box around them, and not for images and controls."""

    of_text: str = ""
    """Declarations for elements outside of SVG elements, in which a length may have any size on the page."""

    stretches: bool = False
    """True if the rule stretches images; see `image_shapes`."""

    templates: str = ""
    """Declarations of `page_values`."""

    scrolls: bool = False
    """True if the rule makes a row of flex items that is scrolled."""


# Many elements of a page have the same attribute.
@lru_cache(maxsize=4096)
def attribute_for_paper(text: str, base: str, *, is_box: bool) -> str:
    """Return the declarations of a STYLE attribute for paper."""
    declarations = declarations_of(text)
    if is_out_of_sight({d.lower_name: d for d in declarations}):
        return "display:none!important"
    try:
        style = written(plain_values(declarations), base)
    except RecursionError:  # tinycss2 cannot write deeply nested values
        return ""
    return ";".join(filter(None, [style.text, style.of_text, style.of_boxes if is_box else "", style.templates]))


# Many elements of a page have the same values.
@lru_cache(maxsize=2048)
def value_on_page(name: str, text: str) -> str:
    """Return the value of a property without variables for paper; "" if there is none."""
    style = written(plain_values(declarations_of(f"{name}:{text}")), "")
    found = [d for d in declarations_of(style.text) if d.name == name]
    return serialized(found[-1].value) if found else ""


def written(declarations: Sequence[Any], base: str, *, is_generated: bool = False) -> Written:
    """Write the declarations of a rule, with absolute URLs.

    A box of text is at least as high as its text, because lines on paper are shorter than on a screen.
    """
    declarations = [d for d in declarations if not d.lower_name.startswith(_IGNORED)]
    plain = with_corners(with_icons(declarations, is_generated=is_generated), is_generated=is_generated)
    declarations = with_outline(with_plain_color(faded(plain)))
    words = {d.lower_name: _words(d) for d in declarations}
    is_clipping = any(not _CLIPPING.isdisjoint(words.get(f"overflow{axis}", ())) for axis in ("", "-y", "-x"))
    # A box of no certain height between two offsets would be as high as the box that contains it.
    is_between = "inset" in words or {"top", "bottom"} <= words.keys()
    is_area = is_between and words.get("position") == ("absolute",)
    found, of_boxes, of_areas, templates = [], [], [], [paint_of(declarations)]
    for declaration in declarations:
        name = declaration.lower_name
        if needs_page(declaration.name, declaration.value):
            value, template = stand_in(declaration.name, with_absolute_urls(declaration.value, base))
            found.append(f"{declaration.name}:{value}{_importance(declaration)}")
            templates.append(template)
            if name == "min-height":
                found.append(f"{AUTHORS_LEAST_HEIGHT}:{UNKNOWN}{_importance(declaration)}")
            continue
        own = words[name]
        if name == "position" and own in (("fixed",), ("sticky",)):
            found.append(f"position:{_IN_PLACE[own[0]]}")
        elif (
            name == "height"
            and _is_fixed(declaration)
            and not is_between
            and _CELLS.isdisjoint(words.get("display", ()))
        ):
            found.append(_text(declaration, base, name))
            importance = _importance(declaration)
            least = _text(declaration, base, f"min-{name}")
            of_boxes += [f"{name}:auto{importance}", least, f"{LEAST_HEIGHT}:1{importance}"]
        elif name == "height" and is_area and serialized(declaration.value) == "100%":
            # PlutoBook would not know the height that percentages inside refer to.
            found.append(_text(declaration, base, name))
            of_areas.append(f"{name}:auto{_importance(declaration)}")
        elif name == "max-height" and _is_fixed(declaration):
            found.append(_text(declaration, base, name))
            importance = _importance(declaration)
            of_boxes += [f"{name}:none{importance}", f"{MOST_HEIGHT}:{serialized(declaration.value)}{importance}"]
        elif is_clipping and name == "white-space" and own == ("nowrap",):
            continue
        elif name == "white-space" and own in (("pre",), ("break-spaces",)):  # nobody can scroll to the end of a line
            found.append(f"{name}:pre-wrap{_importance(declaration)}")
        elif is_clipping and name == "flex-wrap" and own == ("nowrap",):
            found.append(f"flex-wrap:wrap{_importance(declaration)}")
        elif name == "display" and own == ("flow-root",):
            found.append(f"{name}:block{_importance(declaration)};{FLOW_ROOT}:1{_importance(declaration)}")
        elif name == "transform" and words.get("writing-mode", ("horizontal-tb",)) != ("horizontal-tb",):
            continue  # vertical text, which has horizontal lines here, would be upside down
        elif name in _MARKERS:
            found.append(_text(declaration, base, name))
            found += [f"{variable}:{value}{_importance(declaration)}" for variable, value in _of_marks(declaration)]
        elif name == "text-align":
            value = "initial" if own in _INITIAL else serialized(declaration.value)
            found += [_text(declaration, base, name), f"{ALIGNMENT}:{value}{_importance(declaration)}"]
        elif name == "transform" or name.startswith("--"):
            found.append(_transform(declaration) or _text(declaration, base, name))
        else:
            found.append(_text(declaration, base, name))
            if name == "height" and not _is_fixed(declaration):
                found.append(f"{LEAST_HEIGHT}:0{_importance(declaration)}")
            elif name == "min-height":
                found.append(_text(declaration, base, AUTHORS_LEAST_HEIGHT))
    scrolls = _scrolls_sideways(words)
    if scrolls:
        found.append("flex-wrap:wrap")
    text, boxes, areas, of_page = (";".join(filter(None, part)) for part in (found, of_boxes, of_areas, templates))
    return Written(text, boxes, areas, readable_size(declarations), stretches(declarations), of_page, scrolls)


def _of_marks(declaration: Any) -> Iterator[tuple[str, str]]:
    """Yield the variables that depend on the marks of the items of lists, with their values."""
    name, own, is_image = declaration.lower_name, _words(declaration), any(map(url_of, declaration.value))
    if is_image or name != "list-style-image":
        yield MARKER_HEIGHT, "0" if "none" in own and not is_image else "1em"
    if is_image:
        yield MARKER_GAP, _IMAGE_GAP
    elif not _BULLETS.isdisjoint(own):
        yield MARKER_GAP, _BULLET_GAP
    elif name != "list-style-type":
        yield MARKER_GAP, "0"


def _scrolls_sideways(words: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell whether a rule makes a row of flex items that is scrolled. On paper it has more lines."""
    overflow = {*words.get("overflow", ()), *words.get("overflow-x", ())}
    is_row = "flex" in words.get("display", ()) and "column" not in words.get("flex-direction", ())
    return is_row and not overflow.isdisjoint(_SCROLLING) and not {"flex-wrap", "flex-flow"} & words.keys()


def _is_fixed(declaration: Any) -> bool:
    """Tell whether a height is a length that is not zero and not the width of a line."""
    token = single(declaration.value)
    return token is not None and (_length(token) or 0.0) > THINNEST


def _importance(declaration: Any) -> str:
    return "!important" if declaration.important else ""


def _words(declaration: Any) -> tuple[str, ...]:
    return tuple(t.lower_value for t in declaration.value if t.type == "ident")


def is_out_of_sight(declarations: Mapping[str, Any]) -> bool:
    """Tell whether elements are hidden visually: clipped, moved off the screen, beside the window, or a point.

    ``declarations`` are those that win for the elements, by name.
    """
    position = _words(declarations["position"]) if "position" in declarations else ()
    if position not in (("absolute",), ("fixed",)):
        return False
    known = {name: pixels(declaration.value, PAGE) for name, declaration in declarations.items()}
    if _is_clipped_away(declarations) or any(abs(known.get(side) or 0) >= _OUT_OF_SIGHT for side in ("left", "right")):
        return True
    is_fixed = position == ("fixed",)
    if (known.get("top") or 0) <= -_OUT_OF_SIGHT:
        return True
    if is_fixed and (_is_behind_window(declarations) or _is_beside_window(known, _shift(declarations))):
        return True
    # A pane that fills its box slides in as well.
    is_pane = "width" in declarations and serialized(declarations["width"].value) == "100%"
    moving = _SIDEWAYS | {"translatey"} if is_fixed else _SIDEWAYS
    if (is_fixed or is_pane) and _is_beside_itself(declarations, moving):
        return True
    sizes = [known.get(name) for name in ("width", "height")]
    return all(size is not None and size <= 1 for size in sizes) and not _has_border(declarations)


def is_back_in_place(declarations: Mapping[str, Any]) -> bool:
    """Tell whether declarations show elements again that another rule hides visually, as on wider windows."""
    expected = {"position": ("static",), "width": ("auto",), "height": ("auto",)}
    return all(name in declarations and _words(declarations[name]) == words for name, words in expected.items())


def _is_clipped_away(declarations: Mapping[str, Any]) -> bool:
    """Tell whether nothing is left of clipped elements (CSS Masking 1, 5.1 and 6.1)."""
    edges = [pixels([edge], PAGE) for edge in _arguments(declarations, "clip", "rect")]
    known = [edge for edge in edges if edge is not None]
    if len(known) == len(edges) == 4:
        top, right, bottom, left = known
        return right <= left or bottom <= top
    inset = _arguments(declarations, "clip-path", "inset")
    if len(inset) == 1 and inset[0].type == "percentage":
        return bool(inset[0].value >= 50)
    circle = _arguments(declarations, "clip-path", "circle")[:1]
    return any(pixels([radius], PAGE) == 0 for radius in circle) or _is_line(
        _arguments(declarations, "clip-path", "polygon")
    )


def _is_line(polygon: Sequence[Any]) -> bool:
    """Tell whether the points of a polygon, each with two coordinates, are on one horizontal or vertical line."""
    edges = [pixels([edge], PAGE) for edge in polygon]
    return None not in edges and any(len(set(line)) == 1 for line in (edges[::2], edges[1::2]))


def _arguments(declarations: Mapping[str, Any], name: str, function: str) -> list[Any]:
    """Return the arguments of the function that is the value of a property; none for another value."""
    token = single(declarations[name].value) if name in declarations else None
    if token is None or token.type != "function" or token.lower_name != function:
        return []
    return [argument for argument in significant(token.arguments) if argument != ","]


def _has_border(declarations: Mapping[str, Any]) -> bool:
    """Tell whether elements have a border, which draws the dots and triangles of elements without a size."""
    borders = (declaration.value for name, declaration in declarations.items() if name in _BORDERS)
    return any(_length(token) for value in borders for token in value)


def _is_behind_window(declarations: Mapping[str, Any]) -> bool:
    """Tell whether fixed elements begin where the window ends, such as links that appear when they have the focus."""
    wide = {name: pixels(declaration.value, _WIDE) or 0 for name, declaration in declarations.items()}
    offsets = (wide[side] + wide.get(f"margin-{side}", 0) for side in ("left", "right", "top") if side in wide)
    return "transform" not in declarations and any(offset >= _WIDE.container for offset in offsets)


def _is_beside_window(known: Mapping[str, float | None], shift: float) -> bool:
    """Tell whether fixed elements are beside the window, such as menus that slide in later.

    `shift` is the distance by which a transformation moves them to the right.
    """
    for (side, opposite, size), moved in zip(_SIDES, (shift, -shift, 0.0), strict=True):
        offset = (known.get(side) or 0) + (known.get(f"margin-{side}") or 0) + moved
        sizes = list(filter(None, (known.get(size), known.get(f"max-{size}"))))
        is_certain = known.get(opposite) is None or (side == "left" and bool(sizes))
        if is_certain and offset <= -min(sizes, default=_DRAWER):
            return True
    return False


def _shift(declarations: Mapping[str, Any]) -> float:
    """Return the distance in CSS pixels by which a transformation moves elements to the right, if it is certain."""
    tokens = declarations["transform"].value if "transform" in declarations else ()
    moves = [t for t in tokens if t.type == "function" and t.lower_name in _SIDEWAYS]
    return sum(_length(token) or 0.0 for move in moves for token in significant(move.arguments)[:1])


def _is_beside_itself(declarations: Mapping[str, Any], moving: Container[str]) -> bool:
    """Tell whether a transformation moves elements by their own width or height."""
    tokens = declarations["transform"].value if "transform" in declarations else ()
    moves = [t for t in tokens if t.type == "function" and t.lower_name in moving]
    numbers = [a.value for move in moves for a in move.arguments if a.type == "percentage"]
    return bool(numbers) and abs(numbers[0]) >= 100


def _transform(declaration: Any) -> str:
    """Return a transformation, or a variable that may be one, in a form that can be drawn; "" if it is usual.

    An element without area keeps its place, because another rule may show it.
    """
    if not all(token.type in ("function", "whitespace") for token in declaration.value):
        return ""
    found = effect(tinycss2.serialize(declaration.value), LARGEST_SCALE)
    if found is Effect.USUAL:
        return ""
    value = f"scale({UNSEEN})" if found is Effect.NOTHING else "none"
    return f"{declaration.name}:{value}{_importance(declaration)}"


def _text(declaration: Any, base: str, name: str) -> str:
    tokens = declaration.value
    if name == "content" and "/" in tokens:  # PlutoBook ignores content with a text for screen readers
        tokens = tokens[: tokens.index("/")]
    if name == "stroke-dasharray" and not drawings.has_length(tinycss2.serialize(tokens)):
        return ""
    if (name in SIZES or name == "line-height") and any(map(is_too_large, tokens)):
        return ""
    if name in ("background", "background-image") or name.startswith("--"):
        tokens = with_gradient_images(tokens)
    tokens = plain_colors(tokens, has_words="color" in name or name in _COLORED)
    if any(t.type in ("dimension", "number", "percentage") and not _is_usual(t) for t in tokens):
        return ""
    value = text_of(with_absolute_urls(tokens, base))
    if name == "content" and "attr(" in value:
        value = value.replace("attr(href)", f"attr({ADDRESS})")
    if name == "letter-spacing" and any(token.type in ("dimension", "function") for token in tokens):
        value = f"min({value},{_LOOSEST})"
    own = declaration.name if declaration.name.startswith("--") else name
    return f"{own}:{value}{_importance(declaration)}"


def _is_usual(token: Any) -> bool:
    return math.isfinite(token.value) and abs(_length(token) or 0.0) <= LARGEST


def _length(token: Any) -> float | None:
    """Return a length with a unit in CSS pixels; None for other values."""
    return pixels([token], PAGE) if token.type == "dimension" else None
