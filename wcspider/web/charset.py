"""The encoding of a text resource, with the evidence that decided it.

The steps are, strongest first: byte order mark, HTTP charset, META, XML declaration, the charset attribute
of the link that led here, a fixed default. Nothing is guessed from the text itself, so that one source has
one encoding, always. Labels are those of the Encoding Standard, as in browsers:
https://www.w3.org/TR/2018/CR-encoding-20180327/#names-and-labels

A label falls through to the next step if it is *wrong*:

- it is no label of the standard, or one that the standard replaces for safety (``hz-gb-2312``);
- it says UTF-16, and the zero bytes of ASCII characters in UTF-16 are nowhere in the body. (From HTTP or a
  link. A META or XML declaration that could be read byte by byte means UTF-8, as the standard has it.)
- read by it, the body has at least as many errors as characters outside ASCII. Here a browser shows a page of
  replacement characters; an archive has to keep the text. One bad byte in a long page does not outweigh a
  label. Should no step read the body better, the strongest known label stands.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import webencodings
from lxml import etree
from w3lib.encoding import to_unicode

from wcspider.exceptions import CharsetError

DEFAULT_ENCODING: Final = "windows-1252"
"""What HTML falls back to in most locales, and an encoding that any bytes can be read in."""


class Evidence(StrEnum):
    """What decided an encoding, strongest first."""

    BOM = "bom"
    HTTP = "http"
    META = "meta"
    XML = "xml"
    LINK = "link"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class CharsetDecision:
    """The encoding of a text resource and why it is that one."""

    encoding: str
    """The name by the Encoding Standard, in lower case, such as ``windows-1252``."""

    evidence: Evidence
    label: str
    """The label as it was found, for a byte order mark the name of the encoding."""

    rejected: tuple[tuple[Evidence, str], ...] = ()
    """The labels of stronger steps that were wrong, in order."""


_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_UTF16: Final = ("utf-16le", "utf-16be")

# The start of a document in UTF-16 without a byte order mark:
# https://html.spec.whatwg.org/review-drafts/2023-01/#concept-get-xml-encoding-when-sniffing
_XML_STARTS: Final = ((b"<\0?\0x\0", "utf-16le"), (b"\0<\0?\0x", "utf-16be"))
_XML_ENCODING_RE: Final = re.compile(r"""<\?xml\s[^>]*?\bencoding\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)')""")
_XML_DECLARATION_SIZE: Final = 1024

# "Extracting a character encoding from a meta element":
# https://html.spec.whatwg.org/review-drafts/2023-01/#extracting-character-encodings-from-meta-elements
_META_CONTENT_RE: Final = re.compile(
    r"""charset\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s;"']+))""", re.IGNORECASE
)

_XML_TYPE_RE: Final = re.compile(r"(?:text|application)/xml|.*\+xml", re.DOTALL)
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

_CHUNK: Final = 4096
_SAMPLE: Final = 4096


