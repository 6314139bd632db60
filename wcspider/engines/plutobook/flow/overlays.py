"""Boxes above the page: drawers beside the window, screens that cover the page, bars, and windows.

A box with a fixed position keeps its place on paper only where the page leaves room for it. Where a box is may be in
several rules, such as those of utility classes, so the winning declarations tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final

import tinycss2
from lxml import etree

from wcspider.engines.document.html_trees import TEXT_LENGTH
from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles, is_containing_block, is_in_flow
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.css.out_of_sight import PLACING, is_out_of_sight
from wcspider.engines.plutobook.css.transforms import Effect, effect
from wcspider.engines.plutobook.flow import floats
from wcspider.engines.plutobook.grid.boxes import BODY_MARGIN, Box, box_around, box_of
from wcspider.engines.plutobook.sheets.declarations import FIXED
from wcspider.engines.plutobook.sheets.large_boxes import LONG
from wcspider.engines.plutobook.sheets.textless_boxes import is_textless

LOWEST: Final = 10
"""The smallest `z-index` of a screen that covers a page. Those of backgrounds are smaller."""

COLUMN: Final = 100
"""The assumed width in CSS pixels of a column beside the text, and the largest distance of a bar from the top."""

_TEXT: Final = etree.XPath("normalize-space()", smart_strings=False)
_ABOVE: Final = re.compile(rf"{FIXED}:.*|z-index:(\d\d+|.*var\(.*)|(left|right):-\d\d+.*", re.DOTALL)
_HAS_LINK: Final = etree.XPath("boolean(descendant-or-self::a[@href])")
_NONE: Final = frozenset({"0", "0px", "0%"})
_WHOLE: Final = frozenset({"100%", "100vw", "100vh"})
_DIRECTIONS: Final = (("width", "min-width", "left", "right"), ("height", "min-height", "top", "bottom"))
_IN_FLOW: Final = "position:relative;top:auto;right:auto;bottom:auto;left:auto;transform:none;margin:0"
_OWN_HEIGHT: Final = "height:auto;min-height:0;max-height:none"
_LEAST_PADDING: Final = "padding-top:0.01px"
"""The declaration of a box whose margin does not collapse with the one inside."""

_NEARLY: Final = 0.8
_ROOM: Final = ("margin", "padding")


def uncover(styles: PageStyles) -> None:
    """Leave out boxes beside the window, clear ones and screens without text; put others without room into the page."""
    page = _Page(styles)
    for wrapper in styles.wrappers_with(_ABOVE):
        if styles.values(wrapper).get("position") == "absolute":
            _uncover(styles, wrapper, page)


def _uncover(styles: PageStyles, wrapper: Any, page: _Page) -> None:
    """Uncover the page below a box."""
    values, element = styles.values(wrapper), wrapper.etree_element
    is_fixed, text = FIXED in values, _TEXT(element)
    is_beside = _is_out_of_sight(values, in_window=is_fixed or page.has_width_of_window(wrapper))
    if is_beside or values.get("opacity") == "0":  # a clear box may make the page wider
        styles.add(wrapper, "display:none")
    elif page.is_hidden(wrapper):
        return
    elif _is_screen(values) and (is_fixed or page.is_in_window(wrapper)):
        if len(text) >= LONG:
            return  # it becomes a block anyway; see `large_boxes`
        if text:
            put_into_flow(styles, wrapper)
        elif not _HAS_LINK(element):
            styles.add(wrapper, "display:none")
            page.uncovered.add(element.getparent())
    elif element.getparent() in page.uncovered and _is_high(values.get("z-index", "")) and _is_drawing(element):
        styles.add(wrapper, "display:none")  # such as the sign that turns while a page is loaded
    elif is_fixed and (text or _HAS_LINK(element)) and not page.has_room_for(wrapper):
        _move(styles, wrapper, f"{_IN_FLOW};{_OWN_HEIGHT};grid-column:1/-1")
    elif text and (moving := page.moved_by(wrapper)):
        _move(styles, wrapper, moving)
    elif is_fixed and values.get("top") in _NONE:
        page.keep_margin_inside(wrapper)


def put_into_flow(styles: PageStyles, box: Any) -> None:
    """Give a box, and the boxes with text that are placed in it, a place in the flow."""
    for inner in list(_placed_in(styles, box)):
        _move(styles, inner, _IN_FLOW)
    _move(styles, box, f"{_IN_FLOW};{_OWN_HEIGHT}")


def _move(styles: PageStyles, box: Any, declarations: str) -> None:
    """Give a box a place in the flow by some declarations. A block still contains its floats (CSS 2.1, 9.4.1).

    A box without offsets was at this place before, and the page has room for it there, such as the padding of the next
    box. Its floats may stick out into that room, instead of being above it.
    """
    values = styles.values(box)
    is_elsewhere = any(values.get(side, "auto") != "auto" for side in ("top", "bottom"))
    styles.add(box, declarations)
    if is_elsewhere and Box(box.etree_element, values).display == "block":
        floats.contain(box.etree_element)


def covers(values: Mapping[str, str]) -> bool:
    """Tell whether a positioned box with these declared values covers the box that contains it."""
    return all(_fills(values, *names) for names in _DIRECTIONS)


def _is_high(index: str) -> bool:
    return index.isdecimal() and int(index) >= LOWEST


def _is_out_of_sight(values: Mapping[str, str], *, in_window: bool) -> bool:
    """Tell whether a box is hidden visually, such as a drawer beside the window if its offsets refer to the window."""
    placing = {name: values[name] for name in PLACING & values.keys()}
    placing |= {"position": "fixed"} if in_window else {}
    return is_out_of_sight({name: tinycss2.parse_component_value_list(value) for name, value in placing.items()})


def _is_screen(values: Mapping[str, str]) -> bool:
    """Tell whether a box covers the box that contains it, and hides the contents of that box."""
    return _is_high(values.get("z-index", "")) and covers(values)


def _is_drawing(element: Any) -> bool:
    """Tell whether a box has neither text nor links nor images."""
    return is_textless(element) and not _HAS_LINK(element)


def _fills(values: Mapping[str, str], size: str, least: str, start: str, end: str) -> bool:
    """Tell whether a box is as wide, or as high, as the box that contains it."""
    is_whole = not _WHOLE.isdisjoint(map(values.get, (size, least)))
    return is_whole or (values.get(size, "auto") == "auto" and all(values.get(side) in _NONE for side in (start, end)))


def _placed_in(styles: PageStyles, box: Any) -> Iterator[Any]:
    """Yield the boxes with text that are placed in a box without a place in the flow."""
    open_boxes = [box]
    while open_boxes:
        for child in open_boxes.pop().iter_children():
            position = styles.values(child).get("position", "static")
            if position in OUT_OF_FLOW and _TEXT(child.etree_element):
                yield child
            elif position == "static":
                open_boxes.append(child)


def _length(values: Mapping[str, str], *names: str) -> float:
    """Return the sum of lengths, as far as they are known before the layout."""
    return sum(pixels(values.get(name, ""), PAGE) or 0.0 for name in names)


class _Page:
    """The boxes that contain the text of a page, and the room beside it."""

    def __init__(self, styles: PageStyles) -> None:
        self._styles = styles
        self._within: dict[Any, tuple[bool, bool]] = {}
        """Whether the box that absolute boxes in a box refer to, and the box itself, are as wide as the window."""

        self.uncovered: set[Any] = set()
        """The elements around screens that were left out."""

    @cached_property
    def length(self) -> float:
        """The number of characters of the page."""
        return float(TEXT_LENGTH(self._styles.root))

    @cached_property
    def _lengths_before(self) -> Mapping[Any, int]:
        """The number of characters of the page before each element."""
        found, before = dict[Any, int](), 0
        for event, element in etree.iterwalk(self._styles.root, events=("start", "end")):
            if event == "start":
                found[element] = before
            text = element.text if event == "start" else element.tail
            before += len((text or "").strip())
        return found

    @cached_property
    def _rooms(self) -> Mapping[str, float]:
        """The room at the left and at the right of the box with most of the text, in CSS pixels."""
        rooms, boxes = {"left": 0.0, "right": 0.0}, [self._styles.wrapper_of(self._styles.root)]
        while boxes:
            values = self._styles.values(boxes[0])
            if FIXED in values:
                boxes = boxes[1:]
                continue
            for side in rooms:
                rooms[side] += _length(values, f"margin-{side}", f"padding-{side}", side)
            rooms["left" if values.get("float") == "right" else "right"] += _room_beside(values)
            long = ((TEXT_LENGTH(child.etree_element), child) for child in boxes[0].iter_children())
            found = sorted((pair for pair in long if pair[0] * 4 >= self.length), key=lambda pair: -pair[0])
            boxes = [child for _, child in found]
        return rooms

    def is_hidden(self, wrapper: Any) -> bool:
        """Tell whether a box is invisible."""
        around = [self._styles.values(box) for box in (wrapper, *reversed(wrapper.ancestors))]
        visibility = next((values["visibility"] for values in around if "visibility" in values), "")
        is_clear = any(values.get("opacity") == "0" for values in around)
        return visibility == "hidden" or is_clear or effect(around[0].get("transform", "")) is Effect.NOTHING

    def is_in_window(self, wrapper: Any) -> bool:
        """Tell whether the window contains an absolute box, and no other box of the page does (CSS 2.1, 10.1)."""
        return not any(box.local_name not in ("html", "body") for box in self._around(wrapper))

    def has_width_of_window(self, wrapper: Any) -> bool:
        """Tell whether the box to which the offsets of an absolute box refer is as wide as the window."""
        path = [wrapper]
        while path[-1].parent is not None and path[-1].parent not in self._within:
            path.append(path[-1].parent)
        around, is_wide = self._within.get(path[-1].parent, (True, True))
        for box in reversed(path[1:]):
            is_wide = is_wide and self._is_wide(box)
            around = is_wide if is_containing_block(self._styles.values(box)) else around
            self._within[box] = around, is_wide
        return around

    def _is_wide(self, wrapper: Any) -> bool:
        """Tell whether a box is as wide as the box around it."""
        values = self._styles.values(wrapper)
        if _fills(values, *_DIRECTIONS[0]) or wrapper.parent is None:
            return True
        is_block = values.get("float", "none") == "none" and not values.get("display", "").startswith("inline")
        is_item = box_around(wrapper, self._styles).is_container
        return is_block and not is_item and values.get("position") not in OUT_OF_FLOW and not _is_narrow(values)

    def moved_by(self, bar: Any) -> str:
        """Return declarations that let a bar above a page move the page down by what the bar is higher than declared.

        The bar is in the flow and takes no more room than that. Returns "" for other boxes.
        """
        values, is_first = self._styles.values(bar), not self._lengths_before[bar.etree_element]
        is_bar = values.get("top") in _NONE and _fills(values, *_DIRECTIONS[0]) and not _length(values, "margin-top")
        height = pixels(values.get("min-height", ""), PAGE) if is_bar and is_first else None
        if not height or not self.is_in_window(bar) or not all(map(self._is_wide, bar.ancestors)):
            return ""
        around = [box_of(box, self._styles) for box in bar.ancestors]
        if around[-1].is_container:
            return ""
        if values.get("box-sizing") != "border-box":
            height += _length(values, "padding-top", "padding-bottom", "border-top-width", "border-bottom-width")
        left, right = (
            sum(sides) for sides in zip(*(box.sides(name, PAGE) for box in around for name in _ROOM), strict=True)
        )
        top = _top_of_flow(around)
        return f"{_IN_FLOW};width:auto;margin:{-top:g}px {-right:g}px {top - height:g}px {-left:g}px"

    def _around(self, wrapper: Any) -> Iterator[Any]:
        """Yield the boxes around a box that absolute boxes in them refer to."""
        return (box for box in wrapper.ancestors if is_containing_block(self._styles.values(box)))

    def has_room_for(self, wrapper: Any) -> bool:
        """Tell whether a fixed box is a bar above the text or a column beside it, or contains the text itself."""
        values, length = self._styles.values(wrapper), TEXT_LENGTH(wrapper.etree_element)
        if length >= LONG and length * 2 > self.length:
            return True
        if any(_is_narrow(self._styles.values(box)) for box in self._around(wrapper)):
            return False
        is_high = _fills(values, *_DIRECTIONS[1])
        is_at_top = values.get("top", "auto") != "auto"
        width = pixels(values.get("width", ""), PAGE)
        sides = [side for side in ("right", "left") if values.get(side, "auto") != "auto"]
        if (width is None and len(sides) == 2) or (width or 0.0) >= _NEARLY * PAGE.container:
            is_low_bar = not is_high and is_at_top and _length(values, "top") <= COLUMN
            return is_low_bar and 2 * self._lengths_before[wrapper.etree_element] <= self.length
        return (is_high or is_at_top) and self._rooms[[*sides, "left"][0]] >= _NEARLY * (width or COLUMN)

    def keep_margin_inside(self, bar: Any) -> None:
        """Let the margin above the text, which leaves room for a bar, be inside of the box that the bar refers to.

        It would collapse with that of the box, which would be below the room then (CSS 2.2, 8.3.1).
        """
        for box in list(self._around(bar))[-1:]:
            if any(_length(self._styles.values(inner), "margin-top") for inner in self._starts_of(box)):
                self._styles.add(box, _LEAST_PADDING)

    def _starts_of(self, box: Any) -> Iterator[Any]:
        """Yield the boxes inside of a box, from the outermost one, whose margins collapse with that of the box."""
        found = [box]
        while found and self._lets_margins_out(found[0]):
            children = found[0].iter_children()
            found = list(islice((child for child in children if is_in_flow(self._styles.values(child))), 1))
            yield from found

    def _lets_margins_out(self, wrapper: Any) -> bool:
        box = box_of(wrapper, self._styles)
        return is_in_flow(box.values) and box.display == "block" and box.values.get("padding-top", "0") in _NONE


def _top_of_flow(around: Iterable[Box]) -> float:
    """Return the distance in CSS pixels from the top of a page to the first line in boxes, from the outermost one."""
    top = margin = 0.0
    for box in around:
        has_default = box.element.tag == "body" and "margin-top" not in box.values
        margin = max(margin, BODY_MARGIN if has_default else _length(box.values, "margin-top"))
        inside = _length(box.values, "padding-top", "border-top-width")
        if inside:  # otherwise the margins collapse (CSS 2.2, 8.3.1)
            top, margin = top + margin + inside, 0.0
    return top + margin


def _room_beside(values: Mapping[str, str]) -> float:
    """Return the room beside a box that is a part of the page wide, such as ``calc(100% - 260px)``, in CSS pixels."""
    width = pixels(values.get("width", ""), PAGE) if "%" in values.get("width", "") else None
    return max(PAGE.container - width, 0.0) if width else 0.0


def _is_narrow(values: Mapping[str, str]) -> bool:
    """Tell whether a box leaves room beside it in the window."""
    widths = filter(None, (pixels(values.get(name, ""), PAGE) for name in ("width", "max-width")))
    return min(widths, default=PAGE.container) < _NEARLY * PAGE.container or _length(values, "margin-left") > COLUMN
