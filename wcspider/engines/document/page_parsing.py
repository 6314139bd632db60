"""The tree of an HTML or XHTML page, with the documents of its frames."""

from __future__ import annotations

import re
from typing import Any

from lxml import etree
from lxml import html as lxml_html
from selectolax.lexbor import LexborHTMLParser

from wcspider.engines.base import RenderTask
from wcspider.engines.document import shadow_trees
from wcspider.engines.document.html_trees import drop, empty, put_contents_behind
from wcspider.exceptions import EngineError
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import in_quirks_mode, without_internal_subset
from wcspider.web.documents.html_parsing import with_characters

MAX_FRAMES = 100
"""The largest number of documents in a page that are shown, including nested ones."""

_NOT_OF_THE_PAGE = ("style", "link", "base", "title", "meta", "script")
"""Elements of a document in a frame that must not affect the page around it."""

QUIRKS = "data-wcspider-quirks"
"""The attribute of the root element of a document that browsers show in quirks mode."""

_OWN = "data-wcspider-"
"""The beginning of the names of the attributes that steps of the preparation set. A page may not set them itself."""

FRAME = "data-wcspider-frame"
"""The attribute with the number of a frame, on the element that shows its document."""

_CONTROLS = bytes((*range(0x09), 0x0B, *range(0x0E, 0x20), 0x7F))
"""The ASCII characters that are not allowed in a tree."""

_FORM_FEED = bytes.maketrans(b"\f", b" ")
"""A form feed is white space (HTML, 13.1.2), but not allowed in a tree."""

_INVISIBLE = re.compile(rb"\xc2[\x80-\x9f]|\xe2\x81\xa0|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
"""Other invisible characters that are not allowed in a tree, in UTF-8: U+0080 to U+009F, U+2060, U+FEFF, U+FFFE and
U+FFFF."""

_FIRST_LINE = re.compile(rb"(<(?:pre|textarea|listing)(?: [^>]*)?>)\n")
"""An element whose first line is empty. Parsers ignore the first newline in such an element (HTML, 13.2.6.4.7)."""

MAX_OPEN = 50_000
"""The largest number of elements without an end tag. Lexbor's time grows with the square of the depth of the tree."""

_EMPTY = ("wbr", "track", "bgsound", "keygen", "embed")
"""Elements without contents (HTML, 13.1.2) that libxml2 does not know. It puts the nodes behind them into them."""

_PLAINTEXT_END = re.compile(rb"</plaintext>(</[^>]*>)*\Z")
"""The tags behind the text of a PLAINTEXT, to which everything behind its start tag belongs."""

_ENDED_EARLY = "Unexpected end tag"
"""A message of libxml2 about an element that it has ended before its end tag, by the rules of old HTML."""

_UNKNOWN = "wcspider-unknown-"
_TAG = re.compile(
    rb"<!--.*?-->|<(?P<raw>script|style|xmp|iframe|noembed|noframes|plaintext)[\s>].*?</(?P=raw)>"
    rb'|(?P<start></?)(?P<name>[a-z][^\s>/]*)(?P<attributes>(?:[^">]|"[^"]*")*>)',
    re.DOTALL,
)
"""A comment, an element with a text that may look like tags, or else a tag, as Lexbor writes them."""

_WITH_KNOWN_NAMES = frozenset(
    b"html head body area base br col embed hr img input link meta param source track wbr".split()
)
"""Elements that have to be there, or that have no contents."""

_NOT_EMPTY = ("isindex", "applet")
"""Elements of old HTML whose contents are shown in browsers. libxml2 writes none of an ISINDEX."""


def parse(task: RenderTask) -> Any:
    """Return the root element of a page, with the documents of its frames inserted."""
    source = decode(task.body, task.encoding)
    text, is_xml = without_internal_subset(source), "xml" in task.media_type
    root = parse_text(as_html(text) if is_xml else text)
    if not is_xml and in_quirks_mode(source):
        root.set(QUIRKS, "")
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
    source = _well_formed(text)
    root, log = _tree(source)
    if any(entry.message.startswith(_ENDED_EARLY) for entry in log):
        root, log = _tree(_TAG.sub(_with_unknown_name, source))
        for element in root.iter(etree.Element):
            element.tag = element.tag.removeprefix(_UNKNOWN)
    if any("depth" in entry.message for entry in log.filter_from_fatals()):
        raise EngineError("the elements of the page are nested too deep")
    if _OWN.encode() in source:
        for element in root.iter(etree.Element):
            for name in [name for name in element.attrib if name.startswith(_OWN)]:
                del element.attrib[name]
    for element in list(root.iter(*_EMPTY)):
        put_contents_behind(element)
    for element in root.iter(*_NOT_EMPTY):
        element.tag = "span"
    shadow_trees.show(root)
    return root


def _tree(source: bytes) -> tuple[Any, Any]:
    """Return the root element of a document, and the log of libxml2."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = lxml_html.document_fromstring(source, parser=parser, ensure_head_body=True)
    return root, parser.error_log


def _with_unknown_name(match: re.Match[bytes]) -> bytes:
    """Return a tag with a name that libxml2 does not know, so that no other tag ends the element."""
    name = match["name"]
    if name is None or name in _WITH_KNOWN_NAMES:
        return match[0]
    return match["start"] + _UNKNOWN.encode() + name + match["attributes"]


def _well_formed(text: str) -> bytes:
    """Return a document in UTF-8 in which each element ends where it ends in browsers.

    libxml2 guesses where an element without an end tag ends. Lexbor follows the rules of HTML, 13.2.
    """
    source = text.encode(errors="ignore")  # UTF-8 has no surrogates
    if text.count("<") - 2 * text.count("</") <= MAX_OPEN:
        source = _FIRST_LINE.sub(rb"\1\n\n", (LexborHTMLParser(source).html or "").encode())
        source = _PLAINTEXT_END.sub(b"", source)
    source = source.translate(_FORM_FEED, _CONTROLS)
    return (source if source.isascii() else _INVISIBLE.sub(b"", source)) or b"<body>"


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
    frame.set("dir", body.get("dir") or inside.get("dir") or "ltr")  # a document does not inherit its direction
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