def decide(
    body: bytes,
    http_charset: str | None,
    *,
    link_charset: str | None = None,
    media_type: str = "text/html",
    default: str = DEFAULT_ENCODING,
) -> CharsetDecision:
    """The encoding of ``body``, by the order of the module's docstring.

    ``http_charset`` is the charset parameter of the Content-Type header, ``link_charset`` the charset
    attribute of the linking element. META counts in HTML and XHTML, the XML declaration in these and in XML.
    Raises `CharsetError` if ``default`` is not a label of the Encoding Standard.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return CharsetDecision(name, Evidence.BOM, name)
    rejected: list[tuple[Evidence, str]] = []
    strongest: CharsetDecision | None = None
    tried: set[str] = set()
    for evidence, label in _labels(body, http_charset, link_charset, media_type, default):
        encoding = _encoding(body, evidence, label)
        if encoding is None and evidence is Evidence.DEFAULT:
            raise CharsetError(f"{label!r} is not a label of an encoding", "take one such as windows-1252")
        if encoding is not None and encoding not in tried:
            tried.add(encoding)
            decision = CharsetDecision(encoding, evidence, label, tuple(rejected))
            if _reads(body, encoding):
                return decision
            strongest = strongest or decision
        rejected.append((evidence, label))
    assert strongest is not None, "the default is a label that is known"
    return strongest


def decode(body: bytes, encoding: CharsetDecision | str) -> str:
    """The text of ``body`` without a byte order mark, by the codecs that browsers use for the names.

    ``encoding`` is a decision, or a label. What cannot be decoded becomes U+FFFD. Raises `CharsetError` for
    an unknown label.
    """
    label = encoding.encoding if isinstance(encoding, CharsetDecision) else encoding
    found = webencodings.lookup(label)
    if found is None:
        raise CharsetError(f"{label!r} is not a label of an encoding")
    for bom, name in _BOMS:
        if name == found.name and body.startswith(bom):
            body = body[len(bom) :]
    return _decode(body, found)


def _labels(
    body: bytes, http_charset: str | None, link_charset: str | None, media_type: str, default: str
) -> Iterator[tuple[Evidence, str]]:
    """What the steps after the byte order mark say, strongest first, each looked for only when needed."""
    if http_charset:
        yield Evidence.HTTP, http_charset
    if media_type in _HTML_TYPES:
        for label in _meta_labels(body):
            yield Evidence.META, label
    if media_type in _HTML_TYPES or _XML_TYPE_RE.fullmatch(media_type):
        declared = _xml_label(body)
        if declared is not None:
            yield Evidence.XML, declared
    if link_charset:
        yield Evidence.LINK, link_charset
    yield Evidence.DEFAULT, default


def _encoding(body: bytes, evidence: Evidence, label: str) -> str | None:
    """The name of the encoding that a label means for this body; None if the label is wrong."""
    found = webencodings.lookup(label.strip(" \t\r\n\f\"'"))
    if found is None or found.name == "replacement":
        return None
    name: str = found.name
    if name in _UTF16:
        declared_in_ascii = evidence in (Evidence.META, Evidence.XML) and _xml_start(body) is None
        return "utf-8" if declared_in_ascii else _utf16_order(body)
    if name == "x-user-defined" and evidence is Evidence.META:
        return "windows-1252"
    return name


def _utf16_order(body: bytes) -> str | None:
    """The byte order of UTF-16, by the zero bytes of its ASCII characters; None where there are none."""
    sample = body[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if even == odd:
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _meta_labels(body: bytes) -> Iterator[str]:
    """The labels in META elements, in both forms, wherever the HTML parser sees such an element.

    The parser, not a pattern, finds them, so what stands in comments, scripts and attributes is none. The
    bytes are read as ISO-8859-1, since tags and labels are ASCII in every encoding that a META can name.
    """
    parser: Any = etree.HTMLPullParser(events=("start",), tag="meta", encoding="iso-8859-1", huge_tree=True)
    for start in range(0, len(body), _CHUNK):
        try:
            parser.feed(body[start : start + _CHUNK])
        except etree.LxmlError:
            return
        for _, meta in parser.read_events():
            label = _meta_label(meta.attrib)
            if label:
                yield label


def _meta_label(attributes: Any) -> str | None:
    """The label of one META element: its charset attribute, or what its content says for the header."""
    charset: str | None = attributes.get("charset")
    if charset is not None:
        return charset.strip()
    if attributes.get("http-equiv", "").strip().lower() != "content-type":
        return None
    match = _META_CONTENT_RE.search(attributes.get("content", ""))
    return match and (match["double"] or match["single"] or match["bare"])


def _xml_label(body: bytes) -> str | None:
    """The label in the XML declaration, which may stand in UTF-16 without a byte order mark."""
    order = _xml_start(body)
    text = body[:_XML_DECLARATION_SIZE].decode(order or "iso-8859-1", "replace")
    match = _XML_ENCODING_RE.match(text)
    return (match["double"] or match["single"]) if match else order


def _xml_start(body: bytes) -> str | None:
    """Which UTF-16 the XML declaration at the start of a body is written in; None if in neither."""
    return next((name for start, name in _XML_STARTS if body.startswith(start)), None)


def _reads(body: bytes, encoding: str) -> bool:
    """Whether a body read by an encoding has fewer errors than characters outside ASCII, or none at all."""
    text = _decode(body, webencodings.lookup(encoding))
    genuine = body.count("\ufffd".encode()) if encoding == "utf-8" else 0
    errors = text.count("\ufffd") - genuine
    if not errors:
        return True
    return errors < len(text) - len(text.encode("ascii", "ignore")) - errors


def _decode(body: bytes, encoding: Any) -> str:
    """Decode by one of webencodings' encodings, with a better codec where Python has one."""
    name: str = encoding.name
    if name in ("gbk", "gb18030"):
        return to_unicode(body, "gb18030")  # reads 0x80 as the euro sign, as browsers do
    if name == "iso-2022-jp":
        return body.decode("iso2022_jp_ext", "replace")  # with the half-width katakana that browsers read
    if name == "euc-jp":
        return body.decode("euc_jp", _EUC_JP_ERRORS)
    errors = _C1_ERRORS if name.startswith("windows-") else "replace"
    text: str = encoding.codec_info.decode(body, errors)[0]
    return text


_C1_ERRORS: Final = "wcspider.charset.c1"
_EUC_JP_ERRORS: Final = "wcspider.charset.euc_jp"


def _c1_control(error: UnicodeError) -> tuple[str, int]:
    """A byte that Python leaves undefined in a Windows code page, as the C1 control that browsers read."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    byte = error.object[error.start]
    return (chr(byte) if 0x80 <= byte < 0xA0 else "\ufffd"), error.start + 1


def _vendor_character(error: UnicodeError) -> tuple[str, int]:
    """A character of JIS row 13 (circled digits, unit signs) that Python's EUC-JP lacks and its CP932 has."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or min(pair) < 0xA1:
        return "\ufffd", error.end
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
    return bytes((lead, trail)).decode("cp932", "replace"), error.start + 2


codecs.register_error(_C1_ERRORS, _c1_control)
codecs.register_error(_EUC_JP_ERRORS, _vendor_character)
