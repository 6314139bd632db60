"""Tables, flex columns and columns of text, which PlutoBook lays out twice for each such box around them.

With 20 nested boxes, the layout takes a million times as long as with one. Boxes that are nested too deep are laid out
as blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.grid.text_columns import COUNT
from wcspider.web.styles.tokens import declarations_of, serialized

DEEPEST: Final = 8
"""The largest number of nested boxes."""

_OF_COLUMNS: Final = 3
"""The number of boxes that columns of text count as, because each has half the room."""

_AS_BLOCK: Final = f"display:block!important;columns:auto!important;column-count:auto!important;{COUNT}:auto"
_NESTING: Final = re.compile(
    r"display:table|(columns|column-count):(?!(auto|\s)*$).*|flex-(direction|flow):.*column.*",
    re.IGNORECASE | re.DOTALL,
)
"""The declarations of such boxes."""

_DEEP: Final = etree.XPath(f"boolean({'/*' * (DEEPEST // _OF_COLUMNS + 5)})")
"""True if elements are nested so deep that there may be too many nested boxes."""


def untangle(styles: PageStyles) -> None:
    """Turn boxes inside `DEEPEST` others of their kind into blocks."""
    if not _DEEP(styles.root):
        return
    found = styles.elements_with(_NESTING)
    # Some elements are found although no rule applies to them. The declared values of a very large page are unknown.
    weights = dict.fromkeys(found, _OF_COLUMNS)
    if next(_too_deep(styles.root, weights), None) is None:
        return
    values = {wrapper.etree_element: styles.values(wrapper) for wrapper in styles.wrappers_of(found)}
    if values:
        weights = {element: _weight(element, values.get(element, {})) for element in found}
    for element in _too_deep(styles.root, weights):
        styles.append(element, _AS_BLOCK)


def _too_deep(root: Any, weights: Mapping[Any, int]) -> Iterator[Any]:
    """Yield the boxes inside `DEEPEST` others. `weights` says how much each of them counts."""
    if sum(weights.values()) <= DEEPEST:  # so it is for most pages
        return
    depths: dict[Any, int] = {None: 0}
    for element in root.iter(etree.Element):
        depths[element] = depths[element.getparent()] + weights.get(element, 0)
        if weights.get(element) and depths[element] > DEEPEST:
            yield element


def _weight(element: Any, values: Mapping[str, str]) -> int:
    """Return how much a box counts. Its STYLE attribute wins, because a rewritten grid has its values there."""
    attribute = {d.lower_name: serialized(d.value) for d in declarations_of(element.get("style") or "")}
    return _weight_of({name: value.lower() for name, value in (*values.items(), *attribute.items())})


def _weight_of(values: Mapping[str, str]) -> int:
    if any(values.get(name, "auto").replace("auto", "").strip() for name in ("columns", "column-count")):
        return _OF_COLUMNS
    # Items side by side are laid out only once.
    directions = (values.get("flex-direction", ""), values.get("flex-flow", ""))
    return int(values.get("display") == "table" or any("column" in value for value in directions))
