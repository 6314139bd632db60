"""The quotation marks around a Q element, by its language (HTML, 15.3.4; CSS Generated Content 3, 2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from xml.dom.minidom import Element

from wcspider.engines.document.limits import document_of

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


def write_marks(element: Element) -> None:
    """Write the marks of a Q element before and behind its contents."""
    around = list(_lineage(element))
    written = (node.getAttribute(name) for node in around for name in ("lang", "xml:lang"))
    language = next((name.strip().lower().replace("_", "-") for name in written if name.strip()), "")
    marks = _MARKS.get(language) or _MARKS.get(language.partition("-")[0], _USUAL)
    inner = 2 * any(node.tagName == "q" for node in around[1:])
    element.insertBefore(document_of(element).createTextNode(marks[inner]), element.firstChild)
    element.appendChild(document_of(element).createTextNode(marks[inner + 1]))


def _lineage(element: Element) -> Iterator[Element]:
    node: Any = element
    while isinstance(node, Element):
        yield node
        node = node.parentNode
