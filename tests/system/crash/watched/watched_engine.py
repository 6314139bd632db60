"""An engine that writes the URL of the page that it lays out into a file named by its process."""

from __future__ import annotations

import os
from pathlib import Path

from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.plain.text_engine import TextEngine


class WatchedEngine(TextEngine):
    """An engine that starts quickly, since the workers of these tests are started often."""

    product = "watched"

    def render(self, task: RenderTask) -> Rendering:
        mark = Path(os.environ["WCSPIDER_MARKS"]) / str(os.getpid())
        mark.write_text(task.url)
        try:
            return super().render(task)
        finally:
            mark.unlink()
