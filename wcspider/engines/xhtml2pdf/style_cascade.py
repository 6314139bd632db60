"""The styles of elements, by the only style sheet: elements with the same path of names share them, on all pages."""

from __future__ import annotations

from functools import cache
from importlib import resources
from itertools import count
from typing import Any
from xml.dom.minidom import Element

from xhtml2pdf.context import pisaCSSBuilder, pisaCSSParser
from xhtml2pdf.w3c.css import CSSCascadeStrategy

MAX_PATHS = 20_000
"""How many paths of elements are kept with their styles."""

STYLES: dict[int, Any] = {}
"""The styles by `path_number`; xhtml2pdf fills it."""

_paths: dict[tuple[Any, ...], int] = {}
_numbers = count(1)


class _Builder(pisaCSSBuilder):  # type: ignore[misc]
    c: Any = None


class _Parser(pisaCSSParser):  # type: ignore[misc]
    c: Any = None


@cache
def cascade() -> Any:
    """Return the cascade of the only style sheet, with its parser."""
    parser = _Parser(_Builder(mediumSet=["all"]))
    parser.rootPath = ""
    text = resources.files("wcspider.engines.xhtml2pdf").joinpath("default.css").read_text("utf-8")
    made = CSSCascadeStrategy(userAgent=parser.parse(text))
    made.parser = parser
    return made


def path_number(element: Any, *_: Any) -> int:
    """Return a number for the names, directions and styles of an element and all elements around it."""
    known = getattr(element, "path_number", None)
    if known is None:
        parent = element.parentNode
        around = path_number(parent) if isinstance(parent, Element) else 0
        path = around, element.tagName, element.getAttribute("dir"), element.getAttribute("style")
        known = _paths.get(path)
        if known is None:
            known = _paths[path] = next(_numbers)
        element.path_number = known
    return int(known)


def begin_page() -> None:
    """Forget the styles of the pages before, if there are too many. The numbers go on, so that none means two paths."""
    if len(_paths) > MAX_PATHS:
        _paths.clear()
        STYLES.clear()
