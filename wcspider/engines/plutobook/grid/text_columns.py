"""Columns of text (CSS Multi-column Layout 1), in which PlutoBook may lose the last lines or items.

PlutoBook begins with columns that are too low for most texts, and makes them higher until everything fits. But it stops
if a box ends at the end of a column, except for a rounding error. The rest then stands beside the page. So all columns
get enough height from the beginning: boxes in one piece are distributed here, and other contents get an empty end.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import BLOCKS, TEXT_LENGTH, has_own_text, insert_behind
from wcspider.engines.plutobook.css.element_styles import PageStyles, add_style, is_in_flow
from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.grid.boxes import LETTER
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.sheets.large_boxes import AS_BLOCKS, COLUMNS, LONG_BOX

MARK: Final = "data-wcspider-columns"
"""The attribute of elements with columns."""

COUNT: Final = "--wcspider-columns"
SLACK: Final = "--wcspider-slack"
HIGH: Final = "--wcspider-high-slack"
"""The variables with the number of columns, and the heights of their empty end; see `user.css`.

The larger height has room for boxes in one piece. A page gets it if its columns need more room.
"""

END: Final = "wcspider-columns-end"
"""The element in a column without boxes. It is empty."""

MOST: Final = 20
"""The largest number of columns."""

_SHORT: Final = 33
"""The number of characters that usually fit on a line of a column."""

_LINE: Final = 1.5 * FONT_SIZE
_PICTURE: Final = 2 / 3
"""The assumed heights of a line in CSS pixels, and of a picture as a share of its width."""

_OPEN_END: Final = "max(1.25lh, 1.75em)"
"""The height that the last line of a column may miss."""

_BREAK: Final = "break-before:column"
_OF_COLUMNS: Final = re.compile(f"({'|'.join(COLUMNS)}):.*", re.DOTALL)
_WHOLE: Final = re.compile(r"(page-)?break-inside:avoid.*|display:(inline-block|(inline-)?(flex|table))", re.IGNORECASE)
_SPANNING: Final = re.compile("column-span:all", re.IGNORECASE)
_PICTURES: Final = etree.XPath("count(descendant-or-self::img | descendant-or-self::svg)")


def fit(styles: PageStyles, viewport_width: float) -> bool:
    """Give the columns of a page enough height; return True if there are any.

    `viewport_width` is the width of the page area in CSS pixels.
    """
    found = [w for w in styles.wrappers_with(_OF_COLUMNS) if w.etree_element.get(LONG_BOX) != "page"]
    if not found:
        return False
    widths = ContainerWidths(styles, viewport_width)
    whole, spanning = styles.elements_with(_WHOLE), styles.elements_with(_SPANNING)
    for wrapper in found:
        count, width = _columns(styles.values(wrapper), widths.basis(wrapper))
        if count > 1:
            _Columns(wrapper, styles, count, width, whole, spanning).fit()
    return True


def _columns(values: Mapping[str, str], basis: Basis) -> tuple[int, float]:
    """Return the number of the columns of an element, and their width (CSS Multi-column Layout 1, 3.4)."""
    words = {word for name in COLUMNS for word in values.get(name, "").split()} - {"auto"}
    most = [int(word) for word in words if word.isascii() and word.isdecimal()]
    least = [size for word in words if not word.isdecimal() and (size := pixels(word, basis) or 0.0) > 0]
    if not most and not least:
        return 1, basis.container
    gap = pixels(values.get("column-gap", ""), basis)
    gap = FONT_SIZE if gap is None else gap
    fitting = floor((basis.container + gap) / (max(least) + gap)) if least else MOST
    count = max(min(*most, fitting, MOST), 1)
    return count, max((basis.container + gap) / count - gap, FONT_SIZE)


def groups(heights: Sequence[float], count: int) -> list[list[int]]:
    """Return the places of boxes in columns that are as low as possible. No column is empty, if there are enough boxes.

    Raises ValueError if there are no boxes.
    """
    lowest, enough = max(heights), sum(heights)
    while enough - lowest > 1:
        middle = (lowest + enough) / 2
        lowest, enough = (lowest, middle) if len(_filled(heights, count, middle)) <= count else (middle, enough)
    return _filled(heights, count, enough)


def _filled(heights: Sequence[float], count: int, room: float) -> list[list[int]]:
    """Return the places of boxes in columns of a certain height."""
    found: list[list[int]] = [[0]]
    used = heights[0]
    for place, height in enumerate(heights[1:], 1):
        if used + height > room or len(heights) - place <= count - len(found):
            found.append([])
            used = 0.0
        found[-1].append(place)
        used += height
    return found


@dataclass(frozen=True)
class _Columns:
    """An element with columns."""

    wrapper: Any
    styles: PageStyles
    count: int
    width: float
    """The width of a column in CSS pixels."""

    whole: Container[Any]
    """The elements that may stay in one piece."""

    spanning: Container[Any]
    """The elements that may span all columns."""

    def fit(self) -> None:
        """Distribute the boxes, or give the columns an empty end."""
        items = self._items()
        if items and all(map(self._is_piece, items)):
            slack = high = "1px"  # for the last column
            self._distribute(items)
        else:
            whole = [i for i in items if i.etree_element in self.whole or _PICTURES(i.etree_element)]
            highest = max(map(self._height, whole), default=0.0)
            slack = f"calc({self.count - 1} * {_OPEN_END})"
            high = f"calc({self.count - 1} * {_OPEN_END} + {(self.count - 1) * highest:.0f}px)"
        element = self.wrapper.etree_element
        element.set(MARK, "")
        self.styles.append(element, f"{COUNT}:{self.count};{SLACK}:{slack};{HIGH}:{high}")

    def _items(self) -> Sequence[Any]:
        """Return the boxes in the columns; none if some text is in no box."""
        found = [self.wrapper]
        while len(found) == 1:
            children = found[0].iter_children()
            if has_own_text(found[0].etree_element):
                return []
            found = [child for child in children if is_in_flow(self.styles.values(child))]
        return found

    def _is_piece(self, wrapper: Any) -> bool:
        """Tell whether a box begins a new line, and stays in one piece."""
        element, display = wrapper.etree_element, self.styles.values(wrapper).get("display", "")
        is_block = element.tag in BLOCKS if display in ("", "inline") else display != "contents"
        is_whole = element in self.whole or TEXT_LENGTH(element) < _SHORT
        return is_block and is_whole and element not in self.spanning

    def _height(self, wrapper: Any) -> float:
        """Return the estimated height of a box in CSS pixels."""
        element = wrapper.etree_element
        boxes = 1 + sum(1 for inner in element.iterdescendants() if inner.tag in BLOCKS)
        lines = boxes + max(TEXT_LENGTH(element) * LETTER / self.width, 1.0)
        values, basis = self.styles.values(wrapper), Basis(self.width, self.width)
        declared = (pixels(values.get(name, ""), basis) or 0.0 for name in ("height", "min-height"))
        return max(float(lines * _LINE + _PICTURES(element) * self.width * _PICTURE), *declared)

    def _distribute(self, items: Sequence[Any]) -> None:
        """Begin each column at a certain box. A margin above it makes the column before high enough."""
        columns = groups(list(map(self._height, items)), self.count)
        first = {column[0] for column in columns[1:]}
        for place, item in enumerate(items):
            display = AS_BLOCKS.get(self.styles.values(item).get("display", ""))
            found = ["break-inside:avoid", *([f"display:{display}"] if display else [])]
            found += [_BREAK, "margin-top:1px"] if place in first else []
            add_style(item.etree_element, ";".join(found))
        last = items[-1].etree_element
        insert_behind(last, [last.makeelement(END, {"style": _BREAK}) for _ in range(self.count - len(columns))])
