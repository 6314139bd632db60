"""Size queries of containers (CSS Conditional Rules 5, 4), which PlutoBook does not know.

The rules of a query apply inside of containers with a mark. A container is marked with the queries that its estimated
width meets.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from wcspider.engines.document.style_sheets import CONTAINER
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.grid_rewriting import measured_widths
from wcspider.web.styles.responsive import Viewport, applies

MOST: Final = 200
"""The number of different queries of a page that are answered."""

_QUERY: Final = re.compile(rf'\[{CONTAINER}~="([^"]+)"\]')
_NAMED: Final = re.compile(r"(?!not\b)([\w-]+)\s+(?=\(|not\b)", re.IGNORECASE)
_DECLARED: Final = re.compile("container(-type)?:.*size.*", re.IGNORECASE | re.DOTALL)
_TYPES: Final = frozenset({"size", "inline-size"})


def mark(root: Any, sheets: Sequence[str], viewport_width: float) -> None:
    """Mark the containers of a page with the queries that they meet.

    `sheets` are the author's style sheets, and `viewport_width` is the width of the page area in CSS pixels.
    """
    queries = sorted({query for sheet in sheets for query in _QUERY.findall(sheet)})[:MOST]
    if not queries:
        return
    styles = PageStyles(root, sheets)
    containers = styles.wrappers_with(_DECLARED)
    if not containers:
        return
    widths = measured_widths(styles, viewport_width)
    for wrapper in containers:
        values = styles.values(wrapper)
        if values.get("container-type") in _TYPES:
            width = widths.basis(wrapper).container
            names = values.get("container-name", "").split()
            met = [query for query in queries if _is_met(query.replace("_", " "), names, width)]
            wrapper.etree_element.set(CONTAINER, " ".join(met))


def _is_met(query: str, names: Collection[str], width: float) -> bool:
    """Tell whether a container with these names and this width in CSS pixels meets a query."""
    named = _NAMED.match(query)
    if named is not None and named[1] not in names:
        return False
    condition = query[named.end() :] if named else query
    return applies(condition.replace("inline-size", "width"), Viewport(width=width, height=None))
