"""Narrow columns that are floats or flex items, such as those of Bootstrap.

Words with hyphens are kept on one line (`source.words`), but in a narrow column they would cover the next column.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cached_property
from itertools import islice
from math import inf
from typing import Any, Final

from wcspider.engines.document.html_trees import CELLS
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.lengths import declared_length
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.grid.container_width import ContainerWidths

_LETTER: Final = 7.0
"""The width of a letter of small text in pixels: shorter words have room."""

_NEAR: Final = 2
"""How many elements are between an element and the box around it at most."""

MAX_COLUMNS: Final = 5_000
"""The number of elements that may be columns above which no words are divided in them."""

_SHARE: Final = re.compile(r"(?:max-width|width|flex-basis|flex):.*[\d.]%.*", re.DOTALL)


class Rooms:
    """The numbers of letters for which there is room in the columns of a page whose width is a share of the page."""

    def __init__(self, styles: PageStyles, viewport_width: float) -> None:
        """`viewport_width` is the width of the page area in CSS pixels."""
        self._styles = styles
        self._widths = ContainerWidths(styles, viewport_width)
        self._rooms: dict[Any, float] = {}

    @cached_property
    def _columns(self) -> Set[Any]:
        """The elements that may be columns; none if there are too many."""
        found = self._styles.elements_with(_SHARE, with_generated=False)
        return found if len(found) <= MAX_COLUMNS else frozenset()

    def of(self, element: Any) -> float:
        """Return the number of letters for which there is room in an element, which may be in a cell of a table."""
        path = []
        while element is not None and element not in self._rooms:
            path.append(element)
            element = element.getparent()
        room = inf if element is None else self._rooms[element]
        for inner in reversed(path):
            if inner.tag in CELLS:
                room /= len(inner.getparent())
            elif inner in self._columns:
                room = self._of_column(self._styles.wrapper_of(inner), room)
            self._rooms[inner] = room
        return room

    def _of_column(self, wrapper: Any, around: float) -> float:
        """Return the room in a float or a flex item; for other elements, the room around them."""
        is_float = self._styles.values(wrapper).get("float", "none") != "none"
        if is_float or (wrapper.parent is not None and box_around(wrapper, self._styles).is_row):
            return self._widths.basis(wrapper).container / _LETTER
        return around


def room_in_small_box(styles: PageStyles, wrapper: Any) -> float:
    """Return the number of letters for which there is room in an element, or a box close around it, of a fixed width.

    The result is infinite if no width is declared.
    """
    for box in (wrapper, *islice(reversed(wrapper.ancestors), _NEAR)):
        declared = (declared_length(styles.values(box), name) for name in ("width", "max-width"))
        widths = [width for width in declared if width is not None]
        if widths:
            return min(widths) / _LETTER
    return inf
