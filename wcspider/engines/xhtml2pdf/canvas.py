"""The canvas for xhtml2pdf, which records the anchors, headings and images of a rendering, and shows fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfdoc

from wcspider.engines.base import Anchor, DrawnImage
from wcspider.engines.document.headings import heading_title
from wcspider.engines.fields import FIELD, OPTION
from wcspider.engines.text.text_objects import ShapedCanvas
from wcspider.engines.xhtml2pdf.inline_fragments import DescribedLink


class PageCanvas(ShapedCanvas):
    """A canvas that records anchors, headings and images, and writes URI actions for all links."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.anchors: dict[str, Anchor] = {}
        self.headings: list[tuple[str, int, int, float]] = []
        self.images: dict[DrawnImage, None] = {}
        self._appearances = 0

    def bookmarkHorizontal(self, key: str, relativeX: float, relativeY: float, **_: Any) -> None:  # noqa: N802, N803
        """Record the position of an anchor. The file gets no destination, because all its links are URIs."""
        if key not in self.anchors:
            x, y = self.absolutePosition(relativeX, relativeY)
            self.anchors[key] = Anchor(key, self.getPageNumber() - 1, round(x, 2), round(y, 2))

    def add_heading(self, title: str, rank: int, height: float) -> None:
        """Record a heading of a height, whose lower edge is at the origin."""
        _, y = self.absolutePosition(0, height)
        if heading_title(title):
            self.headings.append((heading_title(title), rank, self.getPageNumber() - 1, round(y, 2)))

    def linkURL(self, url: DescribedLink, rect: Any, relative: int = 0, **_: Any) -> None:  # noqa: N802
        """Add a link (12.5.6.5) with a URI action and its description, without a border."""
        contents = pdfdoc.PDFString(url.description)
        super().linkURL(url, rect, relative=relative, thickness=0, kind="URI", Contents=contents)

    def draw_picture(self, picture: Any, url: str, *box: float) -> None:
        """Draw an image, and record the resource that its XObject shows."""
        name = picture.draw_on(self, *box)
        if name and url:
            self.images[DrawnImage(name, url)] = None

    def drawInlineImage(self, image: Any, *box: float, **_: Any) -> Any:  # noqa: N802
        """Draw an image in an SVG drawing as an image XObject. reportlab can write inline images in ASCII only."""
        return super().drawImage(ImageReader(image), *box, mask="auto")

    def appearance(self, width: float, height: float, draw: Callable[[], None]) -> Any:
        """Draw an appearance into a form XObject and return a reference to it (12.5.5)."""
        self._appearances += 1
        name = f"appearance{self._appearances}"
        self.beginForm(name, 0, 0, round(width, 2), round(height, 2))
        draw()
        self.endForm()
        return pdfdoc.PDFObjectReference(pdfdoc.xObjectName(name))

    def add_widget(self, field: int, option: int, width: float, height: float, normal: Any, **entries: Any) -> None:
        """Add a widget annotation for a field to the page; its lower left corner is the origin."""
        left, bottom = self.absolutePosition(0, 0)
        right, top = self.absolutePosition(width, height)
        rectangle = [round(edge, 2) for edge in (left, bottom, right, top)]
        self._addAnnotation(
            pdfdoc.PDFDictionary(
                {
                    "Type": pdfdoc.PDFName("Annot"),
                    "Subtype": pdfdoc.PDFName("Widget"),
                    "Rect": pdfdoc.PDFArray(rectangle),
                    "F": 4,
                    "AP": pdfdoc.PDFDictionary({"N": normal}),
                    FIELD: field,
                    OPTION: option,
                    **entries,
                }
            )
        )
