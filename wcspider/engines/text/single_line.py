"""Single lines of text in any script, measured, shortened and drawn."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from reportlab.pdfbase import pdfmetrics
from xhtml2pdf.bidi import needs_bidi

from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.text.text_objects import ShapedCanvas
from wcspider.engines.text.visual_order import visual_order

ELLIPSIS = "…"
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u2060\ud800-\udfff\ufeff]+")


def visual_runs(text: str, runs: Runs, faces: Sequence[str], *, bold: bool = False) -> list[tuple[str, str]]:
    """Split a line into runs of one face, in visual order."""
    if fonts.covers(faces[0], text):
        return [(text, faces[0])]
    cut = runs.cut(text, faces, bold=bold)
    if not needs_bidi(text):
        return cut
    return [(part, cut[number][1]) for number, part in visual_order(cut, None)]


def folded(text: str) -> str:
    """Return a text as one line, with white space collapsed and control characters removed."""
    return " ".join(_CONTROL.sub(" ", text).split())


class LineSetter:
    """A tool that measures and draws lines of one face and size."""

    def __init__(self, runs: Runs, size: float, *, bold: bool = False) -> None:
        self.size = size
        self._runs = runs
        self._bold = bold
        self._faces = (f"WcspiderSans-{'Bold' if bold else 'Regular'}", fonts.SYMBOLS_FACE)

    def _cut(self, text: str) -> list[tuple[str, str]]:
        return visual_runs(text, self._runs, self._faces, bold=self._bold)

    def width(self, text: str) -> float:
        """Return the width of a line in points."""
        return sum(float(pdfmetrics.stringWidth(run, face, self.size)) for run, face in self._cut(text))

    def fitted(self, text: str, room: float, *, in_the_middle: bool = False) -> str:
        """Shorten a line at its end, or in the middle, until it fits; the result is empty if nothing fits."""
        if self.width(text) <= room:
            return text
        shorten = _shortened_in_the_middle if in_the_middle else _shortened
        lines = bisect_right(range(len(text)), room, key=lambda kept: self.width(shorten(text, kept)))
        return shorten(text, lines - 1) if lines else ""

    def draw(self, canvas: ShapedCanvas, x: float, y: float, text: str) -> None:
        """Draw a line at `x` on the baseline `y`."""
        block = canvas.beginText(x, y)
        for run, face in self._cut(text):
            block.setFont(face, self.size, self.size)
            block.textOut(run)
        canvas.drawText(block)


def _shortened(text: str, kept: int) -> str:
    return text[:kept].rstrip() + ELLIPSIS


def _shortened_in_the_middle(text: str, kept: int) -> str:
    return text[: (kept + 1) // 2] + ELLIPSIS + text[len(text) - kept // 2 :]
