"""The engine for plain text files, and for HTML pages that could not be laid out."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from importlib.metadata import version
from unicodedata import east_asian_width
from urllib.parse import unquote, urlsplit

from lxml import etree, html
from reportlab.pdfbase import pdfmetrics

from wcspider.engines.base import Engine, PageGeometry, PageStructure, Rendering, RenderTask
from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.text.single_line import visual_runs
from wcspider.engines.text.text_objects import new_canvas
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import without_internal_subset
from wcspider.web.documents.html_parsing import TAG_RE
from wcspider.web.documents.html_reader import MAX_DEPTH

FONT_SIZE = 10.0
LEADING = 12.0
NOTICE = "This page could not be laid out; its text is kept."
"""The first line of an HTML page that is kept as text only."""

_CELLS = frozenset({"td", "th"})
_LINES = BLOCKS - _CELLS | {"br", "caption", "option", "title"}
"""The elements before and after which a line ends."""

_HIDDEN = frozenset({"script", "style", "template", "head"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff]")
_TAB = 8
_FACES = (fonts.MONO_FACE, fonts.SYMBOLS_FACE)


class TextEngine(Engine):
    """An engine that sets text in a monospaced face and wraps it at the width of the page, in linear time."""

    product = "text"
    version = version("reportlab")

    def render(self, task: RenderTask) -> Rendering:
        """Return pages with the content of a text file, or the text of an HTML page without its tags."""
        text = decode(task.body, task.encoding)
        if "html" in task.media_type:
            title, text = _text_of_html(without_internal_subset(text))
            text = f"{NOTICE}\n\n{title}\n\n{text}" if title else f"{NOTICE}\n\n{text}"
        else:
            title = next((line.strip() for line in text[:10_000].splitlines() if line.strip()), "")
        title = _CONTROL.sub("", title)[:200] or _name(task.url)
        runs = Runs(system=task.system_fonts)
        return Rendering(_set(text, title, task.geometry, runs), PageStructure(title), warnings=tuple(runs.warnings()))

    def internal_name(self, content_type: str = "TXT") -> str:
        """Return the internal name (14.10.5.4)."""
        return super().internal_name(content_type)


def _name(url: str) -> str:
    """Return the last segment of a URL's path, or the host if the path is empty."""
    parts = urlsplit(url)
    return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc or url


def _text_of_html(text: str) -> tuple[str, str]:
    """Return the title and the text of an HTML page, with one line for each block."""
    root = _parsed(text)
    if _is_deep(root):  # libxml2 drops the contents of elements that are nested too deep
        root = _parsed(TAG_RE.sub(_flat, text))
    title = " ".join((root.findtext(".//title") or "").split())
    lines = (" ".join(line.split()) for line in "".join(_pieces(root)).split("\n"))
    return title, "\n".join(line for line in lines if line)


def _parsed(text: str) -> html.HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", recover=True, huge_tree=True, remove_comments=True, remove_pis=True)
    return html.document_fromstring(b"<html>" + text.encode("utf-8", "replace"), parser=parser)


def _is_deep(root: html.HtmlElement) -> bool:
    """Tell whether elements are nested deeper than `MAX_DEPTH`."""
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _flat(tag: re.Match[str]) -> str:
    """Return a line break for a tag of a block, nothing for other tags, and tags with hidden contents unchanged."""
    name = tag[1].lower()
    return tag[0] if name in _HIDDEN | {"title"} else "<br>" if name in _LINES else ""


def _pieces(root: html.HtmlElement) -> Iterator[str]:
    """Yield the text below `root` in document order. Recursion would fail for deeply nested elements."""
    stack: list[tuple[html.HtmlElement, bool]] = [(root, False)]
    while stack:
        element, leaving = stack.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        edge = "\n" if tag in _LINES else "\t" if tag in _CELLS else ""
        if leaving:
            yield edge + (element.tail or "")
            continue
        stack.append((element, True))
        if tag not in _HIDDEN:
            yield edge + (element.text or "")
            stack.extend((child, False) for child in reversed(element))


def _set(text: str, title: str, geometry: PageGeometry, runs: Runs) -> bytes:
    """Return a PDF file with the text."""
    out = io.BytesIO()
    canvas = new_canvas(out, geometry.width, geometry.height, fonts.MONO_FACE)
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
    canvas.save()
    return out.getvalue()


def _grid(geometry: PageGeometry, size: float, leading: float) -> tuple[int, int]:
    """Return how many columns and rows of characters a page holds."""
    width = geometry.width - geometry.margin_left - geometry.margin_right
    height = geometry.height - geometry.margin_top - geometry.margin_bottom
    return max(int(width / pdfmetrics.stringWidth("0", fonts.MONO_FACE, size)), 1), max(int(height / leading), 1)


def _pages(text: str, columns: int, rows: int) -> Iterator[list[str]]:
    """Yield the lines of each page; there is at least one page."""
    page: list[str] = []
    for number, sheet in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\f")):
        if number and page:
            yield page
            page = []
        for line in sheet.split("\n"):
            for piece in _wrap(_CONTROL.sub("", line).expandtabs(_TAB), columns):
                if len(page) == rows:
                    yield page
                    page = []
                page.append(piece)
    yield page


def _wrap(line: str, columns: int) -> Iterator[str]:
    """Yield the pieces of a line, cut at spaces, or inside a word that is longer than a whole line."""
    start = 0
    while (end := _fitting(line, start, columns)) < len(line):
        space = line.rfind(" ", start + 1, end + 1)
        if space < 0 or not line[start:space].strip() or _is_wide(line[end]):
            yield line[start:end]
            start = end
        else:
            yield line[start:space]
            start = space + 1
    yield line[start:]


def _fitting(line: str, start: int, columns: int) -> int:
    """Return the end of the text, from `start` on, that fits into `columns`."""
    end = min(start + columns, len(line))
    if line.isascii():
        return end
    excess = end - start + sum(map(_is_wide, line[start:end])) - columns
    while excess > 0:
        end -= 1
        excess -= 2 if _is_wide(line[end]) else 1
    return max(end, start + 1)


def _is_wide(character: str) -> bool:
    """Tell whether a character takes two columns (UAX #11)."""
    return east_asian_width(character) in ("W", "F")
