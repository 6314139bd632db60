"""Ruby, formulas and descending lists in a form that the layout engines support.

Ruby and formulas become a line of text: "5(7)" and "1/2". Otherwise, the numerator and the denominator of a fraction
would be side by side: "12". The items of descending lists get their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wcspider.engines.document.html_trees import append_text, drop, empty
from wcspider.web.numbers import integer

LONGEST_LINE = 80
"""The number of characters up to which a formula of its own line is not broken.

Browsers never break formulas, and tables of formulas with their numbers rely on this.
"""

DEEPEST = 60
"""The largest depth of nested elements in a formula. Deeper elements are replaced by their text."""

_UNSHOWN = frozenset({"annotation", "annotation-xml", "mphantom", "none", "mprescripts"})
_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_SCRIPTS = {
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


def write_ruby(ruby: Any) -> None:
    """Put each annotation of a RUBY element into the brackets of its RP elements, or into round brackets."""
    own = [part for part in ruby.iter("rt", "rtc", "rp") if next(part.iterancestors("ruby")) is ruby]
    for note in own:
        if note.tag != "rp" and _text(note).strip() and next(note.iterdescendants("rt"), None) is None:
            before = note.getprevious()
            opening = _bracket(before, None if before is None else before.tail, "(")
            append_text(note, _bracket(note.getnext(), note.tail, ")"))
            note.text = opening + (note.text or "")
    for part in own:
        if part.tag == "rp":
            drop(part)


def _bracket(beside: Any, between: str | None, usual: str) -> str:
    """Return the text of the element beside an annotation if it is an RP and there is no text between them."""
    is_bracket = beside is not None and beside.tag == "rp" and not (between or "").strip()
    return (_text(beside).strip() if is_bracket else "") or usual


def write_formula(formula: Any) -> None:
    """Change a MATH element into a line of text with superscripts and subscripts."""
    parts = _Writer(formula).parts(formula)
    empty(formula)
    _fill(formula, parts)
    formula.tag = "span"  # A DIV would end the paragraph around it when the page is parsed again.
    if formula.get("display", "").strip().lower() == "block":
        is_long = sum(map(len, map(_text, parts))) > LONGEST_LINE
        spaces = "normal" if is_long else "nowrap"
        style = f"display:block;text-align:center;white-space:{spaces};{formula.get('style', '')}"
        formula.set("style", style)


def number_items(items_list: Any) -> None:
    """Set the numbers of the items of an OL element that counts down (HTML, 4.4.5)."""
    if "reversed" not in items_list.attrib:
        return
    items = [child for child in items_list if child.tag == "li" and "hidden" not in child.attrib]
    number = integer(items_list.get("start", ""), len(items))
    for item in items:
        number = integer(item.get("value", ""), number)
        item.set("value", str(number))
        number -= 1


class _Writer:
    """A writer of the elements of MathML Core as parts of a line."""

    def __init__(self, formula: Any) -> None:
        self._formula, self._depth = formula, 0
        self._ways: Mapping[str, Callable[[Any], list[Part]]] = {
            **dict.fromkeys(_LEAVES, self._leaf),
            "mfrac": self._fraction,
            **dict.fromkeys(_SCRIPTS, self._scripts),
            "mmultiscripts": self._multiscripts,
            "msqrt": lambda e: ["√(", *self._row(e), ")"],
            "mroot": self._root,
            "mtable": lambda e: _joined(map(self.parts, e), "; "),
            **dict.fromkeys(("mtr", "mlabeledtr"), lambda e: _joined(map(self.parts, e), ", ")),
            "mfenced": self._fenced,
            **dict.fromkeys(("semantics", "maction"), lambda e: self.parts(e[0])),
        }

    def parts(self, element: Any) -> list[Part]:
        """Return an element as parts of a line."""
        if element.tag in _UNSHOWN:
            return []
        if self._depth > DEEPEST:
            return [_text(element)]
        self._depth += 1
        parts = self._ways.get(element.tag, self._row)(element) if len(element) else self._leaf(element)
        self._depth -= 1
        return parts

    def _row(self, elements: Any) -> list[Part]:
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

    def _leaf(self, element: Any) -> list[Part]:
        if element.tag == "mspace":
            return [" "]
        if len(element):  # HTML elements inside a formula
            return [self._made("span", [element.text or "", *element])]
        text = _BLANKS.sub(" ", _text(element).translate(_INVISIBLE)).strip(" ")
        return [text] if text else []

    def _group(self, element: Any) -> list[Part]:
        """Return the parts of an element, in brackets if there is more than one token."""
        parts = self.parts(element)
        if _token_count(element) <= 1 or _is_bracketed(parts):
            return parts
        return ["(", *parts, ")"]

    def _fraction(self, element: Any) -> list[Part]:
        if element.get("linethickness", "").strip().startswith("0"):
            return _joined(map(self.parts, element), "; ")
        return _joined(map(self._group, element), "/")

    def _scripts(self, element: Any) -> list[Part]:
        base, *scripts = element
        parts = self.parts(base) if base.tag in ("msub", "munder") else self._group(base)
        return parts + [self._script(*script) for script in zip(scripts, _SCRIPTS[element.tag], strict=False)]

    def _script(self, element: Any, tag: str) -> Any:
        return self._made(tag, self.parts(element))

    def _multiscripts(self, element: Any) -> list[Part]:
        base, *scripts = element
        names = [script.tag for script in scripts]
        middle = names.index("mprescripts") if "mprescripts" in names else len(names)
        before, behind = (
            [self._script(script, ("sub", "sup")[at % 2]) for at, script in enumerate(side) if script.tag != "none"]
            for side in (scripts[middle + 1 :], scripts[:middle])
        )
        return [*before, *self._group(base), *behind]

    def _root(self, element: Any) -> list[Part]:
        base, *index = element
        return [*(self._script(one, "sup") for one in index[:1]), "√(", *self.parts(base), ")"]

    def _fenced(self, element: Any) -> list[Part]:
        opening, separators, closing = (
            element.get(name, usual) for name, usual in (("open", "("), ("separators", ","), ("close", ")"))
        )
        return [opening, *_joined(map(self.parts, element), f"{separators.strip()[:1]} "), closing]

    def _made(self, tag: str, parts: Sequence[Any]) -> Any:
        made = self._formula.makeelement(tag, {})
        _fill(made, parts)
        return made


def _joined(elements: Iterable[list[Part]], separator: str) -> list[Part]:
    """Return the parts of elements with a separator between the elements."""
    return [part for parts in elements for part in (separator, *parts)][1:]


def _fill(element: Any, parts: Sequence[Part]) -> None:
    for part in parts:
        if isinstance(part, str):
            append_text(element, part)
        else:
            element.append(part)


def _text(part: Part) -> str:
    """Return the text of a part, with its white space."""
    return part if isinstance(part, str) else "".join(part.itertext())


def _token_count(element: Any) -> int:
    count, stack = 0, [element]
    while stack:
        node = stack.pop()
        if node.tag in _LEAVES:
            count += 1
        else:
            stack.extend(node)
    return count


def _run_together(before: Part, behind: Part, beside_fraction: bool) -> bool:
    """Tell whether a reader would take two adjacent numbers or words for one."""
    left, right = _text(before), _text(behind)
    if not (left[-1:].isalnum() and right[:1].isalnum()):
        return False
    is_number = left[-1].isdigit() and right[0].isdigit()
    return is_number or beside_fraction or any(len(token) > 1 and token.isalpha() for token in (left, right))


def _is_bracketed(parts: Sequence[Part]) -> bool:
    text = "".join(map(_text, parts))
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(text) - 1 and at > 0
    return False
