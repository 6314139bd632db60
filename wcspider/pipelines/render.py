"""The render pipeline: source bytes in, a fragment of PDF pages out, made in a worker process."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, Self

from scrapy.crawler import Crawler

from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.archive.pages.packed import PackedFragment
from wcspider.crawl.reading.source_contents import HTML
from wcspider.crawl.session import CaptureSession, capturing_session_of
from wcspider.engines.base import SVG, Asset, RenderTask, Step
from wcspider.engines.overlays.stamp import PLACES, Stamp
from wcspider.engines.registry import SIMPLER
from wcspider.engines.workers.pool_interface import Effort
from wcspider.exceptions import EngineError, WorkersError
from wcspider.items import CaptureItem
from wcspider.web.resources import AuxiliaryKind

logger = logging.getLogger(__name__)


class RenderPipeline:
    """Fills in `CaptureItem.fragment`, or `CaptureItem.problem` where no pages could be made."""

    def __init__(self, session: CaptureSession) -> None:
        self.session = session

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl."""
        return cls(capturing_session_of(crawler))

    async def process_item(self, item: Any) -> Any:
        """Render a page, unless the file holds its pages already."""
        if not isinstance(item, CaptureItem):
            return item
        if self.session.job.has_pages_of(item.capture):
            self.session.job.rely_on(item.identifier)
            return item
        try:
            item.fragment = await self._fragment(item)
            item.title = item.title or item.fragment.title  # of PDF files, images and text
        except EngineError as error:
            item.problem = error.problem
            logger.warning("No pages could be made of %s: %s", item.resource.url, error)
        except WorkersError as error:
            self.session.leave_to_next_run(item.resource.url, error)
        return item

    async def _fragment(self, item: CaptureItem) -> PackedFragment:
        """Convert a page with as much of its design as can be had (`Step`)."""
        engine, stamp = self.session.engine_of(item.command), self._stamp_of(item)
        keeps_active = self.session.config.pdf_active == "keep"
        conversion = Conversion(self.task_for(item), engine, stamp, keeps_active)
        steps = steps_for(item, conversion.engine, self.session.config.max_layout_bytes)
        for step in steps:
            task = replace(conversion.task, step=step)
            try:
                return await self.session.job.pool.run_sized(effort_of(task), convert, replace(conversion, task=task))
            except EngineError as error:
                if step is steps[-1]:
                    raise
                logger.info("%s: %s (%s)", item.resource.url, error.problem, step.name.lower().replace("_", " "))
        raise AssertionError("a conversion has at least one step")

    def _stamp_of(self, item: CaptureItem) -> Stamp | None:
        """Return the stamp of the pages of an item; None if they get none."""
        place = self.session.config_of(item.command).stamp
        return Stamp(place, item.resource.url, item.resource.fetched) if place in PLACES else None

    def task_for(self, item: CaptureItem) -> RenderTask:
        """Return the task of laying out a page: its bytes, its resources and its geometry."""
        resource = item.resource
        assets = {
            entry.url: Asset(
                entry.resource.body, entry.resource.content_type, entry.resource.charset, entry.resource.url
            )
            for entry in item.auxiliaries
            if entry.resource is not None and (entry.resource.body or entry.resource.held is None)
        }
        config = self.session.config_of(item.command)
        return RenderTask(
            url=resource.url,
            body=resource.body,
            media_type=resource.content_type,
            encoding=item.encoding or "utf-8",
            assets=assets,
            geometry=config.geometry,
            system_fonts=config.system_fonts,
            forms=config.forms,
        )


def effort_of(task: RenderTask) -> Effort:
    """Return the effort of a conversion: a page that is kept as text takes a time in proportion to its size."""
    size = len(task.body)
    return Effort.in_proportion(size) if task.step is Step.TEXT_ONLY else Effort(size)


def steps_for(item: CaptureItem, engine: str, largest: int = 0) -> list[Step]:
    """Return the steps to try with a page, in order. Only HTML has a design that can be omitted.

    An SVG file is drawn by the engine for HTML, and then by a simpler one.

    An HTML page of more than `largest` bytes is only kept as text, because its layout would take too much memory and
    time; 0 means no limit.
    """
    if item.resource.content_type not in HTML:
        is_tried_twice = item.resource.content_type == SVG and engine != SIMPLER
        return [Step.FULL, Step.SIMPLER_ENGINE] if is_tried_twice else [Step.FULL]
    if 0 < largest < len(item.resource.body):
        return [Step.TEXT_ONLY]
    has_fonts = any(entry.kind is AuxiliaryKind.FONT and entry.resource is not None for entry in item.auxiliaries)
    left_out = set() if has_fonts else {Step.NO_AUTHOR_FONTS}
    if engine == SIMPLER:  # it does not use the author's fonts at any step
        left_out |= {Step.NO_AUTHOR_FONTS, Step.SIMPLER_ENGINE}
    return [step for step in Step if step not in left_out]
