"""The title, the languages, and the base URL of a page."""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from wcspider.engines.base import RenderTask
from wcspider.engines.document.absolute_urls import absolute
from wcspider.engines.document.html_trees import text_of
from wcspider.web.urls import is_capturable, split_fragment

_LANGUAGES: Final = etree.XPath("//@lang", smart_strings=False)


def title_of(root: Any) -> str:
    """Return the first title of a page that is not empty."""
    titles = (text_of(e) for e in root.iter("title") if getattr(e.getparent(), "tag", "") != "svg")
    return next(filter(None, titles), "")


def language_of(root: Any) -> str:
    """Return the language that the root element of a page declares; empty if it declares none."""
    return (root.get("lang") or "").strip()


def languages_of(root: Any) -> list[str]:
    """Return the languages that the elements of a page declare, in document order."""
    return list(_LANGUAGES(root))


def base_url(root: Any, task: RenderTask) -> str:
    """Return the URL against which the references of a page are resolved (HTML, 4.2.3)."""
    href = next((e.get("href") for e in root.iter("base") if e.get("href") is not None), "")
    base = split_fragment(absolute(task.url, href, task.encoding))[0]
    return base if is_capturable(base) else task.url
