"""Track lists of grid containers (CSS Grid 2, 7.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final

import tinycss2

from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.web.styles.tokens import significant

MAX_TRACKS: Final = 100
"""The number of columns or rows of a grid; the items of a grid with more become blocks."""

LEAST_FLEXIBLE: Final = 80.0
"""The width in pixels that tracks with the size of their contents leave to a flexible track: about that of a word."""


@dataclass(frozen=True, slots=True)
class Track:
    """The size of a column or a row: fixed (``pixels``), flexible (``share``), or that of its contents."""

    pixels: float = 0.0
    share: float = 0.0
    """The share of the free room (``fr``)."""

    by_content: bool = False
    stretches: bool = False
    """True if it takes room that no flexible track needs."""

    least: float = 0.0
    """The smallest size in pixels."""

    most: float = inf
    """The largest size in pixels of a track with the size of its contents."""

    is_range: bool = False
    """True for a fixed size that becomes smaller if other tracks need the room (``minmax(auto, 240px)``)."""


AUTO: Final = Track(by_content=True, stretches=True)
_BY_CONTENT: Final = {"auto": AUTO, "min-content": Track(by_content=True), "max-content": Track(by_content=True)}


@dataclass
class TrackList:
    """The explicit tracks of one axis, with the names of the lines between them."""

    tracks: list[Track] = field(default_factory=list)
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The numbers of the lines, from 1, by their names."""

    fits: bool = False
    """True if empty tracks at the end are removed (``auto-fit``)."""

    def name(self, names: Sequence[str]) -> None:
        """Give names to the line after the last track."""
        for name in names:
            self.lines.setdefault(name, []).append(len(self.tracks) + 1)

    def part(self, start: int, sizes: Sequence[float]) -> TrackList:
        """Return the tracks behind `start` tracks with these sizes in pixels, and with the names of their lines."""
        lines = {
            name: [number - start for number in numbers if start < number <= start + len(sizes) + 1]
            for name, numbers in self.lines.items()
        }
        return TrackList([Track(share=max(size, 1.0)) for size in sizes], lines)


def track_list(text: str, basis: Basis, gap: float) -> TrackList | None:
    """Return the tracks of ``grid-template-columns`` or ``-rows``; None if the value is unknown."""
    found = TrackList()
    tokens = significant(tinycss2.parse_component_value_list(text))
    if [getattr(token, "lower_value", "") for token in tokens] != ["none"]:
        try:
            _read(tokens, found, basis, gap)
        except ValueError:
            return None
    return found


def is_subgrid(values: Mapping[str, str]) -> bool:
    """Tell whether a grid with these declared values shares its columns with the grid around it."""
    return values.get("grid-template-columns", "").startswith("subgrid")


def subgrid(text: str, shared: TrackList) -> TrackList:
    """Return the columns of a grid that shares them with the grid around it (CSS Grid 2, 9).

    ``text`` is the value of ``grid-template-columns``, which may name the lines. ``shared`` are the shared columns.
    """
    tokens = tinycss2.parse_component_value_list(text)
    found = deepcopy(shared)
    for number, block in enumerate((token for token in tokens if token.type == "[] block"), 1):
        for name in (part.value for part in block.content if part.type == "ident"):
            found.lines.setdefault(name, []).append(number)
    return found


def _read(tokens: Sequence[Any], found: TrackList, basis: Basis, gap: float) -> None:
    """Add tracks and names to a list. Raises ValueError for unknown tracks."""
    for token in tokens:
        if token.type == "[] block":
            found.name([part.value for part in token.content if part.type == "ident"])
        elif token.type == "function" and token.lower_name == "repeat":
            _repeat(token.arguments, found, basis, gap)
        elif len(found.tracks) < MAX_TRACKS:
            found.tracks.append(_track(token, basis))
        else:
            raise ValueError("the grid has too many tracks")


