"""Pages with large styles: their references come from a worker process, or without the styles if that fails."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from wcspider.crawl.parsing import read_page
from wcspider.downloading.page_reading import read_beside
from wcspider.exceptions import EngineTimeoutError, WorkersStoppedError
from wcspider.web.resources import Resource
from wcspider.web.styles.responsive import DEFAULT_VIEWPORT

URL = "http://h/"
OPTIONS = {
    "link_charset": None,
    "default_charset": "utf-8",
    "viewport": DEFAULT_VIEWPORT,
    "max_links": 0,
    "max_references": 0,
}


def page(characters):
    rule = "p { background: url(/style.png) } "
    style = rule + "/**/" * (characters // 4)
    body = f"<title>t</title><img src=/first.png><style>{style}</style><img src=/last.png><a href=/next>next</a>"
    return Resource(URL, body.encode(), "text/html")


SMALL, LARGE = page(1000), page(100_000)


class Pool:
    """A pool that works in this process, or fails."""

    def __init__(self, error=None):
        self.error = error
        self.calls = 0

    async def run(self, function):
        self.calls += 1
        if self.error is not None:
            raise self.error
        return function()


def read(resource, pool, is_open=True):
    session = SimpleNamespace(is_open=is_open, job=SimpleNamespace(pool=pool))
    return asyncio.run(read_beside(session, resource, **OPTIONS))


@pytest.mark.parametrize(("resource", "calls"), [(SMALL, 0), (LARGE, 1)], ids=["small", "large"])
def test_only_large_styles_are_read_by_a_worker(resource, calls):
    pool = Pool()
    assert read(resource, pool) == read_page(resource, **OPTIONS)
    assert pool.calls == calls


def test_without_a_file_there_are_no_workers():
    assert read(LARGE, None, is_open=False) == read_page(LARGE, **OPTIONS)


def test_workers_that_were_stopped_lose_nothing():
    assert read(LARGE, Pool(WorkersStoppedError("stopped"))) == read_page(LARGE, **OPTIONS)


def test_styles_on_which_a_worker_fails_are_reported_as_cut():
    found = read(LARGE, Pool(EngineTimeoutError("too slow")))
    assert [entry.url for entry in found.references] == [f"{URL}first.png", f"{URL}last.png"]
    assert found.has_cut_styles
    assert [link.url for link in found.capture.links] == [f"{URL}next"]
