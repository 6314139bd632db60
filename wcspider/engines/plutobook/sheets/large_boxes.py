"""Boxes whose contents may be longer than a page, or wider.

PlutoBook lays out positioned boxes, inline blocks and columns in one piece: the end of a page cuts a line of text, and
all pages of the first column come before the second. So such a box becomes a block. If it has a width of its own, such
as a sidebar, it becomes a float that takes no room from the boxes beside it. Shorter columns stay on one page.

A box that hides its overflow would cut off wide tables, and the page would not be made smaller for them. So it shows
its overflow if it has a table. But a block beside a float needs its overflow to stay beside it, unless a table has many
columns.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, Final

import cssselect2
from lxml import etree

from wcspider.engines.document.html_trees import HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, OUTSIDE, PageStyles, boxes_in
from wcspider.engines.plutobook.css.selectors import extended
from wcspider.web.styles.tokens import declarations_of, serialized

LONG_BOX: Final = "data-wcspider-long-box"
"""The attribute of elements with `LONG` characters, or as much code. Its value is "page" from `LONGER` characters."""

WIDE_BOX: Final = "data-wcspider-wide-box"
"""The attribute of elements with a table that may be wide."""

LONG: Final = 1_500
"""The number of characters of about half a page."""

LONGER: Final = 3_000
LINE: Final = 66
"""The number of characters that a line of code counts as. Most of its lines are shorter than the page is wide."""

MANY: Final = 5
"""The number of columns of a table that is probably wide."""

AS_BLOCKS: Final = {"inline-block": "block", "inline-flex": "flex", "inline-table": "table"}
"""The values of `display` of boxes that begin a new line, by those of boxes in a line."""

COLUMNS: Final = ("columns", "column-count", "column-width")
"""The properties that divide a box into columns."""

OF_ANY: Final = "*"
OF_LONGER: Final = f'[{LONG_BOX}="page"]'
OF_WIDE: Final = f"[{WIDE_BOX}]"
"""The selectors of the boxes to which declarations apply."""

_HAS_LENGTH: Final = (
    "(string-length(normalize-space()) >= {0} or "
    f"descendant-or-self::pre[(string-length() - string-length(translate(., '\n', ''))) * {LINE} >= {{0}}])"
)
_LONG_CHILDREN: Final = etree.XPath(f"*[{_HAS_LENGTH.format(LONG)}]")
_IS_LONGER: Final = etree.XPath(_HAS_LENGTH.format(LONGER))
_TABLES: Final = "//tr[position() < 3][count(td | th) >= {}]/ancestor::table[1]"
_TABLES_WITH_COLUMNS: Final = etree.XPath(_TABLES.format(2))
_WIDE_TABLES: Final = etree.XPath(_TABLES.format(MANY))
_FLOATING: Final = re.compile("float:(?!none).*", re.IGNORECASE | re.DOTALL)
_CLIPPING: Final = frozenset({"hidden", "auto", "scroll", "clip", "overlay"})
_HIDING: Final = {"display": "none", "visibility": "hidden", "opacity": "0"}
_NO_WIDTH: Final = frozenset({"", "auto", "100%", "100vw"})
_NO_HEIGHT: Final = frozenset({"0", "0px"})
_OFFSETS: Final = ("top", "right", "bottom", "left")
_IMPORTANT: Final = frozenset({"position", "display", "overflow", *COLUMNS})
_HIDDEN: Final = re.compile(
    r"display:none.*|visibility:hidden.*|opacity:0|(width|height):[01](px)?|clip:(?!auto).*|(left|top|text-indent):-\d{3,}.*",
    re.IGNORECASE,
)
"""Declarations of elements that may be invisible."""

_POSITIONED: Final = re.compile(f"position:({'|'.join((*OUT_OF_FLOW, 'relative'))})", re.IGNORECASE)
MOST_IN_ONE_PIECE: Final = 100
"""The number of elements in a box up to which it probably fits on a page."""

_FITS: Final = etree.XPath(f"count(descendant::*) <= {MOST_IN_ONE_PIECE}")
_NAMES: Final = ("position", "inline-", "column", "overflow")
"""Parts of the declarations that matter."""


def rules(selector: str, declarations: Sequence[Any]) -> Iterator[str]:
    """Yield the rules for the large boxes of a selector; none if its declarations suit them."""
    for boxes, found in suited(declarations).items():
        yield f"{extended(selector, f':where({boxes})')}{{{found}}}"
        if boxes == OF_WIDE:  # the box still contains its floats
            yield f':where({selector}):where({boxes})::after{{content:"";display:block;clear:both}}'


def suited(declarations: Sequence[Any]) -> Mapping[str, str]:
    """Return the declarations that suit large boxes, by the selectors of these boxes."""
    values = {d.lower_name: serialized(d.value).lower() for d in declarations}
    if is_hidden(values):
        return {}
    found: dict[str, list[str]] = {OF_ANY: [], OF_LONGER: [], OF_WIDE: []}
    columns = [name for name in COLUMNS if name in values]
    if columns:
        found[OF_ANY] = ["break-inside:avoid"]
        found[OF_LONGER] = ["break-inside:auto", *(f"{name}:auto" for name in columns)]
    if values.get("display") in AS_BLOCKS:
        found[OF_LONGER].append(f"display:{AS_BLOCKS[values['display']]}")
    overflow = (values.get(name) for name in ("overflow", "overflow-x"))
    if not _CLIPPING.isdisjoint(overflow) and _NO_HEIGHT.isdisjoint(map(values.get, ("height", "max-height"))):
        found[OF_WIDE] = ["overflow:visible"]
    suffix = "!important" if any(d.important for d in declarations if d.lower_name in _IMPORTANT) else ""
    return {boxes: ";".join(f"{text}{suffix}" for text in texts) for boxes, texts in found.items() if texts}


def is_hidden(values: Mapping[str, str]) -> bool:
    """Tell whether a box with these declared values cannot be seen."""
    return any(values.get(name) == value for name, value in _HIDING.items())


def placed(values: Mapping[str, str]) -> str:
    """Return the declarations for a positioned box with these values, with its offsets as margins; "" for others."""
    if values.get("position") == "relative":
        moved = {side: values[side] for side in ("top", "bottom") if values.get(side, "auto") != "auto"}
        margin = "%" not in moved.get("top", "%") and "margin-top" not in values
        return ";".join((*(f"{side}:auto" for side in moved), *([f"margin-top:{moved['top']}"] if margin else ())))
    if values.get("position") not in OUT_OF_FLOW or is_hidden(values):
        return ""
    found = ["position:relative", *(f"{side}:auto" for side in _OFFSETS)]
    if "transform" in values:  # such as that of a box in the middle, whose offset is half of the room
        return ";".join((*found, "transform:none"))
    offsets = {side: values[side] for side in ("top", "right", "left") if values.get(side, "auto") != "auto"}
    if values.get("width", "") not in _NO_WIDTH:
        side, other = ("right", "left") if "right" in offsets and "left" not in offsets else ("left", "right")
        offsets.pop(other, None)
        found += [f"float:{side}", f"margin-{other}:-100%"]
    if offsets.get("top", "").endswith("%"):
        del offsets["top"]  # a share of the height
    return ";".join((*found, *(f"margin-{side}:{value}" for side, value in offsets.items())))


def mark(styles: PageStyles, sheets: Sequence[str]) -> Sequence[Any]:
    """Mark the large boxes of a page for the rules of its style sheets; change their STYLE attributes.

    Returns the positioned boxes that have become floats, for cssselect2.
    """
    root = styles.root
    styled = [element for element in styles.styled if any(name in element.get("style") for name in _NAMES)]
    positioned = styles.elements_with(_POSITIONED)
    has_rows = next(root.iter("tr"), None) is not None  # the default style sheet aligns the cells of long rows
    if has_rows or styled or positioned or any(LONG_BOX in sheet for sheet in sheets):
        _mark_long(root)
    floats = list(_place(styles, positioned)) if any(LONG_BOX in element.attrib for element in positioned) else []
    _keep_together(styles, positioned)
    if styled or any(WIDE_BOX in sheet for sheet in sheets):
        _mark_wide(styles)
    for element in styled:
        style, applying = element.get("style"), _selectors_of(element)
        found = suited(declarations_of(style))
        element.set("style", ";".join((style, *(text for boxes, text in found.items() if boxes in applying))))
    return floats


def _mark_wide(styles: PageStyles) -> None:
    """Mark the elements with a table that may be wide. The table itself may be a block that hides its overflow."""
    tables, wide = _TABLES_WITH_COLUMNS(styles.root), set(_WIDE_TABLES(styles.root))
    floats = styles.elements_with(_FLOATING, with_generated=False) if tables else set()
    around_floats = {element.getparent() for element in floats} - {None}
    beside = {sibling for element in around_floats for sibling in element} - floats
    for table in tables:
        for around in (table, *table.iterancestors()):
            if table in wide or around not in beside:
                around.set(WIDE_BOX, "")


def _keep_together(styles: PageStyles, positioned: Container[Any]) -> None:
    """Keep the boxes on one page over which a text is placed, because the end of a page would cut that text.

    A box that does not fit on a page would leave the rest of the page before it blank.
    """
    outside = styles.elements_with(OUTSIDE, with_generated=False)
    texts = [element for element in outside if LONG_BOX not in element.attrib and HAS_TEXT(element)]
    hidden = styles.elements_with(_HIDDEN, with_generated=False) if texts else set()
    boxes = set()
    for text in texts:
        around = next((e for e in text.iterancestors() if e in positioned and e not in outside), None)
        if around is not None and LONG_BOX not in around.attrib and hidden.isdisjoint(_between(text, around)):
            boxes.add(around)
    for box in filter(_FITS, boxes):
        styles.add(styles.wrapper_of(box), "break-inside:avoid")


def _between(element: Any, ancestor: Any) -> Iterator[Any]:
    """Yield an element and its ancestors up to another."""
    while element is not ancestor:
        yield element
        element = element.getparent()


def _place(styles: PageStyles, positioned: Container[Any]) -> Iterator[Any]:
    """Make blocks and floats of the long boxes that are positioned, and yield the floats.

    Each ancestor of a long box is a long box.
    """
    root = cssselect2.ElementWrapper.from_html_root(styles.root)
    for wrapper in boxes_in(root, lambda box: box is root or LONG_BOX in box.etree_element.attrib):
        if wrapper.etree_element in positioned:
            declarations = placed(styles.values(wrapper))
            styles.add(wrapper, declarations)
            if "float:" in declarations:
                yield wrapper


def _mark_long(root: Any) -> None:
    found: list[Any] = []
    open_elements = [root]
    while open_elements:
        children = _LONG_CHILDREN(open_elements.pop())
        found += children
        open_elements += children
    longer: set[Any] = set()
    for element in reversed(found):  # before its parent, which is at least as long
        if element in longer or _IS_LONGER(element):
            longer |= {element, element.getparent()}
        element.set(LONG_BOX, "page" if element in longer else "")


def _selectors_of(element: Any) -> set[str]:
    """Return the selectors of large boxes that match an element."""
    found = {OF_ANY, OF_LONGER} if element.get(LONG_BOX) else {OF_ANY}
    return found | {OF_WIDE} if WIDE_BOX in element.attrib else found
