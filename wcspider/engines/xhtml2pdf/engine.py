"""HTML to PDF by xhtml2pdf: pure Python, no scripts, no network, no browser."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version

from wcspider.engines.base import Engine, Rendering, RenderTask


class Xhtml2PdfEngine(Engine):
    """Lays out HTML and CSS 2.1 with xhtml2pdf."""

    product = "xhtml2pdf"
    version = version("xhtml2pdf")

    def render(self, task: RenderTask) -> Rendering:
        """Lay out an HTML or XHTML page; see `Engine.render`. Whatever xhtml2pdf raises goes through."""
        # By name, so that xhtml2pdf is loaded where a page is rendered, and not where the engine's name is asked for.
        rendering = import_module("wcspider.engines.xhtml2pdf.rendering").render(task)
        assert isinstance(rendering, Rendering)
        return rendering
