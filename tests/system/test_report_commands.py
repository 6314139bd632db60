"""``scrapy webcapture report`` and ``omitted``: their output, and the report in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ExampleCapture
from tests.support.browser import ShownPage, assert_accessible, open_in_browser
from tests.support.crawls import FIXED_TIME, webcapture


@pytest.fixture(scope="module")
def report(example: ExampleCapture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the example site."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    done = webcapture("report", example.pdf, "-o", path)
    assert (done.status, done.output, done.log) == (0, f"{path}\n", "")
    return path


@pytest.fixture(scope="module")
def browser_page(report: Path) -> Iterator[ShownPage]:
    """The report in a browser, with the messages of its console and the URLs of its requests."""
    with open_in_browser(report) as opened:
        yield opened


def test_the_report_needs_nothing_else(report: Path, browser_page: ShownPage) -> None:
    page, messages, requests = browser_page
    assert page.title().strip("\u2068\u2069") == "Report: \u2068example.pdf"
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [report.as_uri()]


def test_links_within_the_report_lead_somewhere(browser_page: ShownPage) -> None:
    page, _, _ = browser_page
    targets = page.eval_on_selector_all("a[href^='#']", "links => links.map(link => link.getAttribute('href'))")
    assert len(targets) >= 6
    assert [target for target in targets if page.locator(target).count() != 1] == []


def test_the_report_is_accessible(browser_page: ShownPage) -> None:
    page, _, _ = browser_page
    assert_accessible(page)


def test_pages_are_filtered_and_tables_sorted(browser_page: ShownPage) -> None:
    page, _, _ = browser_page
    total = page.locator(".page").count()
    page.fill("#filter", "log?a=1")
    assert page.locator(".page:visible").count() == 1
    assert page.inner_text("#found") == f"1 of {total} URLs"
    page.fill("#filter", "")
    assert page.locator(".page:visible").count() == total
    button = page.locator("#largest ~ .scroll table").first.get_by_role("button", name="Bytes")
    button.click()
    cells = page.eval_on_selector_all(
        "#largest ~ .scroll table:first-of-type td[data-value]",
        "cells => cells.map(cell => Number(cell.dataset.value))",
    )
    largest_pages = cells[: page.locator("#largest + .scroll tbody tr").count()]
    assert len(largest_pages) > 2
    assert largest_pages == sorted(largest_pages)


def test_omitted(example: ExampleCapture) -> None:
    done = webcapture("omitted", example.pdf)
    assert (done.status, done.log) == (0, "")
    lines = done.output.splitlines()
    assert "forbidden by robots.txt: 1" in lines
    assert f"    {example.site}/staff/rota.html  (linked from {example.site}/keepers.html, {FIXED_TIME})" in lines


def test_omitted_as_json(example: ExampleCapture) -> None:
    found: dict[str, Any] = json.loads(webcapture("omitted", example.pdf, "--json").output)
    [row] = [row for row in found["omitted"] if row["reason"] == "forbidden by robots.txt"]
    assert row == {
        "url": f"{example.site}/staff/rota.html",
        "reason": "forbidden by robots.txt",
        "linked_from": f"{example.site}/keepers.html",
        "redirects": [],
        "command": 0,
        "level": 3,
        "time": FIXED_TIME,
    }
    listed = json.loads(webcapture("list", example.pdf, "--json").output)
    assert listed["omitted"] == len(found["omitted"])


def test_a_report_that_cannot_be_written(example: ExampleCapture, tmp_path: Path) -> None:
    done = webcapture("report", example.pdf, "-o", tmp_path / "missing" / "report.html")
    assert (done.status, done.output) == (2, "")
    assert done.log.startswith(
        f"scrapy webcapture: {tmp_path}/missing: no such folder; create it, or name another folder"
    )
    assert list(tmp_path.iterdir()) == []
