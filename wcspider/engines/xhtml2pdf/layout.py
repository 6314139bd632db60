"""The layout of an HTML page with the paragraphs of xhtml2pdf, after its preparation."""

from __future__ import annotations

import io
from typing import Any

from reportlab import rl_config
from reportlab.lib.fonts import tt2ps
from reportlab.platypus.doctemplate import BaseDocTemplate, PageTemplate
from reportlab.platypus.frames import Frame

from wcspider.engines.base import PageGeometry, PageStructure, Rendering, RenderTask
from wcspider.engines.document.headings import outline
from wcspider.engines.images import reader
from wcspider.engines.text import fonts, runs
from wcspider.engines.xhtml2pdf.canvas import PageCanvas
from wcspider.engines.xhtml2pdf.source.prepared_page import Page
from wcspider.engines.xhtml2pdf.story import Story
from wcspider.web.styles.responsive import Viewport


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page; see `Engine.render`. Exceptions of xhtml2pdf are not converted."""
    runs.load()
    rl_config.useA85 = 0  # images as binary data, not in ASCII
    geometry, page = task.geometry, Page(task, Viewport(task.geometry.media))
    frame = _frame(geometry)
    story = Story(page, task.assets, runs.Runs(page.language, system=task.system_fonts), (frame._width, frame._height))
    try:
        story.read()
        pdf, canvas = _build(story, frame, page, geometry)
    finally:
        reader.forget()
    return Rendering(
        pdf,
        PageStructure(
            page.title,
            page.language,
            tuple(canvas.anchors.values()),
            outline(canvas.headings),
        ),
        tuple(canvas.images),
        tuple(dict.fromkeys(story.problems)),
        story.unreadable,
        tuple(page.fields),
    )


def _frame(geometry: PageGeometry) -> Any:
    """Return the area between the margins. The units of the layout are those of the page before it is scaled."""
    edges = geometry.margin_left, geometry.margin_bottom, geometry.inner_width, geometry.inner_height
    box = (length / geometry.scale for length in edges)
    return Frame(*box, leftPadding=0, bottomPadding=0, rightPadding=0, topPadding=0)


def _build(story: Story, frame: Any, page: Page, geometry: PageGeometry) -> tuple[bytes, PageCanvas]:
    """Return the PDF file of a page, and the canvas on which it was drawn."""
    out = io.BytesIO()
    document = BaseDocTemplate(
        out, pagesize=(geometry.width, geometry.height), title=page.title, lang=page.language or None, invariant=1,
        pageCompression=1, initialFontName=tt2ps(fonts.SERIF, 0, 0),
    )  # fmt: skip
    template = PageTemplate(frames=[frame], onPage=lambda canvas, _: canvas.scale(geometry.scale, geometry.scale))
    document.addPageTemplates([template])
    document.build(story.flowables, canvasmaker=PageCanvas)
    return out.getvalue(), document.canv
