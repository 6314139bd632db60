"""The tree of an HTML or XHTML page, with the documents of its frames."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from wcspider.engines.base import RenderTask
from wcspider.engines.document import shadow_trees
from wcspider.engines.document.html_trees import (
    append_behind,
    append_text,
    drop,
    empty,
    insert_behind,
    put_contents_behind,
)
from wcspider.exceptions import EngineError
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import without_internal_subset
from wcspider.web.documents.html_parsing import with_characters

MAX_FRAMES = 100
"""The largest number of documents in a page that are shown, including nested ones."""

_NOT_OF_THE_PAGE = ("style", "link", "base", "title", "meta", "script")
"""Elements of a document in a frame that must not affect the page around it."""

FRAME = "data-wcspider-frame"
"""The attribute with the number of a frame, on the element that shows its document."""

_CONTROLS = bytes((*range(0x09), 0x0B, *range(0x0E, 0x20), 0x7F))
"""The ASCII characters that are not allowed in a tree."""

_FORM_FEED = bytes.maketrans(b"\f", b" ")
"""A form feed is white space (HTML, 13.1.2), but not allowed in a tree."""

_REFERENCE = re.compile(
    rb"&#(?:0*(?:[1-8]|1[124-9]|2\d|3[01]|127|129|141|143|144|157|6553[45])(?!\d)"
    rb"|x0*(?:[1-8bcef]|1[\da-f]|7f|8[1df]|9[0d]|fff[ef])(?![\da-f]));?",
    re.IGNORECASE,
)
"""A reference to a character that is not allowed in a tree."""

_INVISIBLE = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x81\xa0|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
"""Other invisible characters that are not allowed in a tree, in UTF-8: U+0080 to U+009F, U+2060, U+FEFF, U+FFFE and
U+FFFF."""

_END_OF_LINE = re.compile(rb"</br(?=[\s/>])", re.IGNORECASE)
"""An end tag that is a line break (HTML, 13.2.6.4.7). libxml2 ignores it."""

_METADATA = frozenset(
    {"base", "basefont", "bgsound", "link", "meta", "noframes", "noscript", "script", "style", "template", "title"}
)
"""The elements of a HEAD."""

_WITHOUT_END = ("dd", "dt", "rp", "rt")
"""Elements whose end tag may be omitted."""

_EMPTY = ("wbr", "track", "bgsound", "keygen", "embed")
"""Elements without contents (HTML, 13.1.2) that libxml2 does not know. It puts the nodes behind them into them."""

_ENDING = (
    "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3",
    "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre", "ruby", "s",
    "small", "span", "strike", "strong", "sub", "sup", "table", "tt", "u", "ul", "var",
)  # fmt: skip
"""The elements of HTML that end an SVG or MATH element (HTML, 13.2.6.5)."""

_WITH_HTML = frozenset({"foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"})
"""The elements in SVG and MATH elements that may contain elements of HTML."""


def parse(task: RenderTask) -> Any:
    """Return the root element of a page, with the documents of its frames inserted."""
    text = without_internal_subset(decode(task.body, task.encoding))
    root = parse_text(as_html(text) if "xml" in task.media_type else text)
    for frameset in list(root.iter("frameset"))[:1]:
        _unframe(root, frameset)
    for number in range(MAX_FRAMES):
        frame = next((frame for frame in root.iter("iframe") if "srcdoc" in frame.attrib), None)
        if frame is None:
            break
        _open_frame(frame, number)
    return root


def parse_text(text: str) -> Any:
    """Return the root element of a document. It contains a HEAD and a BODY.

    Raise `EngineError` if libxml2 gives up, because more than 2,048 elements are nested.
    """
    source = _visible(text)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = lxml_html.document_fromstring(source or b"<body>", parser=parser, ensure_head_body=True)
    except etree.ParserError:  # the document is empty
        root = lxml_html.document_fromstring(b"<body>", parser=parser, ensure_head_body=True)
    if any("depth" in entry.message for entry in parser.error_log.filter_from_fatals()):
        raise EngineError("the elements of the page are nested too deep")
    _add_behind_end(root)
    _end_head(root.find("head"), root.find("body"))
    _end_before_next(root)
    for element in list(root.iter(*_EMPTY)):
        put_contents_behind(element)
    for element in list(root.iter("svg", "math")):
        _end_foreign(element)
    shadow_trees.show(root)
    return root


def _visible(text: str) -> bytes:
    """Return a text in UTF-8 as libxml2 understands it: without invisible characters that no tree may contain."""
    source = text.encode(errors="ignore").translate(_FORM_FEED, _CONTROLS)  # UTF-8 has no surrogates
    source = _END_OF_LINE.sub(b"<br", _REFERENCE.sub(b"", source))
    return source if source.isascii() else _INVISIBLE.sub(b"", source)


def _add_behind_end(root: Any) -> None:
    """Add to the BODY what is behind the end tag of a document (HTML, 13.2.6.4.22); libxml2 makes more roots of it."""
    body = root.find("body")
    for other in list(root.itersiblings("html")):
        append_text(body, other.text or "")
        for part in list(other):
            if part.tag in ("head", "body"):
                append_text(body, part.text or "")
                body.extend(part)
                body.attrib.update({**part.attrib, **body.attrib})
            else:
                body.append(part)


def _end_head(head: Any, body: Any) -> None:
    """Let a HEAD end before the first element that is not of a HEAD (HTML, 13.2.6.4.4).

    If the page has no BODY tag, libxml2 puts newer elements, such as HEADER and MAIN, into the HEAD.
    """
    first = next((element for element in head if element.tag not in _METADATA), None)
    if first is not None:
        moved = [first, *first.itersiblings()]
        append_behind(moved[-1], body.text)
        body.text = None
        body[:0] = moved


def _end_before_next(root: Any) -> None:
    """Let elements without an end tag end before the next one (HTML, 13.1.2.4); libxml2 puts the next one into them."""
    for element in list(root.iter(*_WITHOUT_END)):
        parent = element.getparent()
        if parent is not None and parent.tag in _WITHOUT_END:
            insert_behind(parent, [element, *element.itersiblings()])


def _end_foreign(element: Any) -> None:
    """Let an SVG or MATH element without an end tag end before the first element of HTML in it."""
    for inner in element.iterdescendants(*_ENDING):
        around = takewhile(lambda outer: outer is not element, inner.iterancestors())
        if not any(outer.tag.lower() in _WITH_HTML for outer in around):
            nodes, last = [inner], inner
            while last is not element:
                nodes += last.itersiblings()
                last = last.getparent()
                if last is not element:
                    append_behind(nodes[-1], last.tail)
                    last.tail = None
            insert_behind(element, nodes)
            return


def _unframe(root: Any, frameset: Any) -> None:
    """Replace a FRAMESET by its contents for readers without frames, followed by its frames."""
    otherwise = "".join("".join(element.itertext()) for element in root.iter("noframes"))
    inside = [lxml_html.tostring(child, encoding="unicode") for element in root.iter("noframes") for child in element]
    body = parse_text("".join(inside) or otherwise).find("body")
    for frame in list(frameset.iter("frame")):
        paragraph = etree.SubElement(body, "p")
        frame.tag = "iframe"
        frame.tail = None
        paragraph.append(frame)
    for element in list(root.iter("noframes")):
        drop(element)
    for old in [child for child in root if child.tag in ("body", "frameset")]:
        root.remove(old)
    drop(frameset)
    root.append(body)


def _open_frame(frame: Any, number: int) -> None:
    """Replace an IFRAME by the document in its attribute. Its STYLE elements become rules for the frame alone."""
    inside = parse_text(frame.get("srcdoc"))
    del frame.attrib["srcdoc"]
    sheets = [shadow_trees.nested_style(style, f"[{FRAME}='{number}']") for style in inside.iter("style")]
    for element in list(inside.iter(*_NOT_OF_THE_PAGE)):
        drop(element)
    frame.tag = "div"
    frame.set(FRAME, str(number))
    empty(frame)
    body = inside.find("body")
    frame.text = body.text
    frame.extend([*body, *sheets])


def as_html(xhtml: str) -> str:
    """Return a well-formed XHTML page as HTML, without its namespaces; other pages unchanged."""
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(with_characters(xhtml).encode(errors="replace"), parser)
    except etree.XMLSyntaxError:
        return xhtml
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    etree.cleanup_namespaces(root)
    return str(lxml_html.tostring(root, encoding="unicode"))
