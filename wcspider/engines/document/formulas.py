"""Formulas (MathML Core) as a line of text.

Otherwise, the numerator and the denominator of a fraction would be side by side: 1/2 would be read as 12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from wcspider.engines.document.html_trees import append_text, empty

LONGEST_LINE = 80
"""The number of characters up to which a formula of its own line is not broken.

Browsers never break formulas, and tables of formulas with their numbers rely on this.
"""

DEEPEST = 60
"""The largest depth of nested elements in a formula. Deeper elements are replaced by their text."""

_UNSHOWN = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
ROWS = ("mtr", "mlabeledtr")
"""The rows of tables."""

SCRIPTS = {
    **dict.fromkeys(("msup", "mover"), ("sup",)),
    **dict.fromkeys(("msub", "munder"), ("sub",)),
    **dict.fromkeys(("msubsup", "munderover"), ("sub", "sup")),
}
"""The elements of HTML that become the scripts of an element."""

_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))
"""The invisible operators: function application, times, separator, plus."""

_BLANKS = re.compile("[ \t\r\n]+")

Part = Any
"""A text or an element of a line."""


def write(formula: Any) -> None:
    """Change a MATH element into a line of text with superscripts and subscripts."""
    replace(formula, Writer(formula).parts(formula))


def is_display(formula: Any) -> bool:
    """Tell whether a MATH element is on a line of its own (MathML Core, 2.1.3)."""
    return bool(formula.get("display", "").strip().lower() == "block")


def replace(formula: Any, parts: Sequence[Part]) -> None:
    """Replace the contents of a MATH element by parts of a line."""
    empty(formula)
    _fill(formula, parts)
    formula.tag = "span"  # A DIV would end the paragraph around it when the page is parsed again.
    if is_display(formula):
        is_long = sum(map(len, map(text_of, parts))) > LONGEST_LINE
        spaces = "normal" if is_long else "nowrap"
        style = f"display:block;text-align:center;white-space:{spaces};{formula.get('style', '')}"
        formula.set("style", style)


class Writer:
    """A writer of the elements of MathML Core as parts of a line."""

    def __init__(self, formula: Any) -> None:
        self._formula, self._depth = formula, 0
        self._ways: Mapping[str, Callable[[Any], list[Part]]] = {
            **dict.fromkeys(_LEAVES, self.leaf),
            "mfrac": self.fraction,
            **dict.fromkeys(SCRIPTS, self.scripts),
            "mmultiscripts": self.multiscripts,
            **dict.fromkeys(("msqrt", "mroot"), self.root),
            "mtable": self.table,
            **dict.fromkeys(ROWS, lambda e: _joined(map(self.parts, e), ", ")),
            "mfenced": self.fenced,
            **dict.fromkeys(("semantics", "maction"), lambda e: self.parts(e[0])),
        }

    def parts(self, element: Any) -> list[Part]:
        """Return an element as parts of a line."""
        if element.tag in _UNSHOWN:
            return []
        if self._depth > DEEPEST:
            return [text_of(element)]
        self._depth += 1
        parts = self._ways.get(element.tag, self.row)(element) if len(element) else self.leaf(element)
        self._depth -= 1
        return parts

    def row(self, elements: Any) -> list[Part]:
        """Return elements side by side."""
        parts: list[Part] = []
        beside_fraction = False
        for element in elements:
            more = self.parts(element)
            beside_fraction |= element.tag == "mfrac"
            if parts and more and _run_together(parts[-1], more[0], beside_fraction):
                parts.append(" ")
            parts += more
            beside_fraction = element.tag == "mfrac"
        return parts

    def leaf(self, element: Any) -> list[Part]:
        """Return an element with a text."""
        if element.tag == "mspace":
            return [" "]
        if len(element):  # HTML elements inside a formula
            return [self.made("span", [element.text or "", *element])]
        text = _BLANKS.sub(" ", text_of(element).translate(_INVISIBLE)).strip(" ")
        return [text] if text else []

    def group(self, element: Any) -> list[Part]:
        """Return the parts of an element, in brackets if there is more than one token."""
        parts = self.parts(element)
        tokens = list(islice(element.iter(*_LEAVES), 2))
        if len(tokens) < 2 or _is_bracketed(parts):
            return parts
        return ["(", *parts, ")"]

    def fraction(self, element: Any) -> list[Part]:
        """Return a fraction."""
        if has_no_bar(element):
            return _joined(map(self.parts, element), "; ")
        return _joined(map(self.group, element), "/")

    def scripts(self, element: Any) -> list[Part]:
        """Return an element with its subscript and its superscript."""
        base, *scripts = element
        parts = self.parts(base) if base.tag in ("msub", "munder") else self.group(base)
        return parts + [self.script(*script) for script in zip(scripts, SCRIPTS[element.tag], strict=False)]

    def script(self, element: Any, tag: str) -> Any:
        """Return a script, given its tag: "sub" or "sup"."""
        return self.made(tag, self.parts(element))

    def multiscripts(self, element: Any) -> list[Part]:
        """Return an element with scripts before and behind it."""
        base, *scripts = element
        names = [script.tag for script in scripts]
        middle = names.index("mprescripts") if "mprescripts" in names else len(names)
        before, behind = (
            [self.script(script, ("sub", "sup")[at % 2]) for at, script in enumerate(side) if script.tag != "none"]
            for side in (scripts[middle + 1 :], scripts[:middle])
        )
        return [*before, *self.group(base), *behind]

    def root(self, element: Any) -> list[Part]:
        """Return a square root, or a root with an index."""
        base, index = (element[:1], element[1:2]) if element.tag == "mroot" else (element, ())
        return [*(self.script(one, "sup") for one in index), "√(", *self.row(base), ")"]

    def table(self, element: Any) -> list[Part]:
        """Return the rows of a table."""
        return _joined(map(self.parts, element), "; ")

    def fenced(self, element: Any) -> list[Part]:
        """Return elements in brackets, with separators between them."""
        opening, separators, closing = (
            element.get(name, usual) for name, usual in (("open", "("), ("separators", ","), ("close", ")"))
        )
        return [opening, *_joined(map(self.parts, element), f"{separators.strip()[:1]} "), closing]

    def made(self, tag: str, parts: Sequence[Any], style: str = "") -> Any:
        """Return an element of HTML that contains parts of the line."""
        made = self._formula.makeelement(tag, {"style": style} if style else {})
        _fill(made, parts)
        return made


def has_no_bar(fraction: Any) -> bool:
    """Tell whether a fraction has no bar, such as a binomial coefficient."""
    return bool(fraction.get("linethickness", "").strip().startswith("0"))


def _joined(elements: Iterable[list[Part]], separator: str) -> list[Part]:
    """Return the parts of elements with a separator between the elements."""
    return [part for parts in elements for part in (separator, *parts)][1:]


def _fill(element: Any, parts: Sequence[Part]) -> None:
    for part in parts:
        if isinstance(part, str):
            append_text(element, part)
        else:
            element.append(part)


def text_of(part: Part) -> str:
    """Return the text of a part, with its white space."""
    return part if isinstance(part, str) else "".join(part.itertext())


def _run_together(before: Part, behind: Part, beside_fraction: bool) -> bool:
    """Tell whether a reader would take two adjacent numbers or words for one."""
    left, right = text_of(before), text_of(behind)
    if not (left[-1:].isalnum() and right[:1].isalnum()):
        return False
    is_number = left[-1].isdigit() and right[0].isdigit()
    return is_number or beside_fraction or any(len(token) > 1 and token.isalpha() for token in (left, right))


def _is_bracketed(parts: Sequence[Part]) -> bool:
    text = "".join(map(text_of, parts))
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(text) - 1 and at > 0
    return False
