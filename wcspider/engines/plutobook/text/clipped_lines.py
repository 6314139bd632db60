"""Lines of text that are drawn a second time, where nothing of them can be seen.

PlutoBook draws a line on each page, and in each column, that its background or underline touches. Programs that extract
text would find such a line twice. cairo clips it to the page or column, by operators directly before the text object.

cairo clips other lines as well: those with a letter that extends out of the page at the left. The clip is then the box
around the glyphs, with whole numbers as edges. A dash in such a clip can be seen, although little of a letter could.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

_CLIP = b" re W n\n"
_TEXT = re.compile(rb"[^\n]*\n?BT\n(\S+) 0 0 (-\S+) \S+ (\S+) Tm\n")
"""The start of an upright text object behind a clip, in a space whose y axis points down; colors may be set before."""

_SHOWN = re.compile(rb"^.*T[jJ]$", re.MULTILINE)
_BETWEEN = re.compile(rb"[>)]-?[\d.]+[<(]|\n(?=[0-9a-f]+[>\n])")
"""What cairo writes between the glyphs of a TJ operator (9.4.3): adjustments, and line breaks in long strings."""

_STRING = re.compile(rb"[<(](.*)[>)]")
_BEGIN, _END = b"BT\n", b"ET\n"
_ASCENT, _DESCENT = 0.75, 0.22
"""The height of letters above and below the baseline, as shares of the size of the text."""

_EXACT = 0.001
"""The largest difference between equal coordinates, in points."""

_LEAST = 0.1
"""The share of the size of the text that must be visible."""


class _Contents:
    """The contents of some pages."""

    def __init__(self, contents: Sequence[bytes]) -> None:
        self._contents = contents

    @cached_property
    def _lines(self) -> frozenset[bytes]:
        return frozenset(chain.from_iterable(map(_SHOWN.findall, self._contents)))

    @cached_property
    def _joined(self) -> Sequence[bytes]:
        return [_BETWEEN.sub(b"", content) for content in self._contents]

    def show(self, line: bytes) -> bool:
        """Tell whether the contents show the glyphs of a TJ or Tj operator.

        Where the clip touches only a part of a line, cairo writes only the glyphs of this part.
        """
        if line in self._lines:
            return True
        match = _STRING.search(_BETWEEN.sub(b"", line))
        return match is not None and any(match[1] in content for content in self._joined)


def without_clipped_lines(content: bytes, neighbours: Sequence[bytes], edges: Sequence[float]) -> bytes:
    """Return a content stream that cairo wrote without the invisible second copies of lines.

    The stream itself is returned if it has no such copies.
    `neighbours` are the contents of the pages before and after it, on which the first copies may be.
    `edges` are the distances of the upper and the lower edge of the page area from the top of the page, in points.
    """
    before, *behind = content.split(_CLIP)
    parts, is_changed, others = [before], False, _Contents(neighbours)
    numbers: Counter[bytes] = Counter()
    for part in behind:
        match = _TEXT.match(part)
        if match is not None and _is_hidden(parts[-1], float(match[2]), float(match[3]), edges):
            end = part.find(_END, match.end()) + len(_END)
            numbers = numbers or Counter(_SHOWN.findall(content))
            shown = _SHOWN.findall(part, match.end(), end)
            if all(numbers[line] > 1 or others.show(line) for line in shown):
                part, is_changed = part[: part.find(_BEGIN)] + part[end:], True
        parts.append(part)
    return _CLIP.join(parts) if is_changed else content


def _is_hidden(before: bytes, scale: float, baseline: float, edges: Sequence[float]) -> bool:
    """Tell whether a clip, whose rectangle is at the end of `before`, hides a line of text."""
    _, top, _, height = map(float, before[before.rfind(b"\n") + 1 :].split())
    bottom, size = top + height, -scale
    upper, lower = baseline - _ASCENT * size, baseline + _DESCENT * size
    is_box = upper < top and bottom < lower and not any(_is_edge(y, edges) for y in (top, bottom))
    return not is_box and min(bottom, lower) - max(top, upper) < _LEAST * size


def _is_edge(y: float, edges: Sequence[float]) -> bool:
    """Tell whether a coordinate may be an edge of a page or column, and not that of a box around glyphs."""
    return abs(y - round(y)) > _EXACT or any(abs(y - edge) < _EXACT for edge in edges)
