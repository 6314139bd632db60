"""Boxes with so much text that a page may end in them.

PlutoBook lays out positioned boxes, inline blocks and columns in one piece: the end of a page cuts a line of text, and
all pages of the first column come before the second. So such a box becomes a block. If it has a width of its own, such
as a sidebar, it becomes a float that takes no room from the boxes beside it. Shorter columns stay on one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import tinycss2
from lxml import etree

from wcspider.engines.document.html_trees import STYLED
from wcspider.engines.plutobook.css.style_rules import serialized

MARK: Final = "data-wcspider-long-box"
"""The attribute of elements with as many characters as `HALF_PAGE`. Its value is "page" from `PAGE` characters."""

HALF_PAGE: Final = 1_500
PAGE: Final = 3_000

_LONG_CHILDREN: Final = etree.XPath(f"*[string-length(normalize-space()) >= {HALF_PAGE}]")
_IS_LONGER: Final = etree.XPath(f"string-length(normalize-space()) >= {PAGE}")
_OUT_OF_FLOW: Final = frozenset({"absolute", "fixed"})
_BLOCKS: Final = {"inline-block": "block", "inline-flex": "flex", "inline-table": "table"}
_COLUMNS: Final = ("columns", "column-count", "column-width")
_HIDING: Final = {"display": "none", "visibility": "hidden", "opacity": "0"}
_NO_WIDTH: Final = frozenset({"", "auto", "100%", "100vw"})
_OFFSETS: Final = ("top", "right", "bottom", "left")
_IMPORTANT: Final = frozenset({"position", "display", *_COLUMNS})
_SELECTORS: Final = {0: "*", HALF_PAGE: f"[{MARK}]", PAGE: f'[{MARK}="page"]'}
_NAMES: Final = ("position", "inline-", "column")
"""Parts of the declarations that matter."""


def rules(selector: str, declarations: Sequence[Any]) -> Iterator[str]:
    """Yield the rules for the long elements of a selector; none if its declarations leave them in the flow."""
    for length, found in in_flow(declarations).items():
        yield f":is({selector}):where({_SELECTORS[length]}){{{found}}}"


def in_flow(declarations: Sequence[Any]) -> Mapping[int, str]:
    """Return the declarations that put elements into the flow, by the number of characters from which they apply."""
    values = {d.lower_name: serialized(d.value).lower() for d in declarations}
    if any(values.get(name) == value for name, value in _HIDING.items()):
        return {}
    columns = [name for name in _COLUMNS if name in values]
    found: dict[int, list[str]] = {0: [], HALF_PAGE: [], PAGE: []}
    if columns:
        found[0] = ["break-inside:avoid"]
        found[PAGE] = ["break-inside:auto", *(f"{name}:auto" for name in columns)]
    if values.get("display") in _BLOCKS:
        found[PAGE].append(f"display:{_BLOCKS[values['display']]}")
    if values.get("position") in _OUT_OF_FLOW:
        found[HALF_PAGE] = _placed(values)
    elif values.get("position") == "relative":
        found[HALF_PAGE] = [f"{side}:auto" for side in ("top", "bottom") if side in values]
    suffix = "!important" if any(d.important for d in declarations if d.lower_name in _IMPORTANT) else ""
    return {length: ";".join(f"{text}{suffix}" for text in texts) for length, texts in found.items() if texts}


def _placed(values: Mapping[str, str]) -> list[str]:
    """Return the declarations for a positioned box, with its offsets as margins."""
    found = ["position:relative", *(f"{side}:auto" for side in _OFFSETS)]
    if "transform" in values:  # such as that of a box in the middle, whose offset is half of the room
        return [*found, "transform:none"]
    offsets = {side: values[side] for side in ("top", "right", "left") if values.get(side, "auto") != "auto"}
    if values.get("width", "") not in _NO_WIDTH:
        side, other = ("right", "left") if "right" in offsets and "left" not in offsets else ("left", "right")
        offsets.pop(other, None)
        found += [f"float:{side}", f"margin-{other}:-100%"]
    if offsets.get("top", "").endswith("%"):
        del offsets["top"]  # a share of the height
    return found + [f"margin-{side}:{value}" for side, value in offsets.items()]


def mark(root: Any, sheets: Sequence[str]) -> None:
    """Mark the long elements of a page for the rules of its style sheets, and put those with STYLE into the flow."""
    styled = [element for element in STYLED(root) if any(name in element.get("style") for name in _NAMES)]
    if not styled and not any(MARK in sheet for sheet in sheets):
        return
    open_elements = [root]
    while open_elements:
        for child in _LONG_CHILDREN(open_elements.pop()):
            child.set(MARK, "page" if _IS_LONGER(child) else "")
            open_elements.append(child)
    for element in styled:
        style, length = element.get("style"), _length_of(element)
        items = tinycss2.parse_blocks_contents(style, True, True)
        found = in_flow([item for item in items if item.type == "declaration"])
        element.set("style", ";".join((style, *(text for least, text in found.items() if least <= length))))


def _length_of(element: Any) -> int:
    """Return the least number of characters that an element has according to its mark."""
    mark = element.get(MARK)
    return 0 if mark is None else PAGE if mark else HALF_PAGE
