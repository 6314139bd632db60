"""The layout of an HTML page by xhtml2pdf, after its preparation."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reportlab import rl_config
from reportlab.lib.fonts import tt2ps
from reportlab.platypus.flowables import Spacer
from xhtml2pdf.config.resources import render_budget, use_policy
from xhtml2pdf.files import cleanFiles
from xhtml2pdf.util import reset_caches
from xhtml2pdf.xhtml2pdf_reportlab import PmlBaseDoc, PmlFrame, PmlPageTemplate

from wcspider.engines.base import PageGeometry, PageStructure, Rendering, RenderTask
from wcspider.engines.images import reader
from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.xhtml2pdf import adapters
from wcspider.engines.xhtml2pdf.canvas import PageCanvas, drawn_images
from wcspider.engines.xhtml2pdf.context import POLICY, PageContext
from wcspider.engines.xhtml2pdf.source.prepared_page import Page, prepare
from wcspider.web.styles.responsive import Viewport

_RECURSION = 5_000
"""The recursion limit: xhtml2pdf needs about twelve frames for each of the `prepared_page.MAX_DEPTH` levels."""


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page; see `Engine.render`. Exceptions of xhtml2pdf are not converted."""
    adapters.install()
    with _interpreter_for_large_trees():
        page = prepare(task, Viewport(task.geometry.media))
        context = PageContext(page, task.assets, Runs(page.language, system=task.system_fonts), task.geometry)
        pdf, canvas = _lay_out(context, page, task.geometry)
    anchors = canvas.anchors
    return Rendering(
        pdf,
        PageStructure(
            page.title,
            page.language,
            tuple(anchors[name] for name in dict.fromkeys(page.anchors) if name in anchors),
            tuple(canvas.headings),
        ),
        drawn_images(canvas, context.drawn),
        tuple(dict.fromkeys(context.problems)),
        tuple(page.fields),
    )


@contextmanager
def _interpreter_for_large_trees() -> Iterator[None]:
    """Allow deep recursion, and disable the garbage collector, which would search a growing tree in vain."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _RECURSION))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def _lay_out(context: PageContext, page: Page, geometry: PageGeometry) -> tuple[bytes, PageCanvas]:
    """Return the PDF file of a page, and the canvas on which it was drawn."""
    rl_config.useA85 = 0  # images as binary data, not in ASCII
    try:
        with use_policy(POLICY), render_budget(POLICY):
            context.read()
            return _build(context, page, geometry)
    finally:
        cleanFiles()
        reset_caches()
        reader.read.cache_clear()


def _build(context: PageContext, page: Page, geometry: PageGeometry) -> tuple[bytes, PageCanvas]:
    """Draw the story on pages. The units of the layout are those of the page before it is scaled."""
    out = io.BytesIO()
    size = (geometry.width / geometry.scale, geometry.height / geometry.scale)
    document = _Document(
        out, pagesize=size, title=page.title, lang=page.language or None, allowSplitting=1, invariant=1,
        pageCompression=1, initialFontName=tt2ps(fonts.SERIF, 0, 0),
    )  # fmt: skip
    document.scale_factor = geometry.scale
    frame = PmlFrame(
        geometry.margin_left / geometry.scale, geometry.margin_bottom / geometry.scale, context.room, context.height,
        id="body", leftPadding=0, rightPadding=0, bottomPadding=0, topPadding=0,
    )  # fmt: skip
    document.addPageTemplates([_Template(id="body", frames=[frame], pagesize=size)])
    document.build(context.story or [Spacer(1, 1)])
    return out.getvalue(), document.canv


class _Document(PmlBaseDoc):  # type: ignore[misc]
    scale_factor = 1.0

    def build(self, flowables: list[Any]) -> None:
        super().build(flowables, canvasmaker=PageCanvas)

    def _makeCanvas(self, filename: Any = None, canvasmaker: Any = None) -> PageCanvas:  # noqa: N802
        canvas: PageCanvas = super()._makeCanvas(filename=filename, canvasmaker=canvasmaker)
        canvas.scale_factor = self.scale_factor
        return canvas


class _Template(PmlPageTemplate):  # type: ignore[misc]
    def beforeDrawPage(self, canvas: Any, doc: Any) -> None:  # noqa: N802
        if canvas.scale_factor != 1:
            canvas.scale(canvas.scale_factor, canvas.scale_factor)
        super().beforeDrawPage(canvas, doc)
