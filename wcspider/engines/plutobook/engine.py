"""The engine PlutoBook: a layout library in C++ that runs no scripts and needs neither a network nor a browser."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version

from wcspider.engines.base import Engine, Rendering, RenderTask


class PlutoBookEngine(Engine):
    """An engine that lays out HTML and CSS with PlutoBook, which is a part of the package plutoprint."""

    product = "plutobook"
    version = version("plutoprint")

    def render(self, task: RenderTask) -> Rendering:
        """Lay out an HTML or XHTML page, or an SVG file; see `Engine.render`."""
        # Imported here, so that a process that only needs the name of the engine does not load PlutoBook.
        from wcspider.engines.plutobook.fonts.font_setup import can_use
        from wcspider.engines.plutobook.page_rendering import render

        if not can_use(system_fonts=task.system_fonts):
            from wcspider.engines.workers.main import die_with

            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, spawn, initializer=die_with, initargs=(os.getpid(),)) as another:
                return another.submit(render, task).result()
        return render(task)
