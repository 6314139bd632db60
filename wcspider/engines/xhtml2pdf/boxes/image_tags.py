"""IMG elements: how large an image is shown, and what stands for one that cannot be read.

xhtml2pdf lets attributes win over style sheets, takes no percentages, and loses some lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from xhtml2pdf import reportlab_paragraph
from xhtml2pdf.builders.flex import LARGE, InlineBox
from xhtml2pdf.tags import pisaTagIMG
from xhtml2pdf.util import CSSLength, getSize
from xhtml2pdf.xhtml2pdf_reportlab import PmlParagraph, PmlParagraphAndImage

from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import read
from wcspider.exceptions import SourceUnreadableError

UNREADABLE = "an image cannot be read"

HIGHEST_IN_BOX = 0.8
"""How high an image in an inline block may be, as a share of the height of a page: no page end may cut the block."""

_DIMENSION = re.compile(r"\s*\+?(\d+(?:\.\d*)?|\.\d+)\s*(%?)")
"""What https://html.spec.whatwg.org/review-drafts/2023-01/#dimension-attributes reads; what follows is passed over."""

_frag_words = reportlab_paragraph._getFragWords
_split = reportlab_paragraph.Paragraph.split
_wrap_box = InlineBox.wrap
_fit_images = PmlParagraph._calcImageMaxSizes
_wrap_beside = PmlParagraphAndImage.wrap


@dataclass(frozen=True, slots=True)
class Length:
    """A width or a height: points, or a share of the room that there is."""

    points: float = 0.0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Sizing:
    """What decides on the size of an image (CSS 2.1, 10.3.2 and 10.4 to 10.7)."""

    natural: tuple[float, float]
    """In points."""

    width: Length | None = None
    height: Length | None = None
    """Never a share: there is nothing that it would be one of. The same holds for `highest`."""

    widest: Length | None = None
    highest: Length | None = None

    room: float | None = None
    """How high there is room for it at most, in points."""

    @property
    def asks_for_room(self) -> bool:
        """Whether the size depends on the room that there is."""
        return any(length is not None and length.share for length in (self.width, self.widest))

    def size(self, room: float | None = None) -> tuple[float, float]:
        """Return the size in points; percentages of a size that is not known yet are ignored."""
        ratio = self.natural[1] / self.natural[0]
        wide, high = _points(self.width, room), _points(self.height)
        if wide is None:
            wide = high / ratio if high is not None else self.natural[0]
        if high is None:
            high = wide * ratio
        widest, highest = _points(self.widest, room), _points(self.highest)
        if widest is not None and self.widest is not None and wide > widest:
            # A screen may have the room that a page has not: nothing is to be flattened for that.
            wide, high = widest, (high * widest / wide if self.height is None or self.widest.share else high)
        if highest is not None and high > highest:
            wide, high = (highest / ratio if self.height is None else wide), highest
        if self.room is not None and high > self.room:
            wide, high = wide * self.room / high, self.room
        return wide, high


def _points(length: Length | None, room: float | None = None) -> float | None:
    if length is None or not length.share:
        return None if length is None else length.points
    return None if room is None else room * length.share


class ImageTag(pisaTagIMG):  # type: ignore[misc]
    """What xhtml2pdf does at an IMG element."""

    def start(self, c: Any) -> None:
        """Add the image to the paragraph, or the text that stands for it."""
        body = self.attr.src.getData() if self.attr.src else None
        try:
            wide, high = read(body or b"").getSize()
        except SourceUnreadableError:
            c.problems.append(UNREADABLE)
            c.addFrag(self.node.getAttribute("alt"))
            return
        sizing = Sizing(
            (wide * POINTS_PER_PIXEL, high * POINTS_PER_PIXEL),
            self._declared(c, "width"),
            _unless_share(self._declared(c, "height")),
            self._length(c, "max-width"),
            _unless_share(self._length(c, "max-height")),
            c.height * HIGHEST_IN_BOX if c.inline_boxes else None,
        )
        size = sizing.size()
        if min(size) > 0:
            self.attr.width = self.attr.height = None
            own = c.frag.width, c.frag.height
            c.frag.width, c.frag.height = size
            super().start(c)
            c.frag.width, c.frag.height = own
            carrier = getattr(c.fragList[-1], "cbDefn", None) if c.fragList else None
            if sizing.asks_for_room and carrier is not None:
                carrier.sizing = sizing

    def _declared(self, c: Any, name: str) -> Length | None:
        """Return the value of the style sheets or of the attribute; None if it follows from the image."""
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


def _unless_share(length: Length | None) -> Length | None:
    return None if length is None or length.share else length


def fit_images(paragraph: Any, room_x: float, room_y: float) -> None:
    """Give the images and boxes of a paragraph their size, now that its width is known."""
    room_x = max(room_x - max(paragraph.style.leftIndent, 0) - max(paragraph.style.rightIndent, 0), 1)
    for frag in paragraph.frags:
        image: Any = getattr(frag, "cbDefn", None)
        if hasattr(image, "sizing"):
            image.naturalSize = image.sizing.size(room_x)
    _fit_images(paragraph, room_x, room_y)


def wrap_box(box: Any, width: float, height: float) -> Any:
    """Return the size of an inline block, which breaks a word that is wider than the line."""
    frags = (frag for one in box.content for frag in getattr(one, "frags", ()))
    carriers: Iterable[Any] = (getattr(frag, "cbDefn", None) for frag in frags)
    images = [carrier for carrier in carriers if hasattr(carrier, "sizing")]
    if box._cache_key is None or box._cache_key[0] != round(width, 2):  # it is measured anew
        for image in images:
            image.width = min(image.sizing.size()[0], width)
    size = _wrap_box(box, width, height)
    if size[0] > width and not box.css_width.is_definite:
        own, box.css_width, box._cache_key = box.css_width, CSSLength("length", LARGE), None
        size = _wrap_box(box, width, height)
        box.css_width = own
    return size


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
    """Return the words of a paragraph; a line may also end after an image or an inline block."""
    for frag in frags:
        if isinstance(getattr(frag, "text", None), _Word):  # of a paragraph that goes on on the next page
            frag.text = ""
    words = _frag_words(frags)
    for word in words:
        if len(word) == 2 and getattr(getattr(word[1][0], "cbDefn", None), "width", 0) > 0:
            word[1] = (word[1][0], _Word())
    return words
