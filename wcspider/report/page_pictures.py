"""Pictures of the PDF pages of a change, before and after, with a frame around the part that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, Self

import pypdfium2
from PIL import Image, ImageChops, ImageDraw

from wcspider.archive.query.history import Revision
from wcspider.archive.query.page_changes import PageChange
from wcspider.pdf.file.prefix import FilePrefix
from wcspider.report.page_drawing import data_url, draw_page, open_for_drawing

WIDTH = 560
"""The width of a picture, in pixels."""

QUALITY = 50

MAX_PICTURES = 200
"""The number of pictures in a document; about ten megabytes."""

PAGES_SHOWN = 3
"""The number of pairs of PDF pages that are shown for a change."""

PAGES_COMPARED = 20
"""The number of pairs of PDF pages that are drawn to find those that differ, if the text does not tell."""

PAGES_BEFORE_REOPENING = 100
"""The number of PDF pages that are drawn before the file is opened again: PDFium keeps all objects."""

MARGIN = 30
"""The empty part that stays below the contents of a page, in pixels."""

FRAME = (0xC2, 0x41, 0x0C)

Numbers = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a PDF page."""

    page: int
    data: str
    """A data URL."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A PDF page before and after; None on the side that has no page or no picture."""

    before: Picture | None
    after: Picture | None


class _Drawer:
    """A drawer of the PDF pages of a revision."""

    def __init__(self, path: Any, revision: Revision) -> None:
        self._path, self._length = path, revision.length
        self._document: pypdfium2.PdfDocument | None = None
        self._drawn = 0

    def draw(self, number: int | None) -> Image.Image | None:
        """Return a picture of a page, from 1; None if PDFium cannot draw it."""
        if number is None:
            return None
        try:
            return draw_page(self._opened(), number, WIDTH)
        except pypdfium2.PdfiumError:  # it cannot open the file
            return None

    def _opened(self) -> pypdfium2.PdfDocument:
        if self._document is None or self._drawn >= PAGES_BEFORE_REOPENING:
            self.close()
            self._document = open_for_drawing(FilePrefix(self._path, self._length))
        self._drawn += 1
        return self._document

    def close(self) -> None:
        """Close the file."""
        if self._document is not None:
            self._document.close()
            self._document, self._drawn = None, 0


class PairDrawer:
    """A drawer of pairs of PDF pages, up to a number of pictures."""

    def __init__(self, path: Any, revisions: tuple[Revision, Revision]) -> None:
        self._before, self._after = (_Drawer(path, revision) for revision in revisions)
        self._left = MAX_PICTURES

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._before.close()
        self._after.close()

    @property
    def is_exhausted(self) -> bool:
        """Whether no more pictures are made."""
        return self._left <= 0

    def pairs(self, found: PageChange) -> list[Pair]:
        """Return pictures of the PDF pages that a change affects; for a new or removed page, its first page."""
        pairs: list[Pair] = []
        for numbers in _numbers(found):
            if self.is_exhausted or len(pairs) == PAGES_SHOWN:
                break
            old, new = self._before.draw(numbers[0]), self._after.draw(numbers[1])
            if _is_certain(found) or _box(old, new) is not None:
                pairs.append(_framed(old, new, numbers))
                self._left -= (old is not None) + (new is not None)
        return pairs


def _is_certain(found: PageChange) -> bool:
    """Return whether the text tells the PDF pages of a change."""
    return found.contents is None or bool(found.contents.text.changes)


def _numbers(found: PageChange) -> Iterator[Numbers]:
    """Yield the numbers of the PDF pages that may show a change."""
    if found.is_beyond_limit:
        return
    if found.contents is None:
        yield found.change.pages
    elif found.contents.text.changes:
        yield from dict.fromkeys(_both(change.pages, found.contents.pages) for change in found.contents.text.changes)
    else:
        yield from islice(zip_longest(*found.contents.pages), PAGES_COMPARED)


def _both(numbers: Numbers, pages: tuple[Sequence[int], Sequence[int]]) -> Numbers:
    """Return the PDF pages of a text that may be on one side only: there, the page with the same index is shown."""
    before, after = numbers
    if before is None and after is not None:
        return _same_index(after, pages[1], pages[0]), after
    if after is None and before is not None:
        return before, _same_index(before, pages[0], pages[1])
    return numbers


def _same_index(page: int, pages: Sequence[int], others: Sequence[int]) -> int | None:
    index = pages.index(page) if page in pages else 0
    return others[min(index, len(others) - 1)] if others else None


def _box(old: Image.Image | None, new: Image.Image | None) -> tuple[int, int, int, int] | None:
    """Return the rectangle in which two pictures differ; the whole picture if one is missing or has another size."""
    if old is None or new is None or old.size != new.size:
        present = new if old is None else old
        return None if present is None else (0, 0, *present.size)
    return ImageChops.difference(old, new).getbbox()


def _framed(old: Image.Image | None, new: Image.Image | None, numbers: Numbers) -> Pair:
    box = _box(old, new) if old is not None and new is not None else None
    height = max((_used_height(image) for image in (old, new) if image is not None), default=0)
    return Pair(_picture(old, box, numbers[0], height), _picture(new, box, numbers[1], height))


def _used_height(image: Image.Image) -> int:
    """Return the height of a picture without the empty part at the bottom of its page, but with a margin."""
    box = ImageChops.difference(image, Image.new("RGB", image.size, image.getpixel((0, 0)))).getbbox()
    return min(image.height, (box[3] if box else 0) + MARGIN)


def _picture(
    image: Image.Image | None, box: tuple[int, int, int, int] | None, page: int | None, height: int
) -> Picture | None:
    if image is None or page is None:
        return None
    if box is not None:
        left, top, right, bottom = box
        ImageDraw.Draw(image).rectangle((left - 5, top - 5, right + 5, bottom + 5), outline=FRAME, width=2)
    image = image.crop((0, 0, image.width, min(height, image.height)))
    return Picture(page, data_url(image, QUALITY), *image.size)
