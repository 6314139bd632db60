"""Images on their own: one page that shows the image."""

from __future__ import annotations

import hashlib
import io
from importlib.metadata import version
from urllib.parse import unquote, urlsplit

from PIL import Image, UnidentifiedImageError
from reportlab import rl_config
from reportlab.graphics import renderPDF
from reportlab.pdfgen.canvas import Canvas

from wcspider.engines import adapters
from wcspider.engines.base import DrawnImage, Engine, PageGeometry, Rendering, RenderTask
from wcspider.exceptions import SourceUnreadableError

POINTS_PER_PIXEL = 0.75


class ImageEngine(Engine):
    """Shows an image in the middle of a page, in its size, or smaller so that it fits within the margins."""

    product = "image"
    version = version("pillow")

    def render(self, task: RenderTask) -> Rendering:
        """Show the image that `task` holds.

        A JPEG image stands in the PDF byte for byte, any other as its first frame's pixels.
        """
        adapters.install()
        rl_config.useA85 = 0
        out = io.BytesIO()
        canvas = Canvas(out, pagesize=(task.geometry.width, task.geometry.height), invariant=1, pageCompression=1)
        title = unquote(urlsplit(task.url).path.rpartition("/")[2]) or task.url
        canvas.setTitle(title)
        images: tuple[DrawnImage, ...] = ()
        if "svg" in task.media_type:
            _draw_vectors(canvas, task)
        else:
            images = (DrawnImage(_draw_pixels(canvas, task), task.url),)
        canvas.showPage()
        canvas.save()
        return Rendering(out.getvalue(), title, images=images)

    def internal_name(self, content_type: str = "IMG") -> str:
        """The engine's internal name (14.10.5.4)."""
        return super().internal_name(content_type)


def _draw_vectors(canvas: Canvas, task: RenderTask) -> None:
    drawing = adapters.read_svg(task.body)
    if drawing is None:
        raise SourceUnreadableError(f"{task.url}: the SVG image cannot be read", "")
    # svglib has turned CSS pixels into points.
    x, y, width, height = _place(task.geometry, drawing.width / POINTS_PER_PIXEL, drawing.height / POINTS_PER_PIXEL)
    canvas.translate(x, y)
    canvas.scale(width / drawing.width, height / drawing.height)
    renderPDF.draw(drawing, canvas, 0, 0)


def _draw_pixels(canvas: Canvas, task: RenderTask) -> str:
    """Draw the image; return the name of its XObject."""
    try:
        with Image.open(io.BytesIO(task.body)) as image:
            source = _Source(image, task.body)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        raise SourceUnreadableError(f"{task.url}: the image cannot be read: {error}", "") from error
    canvas.drawImage(source, *_place(task.geometry, *source.getSize()), mask="auto")
    digest = hashlib.md5(f"{source}auto".encode(), usedforsecurity=False).hexdigest()
    return str(canvas._doc.getXObjectName(digest))


def _place(geometry: PageGeometry, width: float, height: float) -> tuple[float, float, float, float]:
    """Where an image of so many pixels is put: left, bottom, width, height, in points."""
    left, bottom = geometry.margin_left, geometry.margin_bottom
    room_x = geometry.width - left - geometry.margin_right
    room_y = geometry.height - bottom - geometry.margin_top
    unit = POINTS_PER_PIXEL * geometry.scale
    factor = min(unit, room_x / max(width, 1), room_y / max(height, 1))
    drawn_x, drawn_y = width * factor, height * factor
    return left + (room_x - drawn_x) / 2, bottom + (room_y - drawn_y) / 2, drawn_x, drawn_y


class _Source:
    """An image as reportlab asks for it (the part of `reportlab.lib.utils.ImageReader` that it uses)."""

    def __init__(self, image: Image.Image, body: bytes, alpha: bool = True) -> None:
        self.name = f"image_{hashlib.md5(body, usedforsecurity=False).hexdigest()}"
        self.size = image.size
        self._dataA: _Source | None = None
        self._jpeg = body if alpha and image.format == "JPEG" and image.mode in ("L", "RGB", "CMYK") else None
        if self._jpeg is None:
            self._read(image, body, alpha)

    def _read(self, image: Image.Image, body: bytes, alpha: bool) -> None:
        if alpha and image.has_transparency_data:
            whole = image.convert("RGBA")
            self._dataA = _Source(whole.getchannel("A"), body + b"A", alpha=False)
            image = whole.convert("RGB")
        self.mode = "L" if image.mode in ("1", "L") else "RGB"
        self.data = image.convert(self.mode).tobytes()

    def __str__(self) -> str:
        return self.name

    def jpeg_fh(self) -> io.BytesIO | None:
        """The JPEG file, if it is one."""
        return io.BytesIO(self._jpeg) if self._jpeg is not None else None

    def getSize(self) -> tuple[int, int]:  # noqa: N802
        """Width and height in pixels."""
        return self.size

    def getRGBData(self) -> bytes:  # noqa: N802
        """The pixels."""
        return self.data

    def getTransparent(self) -> None:  # noqa: N802
        """None: what is transparent is in the soft mask."""
