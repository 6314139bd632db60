"""A render pipeline that renders nothing: it writes down what its crawl would have rendered."""

from __future__ import annotations

import pickle
from itertools import count
from pathlib import Path
from typing import Any

from wcspider.archive.pages.packed import PackedFragment
from wcspider.engines.base import RenderTask, Step
from wcspider.exceptions import EngineError
from wcspider.pipelines.render import RenderPipeline, steps_for

FOLDER = "BENCHMARK_FOLDER"
"""The Scrapy setting that names the folder that tasks are written to."""


class RecordingPipeline(RenderPipeline):
    """Writes the task of each page, with the steps that there are for it, into a file; each identifier once."""

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._folder = Path(session.crawler.settings[FOLDER])
        self._numbers = count()
        self._seen: set[bytes] = set()

    async def _fragment(self, item: Any) -> PackedFragment:
        """Write a task down in the place of rendering it."""
        if item.identifier not in self._seen:
            self._seen.add(item.identifier)
            record: tuple[RenderTask, list[Step]] = (
                self.task_for(item),
                steps_for(item, self.session.engine_of(item.command)),
            )
            (self._folder / f"{next(self._numbers):06}.task").write_bytes(pickle.dumps(record))
        raise EngineError("recorded")
