"""Pictures on pages: image files as image XObjects (8.9.5), without loss, and drawn the way up that a browser shows.

A JPEG file stands in the PDF byte for byte, and so do the compressed pixels of a PNG file where a PDF reader
takes them as they are. Of all else the first frame's pixels are compressed anew.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PIL import ExifTags, Image, ImageFile, ImageOps, UnidentifiedImageError
from reportlab.graphics import renderPDF
from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFObject, PDFStream
from xhtml2pdf.xhtml2pdf_reportlab import looks_like_svg

from wcspider.engines.images.pixel_data import Samples, of_pixels, of_png
from wcspider.engines.images.svg import read_drawing
from wcspider.exceptions import SourceUnreadableError

MAX_PIXELS = 80_000_000
"""The largest image that is decoded; as RGB it takes 240 MB."""

POINTS_PER_PIXEL = 0.75

KEPT = 16
"""How many pictures of a page are at hand; one that is shown again is not read again."""

TURNED = {
    1: (1, 0, 0, 1, 0, 0),
    2: (-1, 0, 0, 1, 1, 0),
    3: (-1, 0, 0, -1, 1, 1),
    4: (1, 0, 0, -1, 0, 1),
    5: (0, -1, -1, 0, 1, 1),
    6: (0, -1, 1, 0, 0, 1),
    7: (0, 1, 1, 0, 0, 0),
    8: (0, 1, -1, 0, 1, 0),
}
"""What turns the unit square so that an image of an Exif orientation is upright (Exif 2.32, 4.6.4)."""

_ERRORS = (
    UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError, EOFError, RuntimeError,
    AssertionError,
)  # fmt: skip
"""What Pillow raises for files that are broken."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file as it is drawn."""

    samples: Samples
    digest: bytes
    """The MD5 of the file."""

    orientation: int = 1
    """Which way up the samples are, by Exif: 1 to 8."""

    def getSize(self) -> tuple[int, int]:  # noqa: N802
        """Width and height in pixels as it is shown; the name is the one that xhtml2pdf asks by."""
        size = self.samples.width, self.samples.height
        return size if self.orientation < 5 else (size[1], size[0])

    def draw_on(self, canvas: Any, x: float, y: float, width: float, height: float) -> str:
        """Draw the picture into a box; return the name of its XObject."""
        name = f"image_{self.digest.hex()}"
        registered = str(canvas._doc.getXObjectName(name))
        if registered not in canvas._doc.idToObject:
            canvas._doc.addForm(name, _XObject(self.samples))
        canvas.saveState()
        canvas.transform(width, 0, 0, height, x, y)
        if self.orientation != 1:
            canvas.transform(*TURNED[self.orientation])
        canvas._code.append(f"/{registered} Do")
        canvas.restoreState()
        canvas._formsinuse.append(name)
        canvas._currentPageHasImages = 1
        return registered


@dataclass(frozen=True, slots=True)
class Vectors:
    """An SVG image as it is drawn."""

    drawing: Any

    def getSize(self) -> tuple[float, float]:  # noqa: N802
        """Width and height in CSS pixels, which svglib has turned into points."""
        return self.drawing.width / POINTS_PER_PIXEL, self.drawing.height / POINTS_PER_PIXEL

    def draw_on(self, canvas: Any, x: float, y: float, width: float, height: float) -> str:
        """Draw the image into a box; return the name of its XObject, which it has none of."""
        canvas.saveState()
        canvas.translate(x, y)
        canvas.scale(width / self.drawing.width, height / self.drawing.height)
        renderPDF.draw(self.drawing, canvas, 0, 0)
        canvas.restoreState()
        return ""


@lru_cache(maxsize=KEPT)
def read(body: bytes) -> Picture | Vectors:
    """What an image file shows; of one that is cut short, as much as there is.

    Raises `SourceUnreadableError` for one that cannot be read, or is larger than `MAX_PIXELS`.
    """
    return _read_svg(body) if looks_like_svg(body) else _read_pixels(body)


