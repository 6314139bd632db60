"""The capture session as a component: its spiders, the end of a crawl, and the objects that the stages share."""

from __future__ import annotations

import asyncio
import warnings
from pathlib import Path
from typing import Any

import pytest
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.test import get_crawler

from tests.support.crawlers import OWN, OtherSpider, make_crawler
from wcspider.crawl.session import CaptureSession, capturing_session_of, session_of
from wcspider.downloading.fetching.resource_fetcher import ResourceFetcher
from wcspider.exceptions import ArgumentError, DeliveryError, ExitStatus, TargetNotWritableError
from wcspider.spiders.capture import CaptureSpider


@pytest.mark.parametrize(("pdf", "captures"), [("", False), ("site.pdf", True)])
def test_a_spider_of_another_project_takes_part_if_a_file_is_set(pdf: str, captures: bool) -> None:
    crawler = make_crawler(WEBCAPTURE_PDF=pdf)
    assert session_of(crawler).captures is captures
    if captures:
        assert capturing_session_of(crawler) is session_of(crawler)
    else:
        with pytest.raises(NotConfigured):
            capturing_session_of(crawler)


def test_the_spiders_of_wcspider_take_part() -> None:
    crawler = make_crawler(CaptureSpider, {"url": "http://h/", "pdf": "site.pdf"})
    assert session_of(crawler).captures


def test_a_wrong_setting_turns_the_session_off() -> None:
    crawler = get_crawler(OtherSpider, {**OWN, "WEBCAPTURE_WORKERS": "many", "EXTENSIONS": {}})
    with pytest.raises(NotConfigured, match="WEBCAPTURE_WORKERS is 'many'"):
        CaptureSession.from_crawler(crawler)
    with pytest.raises(NotConfigured, match="CaptureSession is not enabled"):
        session_of(crawler)


def test_a_part_is_made_once() -> None:
    session = session_of(make_crawler(WEBCAPTURE_PDF="site.pdf"))
    assert session.shared(ResourceFetcher) is session.shared(ResourceFetcher)
    session.shared(ResourceFetcher).close()


# error of the session, exit status
STATUSES = [
    (None, ExitStatus.FAILURE),
    (TargetNotWritableError("full"), ExitStatus.FAILURE),
    (DeliveryError("lost"), ExitStatus.NOT_DELIVERED),
    (ArgumentError("wrong"), ExitStatus.USAGE),
]


@pytest.mark.parametrize(("problem", "status"), STATUSES)
def test_exit_statuses(problem: Any, status: ExitStatus) -> None:
    session = session_of(make_crawler(WEBCAPTURE_PDF="site.pdf"))
    session.end.problem = problem
    assert session.exit_status is status


def test_without_a_file_the_exit_status_is_success() -> None:
    assert session_of(make_crawler()).exit_status is ExitStatus.SUCCESS


def test_a_file_that_cannot_be_used_closes_another_projects_spider(tmp_path: Path) -> None:
    crawler = make_crawler(WEBCAPTURE_PDF=str(tmp_path / "nowhere" / "site.pdf"))
    with pytest.raises(CloseSpider) as caught:
        session_of(crawler).spider_opened(crawler.spider)
    assert caught.value.reason == "target_failed"
    assert session_of(crawler).exit_status is ExitStatus.FAILURE


def test_an_error_closes_the_spider_once_without_deprecated_calls() -> None:
    crawler = make_crawler(WEBCAPTURE_PDF="site.pdf")
    session = session_of(crawler)
    reasons: list[str] = []

    class Engine:
        """Only takes the reason: a real engine would need a running crawl."""

        async def close_spider_async(self, *, reason: str) -> None:
            reasons.append(reason)

    async def fail_twice() -> None:
        session.stop(TargetNotWritableError("disk full"))
        session.stop(TargetNotWritableError("disk still full"))
        await asyncio.sleep(0)

    crawler.engine = Engine()  # type: ignore[assignment]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(fail_twice())
    assert (reasons, str(session.end.problem).partition(";")[0]) == (["target_failed"], "disk full")
