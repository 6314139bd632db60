"""PDF pages with one stamp each, to be laid over the pages of a rendering."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

from wcspider.engines.base import PageGeometry
from wcspider.engines.overlays.stamp import HEADER, Stamp
from wcspider.engines.text.fonts import SANS_FACE
from wcspider.engines.text.runs import Runs
from wcspider.engines.text.single_line import LineSetter, folded
from wcspider.engines.text.text_objects import new_canvas

SIZE = 7.0
_EDGE = 10.0
"""The smallest distance between the stamp and the sides of the page, in points."""

_GAP = 8.0
_GREY, _WHITE = 0.35, 1.0


def draw_stamps(
    stamp: Stamp, geometry: PageGeometry, *, pages: int, title: str, language: str, system_fonts: bool
) -> bytes:
    """Return a PDF file of `pages` pages, with one stamp on each."""
    canvas = new_canvas(geometry.width, geometry.height, SANS_FACE)
    setter = LineSetter(Runs(language, system=system_fonts), SIZE)
    left = max(geometry.margin_left, _EDGE)
    right = geometry.width - max(geometry.margin_right, _EDGE)
    baseline = _baseline(geometry, stamp.place)
    for number in range(1, pages + 1):
        # A white box, because grey text is not readable on every background.
        canvas.setFillGray(_WHITE)
        canvas.rect(left - 3, baseline - 3, right - left + 6, SIZE + 4, stroke=0, fill=1)
        canvas.setFillGray(_GREY)
        for x, text in _pieces(setter, left, right, (stamp, folded(title), f"{number} / {pages}")):
            setter.draw(canvas, x, baseline, text)
        canvas.showPage()
    return bytes(canvas.getpdfdata())


def _baseline(geometry: PageGeometry, place: str) -> float:
    """Return the baseline of the stamp, in the middle of its margin."""
    if place == HEADER:
        return geometry.height - (geometry.margin_top + SIZE) / 2 + 1
    return (geometry.margin_bottom - SIZE) / 2 + 1


def _pieces(
    setter: LineSetter, left: float, right: float, content: tuple[Stamp, str, str]
) -> Iterator[tuple[float, str]]:
    """Yield the parts of a stamp with their left edges. On a narrow page, only the page number is not shortened."""
    stamp, title, number = content
    moment = "" if stamp.moment is None else stamp.moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    ends = [f"{moment}   {number}" if moment else number, number]
    end = next((text for text in ends if setter.width(text) <= (right - left) / 2), number)
    at = right - setter.width(end)
    yield at, end
    room = at - left - _GAP
    title = setter.fitted(title, room * 0.4) if title and title != stamp.url else ""
    if title:
        yield left, title
        taken = setter.width(title) + _GAP
        left, room = left + taken, room - taken
    yield left, setter.fitted(stamp.url, room, in_the_middle=True)
