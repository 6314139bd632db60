"""robots.txt holds for each of the requests that wait for it at the same time."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from wcspider.crawl.messages.log import shorten
from wcspider.downloading.robots import StrictRobotsTxtMiddleware

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


def test_without_robots_txt_everything_is_allowed_and_one_line_says_why(caplog: pytest.LogCaptureFixture) -> None:
    shorten()
    with caplog.at_level(logging.INFO):
        assert asyncio.run(outcomes([FORBIDDEN, ALLOWED], DownloadTimeoutError("late"))) == [None, None]
    said = [record.message for record in caplog.records if "robots" in record.name]
    assert said == ["The robots.txt of example.com cannot be fetched: timed out"]


@pytest.mark.parametrize(
    ("status", "line"), [(404, []), (503, ["The robots.txt of example.com cannot be fetched: HTTP 503"])]
)
def test_an_error_page_contains_no_rules(status: int, line: list[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert asyncio.run(outcomes([FORBIDDEN, ALLOWED], status=status)) == [None, None]
    assert [record.message for record in caplog.records if "robots" in record.name] == line
