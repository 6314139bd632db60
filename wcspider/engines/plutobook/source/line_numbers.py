"""The line numbers of listings: a PRE element with the numbers stands beside a PRE element with the code.

A long line of code continues on the next line, because paper does not scroll, so the numbers behind it would stand
beside other lines. The numbers of such a listing are moved to the beginnings of the lines of its code. A negative
margin puts them about where they were.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final, NamedTuple

from lxml import etree

from wcspider.engines.document.html_trees import divide_text, empty, text_of
from wcspider.engines.plutobook.css.element_styles import PageStyles

LONG: Final = 60
"""The number of characters of a line that may not fit into its column."""

_TAG: Final = "wcspider-number"
_MOST_DIGITS: Final = 9
"""The number of digits of the largest line number."""

_NUMBERS: Final = re.compile(r"[\d\s]+")
_STRING: Final = etree.XPath("string()", smart_strings=False)
_IS_LINKED: Final = etree.XPath("boolean(descendant-or-self::*[@id or @href or @name])")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_NO_BREAK_SPACE: Final = "\u00a0"


class _Piece(NamedTuple):
    """A text in a listing. It begins an element, or is directly behind it."""

    element: Any
    is_tail: bool
    text: str

    @property
    def is_break(self) -> bool:
        """Whether this is a BR element."""
        return self.element.tag == "br" and not self.is_tail


def move_into_code(styles: PageStyles) -> None:
    """Move the numbers of listings with long lines to their lines."""
    for numbers, code in pairwise(list(styles.root.iter("pre"))):
        nodes = _number_nodes(numbers)
        lines = _text(code).rstrip("\n").split("\n") if nodes else []
        if nodes and len(lines) == len(nodes) and max(map(len, lines)) > LONG:
            _insert(code, iter(_taken(numbers, nodes)))
            styles.append(numbers, "visibility:hidden")
            _show_overflow(styles, code, set(numbers.iterancestors()))


def _number_nodes(pre: Any) -> Sequence[Any]:
    """Return the numbers in a PRE element, each as text or as an element; nothing if it is not a list of numbers."""
    if not _NUMBERS.fullmatch(_STRING(pre)):
        return ()
    while len(pre) == 1 and len(pre[0]):  # such as a CODE element around the numbers
        pre = pre[0]
    nodes: list[Any] = (pre.text or "").split()
    for child in pre:
        nodes += [child] if _number(child) else []
        nodes += (child.tail or "").split()
    texts = list(map(_number, nodes))
    first = int(texts[0][:_MOST_DIGITS]) if texts and texts[0].isdecimal() else 0
    return nodes if len(texts) > 1 and texts == [str(first + place) for place in range(len(texts))] else ()


def _number(node: Any) -> str:
    return node if isinstance(node, str) else text_of(node)


def _text(pre: Any) -> str:
    return "".join(piece.text for piece in _pieces(pre))


def _pieces(pre: Any) -> Iterator[_Piece]:
    """Yield the texts of a PRE element in document order, and its BR elements as line breaks."""
    for event, element in etree.iterwalk(pre, events=("start", "end")):
        if event == "start":
            yield _Piece(element, False, "\n" if element.tag == "br" else element.text or "")
        elif element is not pre:
            yield _Piece(element, True, element.tail or "")


def _taken(numbers: Any, nodes: Sequence[Any]) -> Sequence[Any]:
    """Return elements with the numbers, and leave their room in the PRE element where they were."""
    texts = list(map(_number, nodes))
    digits = max(map(len, texts))
    made = []
    for node, text in zip(nodes, texts, strict=True):
        element = numbers.makeelement(_TAG, {"style": f"margin-left:-{digits + 1}ch"})
        element.text = _NO_BREAK_SPACE * (digits - len(text))
        if isinstance(node, str) or not _IS_LINKED(node):
            element.text += text + _NO_BREAK_SPACE
        else:
            etree.strip_attributes(node, "class", "style")  # no rule for the numbers or the code suits it here
            node.tail = _NO_BREAK_SPACE
            element.append(node)
        made.append(element)
    empty(numbers)
    numbers.text = "\n".join(texts)
    return made


def _insert(code: Any, numbers: Iterator[Any]) -> None:
    """Insert elements with numbers at the beginnings of the lines of a PRE element."""
    # From the end, because elements that are put behind an element stand before those behind its tail.
    for (element, is_tail, _), texts, found in reversed(list(_planned(code, numbers))):
        if not texts:
            element.addprevious(found[0])
        elif is_tail or element is code or len(element):
            divide_text(element, texts, found, is_tail=is_tail)
        else:
            _divide(element, texts, found)


def _planned(code: Any, numbers: Iterator[Any]) -> Iterator[tuple[_Piece, Sequence[str], Sequence[Any]]]:
    """Yield the pieces in which lines begin, their texts around the numbers, and the numbers; a BR has no texts."""
    begins = True
    for piece in _pieces(code):
        if piece.is_break:
            found = list(islice(numbers, int(begins)))  # an empty line
            texts, begins = [], True
        else:
            texts, found = [""], []
            for line in _LINE.findall(piece.text):
                for number in islice(numbers, int(begins)):
                    found.append(number)
                    texts.append("")
                texts[-1] += line
                begins = line.endswith("\n")
        if found:
            yield piece, texts, found


def _divide(element: Any, texts: Sequence[str], numbers: Sequence[Any]) -> None:
    """Divide an element with a text, such as a comment in color, so that the numbers of its lines have no color."""
    attributes = {name: value for name, value in element.attrib.items() if name != "id"}
    element.text, *later = texts
    tail, element.tail = element.tail, None
    for number, text in zip(reversed(numbers), reversed(later), strict=True):
        part = element.makeelement(element.tag, attributes)
        part.text, part.tail, tail = text, tail, None
        element.addnext(part)
        element.addnext(number)


def _show_overflow(styles: PageStyles, code: Any, around: set[Any]) -> None:
    """Let a listing show the numbers, which stand beside its code, in the box around both."""
    for element in (code, *code.iterancestors()):
        if element in around:
            return
        styles.append(element, "overflow:visible!important")
