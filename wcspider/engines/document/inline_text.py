"""Ruby and descending lists in a form that the layout engines support.

Ruby becomes a line of text: "5(7)". The items of descending lists get their numbers.
"""

from __future__ import annotations

from typing import Any

from wcspider.engines.document.formulas import text_of
from wcspider.engines.document.html_trees import append_text, drop
from wcspider.web.numbers import integer


def write_ruby(ruby: Any) -> None:
    """Put each annotation of a RUBY element into the brackets of its RP elements, or into round brackets."""
    own = [part for part in ruby.iter("rt", "rtc", "rp") if next(part.iterancestors("ruby")) is ruby]
    for note in own:
        if note.tag != "rp" and text_of(note).strip() and next(note.iterdescendants("rt"), None) is None:
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
    return (text_of(beside).strip() if is_bracket else "") or usual


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
