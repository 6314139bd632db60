"""Image files as image XObjects (8.9.5), without loss, and with the orientation that browsers show.

A JPEG file is embedded byte for byte, and so are the compressed samples of most PNG files. From any other file, the
pixels of the first frame are decoded and compressed again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from PIL import ExifTags, Image, ImageFile, ImageOps, TiffImagePlugin, UnidentifiedImageError
from reportlab.pdfbase.pdfdoc import PDFObject

from wcspider.engines.images.gif_colors import is_colorless
from wcspider.engines.images.pixel_data import PixelData, of_pixels, of_png
from wcspider.engines.images.sized_cache import SizedCache
from wcspider.engines.images.svg_source import may_be_svg, uncompressed
from wcspider.exceptions import SourceUnreadableError, one_line
from wcspider.image_files import open_image

if TYPE_CHECKING:
    from wcspider.engines.images.svg import Vectors

MAX_PIXELS = 80_000_000
"""The size of the largest image that is decoded; as RGB it takes 240 MB."""

_KEPT_BYTES = 64 << 20
_KEPT_DRAWINGS = 64
"""The size of the samples, and the number of SVG drawings, that are cached. A page is laid out several times, and many
pages of a site show the same images."""

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
"""Matrices that turn the unit square upright, by Exif orientation (Exif 2.32, 4.6.4)."""

FIRST_TURNED = 5
"""The first orientation whose rows are the columns of the image as it is shown."""

RESOLUTIONS = (ExifTags.Base.XResolution, ExifTags.Base.YResolution)
LARGEST_STRETCH = 4
"""The limit of the ratio of the two resolutions; beyond it, they are taken for a mistake."""

_ERRORS = (
    UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, RuntimeError, AssertionError,
)  # fmt: skip
"""The exceptions that Pillow raises for broken files."""

_TOO_LARGE = f"the image has more than {MAX_PIXELS} pixels"


@dataclass(frozen=True, slots=True)
class Picture:
    """A raster image, ready to be drawn."""

    samples: PixelData
    digest: bytes
    """The MD5 of the file."""

    orientation: int = 1
    """The Exif orientation of the samples: 1 to 8."""

    stretch: float = 1.0
    """The height of a pixel, if its width is 1. The pixels of many faxes are twice as high as wide."""

    def getSize(self) -> tuple[int, int]:  # noqa: N802
        """Return the displayed width and height in pixels. xhtml2pdf requires this name."""
        size = self.samples.width, self.samples.height
        return size if self.orientation < 5 else (size[1], size[0])

    def draw_on(self, canvas: Any, x: float, y: float, width: float, height: float) -> str:
        """Draw the image into a box and return the name of its XObject."""
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


_kept = SizedCache[Picture](_KEPT_BYTES)


def read(body: bytes) -> Picture | Vectors:
    """Read an image file. Of a truncated file, the rows that exist are read.

    Raise `SourceUnreadableError` if the file cannot be read or has more than `MAX_PIXELS`. The message does not
    contain the URL, so that the summary can group equal reasons.
    """
    return _read_svg(body) if may_be_svg(body) else _read_pixels(body)


def forget() -> None:
    """Remove all images from the cache."""
    _kept.clear()
    _read_svg.cache_clear()


@lru_cache(maxsize=_KEPT_DRAWINGS)
def _read_svg(body: bytes) -> Vectors:
    # Imported here: svglib and reportlab's graphics load slowly, and most pages need neither.
    from wcspider.engines.images.svg import read_drawing

    return read_drawing(uncompressed(body))


def _read_pixels(body: bytes) -> Picture:
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    kept = _kept.get(digest)
    if kept is not None:
        return kept
    picture = _picture(body, digest)
    return _kept.put(digest, picture, picture.samples.size)


def _picture(body: bytes, digest: bytes) -> Picture:
    try:
        with open_image(body) as image:
            if image.width * image.height > MAX_PIXELS:
                raise SourceUnreadableError(_TOO_LARGE, "")
            if image.format in ("JPEG", "MPO") and image.mode in ("L", "RGB", "CMYK"):
                jpeg = PixelData(*image.size, image.mode, 8, body, "DCTDecode", inverted=image.mode == "CMYK")
                return Picture(jpeg, digest, orientation(image))
            stretch = _stretch(image)
            return Picture(_decoded(image, body), digest, stretch=stretch)
    except Image.DecompressionBombError as error:  # Pillow has a limit of its own
        raise SourceUnreadableError(_TOO_LARGE, "") from error
    except _ERRORS as error:
        raise SourceUnreadableError(f"the image cannot be read: {_reason(error)}", "") from error


def _reason(error: Exception) -> str:
    """Return why Pillow cannot read an image, without its description of the stream."""
    return "unknown image format" if isinstance(error, UnidentifiedImageError) else one_line(error)


def orientation(image: Image.Image) -> int:
    """Return the orientation in the Exif data of an image, 1 if there is none."""
    try:
        found = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # Pillow raises exceptions of many kinds for damaged Exif data
        return 1
    return found if found in TURNED else 1


def _decoded(image: Image.Image, body: bytes) -> PixelData:
    if image.format == "GIF" and is_colorless(body):
        return of_pixels(Image.new("RGBA", image.size))
    try:
        image.load()  # first, because reading the Exif data of a truncated file hides that it is truncated
    except _ERRORS:
        return of_pixels(_truncated(body))
    if orientation(image) == 1 and image.format == "PNG" and (png := of_png(body, image)) is not None:
        return png
    return of_pixels(_upright(image))


def decoded_page(image: Image.Image, digest: bytes) -> Picture:
    """Decode the present page of an open TIFF file; raise the exceptions of Pillow if that fails."""
    stretch = _stretch(image)
    image.load()
    return Picture(of_pixels(_upright(image)), digest, stretch=stretch)


def _upright(image: Image.Image) -> Image.Image:
    return image if orientation(image) == 1 else ImageOps.exif_transpose(image)


def _stretch(image: Image.Image) -> float:
    """Return the `Picture.stretch` of a TIFF file at its present page, whose pixels are not decoded so far."""
    if not isinstance(image, TiffImagePlugin.TiffImageFile):
        return 1.0
    try:
        x, y = (float(image.tag_v2.get(tag, 0)) for tag in RESOLUTIONS)
        stretch = x / y
        stretch = 1 / stretch if image.tag_v2.get(ExifTags.Base.Orientation, 1) >= FIRST_TURNED else stretch
    except (ArithmeticError, TypeError, ValueError):  # a damaged or missing resolution
        return 1.0
    return stretch if 1 / LARGEST_STRETCH <= stretch <= LARGEST_STRETCH else 1.0


def _truncated(body: bytes) -> Image.Image:
    """Return a truncated image with its missing rows transparent."""
    ImageFile.LOAD_TRUNCATED_IMAGES = True  # Pillow has only a global switch
    try:
        with open_image(body) as image:
            image.load()
            box, shown = image.getbbox(), image.convert("RGBA")
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False
    if box is None:
        raise SourceUnreadableError("the image cannot be read: the file is truncated", "")
    shown.paste((0, 0, 0, 0), (0, box[3], *shown.size))
    return shown


class _XObject(PDFObject):  # type: ignore[misc]
    """An image XObject that reportlab can write."""

    def __init__(self, samples: PixelData) -> None:
        self.samples = samples

    def format(self, document: Any) -> bytes:
        """Return the object as bytes."""
        entries, data, alpha = self.samples.entries, self.samples.data, self.samples.alpha
        if alpha is not None:
            entries += b"/SMask %b" % document.Reference(_XObject(alpha)).format(document)
        return b"<<%b/Length %d>>\r\nstream\r\n%b\nendstream" % (entries, len(data), data)
