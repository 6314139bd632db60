"""Declarations of the author for paper, on which nothing is clipped or repeated on each page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar

import tinycss2

from wcspider.engines.document.absolute_urls import with_absolute_urls
from wcspider.engines.plutobook.css.css_colors import plain_colors
from wcspider.engines.plutobook.css.gradients import with_gradient_images
from wcspider.engines.plutobook.css.lengths import PAGE, is_math, length, pixels
from wcspider.engines.plutobook.css.modern_values import plain_values
from wcspider.engines.plutobook.css.out_of_sight import is_out_of_sight
from wcspider.engines.plutobook.css.transforms import LARGEST_SCALE, UNSEEN, Effect, effect
from wcspider.engines.plutobook.sheets.fading import faded
from wcspider.engines.plutobook.sheets.icon_masks import with_icons
from wcspider.engines.plutobook.sheets.image_shapes import VARIABLES
from wcspider.engines.plutobook.sheets.least_heights import AUTHORS_LEAST_HEIGHT, LEAST_HEIGHT, THINNEST, UNKNOWN
from wcspider.engines.plutobook.sheets.page_values import needs_page, paint_of, stand_in
from wcspider.engines.plutobook.sheets.plain_painting import with_corners, with_plain_color
from wcspider.engines.plutobook.sheets.shadows import with_filling, with_outline
from wcspider.engines.plutobook.sheets.text_sizes import SIZES, is_too_large, readable_size
from wcspider.engines.plutobook.sheets.textless_boxes import MARK as TEXTLESS
from wcspider.engines.plutobook.svg import drawings
from wcspider.web.styles.tokens import declarations_of, keywords, serialized, single, text_of, url_of

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
_HORIZONTAL = ("horizontal-tb",)
_IMAGE_GAP, _BULLET_GAP = "7px", "5px"
"""The room that browsers leave behind images and bullets. PlutoBook leaves none."""

_BULLETS = frozenset({"disc", "circle", "square"})

_CELLS = frozenset({"table", "table-cell", "table-row"})
"""The values of `display` of boxes that are as high as their text anyway."""

_CLIPPING = frozenset({"hidden", "clip", "auto", "scroll", "overlay"})
_SCROLLING = frozenset({"auto", "scroll"})
_IN_PLACE = {
    ("fixed",): f"absolute;{FIXED}:1",
    ("sticky",): f"relative{''.join(f';{side}:auto!important' for side in ('top', 'right', 'bottom', 'left'))}",
}
"""The positions on paper of elements that stay in sight on a screen. No rule moves sticky ones."""

_LENGTH = re.compile(r"\d[a-z]", re.IGNORECASE)
"""A number with a unit, in the arguments of a function."""

_LOOSEST = "0.06em"
"""The largest space between letters: programs that extract text take a wider one for a space between words."""


_SELF_SIZED = "img,svg,svg *,input,select,textarea,button,hr,html,body,col,tr,td,th,table"
"""Images, controls, and elements that are as high as their text anyway."""

_OUTSIDE_DRAWINGS = ":where(:not(svg *))"
"""The elements outside of SVG elements, in which a length may have any size on the page."""

_OF_BOXES = f":where(:not([{TEXTLESS}],{_SELF_SIZED}))"
"""The boxes of text."""

_OF_AREAS = f":where(:not({_SELF_SIZED}))"
"""The boxes with or without text."""

_ITEMS = ">*"


@dataclass(frozen=True, slots=True)
class Written:
    """The declarations of a rule for paper."""

    text: str
    """The declarations for all elements of the rule."""

    parts: Mapping[str, str]
    """The declarations for some elements only, by what selects them behind the selector of the rule."""

    templates: str
    """Declarations of `page_values`."""


# Many elements of a page have the same attribute.
@lru_cache(maxsize=4096)
def attribute_for_paper(text: str, base: str, *, is_box: bool) -> str:
    """Return the declarations of a STYLE attribute for paper."""
    declarations = declarations_of(text)
    if is_out_of_sight({d.lower_name: d.value for d in declarations}):
        return "display:none!important"
    try:
        style = written(plain_values(declarations), base)
    except RecursionError:  # tinycss2 cannot write deeply nested values
        return ""
    parts = [style.parts.get(condition) for condition in (_OUTSIDE_DRAWINGS, *[_OF_BOXES] * is_box)]
    return ";".join(filter(None, [style.text, *parts, style.templates]))


# Many elements of a page have the same values.
@lru_cache(maxsize=2048)
def value_on_page(name: str, text: str) -> str:
    """Return the value of a property without variables for paper; "" if there is none."""
    style = written(plain_values(declarations_of(f"{name}:{text}")), "")
    found = [d for d in declarations_of(style.text) if d.name == name]
    return serialized(found[-1].value) if found else ""


def written(declarations: Sequence[Any], base: str, *, is_generated: bool = False) -> Written:
    """Write the declarations of a rule, with absolute URLs."""
    declarations = [d for d in declarations if not d.lower_name.startswith(_IGNORED)]
    plain = with_corners(with_icons(declarations, is_generated=is_generated), is_generated=is_generated)
    return _RuleWriter(with_outline(with_filling(with_plain_color(faded(plain)))), base).written()


class _RuleWriter:
    """Writes the declarations of one rule.

    A box of text is at least as high as its text, because lines on paper are shorter than on a screen.
    """

    def __init__(self, declarations: Sequence[Any], base: str) -> None:
        self.declarations, self.base = declarations, base
        self.keywords = {d.lower_name: keywords(d.value) for d in declarations}
        self.is_clipping = not _CLIPPING.isdisjoint(self._overflow("overflow", "overflow-y", "overflow-x"))
        # A box of no certain height between two offsets would be as high as the box that contains it.
        self.is_between = "inset" in self.keywords or {"top", "bottom"} <= self.keywords.keys()
        self.parts: dict[str, list[str]] = {
            _OUTSIDE_DRAWINGS: [readable_size(declarations)],
            _OF_BOXES: [],
            _OF_AREAS: [],
            _ITEMS: [],
        }
        self.templates = [paint_of(declarations)]

    def written(self) -> Written:
        """Return all declarations."""
        found = [text for declaration in self.declarations for text in self._texts(declaration)]
        if self._scrolls_sideways():
            found.append("flex-wrap:wrap")
            self.parts[_ITEMS].append("flex-shrink:1!important")  # an item may be wider than the page
        parts = {condition: ";".join(filter(None, texts)) for condition, texts in self.parts.items()}
        return Written(";".join(filter(None, found)), parts, ";".join(filter(None, self.templates)))

    def _texts(self, declaration: Any) -> Iterator[str]:
        """Yield the declarations in place of one for any element, and note those for certain elements."""
        name = declaration.lower_name
        if needs_page(declaration.name, declaration.value):
            value, template = stand_in(declaration.name, with_absolute_urls(declaration.value, self.base))
            yield f"{declaration.name}:{value}{_importance(declaration)}"
            self.templates.append(template)
            if name == "min-height":
                yield f"{AUTHORS_LEAST_HEIGHT}:{UNKNOWN}{_importance(declaration)}"
        elif name in self._SPECIAL:
            yield from self._SPECIAL[name](self, declaration)
        else:
            yield (_transform(declaration) if name.startswith("--") else "") or self._usual(declaration)

    def _usual(self, declaration: Any) -> str:
        return _text(declaration, self.base, declaration.lower_name)

    def _position(self, declaration: Any) -> Iterator[str]:
        own = keywords(declaration.value)
        yield f"position:{_IN_PLACE[own]}" if own in _IN_PLACE else self._usual(declaration)

    def _height(self, declaration: Any) -> Iterator[str]:
        yield self._usual(declaration)
        importance = _importance(declaration)
        is_area = self.is_between and self.keywords.get("position") == ("absolute",)
        if _is_fixed(declaration):
            if not self.is_between and _CELLS.isdisjoint(self.keywords.get("display", ())):
                least = _text(declaration, self.base, "min-height")
                self.parts[_OF_BOXES] += [f"height:auto{importance}", least, f"{LEAST_HEIGHT}:1{importance}"]
        elif is_area and serialized(declaration.value) == "100%":
            # PlutoBook would not know the height that percentages inside refer to.
            self.parts[_OF_AREAS].append(f"height:auto{importance}")
        else:
            yield f"{LEAST_HEIGHT}:0{importance}"

    def _least_height(self, declaration: Any) -> Iterator[str]:
        yield self._usual(declaration)
        yield _text(declaration, self.base, AUTHORS_LEAST_HEIGHT)

    def _most_height(self, declaration: Any) -> Iterator[str]:
        yield self._usual(declaration)
        if _is_fixed(declaration):
            importance = _importance(declaration)
            most = serialized(declaration.value)
            self.parts[_OF_BOXES] += [f"max-height:none{importance}", f"{MOST_HEIGHT}:{most}{importance}"]

    def _white_space(self, declaration: Any) -> Iterator[str]:
        own = keywords(declaration.value)
        if own in (("pre",), ("break-spaces",)):  # nobody can scroll to the end of a line
            yield f"white-space:pre-wrap{_importance(declaration)}"
        elif own != ("nowrap",) or not self.is_clipping:
            yield self._usual(declaration)

    def _flex_wrap(self, declaration: Any) -> Iterator[str]:
        is_cut = self.is_clipping and keywords(declaration.value) == ("nowrap",)
        yield f"flex-wrap:wrap{_importance(declaration)}" if is_cut else self._usual(declaration)

    def _display(self, declaration: Any) -> Iterator[str]:
        if self.keywords["display"] == ("flow-root",):  # the last one of the rule: no other takes the mark back
            importance = _importance(declaration)
            yield f"display:block{importance};{FLOW_ROOT}:1{importance}"
        else:
            yield self._usual(declaration)

    def _transformation(self, declaration: Any) -> Iterator[str]:
        # Vertical text, which has horizontal lines here, would be upside down.
        if self.keywords.get("writing-mode", _HORIZONTAL) == _HORIZONTAL:
            yield _transform(declaration) or self._usual(declaration)

    def _marker(self, declaration: Any) -> Iterator[str]:
        """Yield variables that depend on the marks of the items of lists, too."""
        yield self._usual(declaration)
        name, importance = declaration.lower_name, _importance(declaration)
        own, is_image = keywords(declaration.value), any(map(url_of, declaration.value))
        if is_image or name != "list-style-image":
            yield f"{MARKER_HEIGHT}:{'0' if 'none' in own and not is_image else '1em'}{importance}"
        if is_image:
            yield f"{MARKER_GAP}:{_IMAGE_GAP}{importance}"
        elif not _BULLETS.isdisjoint(own):
            yield f"{MARKER_GAP}:{_BULLET_GAP}{importance}"
        elif name != "list-style-type":
            yield f"{MARKER_GAP}:0{importance}"

    def _alignment(self, declaration: Any) -> Iterator[str]:
        yield self._usual(declaration)
        value = "initial" if keywords(declaration.value) in _INITIAL else serialized(declaration.value)
        yield f"{ALIGNMENT}:{value}{_importance(declaration)}"

    def _scrolls_sideways(self) -> bool:
        """Tell whether the rule makes a row of flex items that is scrolled. On paper it has more lines."""
        known = self.keywords
        is_row = "flex" in known.get("display", ()) and "column" not in known.get("flex-direction", ())
        scrolls = not _SCROLLING.isdisjoint(self._overflow("overflow", "overflow-x"))
        return is_row and scrolls and not {"flex-wrap", "flex-flow"} & known.keys()

    def _overflow(self, *names: str) -> Iterator[str]:
        return chain.from_iterable(self.keywords.get(name, ()) for name in names)

    _SPECIAL: ClassVar[Mapping[str, Callable[[_RuleWriter, Any], Iterator[str]]]] = {
        "position": _position,
        "height": _height,
        "min-height": _least_height,
        "max-height": _most_height,
        "white-space": _white_space,
        "flex-wrap": _flex_wrap,
        "display": _display,
        "transform": _transformation,
        "list-style": _marker,
        "list-style-image": _marker,
        "list-style-type": _marker,
        "text-align": _alignment,
    }
    """The properties whose declarations change on paper, besides their values."""


def _is_fixed(declaration: Any) -> bool:
    """Tell whether a height is a length, or is computed from lengths, and is not the width of a line.

    A computation may have variables (``calc(100vh - var(--bar))``), but no percentages.
    """
    token = single(declaration.value)
    if token is not None and is_math(token):
        text = serialized(token.arguments)
        height = pixels([token], PAGE)
        return "%" not in text and bool(_LENGTH.search(text)) and (height is None or height > THINNEST)
    return token is not None and (length(token) or 0.0) > THINNEST


def _importance(declaration: Any) -> str:
    return "!important" if declaration.important else ""


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
    return math.isfinite(token.value) and abs(length(token) or 0.0) <= LARGEST
