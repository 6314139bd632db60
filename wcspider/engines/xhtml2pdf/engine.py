"""The fallback engine for HTML: xhtml2pdf, which is pure Python and runs on every platform."""

from __future__ import annotations

from importlib.metadata import version

from wcspider.engines.base import Engine, Rendering, RenderTask


class Xhtml2PdfEngine(Engine):
    """An engine that lays out the text, images, links and fields of a page, with few of the author's styles."""

    product = "xhtml2pdf"
    version = version("xhtml2pdf")

    def render(self, task: RenderTask) -> Rendering:
        """Lay out an HTML or XHTML page; see `Engine.render`. Exceptions of xhtml2pdf are not converted."""
        # Imported here, so that only processes that render a page load xhtml2pdf.
        from wcspider.engines.xhtml2pdf.layout import render

        return render(task)
