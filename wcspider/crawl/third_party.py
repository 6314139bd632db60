"""Spiders of other projects: they have no commands, and yield the pages to capture."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from scrapy import Request

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.capture_sink import Hops
from wcspider.archive.run.writer import CaptureWriter
from wcspider.archive.target.target import Purpose
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.reading.parsing import hops_of
from wcspider.crawl.tasks import Execution, Task
from wcspider.exceptions import CrawlStoppedError, TargetUnfinishedError, WebCaptureError
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.commands import WebCaptureInfo
from wcspider.web.urls import canonical_url, is_capturable, without_login

STOPPED = frozenset({"shutdown", "memusage_exceeded", "start_error"})
"""The finish reasons of a spider that was stopped or failed. A spider that closes itself has reasons of its own."""

_ADVICE: dict[type[WebCaptureError], str] = {
    TargetUnfinishedError: "run the spider that began it, or remove FILE.part and FILE.part.db to start again",
    CrawlStoppedError: "run the spider again to continue",
}


def advised(error: WebCaptureError) -> WebCaptureError:
    """Return an error with advice for a spider that does not have wcspider's arguments."""
    advice = _ADVICE.get(type(error))
    return error if advice is None else type(error)(error.problem, advice)


def is_third_party(spider: Any) -> bool:
    """Tell whether a spider belongs to another project; wcspider's own have parsed arguments or a problem."""
    arguments, problem = getattr(spider, "arguments", None), getattr(spider, "problem", None)
    return not isinstance(arguments, CaptureArguments | RefreshArguments) and not isinstance(problem, WebCaptureError)


class ItemsTask(Task):
    """Adds the items of a spider of another project: their page sets have a source, but no command (14.10.5.1)."""

    def __init__(self, path: Path, spider: str) -> None:
        self.path = path
        self._spider = spider
        self._ways: dict[tuple[str, Hops], None] = {}
        self._failures: dict[str, str] = {}
        self._began = UNDATED

    def note_dropped(self, request: Request) -> None:
        """Note the alias chain of a redirect that Scrapy drops because its destination was requested before."""
        urls = request.meta.get("redirect_urls")
        if urls and is_capturable(request.url):
            url = without_login(canonical_url(request.url))
            if hops := hops_of(urls, url):
                self._ways[url, hops] = None

    def note_failure(self, url: str, reason: str) -> None:
        """Note a page that the server refused, so that the spider yields no item for it."""
        if is_capturable(url):
            self._failures[without_login(canonical_url(url))] = reason

    @property
    def purpose(self) -> Purpose:
        """The identity of unfinished work: the name of the spider."""
        return Purpose(json.dumps(["items", self._spider]), f"scrapy crawl {self._spider}")

    def executions(self, database: ContentDatabase) -> list[Execution]:
        """Return an empty list: there are no commands."""
        return []

    def begin(self, writer: CaptureWriter) -> None:
        """Begin without commands. The catalog still gets the Web Capture information dictionary (14.10.2)."""
        self._began = writer.database.clock()
        catalog = writer.database.catalog
        if catalog.web_capture is None:
            catalog.web_capture = WebCaptureInfo()
        writer.begin([])

    def failures(self, database: ContentDatabase) -> Mapping[str, str]:
        """Return the noted failures, without pages that the run has captured after all."""
        for url in list(self._failures):
            moments = (source.updated for _, source in database.sources_at(url))
            if any(moment is not None and moment >= self._began for moment in moments):
                del self._failures[url]
        return self._failures

    def failed(self) -> Collection[str]:
        """Return the URLs of the failures."""
        return self._failures.keys()

    def settle(self, writer: CaptureWriter, *, is_complete: bool) -> None:
        """Add the noted chains to the page sets of their destinations (14.10.5.2).

        The destination of a chain may be part of another chain, which then has to be added first.
        """
        ways, later = list(self._ways), list[tuple[str, Hops]]()
        while ways and ways != later:
            later, ways = ways, [way for way in ways if not _add_way(writer.database, *way)]


def _add_way(database: ContentDatabase, url: str, hops: Hops) -> bool:
    """Add an alias chain to the last page set that came from a URL; False if there is none yet."""
    found = database.find_page_sets(url)
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
