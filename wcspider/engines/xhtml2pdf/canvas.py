"""The canvas for xhtml2pdf, which records the anchors, headings and images of a rendering."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfdoc import PDFString

from wcspider.engines.base import Anchor, DrawnImage, Heading
from wcspider.engines.images.reader import Picture
from wcspider.engines.images.svg import Vectors
from wcspider.engines.xhtml2pdf.adapters import DescribedLink
from wcspider.engines.xhtml2pdf.elements.field_boxes import FieldBox, FieldCanvas

HEADING_HEIGHT = 36
"""The approximate height of a heading with the space above it, in points, so that a jump shows the whole heading."""

PERMALINK = "¶"
"""The sign after headings of documentation that links to the heading. It is not part of the title."""


class PageCanvas(FieldCanvas):
    """A canvas that records anchors, headings and images, writes URI actions for all links, and scales the pages."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.scale_factor = 1.0
        self._pagesize: tuple[float, float]
        self.anchors: dict[str, Anchor] = {}
        self.headings: list[Heading] = []
        self.drawn: dict[str, bytes] = {}
        """The MD5 of the image file, by the name of the XObject."""

    def bookmarkHorizontal(self, key: str, relativeX: float, relativeY: float, **_: Any) -> None:  # noqa: N802, N803
        """Record the position of an anchor. The file gets no destination, because all its links are URIs."""
        if key not in self.anchors:
            x, y = self.absolutePosition(relativeX, relativeY)
            self.anchors[key] = Anchor(key, self.getPageNumber() - 1, round(x, 2), round(y, 2))

    def bookmarkPage(self, key: str, *_: Any, **__: Any) -> None:  # noqa: N802
        """Do nothing: the archive creates the outline."""

    def addOutlineEntry(self, title: str, key: str, level: int = 0, *_: Any, **__: Any) -> None:  # noqa: N802
        """Record a heading whose lower edge is at the origin."""
        _, y = self.absolutePosition(0, HEADING_HEIGHT)
        text = " ".join(title.split()).removesuffix(PERMALINK).rstrip()
        if text:
            self.headings.append(Heading(text, level, self.getPageNumber() - 1, round(y, 2)))

    def linkRect(self, *_: Any, **__: Any) -> None:  # noqa: N802
        """Do nothing: a rendering has no links with a destination."""

    def linkURL(self, url: str, rect: Any, relative: int = 0, **_: Any) -> None:  # noqa: N802
        """Add a link (12.5.6.5) with a URI action and its description, without a border."""
        contents = {"Contents": PDFString(url.description)} if isinstance(url, DescribedLink) else {}
        super().linkURL(url, rect, relative=relative, thickness=0, kind="URI", **contents)

    def drawImage(self, image: Any, x: float, y: float, *size: Any, **options: Any) -> Any:  # noqa: N802
        """Draw an image, and record the image file that its XObject shows."""
        if isinstance(image, Vectors | FieldBox):
            image.draw_on(self, x, y, *size)
        elif isinstance(image, Picture):
            self.drawn[image.draw_on(self, x, y, *size)] = image.digest
        else:  # an image of svglib
            return super().drawImage(image, x, y, *size, **options)
        return size

    def drawInlineImage(self, image: Any, *box: float, **_: Any) -> Any:  # noqa: N802
        """Draw an image in an SVG drawing as an image XObject. reportlab can write inline images in ASCII only."""
        return super().drawImage(ImageReader(image), *box, mask="auto")

    def showPage(self) -> None:  # noqa: N802
        """End a page and set its size after scaling."""
        layout_size: tuple[float, float] = self._pagesize
        self._pagesize = (layout_size[0] * self.scale_factor, layout_size[1] * self.scale_factor)
        super().showPage()
        self._pagesize = layout_size


def drawn_images(canvas: PageCanvas, bodies: Mapping[str, bytes]) -> tuple[DrawnImage, ...]:
    """Return the image XObjects that were drawn, with all URLs in `bodies` that have the bytes of the image."""
    urls: dict[bytes, list[str]] = {}
    for url, body in bodies.items():
        urls.setdefault(_md5(body), []).append(url)
    return tuple(DrawnImage(name, url) for name, digest in canvas.drawn.items() for url in urls.get(digest, ()))


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()
