"""Hidden content that pages show with a script, or on a screen only: the whole page, and blocks that keep their room.

Nothing else is at their place, so they are shown. Hidden boxes above the page, such as menus and windows, stay hidden.
So do menus that their page closes by making them as small as a button, with hidden overflow. A declared height is a
least height on paper (see `sheets.declarations`), and such a menu would become a long strip that cuts all its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import BLOCKS
from wcspider.engines.plutobook.css.element_styles import CUTTING, OUT_OF_FLOW, PageStyles, boxes_in
from wcspider.engines.plutobook.css.lengths import PAGE, pixels
from wcspider.engines.plutobook.sheets.large_boxes import is_hidden
from wcspider.engines.plutobook.sheets.least_heights import HAS_LEAST_HEIGHT, least_height

LARGEST_BUTTON: Final = 64
"""The largest width and height of a button in CSS pixels."""

_SHOWN: Final = "opacity:1!important;visibility:visible!important;transform:none!important"
_SHOWN_PAGE: Final = f"{_SHOWN};display:block!important"
_HIDING: Final = {"opacity": "0", "visibility": "hidden"}
_HIDDEN: Final = re.compile("|".join(map(":".join, _HIDING.items())), re.IGNORECASE)
_HIDING_ALL: Final = re.compile(
    r"^(?:body[ >]*)?\*\{[^{}]*(?<![\w-])display:\s*none[^{}]*\}", re.IGNORECASE | re.MULTILINE
)
"""The rules that may hide a whole page: ``body * { display: none }``."""

_NOTHING: Final = frozenset({"0", "0px"})
_IS_EMPTY: Final = etree.XPath("not(self::img or .//img or normalize-space())")
_IS_MENU: Final = etree.XPath("count(.//a[@href]) > 2")
_HAS_OWN_CONTENTS: Final = etree.XPath("boolean(self::img or text()[normalize-space()])")


def without_bans_on_printing(root: Any, sheets: Sequence[str]) -> list[str]:
    """Return the style sheets of a page, without the rules that hide all of its elements if none is shown."""
    others = [_HIDING_ALL.sub("", sheet) for sheet in sheets]
    if others == sheets:
        return others
    styles = PageStyles(root, sheets)
    boxes = map(styles.wrapper_of, root.find("body").iterchildren(etree.Element))
    return list(sheets) if any(styles.values(box).get("display") != "none" for box in boxes) else others


def show(styles: PageStyles) -> None:
    """Show a hidden page, and its hidden blocks and images that are in the flow and have contents."""
    for root in (styles.root, styles.root.find("body")):
        if is_hidden(styles.values(styles.wrapper_of(root))):
            styles.append(root, _SHOWN_PAGE)
    closed: set[Any] = set()
    for wrapper in styles.wrappers_with(_HIDDEN, where=_has_contents):
        element, values = wrapper.etree_element, styles.values(wrapper)
        if values.get("position") in OUT_OF_FLOW and is_hidden(values):
            closed.add(element)
        elif (
            _keeps_its_room(values)
            and closed.isdisjoint(element.iterancestors())
            and _has_contents_in_flow(styles, wrapper)
        ):
            styles.append(element, _SHOWN)


def keep_closed(styles: PageStyles) -> None:
    """Let the menus that are as small as a button have exactly their declared height."""
    for wrapper in styles.wrappers_of(filter(_IS_MENU, styles.elements_with(HAS_LEAST_HEIGHT, with_generated=False))):
        values = styles.values(wrapper)
        if _is_button(values) and values.get("overflow-y") in CUTTING:
            styles.add(wrapper, f"height:{values['min-height']};min-height:0;overflow:hidden")


def _is_button(values: Mapping[str, str]) -> bool:
    sides = pixels(values.get("width", ""), PAGE), least_height(values)
    return all(side is not None and 0 < side <= LARGEST_BUTTON for side in sides)


def _has_contents(element: Any) -> bool:
    is_block = element.tag in BLOCKS or element.tag == "img"
    return is_block and element.get("aria-hidden") != "true" and not _IS_EMPTY(element)


def _keeps_its_room(values: Mapping[str, str]) -> bool:
    """Tell whether an element with these declared values is hidden, but has a place of its own.

    Effects hide elements in one way; menus and windows are often hidden in both.
    """
    return (
        sum(values.get(name) == value for name, value in _HIDING.items()) == 1
        and values.get("position") not in OUT_OF_FLOW
        and not any(values.get(name) in _NOTHING for name in ("width", "height", "max-height"))
    )


def _has_contents_in_flow(styles: PageStyles, wrapper: Any) -> bool:
    """Tell whether an element has contents besides those of windows, which are placed above the page."""
    in_flow = boxes_in(wrapper, lambda box: styles.values(box).get("position") not in OUT_OF_FLOW)
    return any(_HAS_OWN_CONTENTS(box.etree_element) for box in in_flow)
