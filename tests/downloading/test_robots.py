"""robots.txt holds for each of the requests that wait for it at the same time, and its absence is no permission."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from wcspider.crawl.messages.log import shorten
from wcspider.downloading.decompress import UndecodableError
from wcspider.downloading.retry import LongPauseError
from wcspider.downloading.robots import UNREACHABLE, StrictRobotsTxtMiddleware
from wcspider.web.codings import NOT_COMPRESSED

ALLOWED, FORBIDDEN = "http://example.com/open", "http://example.com/staff/rota"


async def outcomes(urls: list[str], error: Exception | None = None, status: int = 200) -> list[object]:
    """Send requests at the same time, before robots.txt has arrived; return the middleware's answer to each."""
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})

    async def download(request: Request) -> Response:
        await asyncio.sleep(0)  # the others come to wait
        if error is not None:
            raise error
        return Response(request.url, status, body=b"User-agent: *\nDisallow: /staff/")

    crawler.engine = SimpleNamespace(download_async=download)  # type: ignore[assignment]
    middleware = StrictRobotsTxtMiddleware.from_crawler(crawler)
    waiting = (middleware.process_request(Request(url)) for url in urls)
    return await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_no_request_gets_past_robots_txt(number: int) -> None:
    found = asyncio.run(outcomes([*[FORBIDDEN] * number, *[ALLOWED] * number]))
    assert [isinstance(outcome, IgnoreRequest) for outcome in found] == [True] * number + [False] * number


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DownloadTimeoutError("late"), "robots.txt cannot be fetched: timed out"),
        (LongPauseError("HTTP 503, wait"), "robots.txt cannot be fetched: HTTP 503, wait"),
        (UndecodableError(NOT_COMPRESSED), f"robots.txt cannot be fetched: {NOT_COMPRESSED}"),
        (DownloadConnectionRefusedError("no"), "connection refused"),
        (CannotResolveHostError("no"), "host not found"),
    ],
)
def test_a_host_that_does_not_answer_forbids_everything(
    error: Exception, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    shorten()
    with caplog.at_level(logging.INFO):
        found = asyncio.run(outcomes([FORBIDDEN, ALLOWED], error))
    assert [(type(outcome), str(outcome)) for outcome in found] == [(IgnoreRequest, reason)] * 2
    said = [record.message for record in caplog.records if "robots" in record.name]
    assert said == [f"The robots.txt of example.com cannot be fetched: {reason.removeprefix(UNREACHABLE + ': ')}"]


def test_a_robots_txt_that_is_refused_here_forbids_nothing() -> None:
    """Its redirects lead nowhere, for example (RFC 9309, 2.3.1.2)."""
    assert asyncio.run(outcomes([FORBIDDEN, ALLOWED], IgnoreRequest("too many redirects"))) == [None, None]


@pytest.mark.parametrize(("status", "is_allowed"), [(404, True), (403, True), (429, False), (500, False), (503, False)])
def test_an_error_page_contains_no_rules(status: int, is_allowed: bool) -> None:
    found = asyncio.run(outcomes([FORBIDDEN, ALLOWED], status=status))
    reason = f"robots.txt cannot be fetched: HTTP {status}"
    assert [outcome and str(outcome) for outcome in found] == [None if is_allowed else reason] * 2
