"""SVG files as pixels, if cairo would draw parts of them as images.

cairo draws the area of such a part as an image, with the text of the page that is above it, so that this text would not
be in the file. An image of its own in place of the SVG file leaves the text as it is.
"""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from typing import Any, Final, NamedTuple

import plutoprint
from lxml import etree
from PIL import Image, ImageFilter

from wcspider.engines.images.pixel_data import of_pixels
from wcspider.engines.images.reader import Picture
from wcspider.engines.images.svg_source import KEPT, size_of
from wcspider.engines.plutobook.svg.drawings import NUMBER
from wcspider.engines.plutobook.svg.masks import is_repeated, parts_as_images

FINENESS: Final = 3.0
"""How many pixels are drawn for a CSS pixel of the image's own size."""

LEAST, MOST = 600, 1_800
"""The limits of the longer side of an image, in pixels."""

MOST_PARTS: Final = 100
"""The largest number of parts that cairo would draw as images. Each of them is drawn as often as the file."""

MOST_USES: Final = 8
"""The largest number of USE elements: each of them may double the number of parts."""

_LARGEST_RATIO: Final = 100.0
_LARGEST: Final = 1e6
_POINTS_PER_PIXEL: Final = 0.75
_URL: Final = "wcspider-drawing:"
_PARSER: Final = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
_DATA: Final = "wcspider-data"
_KEPT: Final = ("width", "height", "preserveAspectRatio")


class Drawn(NamedTuple):
    """The pixels of an SVG file."""

    picture: Picture
    start: bytes
    end: bytes
    """An SVG file with the size of the original: the data of its only image, a JPEG file in Base64, is between both."""


@lru_cache(maxsize=KEPT)
def drawn(svg: bytes) -> Drawn | None:
    """Return the pixels of an SVG file; None if cairo can write it, or if it has text, no size, or too many parts."""
    if b"mask" not in svg and b"clipPath" not in svg:
        return None
    root = etree.fromstring(svg, _PARSER)
    parts = parts_as_images(root)
    if not 0 < len(parts) <= MOST_PARTS or any(map(is_repeated, parts)):
        return None
    if next(root.iter("{*}text"), None) is not None or len(list(root.iter("{*}use"))) > MOST_USES:
        return None
    width, height = size = _size(root, svg)
    if min(size) <= 0 or max(size) > min(_LARGEST_RATIO * min(size), _LARGEST):
        return None
    scale = min(max(FINENESS * max(size), LEAST), MOST) / max(size)
    pixels = _pixels(svg, max(round(width * scale), 1), max(round(height * scale), 1))
    frame = etree.Element(root.tag, {name: root.get(name) for name in _KEPT if name in root.attrib}, root.nsmap)
    frame.set("viewBox", f"0 0 {width:g} {height:g}")
    sizes = {"width": f"{width:g}", "height": f"{height:g}", "preserveAspectRatio": "none"}
    image = etree.SubElement(frame, f"{root.tag.removesuffix('svg')}image", sizes)
    image.set("href", f"data:image/jpeg;base64,{_DATA}")
    start, _, end = etree.tostring(frame).partition(_DATA.encode())
    return Drawn(Picture(of_pixels(pixels), hashlib.md5(svg, usedforsecurity=False).digest()), start, end)


def _size(root: Any, svg: bytes) -> tuple[float, float]:
    """Return the size of an SVG file, by its attributes or its view box; (0, 0) if it has none."""
    view = list(map(float, NUMBER.findall(root.get("viewBox", ""))))
    return size_of(svg) or ((view[2], view[3]) if len(view) == 4 else (0.0, 0.0))


def _pixels(svg: bytes, width: int, height: int) -> Image.Image:
    paper = plutoprint.PageSize(width * _POINTS_PER_PIXEL, height * _POINTS_PER_PIXEL)
    book = plutoprint.Book(paper, plutoprint.PAGE_MARGINS_NONE, plutoprint.MEDIA_TYPE_SCREEN)
    book.custom_resource_fetcher = _Fetcher(svg)
    style = f"display: block; width: {width}px; height: {height}px"
    book.load_html(f'<body style="margin: 0"><img src="{_URL}" style="{style}">')
    canvas, png = plutoprint.ImageCanvas(width, height, plutoprint.IMAGE_FORMAT_ARGB32), io.BytesIO()
    book.render_document(canvas)
    canvas.write_to_png_stream(png)
    return _with_wide_colors(Image.open(png))


def _with_wide_colors(image: Image.Image) -> Image.Image:
    """Return an image whose clear pixels have the color beside them: viewers mix it into the edges of the drawing."""
    alpha, colors = image.convert("RGBA").getchannel("A"), image.convert("RGB")
    colors.paste(colors.filter(ImageFilter.MaxFilter(3)), mask=alpha.point([255] + [0] * 255))
    colors.putalpha(alpha)
    return colors


class _Fetcher(plutoprint.ResourceFetcher):
    """A fetcher of one file."""

    def __init__(self, svg: bytes) -> None:
        super().__init__()
        self._svg = svg

    def fetch_url(self, url: str) -> Any:
        return plutoprint.ResourceData(self._svg if url == _URL else b"", "image/svg+xml", "")
