"""The contents of a page as paragraphs, one below the other.

A page is reduced to a few kinds of contents: headings, paragraphs, list items, preformatted lines, images and fields. A
row of a table is a paragraph with gaps between its cells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from lxml import etree
from reportlab.platypus.flowables import HRFlowable, Spacer

from wcspider.engines.base import Asset
from wcspider.engines.document.controls import CONTROL
from wcspider.engines.document.headings import RANKS
from wcspider.engines.document.html_trees import BLOCKS, CELLS
from wcspider.engines.document.link_descriptions import description
from wcspider.engines.document.media import UNREADABLE
from wcspider.engines.text.runs import Runs, warnings
from wcspider.engines.xhtml2pdf.field_boxes import FieldBox
from wcspider.engines.xhtml2pdf.inline_fragments import DescribedLink, Look, look_of
from wcspider.engines.xhtml2pdf.list_numbers import ListNumbers
from wcspider.engines.xhtml2pdf.page_images import PictureBox, picture_box
from wcspider.engines.xhtml2pdf.paragraphs import Block, FlowParagraph
from wcspider.engines.xhtml2pdf.source.author_meaning import DISPLAY, WHITE_SPACE
from wcspider.engines.xhtml2pdf.source.prepared_page import Page

DEEPEST_INDENT = 0.5
"""The largest indent, as a fraction of the room between the margins."""

HIGHEST = 0.95
"""The largest height of an image, as a fraction of the room between the margins."""

GAP = "\N{NO-BREAK SPACE}\N{NO-BREAK SPACE} "
"""The text between the cells of a row, and between other boxes that a browser shows side by side (CSS 2.1, 9.7)."""

_PLAIN = Look()
_SPACES = {**dict.fromkeys(RANKS, 12.0), **dict.fromkeys(("p", "pre", "dl", "blockquote", "figure"), 10.0), "tr": 3.0}
"""The distance between a block and the blocks beside it."""

_INDENTS = {**dict.fromkeys(("ul", "ol", "menu", "dir"), 24.0), **dict.fromkeys(("dd", "blockquote", "figure"), 30.0)}
_BLOCKS = BLOCKS - CELLS | {"caption", "hgroup", "legend", "noscript", "optgroup", "option", "search"}
_INVISIBLE = re.compile("[\u00ad\u200b\ufe00-\ufe0f]")
_BLANKS = re.compile("[\t\n\x0b\x0c\r\x1c-\x1f \x85\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_TAB = 8 * " "
_KEPT_SPACE = re.compile(r"(?<!\S) | (?!\S)")
"""A space of preformatted text beside another one, or at an end of a line."""


@dataclass(frozen=True, slots=True)
class _Context:
    """The properties that the children of an element inherit."""

    look: Look = _PLAIN
    white_space: str = "normal"
    indent: float = 0.0
    is_rtl: bool = False
    rank: int | None = None


@dataclass
class _Paragraph:
    """The paragraph that is being read."""

    space: float = 0.0
    frags: list[Any] = field(default_factory=list)
    context: _Context | None = None
    """The context of its first text or image; None if it has only a marker or anchors so far."""

    ends_with_space: bool = True
    has_gap: bool = False
    """Whether the next text is in another box than the text before."""


class Story:
    """The flowables of a page."""

    def __init__(self, page: Page, assets: Mapping[str, Asset], runs: Runs, room: tuple[float, float]) -> None:
        """`room` is the width and the height of a page between its margins, in units of the layout."""
        self.flowables: list[Any] = []
        self.problems = list(page.warnings)
        self.unreadable = dict(page.unreadable)
        """The reasons why images cannot be shown, by the URLs of the images."""

        self._page, self._assets, self._runs = page, assets, runs
        self._width, self._height = room
        self._paragraph, self._numbers = _Paragraph(), ListNumbers()

    def read(self) -> None:
        """Read the tree of the page."""
        contexts = [_Context()]
        walk = etree.iterwalk(self._page.root, events=("start", "end"))
        for event, element in walk:
            is_hidden = element.get(DISPLAY) == "none"
            if event == "start":
                contexts.append(_inside(element, contexts[-1]))
                if is_hidden:
                    walk.skip_subtree()
                else:
                    self._start(element, contexts[-1])
                continue
            context = contexts.pop()
            if not is_hidden:
                self._end(element, context)
            if element is not self._page.root:
                self._write(element.tail, contexts[-1])
        self._end_paragraph(0.0, is_last=True)
        self.problems += warnings(self._runs.missing)
        self.flowables = self.flowables or [Spacer(1, 1)]

    def _start(self, element: Any, context: _Context) -> None:
        self._edge(element)
        name = (element.get("id") or (element.get("name", "") if element.tag == "a" else "")).strip()
        if name:
            self._paragraph.frags.append(context.look.anchor(name))
        if element.tag == "li":
            self._paragraph.frags += context.look.text(f"{self._numbers.marker(element)} ", self._runs)
        elif element.tag == "q":
            self._write("“", context)
        elif element.tag == "br":
            self._break(context)
        elif element.tag == "img":
            self._image(element, context)
        elif element.tag == "hr":
            self.flowables.append(HRFlowable(width="100%", spaceBefore=6, spaceAfter=6))
        text = element.text or ""
        self._write(text.removeprefix("\n") if element.tag == "pre" else text, context)

    def _end(self, element: Any, context: _Context) -> None:
        if element.tag == "q":
            self._write("”", context)
        self._edge(element)
        if element.tag == "li" and self._paragraph.frags and self._paragraph.context is None:
            self._paragraph.context = context
            self._end_paragraph(0.0)

    def _edge(self, element: Any) -> None:
        """End the paragraph at the edge of a block, or note a gap at the edge of another box."""
        display = element.get(DISPLAY)
        if element.tag in _BLOCKS or display == "block":
            self._end_paragraph(_SPACES.get(element.tag, 0.0))
        elif element.tag in CELLS or (display == "apart" and not _is_initial(element)):
            self._paragraph.has_gap = True

    def _end_paragraph(self, space: float, *, is_last: bool = False) -> None:
        """End the paragraph, unless it has no contents. A marker and anchors then belong to the next paragraph."""
        paragraph = self._paragraph
        while paragraph.frags and hasattr(paragraph.frags[-1], "lineBreak"):
            paragraph.frags.pop()
        context = paragraph.context or (_Context() if is_last else None)
        if context is None or not paragraph.frags:
            self._paragraph = replace(paragraph, space=max(paragraph.space, space), context=None, has_gap=False)
            return
        indent = min(context.indent, self._width * DEEPEST_INDENT)
        block = Block(self._width, indent, paragraph.space, context.is_rtl, context.rank)
        self.flowables.append(FlowParagraph(paragraph.frags, block))
        self._paragraph = _Paragraph(space)

    def _write(self, text: str | None, context: _Context) -> None:
        """Add a text, with its white space collapsed or kept (CSS Text 3, 4)."""
        text = _INVISIBLE.sub("", text or "")
        if context.white_space == "normal":
            self._add(_BLANKS.sub(" ", text), context)
            return
        for number, line in enumerate(re.split("\r\n|\n|\r", text)):
            if number:
                self._break(context)
            if context.white_space == "pre-line":
                self._add(_BLANKS.sub(" ", line), context)
            else:
                blanks = _BLANKS.sub(lambda found: found[0].replace("\t", _TAB), line)
                self._add(_KEPT_SPACE.sub("\N{NO-BREAK SPACE}", blanks), context)

    def _add(self, text: str, context: _Context) -> None:
        paragraph = self._paragraph
        if paragraph.ends_with_space:
            text = text.lstrip(" ")
        if text.strip(" "):
            self._begin(context)
        if text:
            paragraph.frags += context.look.text(text, self._runs)
            paragraph.ends_with_space = text.endswith(" ")

    def _begin(self, context: _Context) -> None:
        """Begin the paragraph, if it has no contents, and add a gap, if there must be one."""
        paragraph = self._paragraph
        if paragraph.context is None:
            paragraph.context = context
        elif paragraph.has_gap:
            paragraph.frags += _PLAIN.text(GAP, self._runs)
        paragraph.has_gap = False

    def _break(self, context: _Context) -> None:
        self._begin(context)
        self._paragraph.frags.append(context.look.line_break())
        self._paragraph.ends_with_space = True

    def _image(self, element: Any, context: _Context) -> None:
        """Add a field, an image, or the alternative text of an image."""
        room = self._width - min(context.indent, self._width * DEEPEST_INDENT), self._height
        is_field = CONTROL in element.attrib
        link = None if is_field else context.look.link
        picture = picture_box(element, self._assets, link, self._width, (room[0], room[1] * HIGHEST))
        if is_field:
            control = self._page.controls[int(element.get(CONTROL))]
            field_box = FieldBox(control, self._page.fields[control.field], self._runs, room, picture)
            self._add_box(field_box, field_box.bottom, context)
        elif picture is None:
            url = element.get("src", "")
            if url in self._assets:
                self.unreadable[url] = UNREADABLE
            else:  # a data: URL
                self.problems.append(UNREADABLE)
            self._write(element.get("alt", ""), context)
        elif min(picture.size) > 0:
            self._add_box(picture, 0.0, context)

    def _add_box(self, box: PictureBox | FieldBox, bottom: float, context: _Context) -> None:
        self._begin(context)
        self._paragraph.frags.append(replace(context.look, link=None).box(box, box.size, bottom))
        self._paragraph.ends_with_space = False


def _inside(element: Any, around: _Context) -> _Context:
    """Return the properties that the children of an element inherit; `around` has those that it inherits itself."""
    tag = element.tag
    look = look_of(tag, around.look)
    if tag == "a" and "href" in element.attrib:
        link = DescribedLink(element.get("href"))
        link.description = description(element) or link
        look = replace(look, link=link, underline=True)
    usual = "pre-wrap" if tag == "pre" else around.white_space
    direction = element.get("dir", "").strip().lower() if tag in _BLOCKS | {"html"} else ""
    return _Context(
        look,
        element.get(WHITE_SPACE, usual),
        around.indent + _INDENTS.get(tag, 0.0),
        {"rtl": True, "ltr": False}.get(direction, around.is_rtl),
        RANKS.get(tag, around.rank),
    )


def _is_initial(box: Any) -> bool:
    """Tell whether a box is the first letter of a word, or shows nothing."""
    text = ""
    for piece in box.itertext():
        text += piece.strip()
        if len(text) > 1:
            return False
    return text.isalpha() or (not text and box.tag != "img")
