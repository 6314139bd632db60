"""Track lists of grid containers (CSS Grid 2, 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import tinycss2

from wcspider.engines.plutobook.css.lengths import Basis, pixels

MAX_TRACKS: Final = 100
"""How many columns or rows a grid has at most; a grid with more becomes blocks."""

LEAST_FLEXIBLE: Final = 80.0
"""The width in pixels that tracks sized by their contents leave to a track with a share: about the longest word."""

_BY_CONTENT: Final = frozenset({"auto", "min-content", "max-content", "fit-content"})


@dataclass(frozen=True, slots=True)
class Track:
    """The size of a column or a row. One of ``pixels``, ``share`` and ``by_content`` is set."""

    pixels: float = 0.0
    """A fixed size."""

    share: float = 0.0
    """The share of what is left over (``fr``)."""

    by_content: bool = False
    """As large as the contents."""

    least: float = 0.0
    """The smallest size in pixels."""


AUTO: Final = Track(by_content=True)


@dataclass
class TrackList:
    """The explicit tracks of one axis, with the names of the lines between them."""

    tracks: list[Track] = field(default_factory=list)
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The numbers of the lines, from 1, by their names."""

    fits: bool = False
    """Whether empty tracks at the end are dropped (``auto-fit``)."""

    def name(self, names: Sequence[str]) -> None:
        """Give names to the line behind the last track."""
        for name in names:
            self.lines.setdefault(name, []).append(len(self.tracks) + 1)


def track_list(text: str, basis: Basis, gap: float) -> TrackList | None:
    """Return the tracks of ``grid-template-columns`` or ``-rows``; None for a value that is not understood."""
    found = TrackList()
    tokens = _significant(tinycss2.parse_component_value_list(text))
    if [getattr(token, "lower_value", "") for token in tokens] == ["none"]:
        return found
    return found if _read(tokens, found, basis, gap) else None


def _read(tokens: Sequence[Any], found: TrackList, basis: Basis, gap: float) -> bool:
    """Add tracks and names to a list; tell whether all of them are understood."""
    for token in tokens:
        if token.type == "[] block":
            found.name([part.value for part in token.content if part.type == "ident"])
        elif token.type == "function" and token.lower_name == "repeat":
            if not _repeat(token.arguments, found, basis, gap):
                return False
        else:
            track = _track(token, basis)
            if track is None or len(found.tracks) >= MAX_TRACKS:
                return False
            found.tracks.append(track)
    return True


def _repeat(arguments: Sequence[Any], found: TrackList, basis: Basis, gap: float) -> bool:
    """Add the tracks of repeat()."""
    tokens = _significant(arguments)
    if len(tokens) < 3 or tokens[1] != ",":
        return False
    count, repeated = tokens[0], tokens[2:]
    if count.type == "number" and count.is_integer and count.value >= 1:
        times = int(min(count.value, MAX_TRACKS))
    elif count.type == "ident" and count.lower_value in ("auto-fill", "auto-fit"):
        once = TrackList()
        if not _read(repeated, once, basis, gap) or not once.tracks:
            return False
        size = sum(max(track.pixels, track.least) or basis.container for track in once.tracks)
        times = int((basis.container + gap + 0.01) // (size + gap * len(once.tracks)))
        times = min(max(times, 1), MAX_TRACKS // len(once.tracks))
        found.fits = count.lower_value == "auto-fit"
    else:
        return False
    return all(_read(repeated, found, basis, gap) for _ in range(times))


def _track(token: Any, basis: Basis) -> Track | None:
    """Return the track of one size; None for a value that is not understood."""
    if token.type == "ident":
        return AUTO if token.lower_value in _BY_CONTENT else None
    if token.type == "dimension" and token.lower_unit == "fr":
        return Track(share=max(float(token.value), 0.001))
    if token.type == "function" and token.lower_name == "minmax":
        return _minmax(_significant(token.arguments), basis)
    if token.type == "function" and token.lower_name == "fit-content":
        return AUTO
    size = pixels([token], basis)
    return None if size is None else Track(pixels=max(size, 0.0))


def _minmax(arguments: Sequence[Any], basis: Basis) -> Track | None:
    """Return the track of minmax(): as large as its maximum, not smaller than its minimum."""
    if len(arguments) != 3 or arguments[1] != ",":
        return None
    least, most = _track(arguments[0], basis), _track(arguments[2], basis)
    if least is None or most is None:
        return None
    if most.by_content:
        return Track(by_content=True, least=least.pixels)
    return Track(pixels=max(most.pixels, least.pixels), share=most.share, least=least.pixels)


def sizes(tracks: Sequence[Track], contents: Sequence[float], room: float) -> list[float]:
    """Return the sizes of tracks in pixels in a room without gaps (CSS Grid 2, 12.3).

    ``contents`` has how wide the contents of each track would like to be.
    """
    known = [_own_size(track, content) for track, content in zip(tracks, contents, strict=True)]
    if any(track.share for track in tracks):
        least = sum(max(track.least, LEAST_FLEXIBLE) for track in tracks if track.share)
        excess = sum(known) + least - room
        return _flexible(tracks, _shrunk(tracks, known, excess) if excess > 0 else known, room)
    by_content = [track.by_content for track in tracks]
    left = room - sum(known)
    if left < 0:
        return _shrunk(tracks, known, -left)
    growing = sum(by_content)
    return [size + left / growing if grows else size for size, grows in zip(known, by_content, strict=True)]


def _own_size(track: Track, content: float) -> float:
    if track.share:
        return 0.0
    return max(content, track.least) if track.by_content else track.pixels


def _flexible(tracks: Sequence[Track], known: list[float], room: float) -> list[float]:
    """Share out what fixed tracks leave; a track that would be too small takes its minimum."""
    frozen = [not track.share for track in tracks]
    result = list(known)
    while not all(frozen):
        left = max(room - sum(size for size, done in zip(result, frozen, strict=True) if done), 0.0)
        shares = sum(track.share for track, done in zip(tracks, frozen, strict=True) if not done)
        small = [i for i, track in enumerate(tracks) if not frozen[i] and left * track.share / shares < track.least]
        for i in small:
            frozen[i], result[i] = True, tracks[i].least
        if not small:
            for i, track in enumerate(tracks):
                if not frozen[i]:
                    frozen[i], result[i] = True, left * track.share / shares
    return result


def _shrunk(tracks: Sequence[Track], known: list[float], excess: float) -> list[float]:
    """Take what is too much from the tracks that are sized by their contents."""
    total = sum(size for track, size in zip(tracks, known, strict=True) if track.by_content)
    factor = max(1 - excess / total, 0.1) if total else 1.0
    return [size * factor if track.by_content else size for track, size in zip(tracks, known, strict=True)]


def _significant(tokens: Sequence[Any]) -> list[Any]:
    return [token for token in tokens if token.type not in ("whitespace", "comment")]
