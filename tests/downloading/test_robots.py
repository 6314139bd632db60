"""robots.txt holds for each of the requests that wait for it at the same time."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from wcspider.downloading.robots import StrictRobotsTxtMiddleware

ALLOWED, FORBIDDEN = "http://example.com/open", "http://example.com/staff/rota"


async def outcomes(urls: list[str]) -> list[object]:
    """Send requests at the same time, before robots.txt has arrived; return the middleware's answer to each."""
    crawler = get_crawler(settings_dict={"ROBOTSTXT_OBEY": True})

    async def download(request: Request) -> Response:
        await asyncio.sleep(0)  # the others come to wait
        return Response(request.url, body=b"User-agent: *\nDisallow: /staff/")

    crawler.engine = SimpleNamespace(download_async=download)  # type: ignore[assignment]
    middleware = StrictRobotsTxtMiddleware.from_crawler(crawler)
    waiting = (middleware.process_request(Request(url)) for url in urls)
    return await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.parametrize("number", [1, 2, 3, 10])
def test_no_request_gets_past_robots_txt(number: int) -> None:
    found = asyncio.run(outcomes([*[FORBIDDEN] * number, *[ALLOWED] * number]))
    assert [isinstance(outcome, IgnoreRequest) for outcome in found] == [True] * number + [False] * number