def _read_svg(body: bytes) -> Vectors:
    drawing = read_drawing(body)
    if drawing is None:
        raise SourceUnreadableError("the SVG image cannot be read", "")
    return Vectors(drawing)


def _read_pixels(body: bytes) -> Picture:
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    try:
        with Image.open(io.BytesIO(body)) as image:
            if image.width * image.height > MAX_PIXELS:
                raise SourceUnreadableError(f"the image has more than {MAX_PIXELS} pixels", "")
            if image.format in ("JPEG", "MPO") and image.mode in ("L", "RGB", "CMYK"):
                jpeg = Samples(*image.size, image.mode, 8, body, "DCTDecode", inverted=image.mode == "CMYK")
                return Picture(jpeg, digest, orientation(image))
            return Picture(_decoded(image, body), digest)
    except _ERRORS as error:
        raise SourceUnreadableError(f"the image cannot be read: {error}", "") from error


def orientation(image: Image.Image) -> int:
    """Which way up an image is, by its Exif data."""
    try:
        found = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # Exif data may be anything, and Pillow raises of all kinds
        return 1
    return found if found in TURNED else 1


def _decoded(image: Image.Image, body: bytes) -> Samples:
    try:
        image.load()  # first of all: what reads the Exif data of a broken file hides that it is broken
    except _ERRORS:
        return of_pixels(_cut_short(body))
    upright = orientation(image) == 1
    if upright and image.format == "PNG" and (png := of_png(body, image)) is not None:
        return png
    return of_pixels(image if upright else ImageOps.exif_transpose(image))


def _cut_short(body: bytes) -> Image.Image:
    """What there is of a broken image; the rows that are missing are transparent."""
    with _broken_files(), Image.open(io.BytesIO(body)) as image:
        image.load()
        there = image.getbbox()
        shown = image.convert("RGBA")
    if there is None:
        raise SourceUnreadableError("the image cannot be read: it is cut short", "")
    shown.paste((0, 0, 0, 0), (0, there[3], *shown.size))
    return shown


@contextmanager
def _broken_files() -> Iterator[None]:
    """Let Pillow decode what there is of a file; it has one switch for all files."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


class _XObject(PDFObject):  # type: ignore[misc]
    """An image XObject as reportlab writes objects."""

    def __init__(self, samples: Samples) -> None:
        self.samples = samples

    def format(self, document: Any) -> Any:
        """The object, written out."""
        samples = self.samples
        stream = PDFStream(content=samples.data)
        entries = stream.dictionary
        entries["Type"], entries["Subtype"] = PDFName("XObject"), PDFName("Image")
        entries["Width"], entries["Height"] = samples.width, samples.height
        entries["BitsPerComponent"] = samples.bits
        entries["ColorSpace"] = _color_space(samples)
        entries["Filter"] = PDFArray([PDFName(samples.filter)])
        entries["Length"] = len(samples.data)
        if samples.predicted:
            parameters = {"Predictor": 15, "Colors": samples.colors, "BitsPerComponent": samples.bits}
            entries["DecodeParms"] = PDFArray([PDFDictionary({**parameters, "Columns": samples.width})])
        if samples.inverted:
            entries["Decode"] = PDFArray([1, 0] * samples.colors)
        if samples.transparent:
            entries["Mask"] = PDFArray([value for value in samples.transparent for _ in range(2)])
        if samples.alpha is not None:
            entries["SMask"] = document.Reference(_XObject(samples.alpha))
        return stream.format(document)


def _color_space(samples: Samples) -> Any:
    if samples.palette:
        last = len(samples.palette) // 3 - 1
        return PDFArray([PDFName("Indexed"), PDFName("DeviceRGB"), last, f"<{samples.palette.hex()}>"])
    return PDFName({"L": "DeviceGray", "RGB": "DeviceRGB", "CMYK": "DeviceCMYK"}[samples.mode])
