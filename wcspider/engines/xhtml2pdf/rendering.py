"""The rendering of an HTML page: it is prepared, and laid out by xhtml2pdf."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from wcspider.engines.base import PageStructure, Rendering, RenderTask
from wcspider.engines.xhtml2pdf import adapters
from wcspider.engines.xhtml2pdf.canvas import drawn_images
from wcspider.engines.xhtml2pdf.layout import lay_out
from wcspider.engines.xhtml2pdf.source.prepared_page import prepare
from wcspider.web.styles.responsive import Viewport

_RECURSION = 5_000
"""xhtml2pdf needs about twelve frames for each level of the document, which has `long_documents.MAX_DEPTH` at most."""


def render(task: RenderTask) -> Rendering:
    """Lay out an HTML or XHTML page, as `Engine.render` says. Whatever xhtml2pdf raises goes through."""
    adapters.install()
    with _interpreter_for_large_trees():
        page = prepare(task, Viewport(task.geometry.media))
        laid = lay_out(page, task.assets, task.geometry, system_fonts=task.system_fonts)
    anchors = laid.canvas.anchors
    return Rendering(
        laid.pdf,
        PageStructure(
            page.title,
            page.language.strip(),
            tuple(anchors[name] for name in dict.fromkeys(page.anchors) if name in anchors),
            tuple(laid.canvas.headings),
        ),
        drawn_images(laid.canvas, laid.drawn),
        tuple(dict.fromkeys(laid.warnings)),
        tuple(page.fields),
    )


@contextmanager
def _interpreter_for_large_trees() -> Iterator[None]:
    """Allow deep recursion, and do not look for garbage while the tree and the story only grow."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _RECURSION))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
