"""Images on their own: one page that shows the image."""

from __future__ import annotations

import io
from importlib.metadata import version
from urllib.parse import unquote, urlsplit

from reportlab import rl_config
from reportlab.pdfgen.canvas import Canvas

from wcspider.engines.base import DrawnImage, Engine, PageGeometry, Rendering, RenderTask
from wcspider.engines.images import svg
from wcspider.engines.images.reader import POINTS_PER_PIXEL, Picture, Vectors, read
from wcspider.exceptions import SourceUnreadableError


class ImageEngine(Engine):
    """Shows an image in the middle of a page, in its size, or smaller so that it fits within the margins."""

    product = "image"
    version = version("pillow")

    def render(self, task: RenderTask) -> Rendering:
        """Show the image that `task` holds.

        Raises `SourceUnreadableError` if it cannot be read.
        """
        svg.install()
        rl_config.useA85 = 0
        out = io.BytesIO()
        canvas = Canvas(out, pagesize=(task.geometry.width, task.geometry.height), invariant=1, pageCompression=1)
        title = unquote(urlsplit(task.url).path.rpartition("/")[2]) or task.url
        canvas.setTitle(title)
        picture = _read(task)
        name = picture.draw_on(canvas, *_place(task.geometry, *picture.getSize()))
        images = (DrawnImage(name, task.url),) if isinstance(picture, Picture) else ()
        canvas.showPage()
        canvas.save()
        return Rendering(out.getvalue(), title, images=images)

    def internal_name(self, content_type: str = "IMG") -> str:
        """The engine's internal name (14.10.5.4)."""
        return super().internal_name(content_type)


def _read(task: RenderTask) -> Picture | Vectors:
    try:
        return read(task.body)
    except SourceUnreadableError as error:
        raise SourceUnreadableError(f"{task.url}: {error}", "") from error


def _place(geometry: PageGeometry, width: float, height: float) -> tuple[float, float, float, float]:
    """Where an image of so many pixels is put: left, bottom, width, height, in points."""
    left, bottom = geometry.margin_left, geometry.margin_bottom
    room_x = geometry.width - left - geometry.margin_right
    room_y = geometry.height - bottom - geometry.margin_top
    unit = POINTS_PER_PIXEL * geometry.scale
    factor = min(unit, room_x / max(width, 1), room_y / max(height, 1))
    drawn_x, drawn_y = width * factor, height * factor
    return left + (room_x - drawn_x) / 2, bottom + (room_y - drawn_y) / 2, drawn_x, drawn_y
