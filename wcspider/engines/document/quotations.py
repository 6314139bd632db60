"""The quotation marks around a Q element, by its language (HTML, 15.3.4; CSS Generated Content 3, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.dom.minidom import Element

from xhtml2pdf.w3c import generated_content
from xhtml2pdf.w3c.css import CSSTerminalFunction

OPENING, CLOSING = "wcspider-open", "wcspider-close"
"""The attributes of a Q element that hold its marks."""

SHEET = f"q:before {{ content: attr({OPENING}) }} q:after {{ content: attr({CLOSING}) }}"
"""What shows the marks, where a style sheet of the author does not say otherwise."""

_USUAL = "“”‘’"
_MARKS: Mapping[str, str] = {
    **dict.fromkeys(("de", "cs", "sk", "sl", "bg", "is", "lt", "dsb", "hsb"), "„“‚‘"),
    **dict.fromkeys(("de-ch", "de-li"), "«»‹›"),
    **dict.fromkeys(("fr", "fa"), "«»‹›"),
    **dict.fromkeys(("ru", "uk", "be"), "«»„“"),
    **dict.fromkeys(("el", "es", "it", "ca", "gl", "eu", "pt", "sq", "hy"), "«»“”"),
    **dict.fromkeys(("no", "nb", "nn"), "«»‘’"),
    **dict.fromkeys(("pl", "ro"), "„”«»"),
    "pt-br": _USUAL,
    "et": "„“«»",
    "hu": "„”»«",
    **dict.fromkeys(("hr", "bs"), "„”‚’"),
    **dict.fromkeys(("sv", "fi", "he"), "””’’"),
    "ar": "”“’‘",
    **dict.fromkeys(("ja", "zh-tw", "zh-hk", "zh-hant"), "「」『』"),
}
"""The marks of a language: outer ones, and those of a quotation in another."""

_SAID = {"open-quote": OPENING, "close-quote": CLOSING}
_items = generated_content.parse_content


def mark(element: Element) -> None:
    """Note the marks of a Q element on it."""
    around = list(_lineage(element))
    written = (node.getAttribute(name) for node in around for name in ("lang", "xml:lang"))
    language = next((name.strip().lower().replace("_", "-") for name in written if name.strip()), "")
    marks = _MARKS.get(language) or _MARKS.get(language.partition("-")[0], _USUAL)
    inner = 2 * any(node.tagName == "q" for node in around[1:])
    element.setAttribute(OPENING, marks[inner])
    element.setAttribute(CLOSING, marks[inner + 1])


def _lineage(element: Element) -> Any:
    node: Any = element
    while isinstance(node, Element):
        yield node
        node = node.parentNode


def content_items(value: Any) -> Any:
    """Return the items of a ``content`` value; xhtml2pdf has none for quotation marks."""
    parts = value if isinstance(value, list | tuple) else [value]
    return _items([_quote(part) for part in parts])


def _quote(part: Any) -> Any:
    name = _SAID.get(part.lower()) if type(part) is str else None
    return CSSTerminalFunction("attr", [name]) if name else part