def _repeat(arguments: Sequence[Any], found: TrackList, basis: Basis, gap: float) -> None:
    """Add the tracks of repeat() to a list."""
    count, _, *repeated = significant(arguments)
    if count.type == "number" and count.is_integer and count.value >= 1:
        times = int(min(count.value, MAX_TRACKS))
    elif count.type == "ident" and count.lower_value in ("auto-fill", "auto-fit"):
        once = TrackList()
        _read(repeated, once, basis, gap)
        size = sum((max(track.pixels, track.least) or basis.container) + gap for track in once.tracks)
        times = int((basis.container + gap + 0.01) // (size or 1.0))
        times = min(max(times, 1), MAX_TRACKS // max(len(once.tracks), 1))
        found.fits = count.lower_value == "auto-fit"
    else:
        raise ValueError("the number of tracks is unknown")
    for _ in range(times):
        _read(repeated, found, basis, gap)


def _track(token: Any, basis: Basis) -> Track:
    """Return the track of one size. Raises ValueError for an unknown size."""
    if token.type == "ident" and token.lower_value in _BY_CONTENT:
        return _BY_CONTENT[token.lower_value]
    if token.type == "dimension" and token.lower_unit == "fr":
        return Track(share=max(float(token.value), 0.001))
    if token.type == "function" and token.lower_name == "minmax":
        return _minmax(token.arguments, basis)
    is_limit = token.type == "function" and token.lower_name == "fit-content"
    size = pixels(token.arguments if is_limit else [token], basis)
    if size is None:
        raise ValueError("the size of a track is unknown")
    return Track(by_content=True, most=max(size, 0.0)) if is_limit else Track(pixels=max(size, 0.0))


def _minmax(arguments: Sequence[Any], basis: Basis) -> Track:
    """Return the track of minmax(): as large as its maximum, not smaller than its minimum."""
    smallest, _, largest = significant(arguments)
    least, most = _track(smallest, basis), _track(largest, basis)
    size = max(most.pixels, 0.0 if most.by_content else least.pixels)
    return replace(most, pixels=size, least=least.pixels, is_range=least.pixels < size and not most.share)


def sizes(tracks: Sequence[Track], contents: Sequence[float], room: float) -> list[float]:
    """Return the sizes of tracks in pixels in a room without gaps (CSS Grid 2, 12.3).

    ``contents`` are the sizes that the contents of each track take if there is room for them.
    """
    flexible = [i for i, track in enumerate(tracks) if track.share]
    asked = {i: wanted(track, contents[i]) for i, track in enumerate(tracks) if track.by_content or track.is_range}
    result = [0.0 if track.share or i in asked else track.pixels for i, track in enumerate(tracks)]
    left = room - sum(result) - sum(max(tracks[i].least, LEAST_FLEXIBLE) for i in flexible)
    reserved = sum(tracks[i].least for i in asked)
    for done, i in enumerate(sorted(asked, key=lambda i: asked[i])):
        # Each track gets its share of the room that smaller tracks, and the minima of others, leave.
        reserved -= tracks[i].least
        share = min(left / (len(asked) - done), left - reserved)
        result[i] = min(asked[i], max(share, tracks[i].least, 1.0))
        left -= result[i]
    if flexible:
        return _flexible(tracks, result, room)
    stretching = [i for i, track in enumerate(tracks) if track.stretches]
    left = max(room - sum(result), 0.0)
    for i in stretching:
        result[i] += left / len(stretching)
    return result


def wanted(track: Track, content: float) -> float:
    """Return the size in pixels that a track takes if there is room for it; 0 for a share."""
    return max(min(content, track.most), track.least) if track.by_content else track.pixels


def _flexible(tracks: Sequence[Track], known: Sequence[float], room: float) -> list[float]:
    """Divide the room that fixed tracks leave; a track that would be too small gets its minimum."""
    result, open_tracks = list(known), [i for i, track in enumerate(tracks) if track.share]
    while open_tracks:
        left = max(room - sum(size for i, size in enumerate(result) if i not in open_tracks), 0.0)
        unit = left / sum(tracks[i].share for i in open_tracks)
        small = [i for i in open_tracks if unit * tracks[i].share < tracks[i].least]
        for i in small or open_tracks:
            result[i] = tracks[i].least if small else unit * tracks[i].share
        open_tracks = [i for i in open_tracks if i not in small] if small else []
    return result
