"""Ruby and formulas written as a line of text: "5(7)" and "1/2".

The layout engines support neither. They would place the numerator and the denominator of a fraction side by side: "12".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.dom.minidom import Element, Node

from wcspider.engines.document.dom import ancestor, new_element, new_text, rename, text_of

DEEPEST = 60
"""The largest depth of nested elements in a formula. Deeper elements are replaced by their text."""

_UNSHOWN = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))
"""The invisible operators: function application, times, separator, plus."""

_BLANKS = re.compile("[ \t\r\n]+")

Part = str | Element


def write_ruby(ruby: Element) -> None:
    """Put each annotation of a RUBY element into the brackets of its RP elements, or into round brackets."""
    for name in ("rt", "rtc"):
        for note in ruby.getElementsByTagName(name):
            if ancestor(note, "ruby") is ruby and text_of(note).strip() and not note.getElementsByTagName("rt"):
                note.insertBefore(new_text(note, _bracket(note, "previousSibling", "(")), note.firstChild)
                note.appendChild(new_text(note, _bracket(note, "nextSibling", ")")))


def _bracket(note: Element, direction: str, usual: str) -> str:
    beside: Any = getattr(note, direction)
    while beside is not None and beside.nodeType != Node.ELEMENT_NODE and not (beside.nodeValue or "").strip():
        beside = getattr(beside, direction)
    return (text_of(beside).strip() if getattr(beside, "tagName", "") == "rp" else "") or usual


def write_formula(formula: Element) -> None:
    """Change a MATH element into a line of text with superscripts and subscripts."""
    parts = _Writer(formula).row(formula)
    while formula.firstChild is not None:
        formula.removeChild(formula.firstChild)
    _fill(formula, parts)
    is_block = formula.getAttribute("display").strip().lower() == "block"
    rename(formula, "div" if is_block else "span")


class _Writer:
    """A writer of the elements of MathML Core as parts of a line."""

    def __init__(self, formula: Element) -> None:
        self._formula, self._depth = formula, 0
        self._ways: Mapping[str, Callable[[Element], list[Part]]] = {
            **dict.fromkeys(_LEAVES, self._leaf),
            "mfrac": self._fraction,
            "msup": lambda e: self._scripts(e, ("sup",)),
            "mover": lambda e: self._scripts(e, ("sup",)),
            "msub": lambda e: self._scripts(e, ("sub",)),
            "munder": lambda e: self._scripts(e, ("sub",)),
            "msubsup": lambda e: self._scripts(e, ("sub", "sup")),
            "munderover": lambda e: self._scripts(e, ("sub", "sup")),
            "mmultiscripts": self._multiscripts,
            "msqrt": lambda e: ["√(", *self.row(e), ")"],
            "mroot": self._root,
            "mtable": lambda e: self._joined(_children(e), "; "),
            "mtr": lambda e: self._joined(_children(e), ", "),
            "mlabeledtr": lambda e: self._joined(_children(e), ", "),
            "mfenced": self._fenced,
            "mspace": lambda _: [" "],
            "semantics": lambda e: self._all(_children(e)[:1]),
            "maction": lambda e: self._all(_children(e)[:1]),
        }

    def row(self, element: Element) -> list[Part]:
        """Return the parts of the elements in an element, side by side."""
        return self._all(_children(element)) if _children(element) else self._leaf(element)

    def _all(self, elements: Sequence[Element]) -> list[Part]:
        parts: list[Part] = []
        beside_fraction = False
        for element in elements:
            more = self._element(element)
            beside_fraction |= element.tagName == "mfrac"
            if parts and more and _run_together(parts[-1], more[0], beside_fraction):
                parts.append(" ")
            parts += more
            beside_fraction = element.tagName == "mfrac"
        return parts

    def _element(self, element: Element) -> list[Part]:
        if element.tagName in _UNSHOWN:
            return []
        if self._depth > DEEPEST:
            return [text_of(element)]
        self._depth += 1
        parts = self._ways.get(element.tagName, self.row)(element)
        self._depth -= 1
        return parts

    def _leaf(self, element: Element) -> list[Part]:
        if _children(element):  # HTML elements inside a formula
            return [self._made("span", list(element.childNodes))]
        text = _BLANKS.sub(" ", text_of(element).translate(_INVISIBLE)).strip(" ")
        return [text] if text else []

    def _group(self, element: Element) -> list[Part]:
        """Return the parts of an element, in brackets if there is more than one token."""
        parts = self._element(element)
        if _token_count(element) <= 1 or _is_bracketed(parts):
            return parts
        return ["(", *parts, ")"]

    def _fraction(self, element: Element) -> list[Part]:
        over = _children(element)
        if element.getAttribute("linethickness").strip().startswith("0"):
            return self._joined(over, "; ")
        return [part for at, side in enumerate(over) for part in (*["/"][: at > 0], *self._group(side))]

    def _scripts(self, element: Element, tags: Sequence[str]) -> list[Part]:
        base, *scripts = _children(element) or [element]
        if base is element:
            return []
        parts = self._element(base) if base.tagName in ("msub", "munder") else self._group(base)
        return parts + [self._script(*script) for script in zip(scripts, tags, strict=False)]

    def _script(self, element: Element, tag: str) -> Element:
        return self._made(tag, self._element(element))

    def _multiscripts(self, element: Element) -> list[Part]:
        base, *scripts = _children(element) or [element]
        if base is element:
            return []
        names = [script.tagName for script in scripts]
        middle = names.index("mprescripts") if "mprescripts" in names else len(names)
        before, behind = (
            [self._script(script, ("sub", "sup")[at % 2]) for at, script in enumerate(side) if script.tagName != "none"]
            for side in (scripts[middle + 1 :], scripts[:middle])
        )
        return [*before, *self._group(base), *behind]

    def _root(self, element: Element) -> list[Part]:
        base, *index = _children(element) or [element]
        if base is element:
            return []
        return [*(self._script(one, "sup") for one in index[:1]), "√(", *self._element(base), ")"]

    def _fenced(self, element: Element) -> list[Part]:
        opening, separators, closing = (
            element.getAttribute(name) if element.hasAttribute(name) else usual
            for name, usual in (("open", "("), ("separators", ","), ("close", ")"))
        )
        return [opening, *self._joined(_children(element), f"{separators.strip()[:1]} "), closing]

    def _joined(self, elements: Sequence[Element], separator: str) -> list[Part]:
        return [part for at, e in enumerate(elements) for part in (*[separator][: at > 0], *self._element(e))]

    def _made(self, tag: str, parts: Sequence[Any]) -> Element:
        made = new_element(self._formula, tag)
        _fill(made, parts)
        return made


def _fill(element: Element, parts: Sequence[Any]) -> None:
    for part in parts:
        element.appendChild(new_text(element, part) if isinstance(part, str) else part)


def _children(element: Element) -> list[Element]:
    return [child for child in element.childNodes if isinstance(child, Element)]


def _token_count(element: Element) -> int:
    count, stack = 0, [element]
    while stack:
        node = stack.pop()
        if node.tagName in _LEAVES:
            count += 1
        else:
            stack.extend(_children(node))
    return count


def _run_together(before: Part, behind: Part, beside_fraction: bool) -> bool:
    """Tell whether a reader would take two adjacent numbers or words for one."""
    left, right = (text_of(part) if isinstance(part, Element) else part for part in (before, behind))
    if not (left[-1:].isalnum() and right[:1].isalnum()):
        return False
    is_number = left[-1].isdigit() and right[0].isdigit()
    return is_number or beside_fraction or any(len(token) > 1 and token.isalpha() for token in (left, right))


def _is_bracketed(parts: Sequence[Part]) -> bool:
    text = "".join(text_of(part) if isinstance(part, Element) else part for part in parts)
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(text) - 1 and at > 0
    return False
