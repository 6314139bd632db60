"""A page in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class ShownPage(NamedTuple):
    """A page, the messages of its console with its errors, and the URLs of its requests."""

    page: Page
    messages: list[str]
    requests: list[str]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium; skip the tests where there is none."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened_in(browser: Browser, path: Path) -> Iterator[ShownPage]:
    """Open an HTML file in a browser session of its own."""
    with browser.new_context() as session:
        found = ShownPage(session.new_page(), [], [])
        found.page.on("console", lambda message: found.messages.append(message.text))
        found.page.on("pageerror", lambda error: found.messages.append(str(error)))
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.goto(path.as_uri())
        yield found


@contextmanager
def open_in_browser(path: Path) -> Iterator[ShownPage]:
    """Open an HTML file in a browser that runs for this file alone."""
    with chromium() as browser, opened_in(browser, path) as found:
        yield found


def assert_accessible(page: Page) -> None:
    """Assert that axe has examined a page and found no violation."""
    found = Axe().run(page)
    assert found.response["passes"]
    assert found.violations_count == 0, found.generate_report()


def assert_usable(shown: ShownPage, path: Path, scheme: str, width: int) -> None:
    """Assert that an HTML file is accessible, fits the window, needs no other file and reports no error."""
    shown.page.set_viewport_size({"width": width, "height": 900})
    shown.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert_accessible(shown.page)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    requests = [url for url in shown.requests if not url.startswith("data:")]
    assert (shown.messages, requests) == ([], [path.as_uri()])
