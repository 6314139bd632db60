"""A page in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
_FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


class ShownPage(NamedTuple):
    """A page, the messages of its console with its errors, and the URLs of its requests."""

    page: Page
    messages: list[str]
    requests: list[str]


@contextmanager
def open_in_browser(path: Path) -> Iterator[ShownPage]:
    """Open an HTML file in Chromium; skip the test where there is none."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
        found = ShownPage(browser.new_page(), [], [])
        found.page.on("console", lambda message: found.messages.append(message.text))
        found.page.on("pageerror", lambda error: found.messages.append(str(error)))
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.goto(path.as_uri())
        yield found
        browser.close()
