"""XHTML source text rewritten as HTML, so that an HTML parser can read it."""

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
"""The constructs that an HTML parser reads differently: instructions, CDATA sections and empty elements.

Comments and the contents of SCRIPT and STYLE elements match as well, so that constructs inside them are not changed.
"""

_CDATA_MARKS = re.compile(r"<!\[CDATA\[|\]\]>")


def as_html(xhtml: str) -> str:
    """Return an XHTML page as HTML.

    An HTML parser would read empty elements as start tags, and CDATA sections as comments.
    """
    return _XML_PART.sub(_part_as_html, xhtml)


def _part_as_html(part: re.Match[str]) -> str:
    if part["name"] and part["name"] not in _VOID:
        return f"<{part['name']}{part['attributes']}></{part['name']}>"
    if part["end"]:
        return html.escape(part["text"], quote=False)
    if part["raw"]:
        return _CDATA_MARKS.sub("", part[0])
    return "" if part["instruction"] else part[0]
