"""Grid containers written as flex containers, for layout libraries without CSS grid (CSS Grid 2).

What stands side by side in the grid stands side by side in the result. Grids that cannot be written in this way become
blocks, so nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Final

import cssselect2
import tinycss2
from lxml import etree

from wcspider.engines.plutobook.css.lengths import FONT_SIZE, Basis, pixels
from wcspider.engines.plutobook.css.required_names import may_match, names_of
from wcspider.engines.plutobook.css.style_rules import serialized, style_attribute
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.flex_lines import Geometry, add_style, container_style, write_lines
from wcspider.engines.plutobook.grid.grid_cascade import GridCascade, grid_selectors, is_grid, matcher_of, test_count
from wcspider.engines.plutobook.grid.partition import partition
from wcspider.engines.plutobook.grid.placement import Area, Lines, Span, areas_of, place, span
from wcspider.engines.plutobook.grid.tracks import AUTO, Track, TrackList, sizes, track_list

MAX_ELEMENTS: Final = 50_000
MAX_TESTS: Final = 3_000_000
"""How many selectors are tested on elements to find the grids; a page that needs more keeps its grids as blocks."""

MAX_CONTAINERS: Final = 2_000
MAX_ITEMS: Final = 1_000
"""How many items a grid has at most; a grid with more becomes blocks."""

MOST_LOOKED_AT: Final = 500
"""How many elements are looked at for the width of an item."""

LETTER: Final = 0.56 * FONT_SIZE
"""How wide a letter is taken to be, in pixels."""

_DISPLAY: Final = frozenset({"display"})
_WORD: Final = re.compile("grid", re.IGNORECASE)
_INLINE: Final = etree.XPath("//*[contains(translate(@style, 'GRID', 'grid'), 'grid')]")
_OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
_UNSEEN: Final = frozenset({"script", "style", "template", "link", "meta", "title", "head", "noscript"})


def rewrite_grids(root: Any, sheets: Sequence[str], viewport_width: float) -> str:
    """Write the grid containers of a document as flex containers; return rules to be added to its style sheets.

    ``root`` is the root of an lxml tree. ``sheets`` are the author's style sheets in the order of the cascade, with
    imports, conditions and nested rules resolved. ``viewport_width`` is the width of the page area in CSS pixels. The
    style attributes of containers and items are changed in place. Elements named ``wcspider-group`` are put around
    items beside an item that spans rows.
    """
    texts = tuple(sheet for sheet in sheets if sheet)
    candidates = _candidates(root, texts)
    if not candidates:
        return ""
    wrappers = _bounded(root)
    containers = _containers([w for w in wrappers if w.etree_element in candidates], texts)
    if not containers:
        return ""
    cascade = GridCascade(matcher_of(texts), wrappers)
    widths = ContainerWidths(cascade, viewport_width)
    rules = [rule for container in containers if (rule := _Container(container, cascade, widths).rewrite())]
    return "\n".join(dict.fromkeys(rules))


def _candidates(root: Any, sheets: Sequence[str]) -> set[Any]:
    """Return the elements for which a rule declares a grid, whether it wins or not."""
    found = set(_INLINE(root))
    names = names_of(root)
    for sheet in sheets:
        for selector, find in grid_selectors(sheet) if _WORD.search(sheet) else ():
            if may_match(selector, names):
                found.update(find(root))
    return found


def _bounded(root: Any) -> list[Any]:
    """Return the elements of a document, in document order; none of a document that has too many."""
    found = []
    for wrapper in cssselect2.ElementWrapper.from_html_root(root).iter_subtree():
        found.append(wrapper)
        if len(found) > MAX_ELEMENTS:
            return []
    return found


def _containers(wrappers: Sequence[Any], sheets: tuple[str, ...]) -> list[Any]:
    """Return the grid containers, in document order."""
    matcher = matcher_of(sheets, _DISPLAY)
    if sum(test_count(matcher, wrapper) for wrapper in wrappers) > MAX_TESTS:
        return []
    found = []
    for wrapper in wrappers:
        entries = [entry for *_, payload in matcher.match(wrapper) for entry in payload]
        own = wrapper.etree_element.get("style") or ""
        if "display" in own:
            entries += [
                (d.lower_name, serialized(d.value), d.important)
                for d in style_attribute(own)
                if d.lower_name == "display"
            ]
        winning = max(enumerate(entries), key=lambda entry: (entry[1][2], entry[0]), default=None)
        if winning is not None and is_grid(winning[1][1]):
            found.append(wrapper)
    return found[:MAX_CONTAINERS]


@dataclass(frozen=True)
class _Item:
    wrapper: Any
    values: Mapping[str, str]


class _Container:
    """One grid container that is rewritten."""

    def __init__(self, wrapper: Any, cascade: GridCascade, widths: ContainerWidths) -> None:
        self._element = wrapper.etree_element
        self._values = cascade.values(wrapper)
        self._widths = widths
        self._width = widths.content(wrapper)
        self._basis = Basis(self._width, widths.viewport)
        self._items = [_Item(child, cascade.values(child)) for child in wrapper.iter_children()]
        self._items = [item for item in self._items if _is_in_flow(item)]

    def rewrite(self) -> str:
        """Change the styles of the container and its items; return a rule that they need."""
        columns = self._tracks("grid-template-columns", self._gap("column-gap"))
        if columns is None or not self._items or len(self._items) > MAX_ITEMS or _has_text(self._element):
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
            self._widths.allotted[id(item.wrapper.etree_element)] = geometry.width(area)
        return write_lines(self._element, [item.wrapper.etree_element for item in self._items], lines, geometry)

    def _gap(self, name: str) -> float:
        return max(pixels(self._values.get(name, "0"), self._basis) or 0.0, 0.0)

    def _tracks(self, name: str, gap: float) -> TrackList | None:
        return track_list(self._values.get(name, "none"), self._basis, gap)

    def _placed(self, columns: TrackList) -> tuple[list[Area], TrackList]:
        """Return the areas of the items, and the columns with implicit ones."""
        rows = self._tracks("grid-template-rows", self._gap("row-gap")) or TrackList()
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
        gap = self._gap("column-gap")
        contents = [0.0] * len(tracks)
        for item, area in zip(self._items, areas, strict=True):
            if area.columns == 1 and tracks[area.column].by_content:
                contents[area.column] = max(contents[area.column], content_width(item.wrapper.etree_element))
        room = self._width - gap * (len(tracks) - 1)
        return Geometry(
            tracks=tuple(tracks),
            sizes=tuple(sizes(tracks, contents, room)),
            room=self._width,
            column_gap=gap,
            row_gap=self._gap("row-gap"),
            values=self._values,
            margins={
                number: margin
                for number, item in enumerate(self._items)
                if (margin := self._widths.margins(item.wrapper, room))
            },
        )

    def _as_one_column(self) -> str:
        """Write a grid of one column: blocks one below the other, centred if the grid centres them."""
        gap = self._gap("row-gap")
        centred = {"justify-items", "align-items", "justify-content", "align-content"} & self._values.keys()
        if gap or centred:
            container_style(self._element, self._values, direction="column", row_gap=gap)
            return ""
        return self._as_blocks()

    def _as_blocks(self) -> str:
        inline = self._values.get("display", "").startswith("inline")
        add_style(self._element, f"display: {'inline-block' if inline else 'block'}")
        return ""


def _is_in_flow(item: _Item) -> bool:
    if item.wrapper.local_name in _UNSEEN or item.values.get("display") == "none":
        return False
    return item.values.get("position", "static") not in _OUT_OF_FLOW


def _has_text(element: Any) -> bool:
    """Return whether text stands in a container outside of all elements in it."""
    return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)


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


def content_width(element: Any) -> float:
    """Return about how wide the contents of an element would like to be: its longest text, or an image."""
    widest = 0.0
    for found in islice(element.iter(), MOST_LOOKED_AT):
        for text in (found.text, found.tail if found is not element else ""):
            widest = max(widest, len((text or "").strip()) * LETTER)
        width = (found.get("width") or "").strip() if hasattr(found, "get") else ""
        if width.isascii() and width.isdigit():
            widest = max(widest, min(float(width[:6]), 4_000.0))
    return widest
