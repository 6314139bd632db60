"""Spiders of other projects, which know nothing of commands and yield what is to be kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.run.capture_sink import CaptureSink, Hops, PageSink
from wcspider.archive.run.run_report import Report
from wcspider.archive.run.writer import CaptureWriter
from wcspider.archive.target.target import Purpose
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.tasks import Execution
from wcspider.exceptions import CrawlStoppedError, TargetUnfinishedError, WebCaptureError
from wcspider.pdf.webcapture.commands import WebCaptureInfo
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.run_records import CAPTURE

STOPPED = frozenset({"shutdown", "memusage_exceeded", "start_error"})
"""The reasons of a spider that was stopped from outside, or failed; one that closes itself has its own."""


_ADVICE: dict[type[WebCaptureError], str] = {
    TargetUnfinishedError: "run the spider that began it, or remove FILE.part and FILE.part.db to begin anew",
    CrawlStoppedError: "run the spider again to go on",
}


def advised(error: WebCaptureError) -> WebCaptureError:
    """Return an error with advice for a spider that takes no arguments of wcspider's."""
    advice = _ADVICE.get(type(error))
    return error if advice is None else type(error)(error.problem, advice)


def is_third_party(spider: Any) -> bool:
    """Tell whether a spider is none of wcspider's, which have arguments, or know what is wrong with them."""
    arguments, problem = getattr(spider, "arguments", None), getattr(spider, "problem", None)
    return not isinstance(arguments, CaptureArguments | RefreshArguments) and not isinstance(problem, WebCaptureError)


class ItemsTask:
    """Adds what such a spider yields: its pages have a source, and no command (14.10.5.1)."""

    kind = CAPTURE
    title = ""
    fresh = partial = force = False

    def __init__(self, path: Path, spider: str) -> None:
        self.path = path
        self._spider = spider
        self._ways: dict[tuple[str, Hops], None] = {}

    def note_way(self, url: str, hops: Hops) -> None:
        """Note redirections to a page that the spider had met before, so that it gets no answer of them."""
        if hops:
            self._ways[url, hops] = None

    @property
    def purpose(self) -> Purpose:
        """What unfinished work is recognised by: the name of the spider."""
        return Purpose(json.dumps(["items", self._spider]), f"scrapy crawl {self._spider}")

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """There are no commands."""
        return []

    def sink(self, database: ContentDatabase, journal: Journal, report: Report) -> PageSink:
        """Return what adds pages."""
        return CaptureSink(database, journal, report)

    def begin(self, writer: CaptureWriter) -> None:
        """Begin without commands; the file says all the same that it has content of Web Capture (14.10.2)."""
        catalog = writer.database.catalog
        if catalog.web_capture is None:
            catalog.web_capture = WebCaptureInfo()
        writer.begin([])

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Add the chains that were noted to the page sets that they lead to (14.10.5.2).

        One of them may lead to another: then that one has to be in the file first.
        """
        ways, later = list(self._ways), list[tuple[str, Hops]]()
        while ways and ways != later:
            later, ways = ways, [way for way in ways if not _add_way(writer.database, *way)]

    def follow_up(self) -> None:
        """Nothing is left to do."""


def _add_way(database: ContentDatabase, url: str, hops: Hops) -> bool:
    """Add redirections to a URL as chains to the page set that came from it last; False if there is none yet."""
    found = [stored for stored in database.find_by_url(url) if isinstance(stored.content, PageSet)]
    if not found:
        return False
    stored = found[-1]
    for source in stored.content.sources:
        onward = [chain[chain.index(url) :] for chain in source.chains if url in chain]
        if source.url == url:
            onward.append(())
        for rest in onward:
            stored = database.add_chain(stored, source.url, (*hops, *rest))
    return True
