"""Lines of grid items as flex items (CSS Flexbox 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final

from wcspider.engines.plutobook.css.element_styles import add_style
from wcspider.engines.plutobook.css.modern_values import FLEX_KEYWORDS
from wcspider.engines.plutobook.grid.column_sizes import Geometry, NarrowItem
from wcspider.engines.plutobook.grid.partition import Cell
from wcspider.engines.plutobook.grid.placement import Area
from wcspider.engines.plutobook.grid.tracks import is_subgrid

GROUP: Final = "wcspider-group"
"""The name of the elements around groups of items and around text between items, and of empty cells."""

CELL: Final = "data-wcspider-cell"
"""The attribute of items with the number of letters for which their columns are wide enough."""

_UNSEEN: Final = "display: block; visibility: hidden; margin: 0; padding: 0; border: 0; min-height: 0; height: 0"
"""The style of an empty element, on which the author's rules for the items have no effect."""

_END_OF_LINE: Final = "flex: 0 0 100%; min-width: 0; max-width: none"
"""The style of an empty element that fills a line, so that the next element begins another line."""

SLACK: Final = 0.15
"""The share by which the flex-basis of the items of a line is smaller than their size; they grow to that size.

Items are percentages of the real width of the container, but gaps are lengths. So a line has room for its gaps and its
items, even if the container is smaller than estimated.
"""


LITTLE_SLACK: Final = 0.03
"""This share in a line without items that grow."""

_ROUNDING: Final = 0.01
"""By how many pixels columns of the same size may differ."""


def write_lines(container: Any, items: Sequence[Any], lines: Sequence[Sequence[Cell]], geometry: Geometry) -> None:
    """Write the lines of a grid as flex items of a container."""
    wraps = len(lines) > 1
    # A flex-basis cannot be negative, so it cannot make up for the margins of an item.
    cells = [cell for line in lines for cell in line]
    has_margins = any(geometry.margin_of(cell) for cell in cells if geometry.share(cell.area))
    is_exact = not (wraps or has_margins or is_subgrid(geometry.values))
    parts = []
    for number, line in enumerate(lines):
        if number:
            parts.append(_empty(container))
            add_style(parts[-1], _END_OF_LINE)
        style_of = _style_of(line, geometry, is_exact=is_exact)
        for cell in _with_empty_cells(line, len(geometry.tracks)):
            element = _element_of(container, items, cell, geometry)
            add_style(element, style_of(cell, geometry))
            parts.append(element)
    known = set(parts)
    if geometry.is_ordered or parts != [child for child in container if child in known]:
        for number, element in enumerate(parts):
            add_style(element, f"order: {number}")
    # The empty lines between the lines double the gaps.
    row_gap = geometry.row_gap / 2
    container_style(
        container, geometry.values, direction="row", wraps=wraps, column_gap=geometry.column_gap, row_gap=row_gap
    )


def _with_empty_cells(line: Sequence[Cell], columns: int) -> Iterator[Cell]:
    """Yield the cells of a line, and cells without items for its empty columns."""
    edge = 0
    for cell in (*line, Cell(Area(0, columns, 1, 0))):
        if cell.area.column > edge:
            yield Cell(Area(0, edge, 1, cell.area.column - edge))
        if cell.area.columns:
            yield cell
        edge = cell.area.right


def _element_of(container: Any, items: Sequence[Any], cell: Cell, geometry: Geometry) -> Any:
    """Return the element of a cell; for a group, put an element around its items."""
    if cell.item is not None:
        return items[cell.item]
    members = [items[member] for member in cell.members]
    if not members:
        return _empty(container)
    group = container.makeelement(GROUP, {"style": "display: block"})
    container.insert(list(container).index(members[0]), group)
    group.extend(members)
    write_lines(group, items, cell.lines, geometry.part(cell.area))
    return group


def _empty(container: Any) -> Any:
    """Insert an empty element; selectors by position still match all other children except for the last one."""
    element = container.makeelement(GROUP)
    add_style(element, _UNSEEN)
    container.insert(max(len(container) - 1, 0), element)
    return element


