"""The status page in a browser, with hostile names, in light and dark, wide and narrow."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser import assert_usable, opened_in
from wcspider.report.status.status_page import write_status
from wcspider.report.status.status_rows import FileRow, JobRow, State, StatusPage

pytestmark = pytest.mark.slow

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOSTILE = ["<script>alert(1)</script>", '" onclick="alert(1)', "\u202egnp", "a\u2028b", "x" * 10_000, "ملف", "plain"]


@pytest.fixture(scope="module")
def status(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with a row in each state, and hostile texts in every place."""
    rows = list(zip(HOSTILE, [*State, *State], strict=False))
    files = [
        FileRow(f"{text}.pdf", state, text, text, 2_000_000, 12, text, MOMENT, {text: 1}, f"{text}.html")
        for text, state in rows
    ]
    jobs = [JobRow(f"refresh/{text}", state, MOMENT, text, f"{text}.pdf") for text, state in rows]
    path = tmp_path_factory.mktemp("status") / "status.html"
    path.write_text(write_status(StatusPage(HOSTILE[0], MOMENT, files, jobs, 3)), "utf-8")
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_it_is_accessible_and_needs_nothing_else(browser: Browser, status: Path, scheme: str, width: int) -> None:
    with opened_in(browser, status) as shown:
        assert_usable(shown, status, scheme, width)
        links = shown.page.eval_on_selector_all("a", "links => links.map(link => link.getAttribute('href'))")
        assert len(links) == len(HOSTILE)
        assert all(link.startswith("./") for link in links)
