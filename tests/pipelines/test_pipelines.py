"""The pipelines as components."""

from __future__ import annotations

import asyncio
import inspect
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import HtmlResponse, Response

from tests.support.crawlers import make_crawler
from wcspider import settings
from wcspider.engines.base import Step
from wcspider.items import CaptureItem, FormCode
from wcspider.pipelines import auxiliary
from wcspider.pipelines.auxiliary import AuxiliaryPipeline
from wcspider.pipelines.read import ReadPipeline
from wcspider.pipelines.render import RenderPipeline, steps_for
from wcspider.pipelines.store import StorePipeline
from wcspider.web.resources import Resource
from wcspider.web.styles.responsive import Viewport
from wcspider.web.styles.sheets import Sheet, read_sheet
from wcspider.webcapture.resource_limits import Allowance

URL = "https://example.com/page"
HTML = b"<title>Page</title><p>text <a href=/other>other</a><img src=a.png>"
TYPE = {"Content-Type": "text/html"}
STAGES = [AuxiliaryPipeline, RenderPipeline, StorePipeline]


def read(response: Response, **options: Any) -> CaptureItem:
    pipeline = ReadPipeline.from_crawler(make_crawler())
    item: CaptureItem = asyncio.run(pipeline.process_item(CaptureItem.from_response(response, **options)))
    return item


def test_the_pipelines_are_those_of_the_settings() -> None:
    paths = [f"{kind.__module__}.{kind.__qualname__}" for kind in (ReadPipeline, *STAGES)]
    assert list(settings.ITEM_PIPELINES) == paths


def test_a_page_is_read() -> None:
    item = read(HtmlResponse(URL, body=HTML, headers=TYPE, request=Request(URL, method="POST")))
    assert (item.title, item.form, item.response) == ("Page", FormCode.POST, None)
    assert [link.url for link in item.links] == ["https://example.com/other"]
    assert [reference.url for reference in item.references] == ["https://example.com/a.png"]
    assert (item.resource.body, item.resource.content_type) == (HTML, "text/html")


def test_the_title_of_the_spider_goes_before_that_of_the_page() -> None:
    assert read(HtmlResponse(URL, body=HTML, headers=TYPE), title="Mine").title == "Mine"


def test_a_title_may_be_set() -> None:
    item = read(HtmlResponse(URL, body=HTML, headers=TYPE))
    item.title = "Other"
    assert (item.title, item.capture.title) == ("Other", "Other")


def test_another_type_is_dropped() -> None:
    with pytest.raises(DropItem, match="not captured: application/zip"):
        read(Response(URL, body=b"PK", headers={"Content-Type": "application/zip"}))


def test_items_without_a_file_are_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    pipeline = ReadPipeline.from_crawler(make_crawler())
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            asyncio.run(pipeline.process_item(CaptureItem.from_response(HtmlResponse(URL, body=HTML, headers=TYPE))))
    assert [record.message for record in caplog.records if "WEBCAPTURE_PDF" in record.message] == [
        "Capture items are not stored: set WEBCAPTURE_PDF to the name of a PDF file"
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_without_a_file_the_stages_are_off(stage: Any) -> None:
    with pytest.raises(NotConfigured):
        stage.from_crawler(make_crawler())


@pytest.mark.parametrize("stage", [ReadPipeline, *STAGES])
def test_items_of_other_kinds_pass(stage: Any) -> None:
    pipeline = stage.from_crawler(make_crawler(WEBCAPTURE_PDF="site.pdf"))
    item = {"price": 1}
    found = pipeline.process_item(item)
    assert (asyncio.run(found) if inspect.iscoroutine(found) else found) is item
    if stage is AuxiliaryPipeline:
        pipeline.close_spider()  # removes its temporary file


@pytest.mark.parametrize(
    ("media_type", "engine", "steps"),
    [
        ("text/html", "plutobook", [Step.FULL, Step.NO_AUTHOR_STYLES, Step.SIMPLER_ENGINE, Step.TEXT_ONLY]),
        ("text/html", "xhtml2pdf", [Step.FULL, Step.NO_AUTHOR_STYLES, Step.TEXT_ONLY]),
        ("image/svg+xml", "plutobook", [Step.FULL, Step.SIMPLER_ENGINE]),
        ("image/svg+xml", "xhtml2pdf", [Step.FULL]),
        ("image/png", "plutobook", [Step.FULL]),
    ],
)
def test_the_steps_to_try_with_a_page(media_type: str, engine: str, steps: list[Step]) -> None:
    item = read(Response(URL, body=b"text", headers={"Content-Type": media_type}))
    assert steps_for(item, engine) == steps


def test_pages_that_share_a_style_sheet_wait_for_one_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(body: bytes, charset: str | None, url: str, **options: Any) -> Sheet:
        read.append(url)
        return read_sheet(body, charset, url, **options)

    monkeypatch.setattr(auxiliary, "read_sheet", counted)
    pipeline: Any = AuxiliaryPipeline(Any, Any, Any)
    sheet = Resource("https://example.com/s.css", b"p { background: url(a.png) }", "text/css")
    gathering: Any = SimpleNamespace(viewport=Viewport("print"), allowance=Allowance())

    async def gather() -> list[Sheet]:
        return await asyncio.gather(*(pipeline._nested(sheet, "utf-8", gathering) for _ in range(5)))

    found = asyncio.run(gather())
    assert [[reference.url for reference in one.references] for one in found] == [["https://example.com/a.png"]] * 5
    assert read == [sheet.url]
