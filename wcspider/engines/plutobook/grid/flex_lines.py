"""Lines of grid items as flex items (CSS Flexbox 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import Any, Final

from wcspider.engines.plutobook.grid.column_sizes import Geometry
from wcspider.engines.plutobook.grid.partition import Cell
from wcspider.engines.plutobook.grid.placement import Area

GROUP: Final = "wcspider-group"
"""The name of the elements around groups of items, and around text between items."""

FILLED: Final = "data-wcspider-grid"
"""The attribute of containers whose last line is not full."""

CELL: Final = "data-wcspider-cell"
"""The attribute of items with the number of letters for which their columns are wide enough."""

LAST: Final = 30_000
"""The ``order`` of the empty item at the end of the last line."""

MOST_SLACK: Final = 0.15
"""The share by which the flex-basis of the items of a line is smaller than their size; they grow to that size.

Items are percentages of the real width of the container, but gaps are lengths. So a line has room for its gaps and its
items, even if the container is smaller than estimated.
"""

_KEYWORDS: Final = {"start": "flex-start", "end": "flex-end", "self-start": "flex-start", "self-end": "flex-end",
                    "left": "flex-start", "right": "flex-end", "normal": "stretch"}  # fmt: skip


def write_lines(container: Any, items: Sequence[Any], lines: Sequence[Sequence[Cell]], geometry: Geometry) -> list[str]:
    """Write the lines of a grid as flex items of a container; return the rules that they need."""
    rules: list[str] = []
    cells = [cell for line in lines for cell in line]
    elements = {id(cell): _element_of(container, items, cell, geometry, rules) for cell in cells}
    places = [cell.first for cell in cells]
    if geometry.is_ordered or places != sorted(places):
        for number, cell in enumerate(cells):
            add_style(elements[id(cell)], f"order: {number}")
    wraps = len(lines) > 1
    container_style(
        container,
        geometry.values,
        direction="row",
        wraps=wraps,
        column_gap=geometry.column_gap,
        row_gap=geometry.row_gap,
    )
    # A flex-basis cannot be negative, so it cannot make up for the margins of an item.
    exact = not wraps and not any(sum(geometry.margins_of(cell)) for cell in cells if geometry.share(cell.area))
    slack = 0.0 if exact else _slack(lines, geometry)
    for line, following in pairwise([*lines, ()]):
        for cell, hole in zip(line, _holes(line, geometry), strict=True):
            style = _exact_item(cell, geometry) if exact else _estimated_item(cell, geometry, slack)
            if hole:
                style += f"; margin-inline-start: {geometry.percent(hole + geometry.margins_of(cell)[0])}"
            add_style(elements[id(cell)], style)
        left = geometry.room - geometry.hole(0, line[-1].area.right)
        if following and left > 1 + geometry.column_gap:
            # Without this margin, the next item would fill the empty columns at the end of the line.
            least = 1.0 if any(geometry.grows(cell.area) for cell in line) else 1 - slack
            add_style(elements[id(line[-1])], f"margin-inline-end: {geometry.percent(left * least)}")
    return rules + _filler(container, lines[-1], geometry, slack)


def _element_of(container: Any, items: Sequence[Any], cell: Cell, geometry: Geometry, rules: list[str]) -> Any:
    """Return the element of a cell; for a group, put an element around its items."""
    if cell.item is not None:
        return items[cell.item]
    members = [items[member] for member in sorted(members_of(cell))]
    group = container.makeelement(GROUP, {"style": "display: block"})
    container.insert(list(container).index(members[0]), group)
    group.extend(members)
    rules += write_lines(group, items, cell.lines, geometry.part(cell.area))
    return group


def members_of(cell: Cell) -> list[int]:
    """Return the items of a cell by their places in the source."""
    return [cell.item] if cell.item is not None else [m for line in cell.lines for c in line for m in members_of(c)]


def _exact_item(cell: Cell, geometry: Geometry) -> str:
    """Return the style of an item of a single line, with the sizes of its columns."""
    share, fixed = geometry.share(cell.area), geometry.fixed(cell.area)
    tracks = geometry.tracks_of(cell.area)
    if share:
        flex = f"{share:g} 1 {fixed:.2f}px"
    elif geometry.is_by_content(cell.area):
        stretches = geometry.grows(cell.area) and not any(track.share for track in geometry.tracks)
        # A narrow item keeps its width beside a long text. PlutoBook would make it narrower than its words.
        shrinks = geometry.width(cell.area) * len(geometry.tracks) >= geometry.room
        flex = f"{int(stretches and 'justify-content' not in geometry.values)} {int(shrinks)} auto"
    else:
        flex = f"0 1 {fixed:.2f}px"
    style = f"flex: {flex}; box-sizing: border-box"
    least, most = sum(track.least for track in tracks), sum(track.most for track in tracks)
    style += f"; min-width: {least:.2f}px" if least else ""
    style += f"; max-width: {most:.2f}px" if most < inf else ""
    return style


def _estimated_item(cell: Cell, geometry: Geometry, slack: float) -> str:
    """Return the style of an item with its estimated share of the width of the container."""
    width = geometry.width(cell.area)
    grow = width if geometry.grows(cell.area) else 0
    base = max(width * (1 - slack) if grow else width, 1.0) - sum(geometry.margins_of(cell))
    return f"flex: {grow:.2f} 1 {geometry.percent(max(base, 0.0))}; box-sizing: border-box"


def _holes(line: Sequence[Cell], geometry: Geometry) -> list[float]:
    """Return the width of the empty columns before each cell."""
    edges = [0, *(cell.area.right for cell in line[:-1])]
    return [geometry.hole(edge, cell.area.column) for edge, cell in zip(edges, line, strict=True)]


def _slack(lines: Sequence[Sequence[Cell]], geometry: Geometry) -> float:
    """Return the share by which flex-basis is smaller, so that a line holds its items and not the next one."""
    if len(lines) == 1:
        return MOST_SLACK
    firsts = [geometry.hole(0, line[0].area.column) + geometry.width(line[0].area) for line in lines[1:]]
    smallest = min(firsts) / max(geometry.room, 1.0)
    return min(MOST_SLACK, smallest / (1 + smallest) / 2)


def _filler(container: Any, line: Sequence[Cell], geometry: Geometry, slack: float) -> list[str]:
    """Fill the last line with an empty item, so that the items before it do not grow; return the rule for it."""
    area = Area(0, line[-1].area.right, 1, len(geometry.tracks) - line[-1].area.right)
    if area.columns and slack:
        width = geometry.width(area)
        flex = f"{width:.2f} 1 {geometry.percent(width * (1 - slack))}"
    elif area.columns and geometry.share(area):
        flex = f"{geometry.share(area):g} 1 {geometry.fixed(area):.2f}px"
    else:
        return []
    name = flex.replace(" ", "_")
    container.set(FILLED, name)
    declarations = ('content: ""', "display: block", f"flex: {flex}", f"order: {LAST}")
    style = "; ".join(f"{declaration} !important" for declaration in declarations)
    return [f'[{FILLED}="{name}"]::after {{ {style} }}']


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
    return _KEYWORDS.get(value, value)


def add_style(element: Any, declarations: str) -> None:
    """Add declarations as important ones to the style attribute of an element."""
    if not declarations:
        return
    important = "; ".join(f"{declaration.strip()} !important" for declaration in declarations.split(";"))
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {important}" if own else important)
