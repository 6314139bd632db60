"""The report in a browser, with hostile texts in every place, in light and dark, wide and narrow."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.report.test_writing import HOSTILE, page_row, report
from tests.support.browser import assert_usable, opened_in
from wcspider.report.model import Rows, TreeNode
from wcspider.report.writing import write_html

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a file with hostile texts as titles and URLs."""
    reports = [report(text) for text in HOSTILE]
    folders = {text: TreeNode(text, {}, [page_row(text)], 1) for text in HOSTILE}
    merged = {
        field.name: {key: rows for each in reports for key, rows in getattr(each, field.name).items()}
        for field in fields(reports[0])
        if field.name in ("skipped", "incomplete")
    }
    rows = [page_row(text) for text in HOSTILE]
    signatures = [row for each in reports for row in each.signatures]
    whole = replace(
        reports[0], tree=TreeNode("", folders, [], len(HOSTILE)), pages=Rows(rows, 9), signatures=signatures, **merged
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(write_html(whole), "utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_hostile_texts_stay_texts(browser: Browser, hostile: Path, scheme: str, width: int) -> None:
    with opened_in(browser, hostile) as shown:
        page = shown.page
        page.click("#open-all")
        assert_usable(shown, hostile, scheme, width)
        assert page.locator(".page:visible").count() == len(HOSTILE)
        page.click("#close-all")
        assert page.locator(".page:visible").count() == 0


def test_a_printed_report_shows_what_is_folded(browser: Browser, hostile: Path) -> None:
    with opened_in(browser, hostile) as (page, _, _):
        page.click("#close-all")
        folded = page.locator("details:not([open])").count()
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert (folded > len(HOSTILE), page.locator("details:not([open])").count()) == (True, 0)
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("details:not([open])").count() == folded
