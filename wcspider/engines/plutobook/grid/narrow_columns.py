"""Narrow columns that are floats or flex items, such as those of Bootstrap.

Words with hyphens are kept on one line (`source.words`), but in a narrow column they would cover the next column.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.grid.container_width import ContainerWidths

ROOM: Final = "data-wcspider-room"
"""The attribute of narrow columns with the number of letters for which they are wide enough."""

_LETTER: Final = 7.0
"""The width of a letter of small text in pixels: shorter words have room."""

MAX_COLUMNS: Final = 5_000
"""The largest number of columns that are marked."""

_SHARE: Final = re.compile(r"(?:max-width|width|flex-basis|flex):.*[\d.]%.*", re.DOTALL)
_WITH_HYPHEN: Final = re.compile(r"\S-\S")


def mark(styles: PageStyles, viewport_width: float) -> None:
    """Mark the columns with words with hyphens whose width is a share of the page.

    ``viewport_width`` is the width of the page area in CSS pixels.
    """
    columns = styles.wrappers_with(_SHARE, where=_has_hyphen)
    if not columns:
        return
    widths = ContainerWidths(styles, viewport_width)
    for wrapper in columns[:MAX_COLUMNS]:
        if wrapper.parent is None:
            continue
        if styles.values(wrapper).get("float", "none") != "none" or box_around(wrapper, styles).is_row:
            wrapper.etree_element.set(ROOM, str(int(widths.basis(wrapper).container / _LETTER)))


def _has_hyphen(element: Any) -> bool:
    return _WITH_HYPHEN.search("".join(element.itertext(etree.Element))) is not None
