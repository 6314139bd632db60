"""HTML to PDF by PlutoBook: a layout engine of its own in C++, no scripts, no network, no browser."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.metadata import version

from wcspider.engines.base import Engine, Rendering, RenderTask


class PlutoBookEngine(Engine):
    """Lays out HTML and CSS with PlutoBook, which the package plutoprint brings along."""

    product = "plutobook"
    version = version("plutoprint")

    def render(self, task: RenderTask) -> Rendering:
        """Lay out an HTML or XHTML page; see `Engine.render`."""
        # By name, so that PlutoBook is loaded where a page is rendered, and not where the engine's name is asked for.
        fonts = import_module("wcspider.engines.plutobook.font_setup")
        if not fonts.can_use(system_fonts=task.system_fonts):
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as another:
                return another.submit(_render, task).result()
        return _render(task)


def _render(task: RenderTask) -> Rendering:
    rendering = import_module("wcspider.engines.plutobook.page_rendering").render(task)
    assert isinstance(rendering, Rendering)
    return rendering
