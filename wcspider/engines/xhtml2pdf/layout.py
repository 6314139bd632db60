"""xhtml2pdf's layout, driven over a document that is ready for it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportlab import rl_config
from reportlab.lib.fonts import tt2ps
from reportlab.platypus.flowables import Spacer
from xhtml2pdf.config.resources import render_budget, use_policy
from xhtml2pdf.files import cleanFiles
from xhtml2pdf.util import reset_caches
from xhtml2pdf.xhtml2pdf_reportlab import PmlBaseDoc, PmlFrame, PmlPageTemplate

from wcspider.engines.base import Asset, PageGeometry
from wcspider.engines.images import reader
from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.xhtml2pdf.canvas import PageCanvas
from wcspider.engines.xhtml2pdf.context import POLICY, PageContext
from wcspider.engines.xhtml2pdf.source.prepared_page import Page


@dataclass(frozen=True, slots=True)
class Laid:
    """A finished layout."""

    pdf: bytes
    canvas: PageCanvas
    drawn: Mapping[str, bytes]
    """The bytes of the assets that were used, by their keys."""

    warnings: list[str]


def lay_out(page: Page, assets: Mapping[str, Asset], geometry: PageGeometry, *, system_fonts: bool = True) -> Laid:
    """Lay out `page` on pages of `geometry`, with nothing but `assets` and fonts to draw on."""
    # Image data as it is, not made into ASCII.
    rl_config.useA85 = 0
    room = (geometry.width - geometry.margin_left - geometry.margin_right) / geometry.scale
    height = (geometry.height - geometry.margin_top - geometry.margin_bottom) / geometry.scale
    context = PageContext(page, assets, Runs(page.language, system=system_fonts), room, height)
    try:
        with use_policy(POLICY), render_budget(POLICY):
            context.read()
            pdf, canvas = _build(context, page, geometry)
    finally:
        cleanFiles()
        reset_caches()
        reader.read.cache_clear()
    return Laid(pdf, canvas, context.drawn, context.problems)


def _build(context: PageContext, page: Page, geometry: PageGeometry) -> tuple[bytes, PageCanvas]:
    """Draw the story on pages. It is laid out in the units of the page before scaling."""
    out = io.BytesIO()
    size = (geometry.width / geometry.scale, geometry.height / geometry.scale)
    document = _Document(
        out, pagesize=size, title=page.title, lang=page.language or None, allowSplitting=1, invariant=1,
        pageCompression=1, initialFontName=tt2ps(fonts.SERIF, 0, 0),
    )  # fmt: skip
    document.scale_factor = geometry.scale
    template = _Template(id="body", frames=[_frame(geometry)], pagesize=size)
    document.addPageTemplates([template])
    document.build(context.story or [Spacer(1, 1)])
    return out.getvalue(), document.canv


def _frame(geometry: PageGeometry) -> PmlFrame:
    scale = geometry.scale
    return PmlFrame(
        geometry.margin_left / scale,
        geometry.margin_bottom / scale,
        (geometry.width - geometry.margin_left - geometry.margin_right) / scale,
        (geometry.height - geometry.margin_top - geometry.margin_bottom) / scale,
        id="body", leftPadding=0, rightPadding=0, bottomPadding=0, topPadding=0,
    )  # fmt: skip


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
