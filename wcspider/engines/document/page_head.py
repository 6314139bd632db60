"""The title, the language, the base URL, and the style sheets of a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.document.absolute_urls import absolute, asset_key
from wcspider.engines.document.html_trees import elements, text_of
from wcspider.web.styles.css import MAX_IMPORT_DEPTH
from wcspider.web.styles.responsive import Viewport, applies
from wcspider.web.urls import is_capturable, split_fragment


class StyleSheets(ABC):
    """A collector of the style sheets of a page, in order. Each comes after the style sheets that it imports."""

    def __init__(self, assets: Mapping[str, Asset], viewport: Viewport) -> None:
        self._assets, self._viewport = assets, viewport

    def add_linked(self, url: str, depth: int = 0) -> None:
        """Add the style sheet at `url`."""
        asset = self._assets.get(asset_key(url, url))
        if asset is not None and depth <= MAX_IMPORT_DEPTH:
            self._add(asset.body, asset.charset, asset.url or url, depth)

    def add_text(self, text: str, base: str) -> None:
        """Add the contents of a STYLE element of a page whose base URL is `base`."""
        self._add(text.encode("utf-8", "replace"), "utf-8", base, 0)

    def _add(self, body: bytes, charset: str | None, url: str, depth: int) -> None:
        sheet = self.read(body, charset, url)
        for imported in sheet.imports:
            self.add_linked(imported, depth + 1)
        self.keep(sheet)

    @abstractmethod
    def read(self, body: bytes, charset: str | None, url: str) -> Any:
        """Return a style sheet with the attribute ``imports``: the URLs of the style sheets that it imports."""

    @abstractmethod
    def keep(self, sheet: Any) -> None:
        """Add the rules of a style sheet that was read."""

    def add_all(self, root: Any, base: str, encoding: str) -> None:
        """Add the contents of the STYLE elements of a page, and the linked style sheets."""
        for element in elements(root, ("link", "style")):
            if element.get("type", "").strip().lower() not in ("", "text/css"):
                continue
            if not applies(element.get("media", ""), self._viewport):
                continue
            if element.tag == "style":
                self.add_text("".join(element.itertext()), base)
            elif set(element.get("rel", "").lower().split()) & {"stylesheet", "alternate"} == {"stylesheet"}:
                self.add_linked(absolute(base, element.get("href", ""), encoding))


def title_of(root: Any) -> str:
    """Return the first title of a page that is not empty."""
    titles = (text_of(e) for e in root.iter("title") if getattr(e.getparent(), "tag", "") != "svg")
    return next(filter(None, titles), "")


def language_of(root: Any) -> str:
    """Return the language that the root element of a page declares; empty if it declares none."""
    return (root.get("lang") or "").strip()


def base_url(root: Any, task: RenderTask) -> str:
    """Return the URL against which the references of a page are resolved (HTML, 4.2.3)."""
    href = next((e.get("href") for e in root.iter("base") if e.get("href") is not None), "")
    base = split_fragment(absolute(task.url, href, task.encoding))[0]
    return base if is_capturable(base) else task.url
