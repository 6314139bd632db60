"""The title, the base URL, and the style sheets of a page."""

from __future__ import annotations

from typing import Any, Protocol

from wcspider.engines.base import RenderTask
from wcspider.engines.document.absolute_urls import absolute
from wcspider.engines.document.html_trees import elements, text_of
from wcspider.web.styles.responsive import Viewport, applies
from wcspider.web.urls import is_capturable, split_fragment


class StyleSheets(Protocol):
    """The style sheets of a page, in order."""

    def add_text(self, text: str, base: str) -> None:
        """Add the contents of a STYLE element of a page whose base URL is `base`."""

    def add_linked(self, url: str) -> None:
        """Add the style sheet at `url`, after the style sheets that it imports."""


def title_of(root: Any) -> str:
    """Return the first title of a page that is not empty."""
    titles = (text_of(e) for e in root.iter("title") if getattr(e.getparent(), "tag", "") != "svg")
    return next(filter(None, titles), "")


def base_url(root: Any, task: RenderTask) -> str:
    """Return the URL against which the references of a page are resolved (HTML, 4.2.3)."""
    href = next((e.get("href") for e in root.iter("base") if e.get("href") is not None), "")
    base = split_fragment(absolute(task.url, href, task.encoding))[0]
    return base if is_capturable(base) else task.url


def add_style_sheets(root: Any, sheets: StyleSheets, viewport: Viewport, base: str, encoding: str) -> None:
    """Add the contents of the STYLE elements of a page, and the linked style sheets."""
    for element in elements(root, ("link", "style")):
        if element.get("type", "").strip().lower() not in ("", "text/css"):
            continue
        if not applies(element.get("media", ""), viewport):
            continue
        if element.tag == "style":
            sheets.add_text("".join(element.itertext()), base)
        elif set(element.get("rel", "").lower().split()) & {"stylesheet", "alternate"} == {"stylesheet"}:
            sheets.add_linked(absolute(base, element.get("href", ""), encoding))
