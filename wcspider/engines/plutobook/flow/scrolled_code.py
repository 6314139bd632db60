"""Code whose lines are not broken on a screen: in boxes that can be scrolled (CSS Overflow 3, 3.1), and in sentences.

On paper the lines of code are broken, so that nothing sticks out of such a box. PlutoBook would draw it after the text
around it nevertheless, so that the extracted text would be in another order, and would write round corners anew for
each piece of its text, which takes a fifth of the drawing time of documentation. So the box shows its overflow.

A box that hides its overflow also stays beside floats and contains its own. A box near floats is therefore left as it
is.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import CELLS, TEXT_LENGTH
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.flow.floats import FLOATING

_SCROLLED: Final = re.compile("overflow:(auto|scroll)", re.IGNORECASE)
"""PlutoBook does not know ``overflow-x`` and ``overflow-y``."""

_CODE: Final = frozenset({"pre", "code", "samp"})
_CELLS: Final = CELLS | {"caption"}

_UNBROKEN: Final = re.compile("white-space:nowrap", re.IGNORECASE)
_IN_SENTENCES: Final = frozenset({"code", "kbd", "samp", "tt"})
_LONG: Final = 40
"""The number of characters of code that may have no room on a line."""


def show_overflow(styles: PageStyles) -> None:
    """Let the boxes of code that can be scrolled show their overflow, except for those near floats."""
    scrolled = {element for element in styles.elements_with(_SCROLLED, with_generated=False) if element.tag in _CODE}
    if scrolled:
        floats = styles.elements_with(FLOATING, with_generated=False)
        for element in scrolled.difference(_near_floats(styles.root, floats, styles.elements_with(FLOATING))):
            styles.append(element, "overflow:visible!important")


def break_lines(styles: PageStyles) -> None:
    """Let lines end inside of long code in sentences. It would cover the column beside it, or be cut at the margin."""
    for element in styles.elements_with(_UNBROKEN, with_generated=False):
        is_long = element.tag in _IN_SENTENCES and TEXT_LENGTH(element) >= _LONG
        if is_long and next(element.iterancestors("pre", *_CELLS), None) is None:
            styles.append(element, "white-space:normal!important")


def _near_floats(root: Any, floats: Container[Any], with_floats: Container[Any]) -> Iterator[Any]:
    """Yield the elements that may be beside a float, and those around one.

    ``floats`` are the floats themselves, ``with_floats`` also the elements with generated content that floats. A float
    may be beside the elements that follow it in its block formatting context (CSS 2.1, 9.4.1).
    """
    contexts: dict[Any, Any] = {}
    used = set()
    for element in root.iter(etree.Element):
        around = contexts.get(element.getparent(), root)
        contexts[element] = element if element in floats or element.tag in _CELLS else around
        if element in with_floats:
            used.add(around if element in floats else contexts[element])
            yield element
            yield from element.iterancestors()
        elif around in used:
            yield element
