"""Canvases and text objects that can show shaped text (9.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reportlab import rl_config
from reportlab.lib.rl_accel import fp_str
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.textobject import PDFTextObject

from wcspider.engines.text import runs
from wcspider.engines.text.glyph_outlines import Form
from wcspider.engines.text.shaping import ShapedFont

_CLOSE = 0.5
"""The largest error in the position of a glyph, in thousandths of the font size."""


class ShapedText(PDFTextObject):  # type: ignore[misc]
    """A text object that supports `ShapedFont`."""

    _curSubset: int  # noqa: N815

    def _formatText(self, text: str | bytes) -> str:  # noqa: N802
        font = pdfmetrics.getFont(self._fontname)
        return " ".join(self._operators(font, text.decode() if isinstance(text, bytes) else text))

    def _operators(self, font: ShapedFont, text: str) -> Iterator[str]:
        """Yield the operators that show `text`, with a Tf operator where the subset changes."""
        document = self._canvas._doc
        shown: list[bytes | float] = []
        for subset, code, excess in _placed(font, text, document, self._curSubset):
            if subset != self._curSubset:
                yield from self._array(shown)
                shown, self._curSubset = [], subset
                name = font.getSubsetInternalName(subset, document)
                yield f"{name} {fp_str(self._fontsize)} Tf {fp_str(self._leading)} TL"
            if shown and isinstance(shown[-1], bytes):
                shown[-1] += bytes((code,))
            else:
                shown.append(bytes((code,)))
            if abs(excess) > _CLOSE:
                shown.append(excess)
        yield from self._array(shown)

    def _array(self, shown: list[bytes | float]) -> Iterator[str]:
        """Yield a TJ operator (9.4.3); positive numbers in its array move the next glyph to the left."""
        escape = self._canvas._escape
        if shown:
            yield f"[{' '.join(f'({escape(s)})' if isinstance(s, bytes) else fp_str(s) for s in shown)}] TJ"


def _placed(font: ShapedFont, text: str, document: Any, subset: int) -> list[tuple[int, int, float]]:
    """Return, for each glyph of `text`, its subset, its code, and its width minus its advance."""
    coded: list[tuple[int, int, float]] = []
    for glyph in font.shape(text):
        if isinstance(glyph, Form):
            coded.append((*font.place(font.use_in(document), glyph), 0.0))
        else:
            coded.append((glyph.subset, glyph.code, glyph.width - glyph.advance))
    # Glyphs with the same code in each subset take the subset of the glyph that follows; at the end, that of the last
    # glyph: PDFium ignores spaces that are shown alone.
    subset = next((own for own, _, _ in reversed(coded) if own >= 0), max(subset, 0))
    placed = []
    for own, code, excess in reversed(coded):
        subset = own if own >= 0 else subset
        placed.append((subset, code, excess))
    return placed[::-1]


class ShapedCanvas(Canvas):  # type: ignore[misc]
    """A canvas that can show text of `ShapedFont`."""

    def beginText(self, x: float = 0, y: float = 0, direction: Any = None, **options: Any) -> ShapedText:  # noqa: N802
        """Return a new text object."""
        return ShapedText(self, x, y, direction=direction, **options)


def new_canvas(width: float, height: float, face: str | None = None) -> ShapedCanvas:
    """Return a canvas for pages of a size in points. Equal pages give equal bytes, whenever they are drawn.

    `face` is the face of text for which no font is set; by default it is a standard font, which is not embedded.
    """
    runs.load()
    rl_config.useA85 = 0  # images as binary data, not in ASCII
    return ShapedCanvas("", pagesize=(width, height), invariant=1, pageCompression=1, initialFontName=face)
