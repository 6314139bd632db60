"""IMG elements: how large an image is shown, and what stands for one that cannot be read.

xhtml2pdf lets attributes win over style sheets, takes no percentages, and loses some lengths.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from xhtml2pdf import reportlab_paragraph
from xhtml2pdf.tags import pisaTagIMG
from xhtml2pdf.util import getSize
from xhtml2pdf.xhtml2pdf_reportlab import PmlParagraph, PmlParagraphAndImage

from wcspider.engines.pictures import POINTS_PER_PIXEL, read
from wcspider.exceptions import SourceUnreadableError

UNREADABLE = "an image cannot be read"

_DIMENSION = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
"""What https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes reads; what follows is passed over."""

_frag_words = reportlab_paragraph._getFragWords
_split = reportlab_paragraph.Paragraph.split
_fit_images = PmlParagraph._calcImageMaxSizes
_wrap_beside = PmlParagraphAndImage.wrap


@dataclass(frozen=True, slots=True)
class Length:
    """A width or a height: points, or a share of the room that there is."""

    points: float = 0.0
    share: float = 0.0


class ImageTag(pisaTagIMG):  # type: ignore[misc]
    """What xhtml2pdf does at an IMG element."""

    def start(self, c: Any) -> None:
        """Add the image to the paragraph, or the text that stands for it."""
        body = self.attr.src.getData() if self.attr.src else None
        try:
            natural = read(body or b"").getSize()
        except SourceUnreadableError:
            c.problems.append(UNREADABLE)
            c.addFrag(self.node.getAttribute("alt"))
            return
        width, height = self._declared(c, "width"), self._declared(c, "height")
        size = _drawn_size(natural, width, height, self._length(c, "max-width"))
        if min(size) > 0:
            self.attr.width = self.attr.height = None
            own = c.frag.width, c.frag.height
            c.frag.width, c.frag.height = size
            super().start(c)
            c.frag.width, c.frag.height = own
            if width is not None and width.share and c.fragList:
                c.fragList[-1].cbDefn.share = width.share, size[1] / size[0]

    def _declared(self, c: Any, name: str) -> Length | None:
        """What the style sheets say, or else the attribute; None for what follows from the image."""
        if name in c.cssAttr:
            return self._length(c, name)
        match = _DIMENSION.match(self.node.getAttribute(name))
        if match is None:
            return None
        number = float(match[1])
        return Length(share=number / 100) if match[2] else Length(points=number * POINTS_PER_PIXEL)

    def _length(self, c: Any, name: str) -> Length | None:
        value = c.cssAttr.get(name)
        text = "".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value or "")
        if text.endswith("%"):
            match = _DIMENSION.match(text)
            return Length(share=float(match[1]) / 100) if match else None
        if not _DIMENSION.match(text):
            return None
        points = getSize(text, relative=c.frag.fontSize, default=-1.0)
        return Length(points=points) if points >= 0 else None


def _drawn_size(
    natural: tuple[float, float], width: Length | None, height: Length | None, limit: Length | None
) -> tuple[float, float]:
    """The size in points, a width that is a share of something unknown aside; a height is never one."""
    ratio = natural[1] / natural[0]
    wide = width.points if width is not None and not width.share else None
    high = height.points if height is not None and not height.share else None
    if wide is None:
        wide = high / ratio if high is not None else natural[0] * POINTS_PER_PIXEL
    if high is None:
        high = wide * ratio
    if limit is not None and not limit.share and wide > limit.points:
        wide, high = limit.points, (limit.points * ratio if height is None else high)
    return wide, high


def fit_images(paragraph: Any, room_x: float, room_y: float) -> None:
    """Give the images and boxes of a paragraph their size, now that its width is known."""
    room_x = max(room_x - max(paragraph.style.leftIndent, 0) - max(paragraph.style.rightIndent, 0), 1)
    for frag in paragraph.frags:
        image: Any = getattr(frag, "cbDefn", None)
        if hasattr(image, "share"):
            share, ratio = image.share
            image.naturalSize = (room_x * share, room_x * share * ratio)
    _fit_images(paragraph, room_x, room_y)


def split_lines(paragraph: Any, width: float, height: float) -> Any:
    """Cut a paragraph at the end of a page; where two lines have no room on any, one may stand alone."""
    lines = getattr(getattr(paragraph, "blPara", None), "lines", ())
    if lines and hasattr(lines[0], "ascent"):
        first = sum(reportlab_paragraph._maxLeadingExtent(lines[0], paragraph.style.leading))
        paragraph.allowOrphans = int(first <= height and _is_at_top(paragraph))
    return _split(paragraph, width, height)


def _is_at_top(paragraph: Any) -> bool:
    """Whether a paragraph has all of a page."""
    document = getattr(getattr(paragraph, "canv", None), "_doctemplate", None)
    return hasattr(paragraph, "_postponed") or bool(getattr(getattr(document, "frame", None), "_atTop", False))


def wrap_beside(pair: Any, room_x: float, room_y: float) -> tuple[float, float]:
    """Lay a paragraph out beside an image; xhtml2pdf takes all of its lines for ones of small letters."""
    image, paragraph = pair.I, pair.P
    fit_images(paragraph, max(room_x - image.drawWidth - pair.xpad, 1), room_y)
    _wrap_beside(pair, room_x, room_y)
    if paragraph.blPara.kind:
        extents = (
            reportlab_paragraph._maxLeadingExtent(line, paragraph.style.leading) for line in paragraph.blPara.lines
        )
        paragraph.height = sum(map(sum, extents))
        pair.height = max(pair.hI, paragraph.height)
    return pair.width, pair.height


class _Word(str):
    """No text, which counts as a word all the same."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return True


def frag_words(frags: Any) -> Any:
    """The words of a paragraph; a line may end behind an image or an inline block also where there is no text."""
    for frag in frags:
        if isinstance(getattr(frag, "text", None), _Word):  # of a paragraph that goes on on the next page
            frag.text = ""
    words = _frag_words(frags)
    for word in words:
        if len(word) == 2 and getattr(getattr(word[1][0], "cbDefn", None), "width", 0) > 0:
            word[1] = (word[1][0], _Word())
    return words
