"""Formulas (MathML Core) as boxes: fractions, roots, scripts and tables look as in a browser.

The boxes are drawn in the order of the elements, so that a text that is extracted has this order too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from wcspider.engines.document import formulas
from wcspider.engines.document.formulas import ROWS, SCRIPTS, Part, Writer, has_no_bar, is_display, replace, text_of

SMALLER: Final = 0.71
"""The size of scripts, relative to their base (MathML Core, 3.3.4)."""

MOST_LEVELS: Final = 2
"""How many times the text of a formula becomes smaller. It could not be read otherwise."""

TALL: Final = 1.3
"""The height in lines from which brackets and roots are stretched."""

LARGEST: Final = 5.0
"""The largest factor by which brackets and roots are stretched."""

MOST: Final = 2_000
"""The number of elements of a formula of boxes. The time to break a line grows with the square of their number."""

_SMALL: Final = f"font-size:{SMALLER}em"
_MIDDLE: Final = "vertical-align:middle"
_COLUMN: Final = "display:inline-flex;flex-direction:column;align-items:center;line-height:1.15"
_UPWARDS: Final = "display:inline-flex;flex-direction:column-reverse;align-items:center;line-height:1.15"
_FRACTION: Final = f"display:inline-block;{_MIDDLE};text-align:center;line-height:1.15;padding:0 .15em"
_RADICAND: Final = "display:inline-block;border-top:1px solid;margin-top:.15em;padding:0 .1em;line-height:1.15"
_TABLE: Final = f"display:inline-table;{_MIDDLE};border-spacing:0"
_CELL: Final = "display:table-cell;padding:.15em .4em;text-align:"
_SPACED: Final = "padding:0 .2em"
_ENLARGED: Final = f"display:inline-block;{_MIDDLE};font-size:1.5em;line-height:1"
_ACCENT: Final = "line-height:.6"
_ACCENT_HEIGHT: Final = 0.2

_FENCES: Final = frozenset("()[]{}|‖⟨⟩⌈⌉⌊⌋⟦⟧")
"""The operators that are as high as the row around them (MathML Core, Appendix B)."""

_LARGE: Final = frozenset("∑∏∐∫∬∭∮\u22c0\u22c1\u22c2\u22c3")
"""The operators that are larger in formulas on lines of their own."""

_PREFIXES: Final = _LARGE | frozenset("√∂∇¬∀∃/")
"""The mathematical symbols without space around them."""

_SEPARATORS: Final = frozenset(",;")
"""The operators behind which a formula may be broken, besides those with space around them."""

_VARIANTS: Final = {
    "normal": "",
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "bold-italic": "font-style:italic;font-weight:bold",
}


def write(formula: Any) -> None:
    """Change a MATH element into boxes; a very long one into a line of text."""
    if sum(1 for _ in islice(formula.iter(), MOST + 1)) > MOST:
        formulas.write(formula)
        return
    replace(formula, _BoxWriter(formula).parts(formula))


class _BoxWriter(Writer):
    """A writer of formulas as boxes."""

    def __init__(self, formula: Any) -> None:
        super().__init__(formula)
        self._in_display, self._level = is_display(formula), 0
        self._heights: dict[Any, float] = {}
        """The heights of boxes that are higher than a line, in lines."""

        self._fences: set[Any] = set()
        """The brackets in rows that are not complete yet."""

    def parts(self, element: Any) -> list[Part]:
        """Return an element as parts of a line."""
        before = self._in_display
        self._in_display = {"true": True, "false": False}.get(element.get("displaystyle", "").lower(), before)
        parts = super().parts(element)
        self._in_display = before
        return parts

    def row(self, elements: Any) -> list[Part]:
        """Return elements side by side; brackets are as high as the row."""
        parts = super().row(elements)
        self._stretch([part for part in parts if part in self._fences], self._height(parts))
        return parts

    def leaf(self, element: Any) -> list[Part]:
        """Return an element with a text."""
        parts = super().leaf(element)
        text = parts[0] if parts and isinstance(parts[0], str) else ""
        if element.tag == "mo" and text in _FENCES and element.get("stretchy", "true").lower() != "false":
            return [self._fence(text)]
        style = _style_of(element, text) if text else ""
        if element.tag == "mo" and self._in_display and text in _LARGE:
            style = _ENLARGED
        elif element.tag == "mo" and not self._level and _has_space(element, text):
            style = _SPACED
        shown = [self.made("span", parts, style)] if style else parts
        return [*shown, self.made("wbr", [])] if style == _SPACED or text in _SEPARATORS else shown

    def group(self, element: Any) -> list[Part]:
        """Return the parts of an element. The boxes show what belongs together."""
        return self.parts(element)

    def fraction(self, element: Any) -> list[Part]:
        """Return the numerator above the denominator."""
        with self._smaller(is_script=not self._in_display) as size:
            rows = [self.parts(child) for child in element]
        cells = [self.made("span", row, f"display:block;{size}") for row in rows]
        if not has_no_bar(element):
            cells[0].set("style", f"{cells[0].get('style')};border-bottom:1px solid")
        return [self._box(cells, _FRACTION, sum(map(self._height, rows)) * (SMALLER if size else 1.0))]

    def scripts(self, element: Any) -> list[Part]:
        """Return an element with its scripts: behind it, or above and below it."""
        if element.tag == "msubsup" and len(element) == 3:
            base = self.parts(element[0])
            with self._smaller(is_script=True) as size:
                scripts = [self.made("span", self.parts(script)) for script in element[1:]]
            return [*base, self._box(scripts, f"{_UPWARDS};align-items:flex-start;{_MIDDLE};{size}", TALL)]
        if element.tag in ("munder", "mover", "munderover") and len(element) > 1:
            return [self._with_limits(element)]
        parts = super().scripts(element)
        height = self._height(parts)
        if height > TALL:
            sign = "-" if element.tag == "msub" else ""
            count = min(len(element) - 1, len(SCRIPTS[element.tag]))
            for script in parts[len(parts) - count :]:
                script.set("style", f"{script.get('style', '')};vertical-align:{sign}{height / 2 / SMALLER:.2f}em")
        return parts

    def script(self, element: Any, tag: str) -> Any:
        """Return a script, given its tag: "sub" or "sup"."""
        with self._smaller(is_script=True) as size:
            return self.made(tag, self.parts(element), f"line-height:0;{size or 'font-size:1em'}")

    def root(self, element: Any) -> list[Part]:
        """Return a root with a bar above the radicand."""
        base, index = (element[:1], element[1:2]) if element.tag == "mroot" else (element, ())
        sign, before = self._fence("√"), [self.script(one, "sup") for one in index]
        radicand = self.row(base)
        height = self._height(radicand)
        self._stretch([sign], height)
        style = f"{_RADICAND};{_MIDDLE}" if height > TALL else _RADICAND
        return [*before, sign, self._box(radicand, style, height)]

    def table(self, element: Any) -> list[Part]:
        """Return a table."""
        self._in_display = element.get("displaystyle", "").lower() == "true"  # `parts` sets it back
        rows, height = [], 0.0
        for row in element:
            cells = [self.parts(cell) for cell in (row if row.tag in ROWS else [row])]
            height += max(map(self._height, cells), default=0.0) + 0.3
            sides = (row.get("columnalign") or element.get("columnalign") or "").lower().split() or ["center"]
            aligned = [*sides, *sides[-1:] * len(cells)]
            made = [self.made("span", cell, f"{_CELL}{side}") for cell, side in zip(cells, aligned, strict=False)]
            rows.append(self.made("span", made, "display:table-row"))
        return [self._box(rows, _TABLE, height)]

    def fenced(self, element: Any) -> list[Part]:
        """Return elements in brackets, with separators between them."""
        opening, *inner, closing = super().fenced(element)
        fences = list(map(self._fence, (opening, closing)))
        self._stretch(fences, self._height(inner))
        return [fences[0], *inner, fences[1]]

    def _with_limits(self, element: Any) -> Any:
        """Return an element with others above and below it."""
        base, scripts = self.parts(element[0]), element[1:]
        height, box = self._height(base), self.made("span", base)
        with self._smaller(is_script=True) as size:
            found = [self.made("span", self.parts(script), size) for script in scripts]
        is_accent = element.tag == "mover" and scripts[0].tag == "mo"
        if is_accent:
            found[0].set("style", f"{_ACCENT};{size}")
        if element.tag != "mover":
            box = self.made("span", [box, found.pop(0)], _COLUMN)
        if found:
            placing = "vertical-align:text-bottom" if element.tag == "mover" else _MIDDLE
            box = self.made("span", [box, *found[:1]], f"{_UPWARDS};{placing}")
        self._heights[box] = height + (_ACCENT_HEIGHT if is_accent else SMALLER * len(scripts))
        return box

    def _fence(self, text: str) -> Any:
        fence = self.made("span", [text])
        self._fences.add(fence)
        return fence

    def _stretch(self, fences: Sequence[Any], height: float) -> None:
        """Make the brackets of a complete row as high as the row, if it is higher than a line."""
        for fence in fences if height > TALL else ():
            fence.set("style", f"display:inline-block;line-height:1;font-size:{min(height, LARGEST):.2f}em;{_MIDDLE}")
        self._fences.difference_update(fences)

    def _box(self, parts: Sequence[Part], style: str, height: float) -> Any:
        box = self.made("span", parts, style)
        self._heights[box] = height
        return box

    def _height(self, parts: Iterable[Part]) -> float:
        """Return the height of parts side by side, in lines."""
        return max((self._heights.get(part, 1.0) for part in parts), default=0.0)

    @contextmanager
    def _smaller(self, *, is_script: bool) -> Iterator[str]:
        """Write a part in a smaller size if it is a script; return the declaration of its size."""
        before = self._in_display, self._level
        is_smaller = is_script and self._level < MOST_LEVELS
        self._in_display, self._level = False, self._level + is_smaller
        yield _SMALL if is_smaller else ""
        self._in_display, self._level = before


def _style_of(element: Any, text: str) -> str:
    """Return the style of a token: names of one letter are italic (MathML Core, 4.2.2)."""
    usual = "italic" if element.tag == "mi" and len(text) == 1 and text.isalpha() else "normal"
    return _VARIANTS.get(element.get("mathvariant", usual).lower(), "")


def _has_space(operator: Any, text: str) -> bool:
    """Tell whether there is space around an operator: it is between two elements, such as a plus sign."""
    before, behind = operator.getprevious(), operator.getnext()
    if before is None or behind is None or (before.tag == "mo" and text_of(before).strip() not in {*")]}|"}):
        return False
    is_symbol = text == "-" or (len(text) == 1 and unicodedata.category(text) == "Sm")
    return is_symbol and text not in _FENCES and text not in _PREFIXES
