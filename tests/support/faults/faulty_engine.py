"""An engine that hangs or dies on request of the page, as real engines do on unforeseen pages."""

from __future__ import annotations

import os
import re

from wcspider.engines.base import Rendering, RenderTask, Step
from wcspider.engines.xhtml2pdf.engine import Xhtml2PdfEngine


class FaultyEngine(Xhtml2PdfEngine):
    """xhtml2pdf, except for pages that contain ``hang with styles`` or ``crash, whatever is tried``."""

    product = "faulty"

    def render(self, task: RenderTask) -> Rendering:
        if b"crash, whatever is tried" in task.body:
            os._exit(7)
        if b"hang with styles" in task.body and task.step < Step.NO_AUTHOR_STYLES:
            re.match(r"(a+)+$", "a" * 60 + "b")  # in C, where no alarm is heard
        return super().render(task)
