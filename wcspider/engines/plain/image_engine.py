"""The engine for image files: a PDF page that shows the image, and one for each further page of a TIFF file."""

from __future__ import annotations

from wcspider.engines.base import DrawnImage, Engine, PageGeometry, PageStructure, Rendering, RenderTask
from wcspider.engines.images.pixel_data import POINTS_PER_PIXEL
from wcspider.engines.images.reader import Picture, read
from wcspider.engines.images.tiff_pages import MAX_DATA, MAX_SAMPLES, later_pages
from wcspider.engines.text.text_objects import new_canvas


class ImageEngine(Engine):
    """An engine that centres an image on a page, in its own size or reduced to fit within the margins."""

    def render(self, task: RenderTask) -> Rendering:
        """Return a page that shows the image in `task`, and a page for each further page of a TIFF file.

        Raise `SourceUnreadableError` if the image cannot be read.
        """
        canvas = new_canvas(task.geometry.width, task.geometry.height)
        canvas.setTitle(task.name)
        picture, images = read(task.body), []
        size = picture.samples.size if isinstance(picture, Picture) else 0
        later = later_pages(task.body, MAX_SAMPLES, MAX_DATA - size)
        for frame, shown in enumerate((picture, *later.pictures)):
            width, height = shown.getSize()
            stretch = shown.stretch if isinstance(shown, Picture) else 1
            name = shown.draw_on(canvas, *_place(task.geometry, width, height * stretch))
            images += [DrawnImage(name, task.url, frame)] if isinstance(shown, Picture) else []
            canvas.showPage()
        warnings = (later.warning,) if later.warning else ()
        return Rendering(canvas.getpdfdata(), PageStructure(task.name), tuple(images), warnings)


def _place(geometry: PageGeometry, width: float, height: float) -> tuple[float, float, float, float]:
    """Return the box of an image in points (left, bottom, width, height), given its size in pixels."""
    room_x, room_y = geometry.inner_width, geometry.inner_height
    unit = POINTS_PER_PIXEL * geometry.scale
    factor = min(unit, room_x / max(width, 1), room_y / max(height, 1))
    drawn_x, drawn_y = width * factor, height * factor
    left = geometry.margin_left + (room_x - drawn_x) / 2
    bottom = geometry.margin_bottom + (room_y - drawn_y) / 2
    return left, bottom, drawn_x, drawn_y
