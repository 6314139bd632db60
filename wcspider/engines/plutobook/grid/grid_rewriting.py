"""CSS grids rewritten as flex containers, for layout libraries without grids (CSS Grid Layout 2).

Items that are side by side in the grid are side by side in the result. The items of a grid that cannot be written in
this way are placed below each other, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, Final

import cssselect2
import tinycss2
from lxml import etree

from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.css.required_names import may_match, names_of
from wcspider.engines.plutobook.grid.container_width import INLINE_TAGS, ContainerWidths
from wcspider.engines.plutobook.grid.flex_lines import (
    GROUP,
    Geometry,
    add_style,
    alignment,
    container_style,
    write_lines,
)
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade, grid_selectors, is_grid
from wcspider.engines.plutobook.grid.partition import partition
from wcspider.engines.plutobook.grid.placement import Area, Lines, Span, areas_of, place, span
from wcspider.engines.plutobook.grid.tracks import AUTO, Track, TrackList, sizes, track_list

MAX_ELEMENTS: Final = 50_000
"""The number of elements of a page whose grids are rewritten; the grids of a larger page become blocks."""

MAX_CONTAINERS: Final = 2_000
MAX_ITEMS: Final = 1_000
"""The number of items of a grid; a grid with more becomes blocks."""

_STYLED: Final = etree.XPath("//*[contains(translate(@style, 'GRID', 'grid'), 'grid')]")
_OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
_NEVER_SHOWN: Final = frozenset({"script", "style", "template", "link", "meta", "title", "head", "noscript"})


def rewrite_grids(root: Any, sheets: Sequence[str], viewport_width: float) -> str:
    """Rewrite the grid containers of a page as flex containers; return rules to be added to its style sheets.

    ``root`` is the root of an lxml tree. ``sheets`` are the author's style sheets in the order of the cascade, with
    imports, conditions and nested rules resolved. ``viewport_width`` is the width of the page area in CSS pixels. The
    style attributes of containers and items are changed in place. Elements named ``wcspider-group`` are put around
    items beside an item that spans rows, and around text between items.
    """
    candidates = _candidates(root, sheets)
    if not candidates:
        return ""
    for element in candidates:
        _wrap_text(element)
    wrappers = _wrappers(root)
    cascade = GridCascade(sheets, wrappers)
    widths = ContainerWidths(cascade, viewport_width)
    containers = [
        wrapper
        for wrapper in wrappers
        if wrapper.etree_element in candidates and is_grid(cascade.values(wrapper).get("display", ""))
    ]
    grids = _Grids(cascade, widths)
    rules = [rule for wrapper in containers[:MAX_CONTAINERS] for rule in _Container(wrapper, grids).rewrite()]
    return "\n".join(dict.fromkeys(rules))


def _candidates(root: Any, sheets: Sequence[str]) -> set[Any]:
    """Return the elements for which any rule declares a grid."""
    found = set(_STYLED(root))
    selectors = [entry for sheet in sheets for entry in grid_selectors(sheet)]
    names = names_of(root) if selectors else {}
    for selector, find in selectors:
        if may_match(selector, names):
            found.update(find(root))
    return found


def _wrap_text(element: Any) -> None:
    """Put an element around each text between the children of an element: such a text is an item (CSS Grid 2, 6)."""
    children = list(element)
    if children and (element.text or "").strip():
        element.insert(0, _group_of_text(element, element.text))
        element.text = None
    for child in children:
        if (child.tail or "").strip():
            text, child.tail = child.tail, None
            child.addnext(_group_of_text(element, text))


def _group_of_text(element: Any, text: str) -> Any:
    group = element.makeelement(GROUP, {})
    group.text = text
    return group


def _wrappers(root: Any) -> list[Any]:
    """Return the elements of a page for cssselect2, in document order; none if there are too many."""
    found = list(islice(cssselect2.ElementWrapper.from_html_root(root).iter_subtree(), MAX_ELEMENTS + 1))
    return found if len(found) <= MAX_ELEMENTS else []


@dataclass(frozen=True)
class _Item:
    wrapper: Any
    values: Mapping[str, str]

    @property
    def element(self) -> Any:
        """The element of the tree."""
        return self.wrapper.etree_element

    @property
    def order(self) -> int:
        """The value of ``order`` (CSS Display 4, 3.1)."""
        value = self.values.get("order", "0")
        return int(value) if re.fullmatch(r"[+-]?\d{1,4}", value) else 0


@dataclass(frozen=True)
class _Grids:
    """What the grid containers of a page have in common."""

    cascade: GridCascade
    widths: ContainerWidths
    subgrids: dict[int, tuple[list[Track], float]] = field(default_factory=dict)
    """The columns of the area of each item, and the gap between them, by the identity of the element."""


class _Container:
    """One grid container that is rewritten."""

    def __init__(self, wrapper: Any, grids: _Grids) -> None:
        self._element = wrapper.etree_element
        self._wrapper = wrapper
        self._values = grids.cascade.values(wrapper)
        self._grids = grids
        self._width = grids.widths.content(wrapper)
        self._basis = Basis(self._width, grids.widths.viewport)
        items = [_Item(child, grids.cascade.values(child)) for child in wrapper.iter_children()]
        self._items = sorted(filter(_is_in_flow, items), key=lambda item: item.order)

    def rewrite(self) -> list[str]:
        """Change the styles of the container and its items; return the rules that they need."""
        columns = self._columns()
        if columns is None or not 0 < len(self._items) <= MAX_ITEMS:
            return self._as_one_column()
        try:
            areas, columns = self._placed(columns)
        except ValueError:
            return self._as_blocks()
        if max(area.right for area in areas) <= 1:
            return self._as_one_column()
        lines = partition(areas)
        if any(_overlap(line) for line in lines):
            return self._as_blocks()
        geometry = self._geometry(columns.tracks, areas)
        for item, area in zip(self._items, areas, strict=True):
            self._grids.widths.allotted[id(item.element)] = geometry.width(area)
            shares = [Track(share=max(size, 1.0)) for size in geometry.sizes[area.column : area.right]]
            self._grids.subgrids[id(item.element)] = shares, geometry.column_gap
            self._align(item)
        return write_lines(self._element, [item.element for item in self._items], lines, geometry)

    def _gap(self, name: str) -> float:
        return max(pixels(self._values.get(name, "0"), self._basis) or 0.0, 0.0)

    def _column_gap(self) -> float:
        if self._is_subgrid() and "column-gap" not in self._values:
            return self._grids.subgrids[id(self._element)][1]
        return self._gap("column-gap")

    def _is_subgrid(self) -> bool:
        value = self._values.get("grid-template-columns", "")
        return value.startswith("subgrid") and id(self._element) in self._grids.subgrids

    def _columns(self) -> TrackList | None:
        if self._is_subgrid():
            return TrackList(list(self._grids.subgrids[id(self._element)][0]))
        value = self._values.get("grid-template-columns", "none")
        parent = self._grids.cascade.parent(self._wrapper)
        if value == "inherit" and parent is not None:
            value = self._grids.cascade.values(parent).get("grid-template-columns", "none")
        return track_list(value, self._basis, self._column_gap())

    def _rows(self) -> TrackList:
        return track_list(self._values.get("grid-template-rows", "none"), self._basis, 0.0) or TrackList()

    def _placed(self, columns: TrackList) -> tuple[list[Area], TrackList]:
        """Return the areas of the items, and the columns with implicit ones."""
        rows = self._rows()
        strings = _strings(self._values.get("grid-template-areas", ""))
        named = areas_of(strings)
        while len(columns.tracks) < max((area.right for area in named.values()), default=0):
            columns.tracks.append(AUTO)
        row_count = max(len(rows.tracks), len(strings))
        row_lines, column_lines = _with_areas(rows.lines, columns.lines, named)
        spans = [_spans(item.values, row_count, len(columns.tracks), row_lines, column_lines) for item in self._items]
        flow = self._values.get("grid-auto-flow", "row").split()
        areas = place(spans, len(columns.tracks), by_column="column" in flow, rows=row_count, dense="dense" in flow)
        last = max(area.right for area in areas)
        if columns.fits and last < len(columns.tracks):
            columns.tracks = columns.tracks[:last]
        implicit = track_list(self._values.get("grid-auto-columns", "auto"), self._basis, 0)
        more = implicit.tracks if implicit is not None and implicit.tracks else [AUTO]
        while len(columns.tracks) < last:
            columns.tracks.append(more[len(columns.tracks) % len(more)])
        return areas, columns

    def _geometry(self, tracks: Sequence[Track], areas: Sequence[Area]) -> Geometry:
        gap = self._column_gap()
        contents = [0.0] * len(tracks)
        for item, area in zip(self._items, areas, strict=True):
            if area.columns == 1 and tracks[area.column].by_content:
                contents[area.column] = max(contents[area.column], self._grids.widths.preferred(item.wrapper))
        room = self._width - gap * (len(tracks) - 1)
        return Geometry(
            tracks=tracks,
            sizes=sizes(tracks, contents, room),
            room=self._width,
            column_gap=gap,
            row_gap=self._gap("row-gap"),
            values=self._values,
            margins=[self._grids.widths.margins(item.wrapper, room) for item in self._items],
            is_ordered=any(item.order for item in self._items),
        )

    def _align(self, item: _Item) -> None:
        """Align the text of an item as the item is aligned in its columns (CSS Box Alignment 3, 6.1)."""
        side = item.values.get("justify-self", "auto")
        side = alignment(self._values.get("justify-items", "") if side == "auto" else side)
        display = item.values.get("display", "")
        if side not in ("flex-end", "center"):
            return
        if "flex" in display:
            is_column = item.values.get("flex-direction", "").startswith("column")
            add_style(item.element, f"{'align-items' if is_column else 'justify-content'}: {side}")
        elif all(found.tag in INLINE_TAGS for found in item.element.iterdescendants()):
            add_style(item.element, f"text-align: {side.removeprefix('flex-')}")

    def _as_one_column(self) -> list[str]:
        """Place the items below each other, aligned as in the grid and with its gaps."""
        gap = self._gap("row-gap")
        rows = self._rows().tracks
        shares = any(row.share for row in rows)
        aligned = {"justify-items", "align-items", "justify-content", "align-content"} & self._values.keys()
        if not (gap or aligned or shares):
            return self._as_blocks()
        container_style(self._element, self._values, direction="column", row_gap=gap)
        for item, row in zip(self._items, rows, strict=False) if shares else ():
            add_style(item.element, f"flex: {row.share:g} 0 auto")
        return []

    def _as_blocks(self) -> list[str]:
        inline = self._values.get("display", "").startswith("inline")
        add_style(self._element, f"display: {'inline-block' if inline else 'block'}")
        for item in self._items:
            if item.values.get("display", "inline") == "inline" and item.element.tag in {*INLINE_TAGS, GROUP}:
                add_style(item.element, "display: block")
        return []


def _is_in_flow(item: _Item) -> bool:
    if item.wrapper.local_name in _NEVER_SHOWN or item.values.get("display") == "none":
        return False
    return item.values.get("position", "static") not in _OUT_OF_FLOW


def _strings(value: str) -> list[str]:
    return [token.value for token in tinycss2.parse_component_value_list(value) if token.type == "string"]


def _with_areas(rows: Lines, columns: Lines, named: Mapping[str, Area]) -> tuple[Lines, Lines]:
    """Return the named lines with those of named areas (CSS Grid 2, 7.3.2)."""
    row_lines, column_lines = dict(rows), dict(columns)
    for name, area in named.items():
        row_lines |= {f"{name}-start": [area.row + 1], f"{name}-end": [area.bottom + 1]}
        column_lines |= {f"{name}-start": [area.column + 1], f"{name}-end": [area.right + 1]}
    return row_lines, column_lines


def _spans(
    values: Mapping[str, str], rows: int, columns: int, row_lines: Lines, column_lines: Lines
) -> tuple[Span, Span]:
    down = span(values.get("grid-row-start", ""), values.get("grid-row-end", ""), rows, row_lines)
    across = span(values.get("grid-column-start", ""), values.get("grid-column-end", ""), columns, column_lines)
    return down, across


def _overlap(line: Sequence[Any]) -> bool:
    """Return whether cells of a line lie over each other."""
    return any(one.area.right > other.area.column for one, other in pairwise(line))
