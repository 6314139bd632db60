"""The engine for plain text files, and for HTML pages that could not be laid out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from unicodedata import east_asian_width

from reportlab.pdfbase import pdfmetrics

from wcspider.engines.base import Engine, PageGeometry, PageStructure, Rendering, RenderTask
from wcspider.engines.document.html_trees import BLOCKS, CELLS
from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs, warnings
from wcspider.engines.text.scripts import extends
from wcspider.engines.text.single_line import visual_runs
from wcspider.engines.text.text_objects import new_canvas
from wcspider.web.charset import decode
from wcspider.web.documents.html_parsing import TAG_RE, parse

FONT_SIZE = 10.0
LEADING = 12.0
NOTICE = "This page could not be laid out; its text is kept."
"""The first line of an HTML page that is kept as text only."""

_LINES = BLOCKS - CELLS | {"br", "caption", "option", "title"}
"""The elements before and after which a line ends."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_TAB = 8
_FILLER = "\0"
"""A character behind each wide character, so that the length of a line is its number of columns."""

_FACES = (fonts.MONO_FACE, fonts.SYMBOLS_FACE)


class TextEngine(Engine):
    """An engine that sets text in a monospaced face and wraps it at the width of the page, in linear time."""

    def render(self, task: RenderTask) -> Rendering:
        """Return pages with the content of a text file, or the text of an HTML page without its tags."""
        text = decode(task.body, task.encoding)
        if "html" in task.media_type:
            title, text = _text_of_html(text, task.media_type)
            text = f"{NOTICE}\n\n{text}"
        else:
            title = next((line.strip() for line in text[:10_000].splitlines() if line.strip()), "")
        title = _CONTROL.sub("", title)[:200] or task.name
        runs = Runs(system=task.system_fonts)
        file = _set(text, title, task.geometry, runs)
        return Rendering(file, PageStructure(title), warnings=tuple(warnings(runs.missing)))


def _text_of_html(source: str, media_type: str) -> tuple[str, str]:
    """Return the title and the text of an HTML page, with one line for each block.

    No tree is built, so elements may be nested to any depth.
    """
    document = parse(TAG_RE.sub(_with_edge, source), media_type=media_type)
    lines = (" ".join(line.split()) for line in document.text.split("\n"))
    return document.title, "\n".join(filter(None, lines))


def _with_edge(tag: re.Match[str]) -> str:
    """Return a tag behind its white space: a line ends at the edge of a block."""
    name = tag[1].lower()
    if name == "noframes":  # the parser takes its contents for text
        return "\n"
    return ("\n" if name in _LINES else " " if name in CELLS else "") + tag[0]


def _set(text: str, title: str, geometry: PageGeometry, runs: Runs) -> bytes:
    """Return a PDF file with the text."""
    canvas = new_canvas(geometry.width, geometry.height, fonts.MONO_FACE)
    canvas.setTitle(title)
    size, leading = FONT_SIZE * geometry.scale, LEADING * geometry.scale
    columns, rows = _grid(geometry, size, leading)
    for page in _pages(text, columns, rows):
        block = canvas.beginText(geometry.margin_left, geometry.height - geometry.margin_top - size)
        block.setFont(fonts.MONO_FACE, size, leading)
        for line in page:
            for run, face in visual_runs(line, runs, _FACES):
                block.setFont(face, size, leading)
                block.textOut(run)
            block.textLine("")
        canvas.drawText(block)
        canvas.showPage()
    return bytes(canvas.getpdfdata())


def _grid(geometry: PageGeometry, size: float, leading: float) -> tuple[int, int]:
    """Return how many columns and rows of characters a page holds."""
    letter = pdfmetrics.stringWidth("0", fonts.MONO_FACE, size)
    return max(int(geometry.inner_width / letter), 1), max(int(geometry.inner_height / leading), 1)


def _pages(text: str, columns: int, rows: int) -> Iterator[list[str]]:
    """Yield the lines of each page; there is at least one page."""
    some = f".{{1,{columns}}}"
    pieces = re.compile(f"{some}(?: |$|(?<={_FILLER}))|{some}")
    for sheet in text.replace("\r\n", "\n").replace("\r", "\n").split("\f"):
        lines = [piece for line in sheet.split("\n") for piece in _wrapped(line, pieces)]
        for start in range(0, len(lines), rows):
            yield lines[start : start + rows]


def _wrapped(line: str, pieces: re.Pattern[str]) -> list[str]:
    """Return the pieces of a line, cut at spaces, behind wide characters, or inside a word that is too long.

    A mark takes no column, and stays with its letter.
    """
    shown = _CONTROL.sub("", line).expandtabs(_TAB)
    if shown.isascii():
        return [piece.rstrip() for piece in pieces.findall(shown)] or [""]
    letters: list[str] = []
    for character in shown:
        if letters and extends(character):
            letters[-1] += character
        else:
            letters.append(character)
    columns = "".join(letter[0] + _FILLER if _is_wide(letter[0]) else letter[0] for letter in letters)
    left = iter(letters)
    counts = (len(piece.replace(_FILLER, "")) for piece in pieces.findall(columns))
    return ["".join(islice(left, count)).rstrip() for count in counts] or [""]


def _is_wide(character: str) -> bool:
    """Tell whether a character takes two columns (UAX #11)."""
    return east_asian_width(character) in ("W", "F")
