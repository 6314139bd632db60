"""XHTML pages written as HTML has them, so that a parser of HTML can read them."""

from __future__ import annotations

import html
import re

_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "area", "base", "col", "wbr"})
_XML_PART = re.compile(
    r"""<!--.*?(?:-->|\Z)
    |(?P<instruction><\?[^<]*?\?>)
    |<!\[CDATA\[(?P<text>.*?)(?P<end>\]\]>|\Z)
    |<(?P<raw>script|style)(?=[\s>])(?:[^<>"'/]++|/(?!>)|"[^"<]*"|'[^'<]*'){0,999}>.*?(?:</(?P=raw)|\Z)
    |<(?P<name>[A-Za-z][\w:.-]*+)(?P<attributes>(?:[^<>"'/]++|/(?!>)|"[^"<]*"|'[^'<]*'){0,999}|[^<>]*)/>""",
    re.DOTALL | re.VERBOSE | re.ASCII,
)
"""What HTML reads in another way than XML: instructions, text that is marked as such, empty elements. They are none
in comments, and in elements that HTML does not look into."""

_CDATA_MARKS = re.compile(r"<!\[CDATA\[|\]\]>")


def as_html(xhtml: str) -> str:
    """Write an XHTML page as HTML has it, where empty elements would be open tags, and CDATA sections comments."""
    return _XML_PART.sub(_part_as_html, xhtml)


def _part_as_html(part: re.Match[str]) -> str:
    if part["name"] and part["name"] not in _VOID:
        return f"<{part['name']}{part['attributes']}></{part['name']}>"
    if part["end"]:
        return html.escape(part["text"], quote=False)
    if part["raw"]:
        return _CDATA_MARKS.sub("", part[0])
    return "" if part["instruction"] else part[0]
