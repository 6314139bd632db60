"""The page on which an SVG file is shown that is no part of another page."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from wcspider.engines.base import SVG, Asset, RenderTask
from wcspider.engines.images.svg_source import svg_source
from wcspider.exceptions import SourceUnreadableError


def page_of(task: RenderTask) -> RenderTask:
    """Return the task of laying out a page that shows the SVG file of a task.

    Raise `SourceUnreadableError` for a file that is no SVG file, or of which browsers show nothing.
    """
    if svg_source(task.body) is None:
        raise SourceUnreadableError("the image cannot be read: it is no SVG file", "")
    image = f'<img src="{escape(task.url)}" style="display:block;margin:auto">'
    page = f'<title>{escape(task.name)}</title><body style="margin:0">{image}'
    assets = {task.url: Asset(task.body, SVG)}
    return replace(task, body=page.encode(), encoding="utf-8", media_type="text/html", assets=assets)
