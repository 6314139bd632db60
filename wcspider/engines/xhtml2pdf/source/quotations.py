"""The quotation marks around a Q element, by its language (HTML, 15.3.4; CSS Generated Content 3, 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wcspider.engines.document.html_trees import XML, append_text

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
"""The marks by language: the outer pair, and the pair of a quotation inside another."""


def write_marks(element: Any) -> None:
    """Write quotation marks before and after the contents of a Q element."""
    lineage = [element, *element.iterancestors()]
    declared = (node.get(name, "").strip() for node in lineage for name in ("lang", f"{{{XML}}}lang"))
    language = next(filter(None, declared), "").lower().replace("_", "-")
    marks = _MARKS.get(language) or _MARKS.get(language.partition("-")[0], _USUAL)
    inner = 2 * any(node.tag == "q" for node in lineage[1:])
    element.text = marks[inner] + (element.text or "")
    append_text(element, marks[inner + 1])
