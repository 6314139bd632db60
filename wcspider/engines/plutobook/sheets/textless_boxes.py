"""Boxes without text: they keep their heights, while boxes of text are as high as their text.

Such boxes are empty, such as icons and the bars of charts, or contain only pictures and empty elements. They may also
be half transparent, because they lose no text.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.support import BARS
from wcspider.engines.plutobook.sheets.least_heights import HAS_LEAST_HEIGHT

MARK: Final = "data-wcspider-textless"
"""The attribute of these boxes, as far as a rule sets their height or their opacity."""

_DECLARED: Final = re.compile(f"{HAS_LEAST_HEIGHT.pattern}|opacity:(?!1$).*", re.IGNORECASE | re.DOTALL)
_BOXES: Final = (
    "div", "span", "i", "b", "em", "ul", "li", "p", "a", "figure", "picture", "svg", "progress", "meter", *BARS.values()
)  # fmt: skip
"""The elements that may be in such a box. Controls and frames, which may show text, are not among them."""


def _without_text(*tags: str) -> etree.XPath:
    known = " or ".join(f"self::{tag}" for tag in tags)
    # libxml2 ends a search behind its first node, but not that for a union.
    texts = "descendant::text()[normalize-space() and not(ancestor::svg)][1]"
    return etree.XPath(f"not({texts}) and not(descendant::*[not({known}) and not(ancestor::svg)][1])")


_IS_TEXTLESS: Final = _without_text(*_BOXES, "img")
_IS_CERTAINLY_TEXTLESS: Final = _without_text(*_BOXES)


def mark(styles: PageStyles) -> None:
    """Mark the boxes without text, before any of their values are read."""
    for element in styles.elements_with(_DECLARED, with_generated=False):
        if _IS_TEXTLESS(element):
            element.set(MARK, "")


def is_textless(element: Any, *, may_images_be_text: bool = True) -> bool:
    """Tell whether an element is a box without text. Images that cannot be shown become text."""
    return bool((_IS_CERTAINLY_TEXTLESS if may_images_be_text else _IS_TEXTLESS)(element))
