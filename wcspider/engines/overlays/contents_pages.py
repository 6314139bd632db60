"""The PDF pages of a contents section: a heading about the file, then one row for each page set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportlab.pdfbase.pdfdoc import PDFString

from wcspider.engines.base import PageGeometry, Rendering
from wcspider.engines.text.fonts import SANS_FACE
from wcspider.engines.text.runs import Runs, load
from wcspider.engines.text.single_line import LineSetter, folded
from wcspider.engines.text.text_objects import ShapedCanvas, new_canvas

ROW_SCHEME = "row:"
"""The scheme of the URIs of links to page sets. The number of the page set in the list follows it."""

DEEPEST = 6
"""The depth from which rows are not indented further."""

_TITLE, _LINE, _ROW, _URL = 18.0, 9.0, 10.0, 7.0
_LEADING = 1.4
_ROW_HEIGHT = 26.0
_INDENT = 14.0
_LONGEST = 200
_GREY = 0.35


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the contents: one page set, or one page that is missing."""

    uri: str
    """The URI of its link: `ROW_SCHEME` and a number, or a URL; empty for a row without a link."""

    title: str
    url: str
    """The URL of its source, with a remark if there is one."""

    label: str
    """The page label of its first PDF page."""

    depth: int
    date: str = ""


@dataclass(frozen=True, slots=True)
class Cover:
    """The heading above the first row."""

    title: str
    lines: Sequence[str]


class ContentsSheets:
    """A drawer of the PDF pages of a contents section."""

    def __init__(self, geometry: PageGeometry, *, system_fonts: bool) -> None:
        load()
        self._geometry = geometry
        self._left, self._right = geometry.margin_left, geometry.width - geometry.margin_right
        self._top, self._bottom = geometry.height - geometry.margin_top, geometry.margin_bottom
        runs = Runs(system=system_fonts)
        self._title, self._line = LineSetter(runs, _TITLE, bold=True), LineSetter(runs, _LINE)
        self._row, self._url = LineSetter(runs, _ROW), LineSetter(runs, _URL)

    @property
    def rows_a_page(self) -> int:
        """The number of rows on a page without a cover."""
        return max(int((self._top - self._bottom) / _ROW_HEIGHT), 1)

    def rows_below(self, cover: Cover) -> int:
        """Return how many rows have room below a cover; 0 if the cover takes the whole page."""
        return max(int((self._top - self._bottom - self._height(cover)) / _ROW_HEIGHT), 0)

    @staticmethod
    def _height(cover: Cover) -> float:
        return _TITLE * _LEADING + (len(cover.lines) + 1) * _LINE * _LEADING

    def draw(self, pages: Sequence[Sequence[Row]], cover: Cover | None) -> Rendering:
        """Return PDF pages with the given rows; the first page begins with the cover, if there is one."""
        canvas = new_canvas(self._geometry.width, self._geometry.height, SANS_FACE)
        for rows in pages:
            top = self._top
            if cover is not None:
                top -= self._draw_cover(canvas, cover)
                cover = None
            for at, row in enumerate(rows):
                self._draw_row(canvas, row, top - at * _ROW_HEIGHT)
            canvas.showPage()
        return Rendering(canvas.getpdfdata())

    def _draw_cover(self, canvas: ShapedCanvas, cover: Cover) -> float:
        """Draw a cover; return its height."""
        room = self._right - self._left
        y = self._top - _TITLE
        self._title.draw(canvas, self._left, y, self._title.fitted(folded(cover.title), room))
        canvas.setFillGray(_GREY)
        y -= _TITLE * (_LEADING - 1)
        for line in cover.lines:
            y -= _LINE * _LEADING
            if y < self._bottom:
                break
            self._line.draw(canvas, self._left, y, self._line.fitted(folded(line), room, in_the_middle=True))
        canvas.setFillGray(0)
        return self._height(cover)

    def _draw_row(self, canvas: ShapedCanvas, row: Row, top: float) -> None:
        """Draw a row below `top` and make it a link: title and page label, with the URL below.

        The title of a row without a URL is the heading of the rows below it, so it stands near them.
        """
        room = self._right - self._left
        left = self._left + min(min(row.depth, DEEPEST) * _INDENT, room / 3)
        title = folded(row.title)[:_LONGEST] or row.url
        at = self._right - self._row.width(row.label)
        baseline = top - (_ROW if row.url else _ROW_HEIGHT - _ROW)
        self._row.draw(canvas, left, baseline, self._row.fitted(title, at - left - _INDENT))
        self._row.draw(canvas, at, baseline, row.label)
        canvas.setFillGray(_GREY)
        date_at = self._right - self._url.width(row.date)
        end = date_at - _INDENT if row.date else self._right
        self._url.draw(canvas, left, baseline - _ROW, self._url.fitted(row.url, end - left, in_the_middle=True))
        self._url.draw(canvas, date_at, baseline - _ROW, row.date)
        canvas.setFillGray(0)
        if row.uri:
            rect = (left, baseline - _ROW - 2, self._right, top)
            canvas.linkURL(row.uri, rect, thickness=0, Contents=PDFString(title))
