"""Groups around the children of elements that have thousands of them.

On each PDF page, PlutoBook visits all children of each box that begins or ends on another page. So the time to draw a
long page would grow with the square of its length. It visits the contents of a box only on the pages of the box, so
boxes around some of the children save this time. They are added only if no style sheet can tell the difference.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

from lxml import etree

from wcspider.engines.document.headings import RANKS
from wcspider.engines.document.html_trees import has_own_text
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.rules import rules_of
from wcspider.engines.plutobook.css.selectors import names_in, simplified
from wcspider.engines.plutobook.flow.floats import FLOATING
from wcspider.engines.plutobook.grid.flex_lines import GROUP

MANY: Final = 1_000
"""The number of children that take hardly any time: visits to them are a few percent of the layout."""

_IN_GROUP: Final = 50
_MARK: Final = "data-wcspider-siblings"
"""The attribute of the boxes. `user.css` gives them no styles but those that they inherit."""

_PARENTS: Final = frozenset({"article", "blockquote", "body", "center", "dl", "div", "main", "ol", "section", "ul"})
_HEADINGS: Final = frozenset({"dt", *RANKS})
"""The elements that stay on the page of the next one."""

_LISTS: Final = frozenset({"ol", "ul"})
_CHILDREN: Final = _HEADINGS.union(["address", "blockquote", "center", "dd", "div", "dl", "hr", "ol", "p", "pre", "ul"])
_ITEMS: Final = frozenset({"li"})
"""The elements that may be in a box, and those in a list, which counts them."""

_OTHER_BOXES: Final = re.compile(
    "display:(?!(?:block|list-item|none)$).*|position:(?!static$).*|column.*|counter-.*", re.IGNORECASE | re.DOTALL
)
"""The declarations of boxes that depend on the boxes beside or around them. The scope of a counter ends with the parent
of the element that begins it (CSS Lists 3, 4.5)."""

_ALIGNED: Final = etree.XPath("//*[self::img or self::table or self::object or self::embed][@align]")
"""The elements that float by an attribute, and a few others."""

_PLACE: Final = re.compile(r":(?:first|last|nth|only)-[\w-]+(?:\([^()]*\))?", re.IGNORECASE)
"""A pseudo-class that depends on the place of an element among its siblings."""

_COMBINATOR: Final = re.compile(r"\s*([>+~])\s*|\s+")
_IN_ARGUMENTS: Final = re.compile(r"\([^)]*[>+~]")
"""A combinator in the arguments of a pseudo-class."""


def group(styles: PageStyles, sheets: Sequence[str]) -> None:
    """Put boxes around the children of crowded elements, in place, as far as this changes nothing else."""
    crowded = [element for element in styles.root.iter(*_PARENTS) if len(element) > MANY]
    if not crowded:
        return
    other = styles.elements_with(_OTHER_BOXES)
    floating = styles.elements_with(FLOATING).union(_ALIGNED(styles.root))
    around_floats = floating.union(*(element.iterancestors() for element in floating))
    for element in crowded:
        is_plain = element not in other and element not in around_floats and not has_own_text(element)
        children = list(element.iterchildren(etree.Element))
        known = _ITEMS if element.tag in _LISTS else _CHILDREN
        if not is_plain or any(child.tag not in known or child in other for child in children):
            continue
        if not _tell_apart(sheets, _names_of([element]), _names_of(children)):
            _group(element)


def _group(element: Any) -> None:
    """Put boxes around the children of an element, and around these boxes if they are many."""
    while len(element) > MANY:
        kids = list(element)
        starts = [0]
        for place, (before, _) in enumerate(pairwise(kids), 1):
            if place - starts[-1] >= _IN_GROUP and before.tag not in _HEADINGS:
                starts.append(place)
        for start, end in pairwise([*starts, len(kids)]):
            box = element.makeelement(GROUP, {_MARK: ""})
            kids[start].addprevious(box)
            box.extend(kids[start:end])


def _names_of(elements: Iterable[Any]) -> frozenset[str]:
    """Return the types, classes and ids of elements, as `selectors.names_in` writes them."""
    found: set[str] = set()
    for tag, classes, identifier in {(e.tag, e.get("class", ""), e.get("id")) for e in elements}:
        found.update([tag], (f".{name}" for name in classes.split()), [f"#{identifier}"] if identifier else [])
    return frozenset(found)


def _tell_apart(sheets: Iterable[str], parent: Collection[str], children: Collection[str]) -> bool:
    """Tell whether selectors may depend on the parent of the children, or on their siblings.

    `parent` and `children` are the names of these elements.
    """
    selectors = {selector for sheet in sheets for parts, _ in rules_of(sheet) for selector in parts}
    return any(_depends(selector, parent, children) for selector in selectors)


def _depends(selector: str, parent: Collection[str], children: Collection[str]) -> bool:
    """Tell whether a selector may depend on the parent or the siblings of children."""
    plain, places = _PLACE.subn("", selector)
    if _IN_ARGUMENTS.search(plain):
        return True
    first, *others = _COMBINATOR.split(simplified(plain))
    combinators, names = others[::2], list(map(names_in, (first, *others[1::2])))
    if places and any(needed.issubset(children) for needed in names):
        return True
    return any(
        combinator is not None and left.issubset(parent if combinator == ">" else children) and right.issubset(children)
        for combinator, (left, right) in zip(combinators, pairwise(names), strict=True)
    )
