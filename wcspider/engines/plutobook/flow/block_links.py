"""Links that contain blocks, such as headings and cards, or floats only.

PlutoBook makes no link annotation for the blocks inside an inline element. So such a link becomes a block, which looks
the same: the blocks take the whole width in any case. A link around floats becomes a float. PlutoBook would underline
all boxes in a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, OUTSIDE, PageStyles
from wcspider.engines.plutobook.css.lengths import PAGE
from wcspider.engines.plutobook.flow.floats import FLOATING
from wcspider.engines.plutobook.grid.boxes import Box, box_of
from wcspider.engines.plutobook.grid.boxless import UNDECORATED

_LINKS: Final = etree.XPath("//a[@href][*]")
_INLINE: Final = frozenset({"", "inline", "contents"})
_OUTSIDE: Final = frozenset({"block", "flex", "grid", "table", "list-item"})
"""The values of `display` that begin a new line (CSS Display 3, 2)."""

_SIDES: Final = frozenset({"left", "right"})
_LEAVES_LINE: Final = re.compile(rf"display:({'|'.join(sorted(_OUTSIDE))})|float:({'|'.join(_SIDES)})", re.IGNORECASE)
_WITH_TEXT: Final = frozenset({"", "none", "block", "inline", "inline-block", "list-item", "table-cell"})
"""The values of `display` of boxes that lay out text; "none" stands for floats and positioned boxes.

In other boxes, such as flex containers, links are blocks anyway.
"""

_NO_UNDERLINE: Final = "data-wcspider-no-underline"
"""The attribute of boxes that are not underlined with the link around them. `default.css` has the rule."""

_SEPARATE: Final = re.compile(f"{FLOATING.pattern}|display:inline-.*|{OUTSIDE.pattern}", re.IGNORECASE)
_MOST: Final = 200
"""The number of elements in a link that are examined."""


def become_blocks(styles: PageStyles) -> None:
    """Let each inline link that contains blocks be a block."""
    links = _LINKS(styles.root)
    if not links:
        return
    declared = styles.elements_with(_LEAVES_LINE, with_generated=False)
    blocks = {element for element in declared if element.tag != "img"}  # images are found on the pages (`image_links`)
    wanted = [link for link in links if any(e.tag in BLOCKS or e in blocks for e in link.iterdescendants())]
    if not wanted:
        return

    def display(element: Any) -> str:
        """Return how an element is displayed; "none" if it takes no room in the text."""
        values = styles.values(styles.wrapper_of(element))
        if values.get("position") in OUT_OF_FLOW or values.get("float", "none") != "none":
            return "none"
        return Box(element, values).display

    for wrapper in styles.wrappers_of(wanted):
        link = wrapper.etree_element
        if display(link) not in _INLINE or display(link.getparent()) not in _WITH_TEXT:
            continue
        if _is_of_blocks(link, display):
            styles.add(wrapper, f"display: block; {UNDECORATED}")
        elif not _in_flow(link, display):
            sides = {styles.values(child).get("float", "none") for child in wrapper.iter_children()}
            if len(sides) == 1 and sides <= _SIDES:
                width = _take_width(styles, *wrapper.iter_children())
                styles.add(wrapper, f"float: {sides.pop()}; {UNDECORATED}{width}")


def _take_width(styles: PageStyles, box: Any, *others: Any) -> str:
    """Return declarations that give a link the share of the row that its only float has, which fills the link then.

    The share of the float would be one of the link, which is as wide as its contents.
    """
    values = styles.values(box)
    has_padding = any(Box(box.etree_element, values).sides("padding", PAGE))
    width, *margins = (values.get(name, "0") for name in ("width", "margin-left", "margin-right"))
    if others or not width.endswith("%") or (has_padding and values.get("box-sizing") != "border-box"):
        return ""
    styles.add(box, "width: 100%; margin-left: 0; margin-right: 0")
    return f"; width: {width}; margin-left: {margins[0]}; margin-right: {margins[1]}"


def keep_from_underlines(styles: PageStyles) -> None:
    """Mark the boxes in links that are not underlined with the links (CSS Text Decoration 3, 2.1)."""
    inside = {element for link in _LINKS(styles.root) for element in link.iterdescendants()}
    found = styles.elements_with(_SEPARATE, with_generated=False) & inside if inside else inside
    for wrapper in styles.wrappers_of(found):
        values = styles.values(wrapper)
        is_outside = values.get("position") in OUT_OF_FLOW
        is_item = box_of(wrapper.parent, styles).is_container
        is_separate = values.get("float", "none") != "none" or values.get("display", "").startswith("inline-")
        if is_outside or (is_separate and not is_item):
            wrapper.etree_element.set(_NO_UNDERLINE, "")


def _is_of_blocks(link: Any, display: Callable[[Any], str]) -> bool:
    """Tell whether a link contains a block, and no text beside it is on a line with text outside of the link."""
    kinds = _in_flow(link, display)
    if not any(kind in _OUTSIDE for kind in kinds):
        return False
    starts, ends = (kinds[place] in _OUTSIDE for place in (0, -1))
    return (starts or not _has_text_beside(link, display, is_before=True)) and (
        ends or not _has_text_beside(link, display, is_before=False)
    )


def _in_flow(link: Any, display: Callable[[Any], str]) -> Sequence[str]:
    """Return the kinds of the texts and boxes in a link that take room in the text."""
    return [kind for kind in _pieces(link, display, [_MOST]) if kind != "none"]


def _pieces(element: Any, display: Callable[[Any], str], left: list[int]) -> list[str]:
    """Return the kinds of the texts, blocks and other boxes in an element. Inline elements count as their contents."""
    kinds = ["text"] if (element.text or "").strip() else []
    for child in element.iterchildren(etree.Element):
        left[0] -= 1
        if left[0] < 0:
            break
        kind = display(child)
        kinds += _pieces(child, display, left) if kind in _INLINE and child.tag != "br" else [kind]
        kinds += ["text"] if (child.tail or "").strip() else []
    return kinds


def _has_text_beside(link: Any, display: Callable[[Any], str], *, is_before: bool) -> bool:
    """Tell whether there is text, or an inline element, directly before or behind a link."""
    beside = link.getprevious() if is_before else link.getnext()
    around = link.getparent()
    text = link.tail if not is_before else around.text if beside is None else beside.tail
    if (text or "").strip():
        return True
    breaks: Container[str] = (*_OUTSIDE, "none")
    return beside is not None and beside.tag != "br" and display(beside) not in breaks