def _style_of(line: Sequence[Cell], geometry: Geometry, *, is_exact: bool) -> Callable[[Cell, Geometry], str]:
    """Return the function that returns the styles of the cells of a line."""
    narrow = [(geometry.narrow_item(cell), round(geometry.width(cell.area))) for cell in line]
    has_only_narrow = all(item is not None for item, _ in narrow)
    if has_only_narrow and len(set(narrow)) == 1:
        return _narrow_item_of_line
    usual = _exact_item if is_exact else _estimated_item
    base = 1.0 if is_exact else 1.0 - (LITTLE_SLACK if has_only_narrow else SLACK)

    def style(cell: Cell, geometry: Geometry) -> str:
        item = geometry.narrow_item(cell)
        return usual(cell, geometry) if item is None else _narrow_item(cell, geometry, item, base)

    return style


def _narrow_item_of_line(cell: Cell, geometry: Geometry) -> str:
    """Return the style of an item in a line of items of the same width in wider columns of the same width.

    They share the rest of the line. So an empty cell may not grow.
    """
    item = geometry.narrow_item(cell)
    if item is None:
        return f"flex: 0 1 {geometry.percent(geometry.width(cell.area))}"
    return f"flex: 0 1 auto; {item.margins('auto')}"


def _narrow_item(cell: Cell, geometry: Geometry, item: NarrowItem, base: float) -> str:
    """Return the style of an item that is narrower than its columns, beside items that are not."""
    room = max(base * geometry.width(cell.area) - item.width, 0.0)
    return f"flex: 0 1 auto; {item.margins(geometry.percent(room), geometry.percent(room / 2))}"


def _exact_item(cell: Cell, geometry: Geometry) -> str:
    """Return the style of an item of a single line, with the sizes of its columns."""
    tracks, share, fixed = geometry.tracks_of(cell.area), geometry.share(cell.area), geometry.fixed(cell.area)
    if share or not any(track.by_content for track in tracks):
        flex = f"{share:g} 1 {fixed:.2f}px"
    else:
        stretches = any(track.stretches for track in tracks) and not any(track.share for track in geometry.tracks)
        # A narrow item keeps its width beside a long text. PlutoBook would make it narrower than its words.
        shrinks = (geometry.width(cell.area) + _ROUNDING) * len(geometry.tracks) >= sum(geometry.sizes)
        grows = stretches and "justify-content" not in geometry.values
        # Long contents share the rest of the line, however long they are.
        is_share = grows and shrinks and geometry.is_full
        flex = f"{geometry.width(cell.area):.2f} 1 0px" if is_share else f"{int(grows)} {int(shrinks)} auto"
    least, most = sum(track.least for track in tracks), sum(track.most for track in tracks)
    style = f"flex: {flex}; box-sizing: border-box"
    style += f"; min-width: {least:.2f}px" if least else ""
    return style + (f"; max-width: {most:.2f}px" if most < inf else "")


def _estimated_item(cell: Cell, geometry: Geometry) -> str:
    """Return the style of an item with its estimated share of the width of the container."""
    width = geometry.width(cell.area)
    grows = any(track.share or track.stretches for track in geometry.tracks_of(cell.area))
    base = max(width * (1 - SLACK) if grows else width, 1.0) - geometry.margin_of(cell)
    return f"flex: {width if grows else 0:.2f} 1 {geometry.percent(max(base, 0.0))}; box-sizing: border-box"


def container_style(
    element: Any,
    values: Mapping[str, str],
    *,
    direction: str,
    wraps: bool = False,
    column_gap: float = 0.0,
    row_gap: float = 0.0,
) -> None:
    """Make an element a flex container with the alignment that it has as a grid container."""
    is_inline = values.get("display", "").startswith("inline") and element.tag != GROUP
    style = [
        f"display: {'inline-flex' if is_inline else 'flex'}",
        f"flex-direction: {direction}",
        f"flex-wrap: {'wrap' if wraps else 'nowrap'}",
    ]
    style += [f"column-gap: {column_gap:.2f}px"] if column_gap else []
    style += [f"row-gap: {row_gap:.2f}px"] if row_gap else []
    across, along = values.get("align-items", "normal"), values.get("justify-content", "normal")
    if direction == "column":
        across, along = values.get("justify-items", "normal"), values.get("align-content", "normal")
    style.append(f"align-items: {alignment(across)}")
    if values.get("grid-template-rows", "none") not in ("none", "auto"):
        # The lines do not share free height, because the rows have sizes of their own.
        style.append("align-content: flex-start")
    if along not in ("normal", "stretch"):
        style.append(f"justify-content: {alignment(along)}")
    add_style(element, "; ".join(style))


def alignment(value: str) -> str:
    """Return the keyword of CSS Flexbox 1 for a keyword of CSS Box Alignment 3."""
    return "stretch" if value == "normal" else FLEX_KEYWORDS.get(value, value)
