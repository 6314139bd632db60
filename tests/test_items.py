"""Items made of responses, how they look to exporters, and the requests for their resources."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from itemadapter import ItemAdapter
from scrapy import FormRequest, Request
from scrapy.http import HtmlResponse, Response

from wcspider.crawl.inputs.file_name import output_path
from wcspider.crawl.reading.parsing import rendered_resource, resource_of
from wcspider.downloading.fetching.resource_requests import resource_request
from wcspider.exceptions import ArgumentError, InvalidURLError
from wcspider.items import CaptureItem
from wcspider.webcapture.records import FormCode

URL = "https://example.com/page"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

# flags of the response, meta of the request, what the spider says, whether a browser was there
RENDERED: list[tuple[list[str], dict[str, Any], bool | None, bool]] = [
    ([], {}, None, False),
    (["playwright"], {}, None, True),
    (["cached"], {"playwright": True}, None, True),  # the flag is lost in a cache
    ([], {"playwright": False}, None, False),
    ([], {}, True, True),
    (["playwright"], {}, False, False),
]


@pytest.mark.parametrize(("flags", "meta", "said", "expected"), RENDERED)
def test_pages_of_a_browser_are_told(flags: list[str], meta: dict[str, Any], said: bool | None, expected: bool) -> None:
    response = HtmlResponse(URL, body=b"", flags=flags, request=Request(URL, meta=meta))
    assert CaptureItem.from_response(response, is_rendered=said).is_rendered is expected


FORMS = [
    (Request(URL), None, FormCode.NONE),
    (Request(URL), FormCode.GET, FormCode.GET),
    (FormRequest(URL, formdata={"q": "x"}), None, FormCode.POST),
    (None, None, FormCode.NONE),
]


@pytest.mark.parametrize(("request_", "said", "expected"), FORMS)
def test_form_submissions_are_told(request_: Request | None, said: FormCode | None, expected: FormCode) -> None:
    assert CaptureItem.from_response(Response(URL, request=request_), form=said).form is expected


def test_a_response_from_nowhere_is_refused() -> None:
    with pytest.raises(InvalidURLError):
        CaptureItem.from_response(HtmlResponse("about:blank"))


def test_what_a_browser_made_is_html_in_utf8() -> None:
    headers = {"Content-Type": "text/plain; charset=iso-8859-1", "ETag": '"1"', "Cache-Control": "max-age=60"}
    text = '<html><head><meta charset="iso-8859-1"></head><body>Łódź</body></html>'
    response = HtmlResponse(URL, headers=headers, body=text, encoding="utf-8")
    found = rendered_resource(response, lambda: NOON)
    assert (found.body, found.content_type, found.charset) == (text.encode(), "text/html", "utf-8")
    assert (found.fetched, found.expires, found.etag) == (NOON, None, None)
    served = resource_of(response, lambda: NOON)
    assert (served.content_type, served.charset, served.etag) == ("text/plain", "iso-8859-1", '"1"')


def test_cache_control_may_come_in_several_lines() -> None:
    def expires(*lines: str) -> datetime | None:
        return resource_of(Response(URL, headers={"Cache-Control": lines}), lambda: NOON).expires

    assert expires("max-age=60", "public") == NOON + timedelta(minutes=1)
    assert expires("no-cache", "max-age=60") is None
    assert expires() is None


@pytest.mark.parametrize(
    ("lines", "nofollow"),
    [
        ([], False),
        (["nofollow"], True),
        (["noindex, NoFollow"], True),
        (["noindex", "none"], True),
        (["noindex, noarchive"], False),
        (["googlebot: nofollow"], False),
        (["googlebot: noindex, nofollow", "max-snippet: 9, nofollow"], True),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow"], True),
    ],
)
def test_robots_are_asked_not_to_follow_links(lines: list[str], nofollow: bool) -> None:
    assert resource_of(Response(URL, headers={"X-Robots-Tag": lines}), lambda: NOON).nofollow is nofollow


def test_an_item_is_a_line_without_bytes() -> None:
    item = CaptureItem.from_response(HtmlResponse(URL, body=b"<p>" + b"x" * 5000, request=Request(URL)))
    adapter = ItemAdapter(item)
    assert (adapter["url"], adapter["id"], adapter.get("price")) == (URL, "", None)
    assert all(not isinstance(value, bytes) for value in adapter.values())
    assert list(adapter) == list(adapter.field_names()) == ItemAdapter.get_field_names_from_class(CaptureItem)
    assert len(repr(item)) < 100
    with pytest.raises(KeyError):
        adapter["title"] = "other"
    with pytest.raises(KeyError):
        del adapter["title"]


PROXY = {"proxy": "http://proxy:8080", "_auth_proxy": "http://proxy:8080"}
LOGIN = {"Authorization": "Basic bWU6", "Proxy-Authorization": "Basic cHI6", "Cookie": "a=1", "X-Own": "1"}

# URL of a resource, meta and headers of its page's request, what of the two goes with it
CARRIED: list[tuple[str, dict[str, Any], dict[str, str], dict[str, Any], dict[str, str]]] = [
    ("/a.png", {}, {}, {}, {}),
    ("/a.png", {"cookiejar": 3, "depth": 2, "playwright": True}, {}, {"cookiejar": 3}, {}),
    ("/a.png", {"dont_cache": True}, {}, {"dont_cache": True}, {}),
    ("/a.png", {}, LOGIN, {}, {"Authorization": "Basic bWU6"}),
    ("https://example.com:443/a.png", {}, LOGIN, {}, {"Authorization": "Basic bWU6"}),
    ("https://example.com:8443/a.png", {}, LOGIN, {}, {}),
    ("http://example.com/a.png", {}, LOGIN, {}, {}),
    ("https://cdn.example.com/a.png", {}, LOGIN, {}, {}),
    ("https://cdn.example.com/a.png", PROXY, LOGIN, PROXY, {"Proxy-Authorization": "Basic cHI6"}),
    ("/a.png", {"proxy": "http://proxy:8080"}, {}, {"proxy": "http://proxy:8080"}, {}),
    ("/a.png", {**PROXY, "_scheme_proxy": True}, {"Proxy-Authorization": "Basic cHI6"}, {}, {}),
]


@pytest.mark.parametrize(("url", "meta", "headers", "carried", "sent"), CARRIED)
def test_resources_are_asked_for_as_their_page_was(
    url: str, meta: dict[str, Any], headers: dict[str, str], carried: dict[str, Any], sent: dict[str, str]
) -> None:
    absolute = url if ":" in url else f"https://example.com{url}"
    request = resource_request(absolute, Request(URL, meta=meta, headers=headers))
    assert request.meta == {"webcapture_asked": absolute, "allow_offsite": True, **carried}
    assert request.headers.to_unicode_dict() == sent


SPIDER = SimpleNamespace(name="own", _job="6487ec79", part=2)

# template, path
NAMES = [
    ("site.pdf", "site.pdf"),
    ("%(name)s.pdf", "own.pdf"),
    ("%(name)s/%(_job)s-%(part)s.pdf", "own/6487ec79-2.pdf"),
    ("%(time)s.pdf", "2026-03-01T12-00-00+00-00.pdf"),
    ("100%.pdf", "100%.pdf"),
    ("%s %20 %(name)d.pdf", "%s %20 %(name)d.pdf"),
]


@pytest.mark.parametrize(("template", "expected"), NAMES)
def test_names_of_files(template: str, expected: str) -> None:
    assert output_path(template, SPIDER, NOON) == Path(expected)


def test_what_belongs_to_a_file_may_have_its_name() -> None:
    assert output_path("/copies/%(file)s.pdf", SPIDER, NOON, Path("pdf/site.a.pdf")) == Path("/copies/site.a.pdf")
    with pytest.raises(ArgumentError, match=r"%\(nobody\)s; use %\(file\)s, %\(time\)s or"):
        output_path("%(nobody)s.pdf", SPIDER, NOON, Path("site.pdf"))
    with pytest.raises(ArgumentError, match=r"no attribute file for %\(file\)s; use %\(time\)s or"):
        output_path("%(file)s.pdf", SPIDER, NOON)


def test_a_parameter_that_the_spider_does_not_have_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"the spider has no attribute nobody for %\(nobody\)s; use %\(time\)s"):
        output_path("%(nobody)s.pdf", SPIDER, NOON)
