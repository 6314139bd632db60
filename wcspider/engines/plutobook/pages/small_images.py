"""Small images that PlutoBook gets instead of the images of a page, and that are replaced in the PDF file.

A small image is a JPEG file with a number in a comment, which PlutoBook copies unchanged into the PDF file. It is
inside an SVG image with the size of the real image. So no image is decoded and compressed again, and the numbers tell
which XObject shows which resource.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pikepdf
from PIL import Image

from wcspider.engines.base import DrawnImage
from wcspider.engines.images.pixel_data import PixelData
from wcspider.engines.images.reader import TURNED, Picture, read
from wcspider.engines.images.svg_source import svg_source
from wcspider.engines.plutobook.svg import copies, drawings, pixels
from wcspider.exceptions import SourceUnreadableError

NOTHING = b"q Q"
"""A content stream that draws nothing; MuPDF complains about one without a byte."""

MOST_DRAWN = 20
"""The largest number of SVG images of a page that become pixels: each takes up to half a second."""

_COMMENT = b"wcspider-image %08d"
_NUMBER = re.compile(rb"\xff\xfe\x00\x19wcspider-image (\d{8})")
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
    'preserveAspectRatio="none"><g transform="scale({width} {height})"><image width="1" height="1" '
    'preserveAspectRatio="none" transform="matrix({turned})" href="data:image/jpeg;base64,{data}"/></g></svg>'
)
_SVG_ROOT = re.compile(rb"<svg\b[^>]*[^/>]>")
_VIEW_BOX = re.compile(rb"\bviewBox=[\"']\s*" + rb"[\s,]+".join([rb"(-?[\d.]+)"] * 4) + rb"\s*[\"']")
_SVG_MARK = b'<image x="%b" y="%b" width="%b" height="%b" preserveAspectRatio="none" href="data:image/jpeg;base64,%b"/>'


@cache
def _pixel(number: int) -> bytes:
    out = io.BytesIO()
    Image.new("L", (2, 2), 255).save(out, "JPEG", comment=_COMMENT % number)
    return out.getvalue()


@dataclass
class Images:
    """The images that PlutoBook has asked for during a layout."""

    pictures: list[Picture | None] = field(default_factory=list)
    """The images by their numbers; None for the mark of a control or of an SVG image, which is not drawn."""

    urls: dict[int, list[str]] = field(default_factory=dict)
    """The URLs of the resources with an image, by the number of the image."""

    marks: dict[int, int] = field(default_factory=dict)
    """The numbers of the controls, by the numbers of their marks."""

    linked: dict[int, int] = field(default_factory=dict)
    """The numbers of the areas of images in links, by the numbers of the images."""

    texts: list[str] = field(default_factory=list)
    """The texts in SVG images that are not in ASCII."""

    warnings: list[str] = field(default_factory=list)
    _numbers: dict[tuple[bytes, int | None], int] = field(default_factory=dict)
    _drawn: set[bytes] = field(default_factory=set)
    """The SVG images in whose place there are pixels."""

    def small(self, body: bytes, url: str, areas: int | None = None, *, keeps_shapes: bool = False) -> bytes | None:
        """Return the SVG image in place of an image file; None for a file that cannot be read.

        `url` is the URL of its resource, "" for an image in a data: URL. `areas` is the number of the areas of an image
        in a link, which is found on the pages by its own small image. With `keeps_shapes`, an SVG file never becomes
        pixels.
        """
        try:
            source = svg_source(body)
        except SourceUnreadableError:
            return body  # PlutoBook reports why it cannot be read
        if source is not None:
            drawing = drawings.readable(source)
            self.warnings += [copies.TOO_MANY_COPIES] if drawing is None else []
            self.texts += drawings.texts(source)
            if drawing is not None and not keeps_shapes:
                drawing = self._without_groups(drawing)
            return drawing if drawing is None or areas is None else self._marked(drawing, areas)
        try:
            picture = read(body)
        except SourceUnreadableError:
            return None
        if not isinstance(picture, Picture):
            return None
        number = self._number(picture, areas)
        if areas is not None:
            self.linked[number] = areas
        urls = self.urls.setdefault(number, [])
        if url and url not in urls:
            urls.append(url)
        return _svg(number, *picture.getSize(), picture.orientation)

    def _without_groups(self, drawing: bytes) -> bytes:
        """Return an SVG image with its pixels in place of parts that cairo would draw as images."""
        if drawing not in self._drawn and len(self._drawn) >= MOST_DRAWN:
            return drawing
        made = pixels.drawn(drawing)
        if made is None:
            return drawing
        self._drawn.add(drawing)
        return made.start + base64.b64encode(_pixel(self._number(made.picture, None))) + made.end

    def _number(self, picture: Picture, areas: int | None) -> int:
        """Return the number of a picture in a link with some areas, a new one for the first use."""
        number = self._numbers.get((picture.digest, areas))
        if number is None:
            number = self._numbers[picture.digest, areas] = len(self.pictures)
            self.pictures.append(picture)
        return number

    def _marked(self, drawing: bytes, areas: int) -> bytes:
        """Return an SVG image with a mark that is as large as the image."""
        root = _SVG_ROOT.search(drawing)
        if root is None:
            return drawing
        number = len(self.pictures)
        self.pictures.append(None)
        self.linked[number] = areas
        view = _VIEW_BOX.search(root[0])
        x, y, width, height = view.groups() if view else (b"0", b"0", b"100%", b"100%")
        data = base64.b64encode(_pixel(number))
        return drawing[: root.end()] + _SVG_MARK % (x, y, width, height, data) + drawing[root.end() :]

    def mark(self, control: int) -> bytes:
        """Return an SVG image that marks the position of a control."""
        number = len(self.pictures)
        self.pictures.append(None)
        self.marks[number] = control
        return _svg(number, 10, 10, 1)

    def put_in_place(self, pdf: pikepdf.Pdf, streams: Iterable[tuple[Any, Any]]) -> tuple[DrawnImage, ...]:
        """Replace the small images by the real images, and return which XObject shows which resource.

        `streams` are the content streams of the document with their resources. The marks of controls are replaced by an
        empty drawing.
        """
        names: dict[int, set[str]] = {}
        made: dict[bytes, pikepdf.Object] = {}
        blank = form_xobject(pdf, NOTHING, [0, 0, 1, 1]) if None in self.pictures else None
        for _, resources in streams:
            xobjects = resources.get("/XObject")
            for name, stream in list(xobjects.items()) if xobjects is not None else ():
                number = number_of(stream)
                if not 0 <= number < len(self.pictures):
                    continue
                picture = self.pictures[number]
                if picture is None:
                    xobjects[name] = blank
                    continue
                if picture.digest not in made:
                    made[picture.digest] = xobject(pdf, picture.samples)
                xobjects[name] = made[picture.digest]
                names.setdefault(number, set()).add(name.removeprefix("/"))
        return tuple(
            DrawnImage(own[place % len(own)], urls[place % len(urls)])
            for number, urls in self.urls.items()
            if urls and (own := sorted(names.get(number, ())))
            for place in range(max(len(own), len(urls)))
        )


def _svg(number: int, width: float, height: float, orientation: int) -> bytes:
    a, b, c, d, e, f = TURNED[orientation]
    # In PDF, y grows upwards; in SVG, it grows downwards.
    turned = (a, -b, -c, d, e + c, 1 - d - f)
    written = _SVG.format(
        width=width,
        height=height,
        turned=" ".join(map(str, turned)),
        data=base64.b64encode(_pixel(number)).decode(),
    )
    return written.encode()


def number_of(stream: Any) -> int:
    """Return the number in a small image; -1 for any other object."""
    if not isinstance(stream, pikepdf.Stream) or stream.get("/Subtype") != "/Image" or stream.get("/Width") != 2:
        return -1
    match = _NUMBER.search(stream.read_raw_bytes()) if stream.get("/Filter") == "/DCTDecode" else None
    return int(match[1]) if match else -1


def form_xobject(pdf: pikepdf.Pdf, content: bytes, box: list[float]) -> pikepdf.Object:
    """Return a form XObject (8.10)."""
    made = pdf.make_stream(content)
    made["/Type"], made["/Subtype"] = pikepdf.Name.XObject, pikepdf.Name.Form
    made["/BBox"] = pikepdf.Array([round(edge, 2) for edge in box])
    return made


def xobject(pdf: pikepdf.Pdf, samples: PixelData) -> pikepdf.Object:
    """Return an image XObject (8.9.5) of samples."""
    stream = pikepdf.Stream(pdf, samples.data)
    for key, value in pikepdf.Object.parse(b"<<%b>>" % samples.entries).items():
        stream[key] = value
    if samples.alpha is not None:
        stream["/SMask"] = xobject(pdf, samples.alpha)
    return pdf.make_indirect(stream)
