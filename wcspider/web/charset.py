"""The encoding of a text resource, and the evidence for it.

The evidence is, strongest first: byte order mark, HTTP charset, META (in a style sheet, @charset), XML declaration, the
charset attribute of the link to the resource, and a fixed default, which is UTF-8 for XML and XHTML (XML 1.0, 4.3.3).
Nothing is guessed from the text itself, so one source always has the same encoding. Labels are those of the Encoding
Standard, as in browsers:
https://www.w3.org/TR/2018/CR-encoding-20180327/#names-and-labels

A label is rejected, and the next evidence is used, in these cases:

- The standard does not know the label, or replaces it for safety (``hz-gb-2312``).
- HTTP or a link says UTF-16, but the body has none of the zero bytes that ASCII characters have in UTF-16. (If a
  META or XML declaration says UTF-16 and is itself readable byte by byte, it means UTF-8, by the standard.)
- Decoded with it, the body has at least as many errors as characters outside ASCII. A browser shows a page of
  replacement characters then, but an archive has to keep the text. One bad byte in a long page does not outweigh
  a label. If no evidence decodes the body better, the strongest known label is used.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

import webencodings
from lxml import etree
from w3lib.encoding import to_unicode

from wcspider.exceptions import CharsetError

DEFAULT_ENCODING: Final = "windows-1252"
"""The fallback of HTML in most locales, and an encoding that can decode any bytes."""


class Evidence(StrEnum):
    """The kinds of evidence for an encoding, strongest first."""

    BOM = "bom"
    HTTP = "http"
    META = "meta"
    XML = "xml"
    LINK = "link"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class CharsetDecision:
    """The encoding of a text resource, and the reason for it."""

    encoding: str
    """The name in the Encoding Standard, in lower case, such as ``windows-1252``."""

    evidence: Evidence
    label: str
    """The label as found; for a byte order mark, the name of the encoding."""

    rejected: tuple[tuple[Evidence, str], ...] = ()
    """The rejected labels of stronger evidence, in order."""


_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
BYTE_ORDER_MARKS: Final = tuple(mark for mark, _ in _BOMS)
"""The byte order marks of UTF-8 and UTF-16 (Encoding Standard, 6)."""

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

_CHARSET_RULE_RE: Final = re.compile(rb'@charset "(?P<label>[^"]{1,100})";')
"""The rule at the very beginning of a style sheet that names its encoding (CSS Syntax 3, 3.2)."""

_XML_TYPE_RE: Final = re.compile(r"(?:text|application)/xml|.*\+xml", re.DOTALL)
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})

META_BYTES: Final = 64 * 1024
"""How many bytes at the beginning of a page are searched for META. Browsers prescan 1,024 bytes (HTML, 13.2.3.2), and
authors are asked to put META there (HTML 4.01, 5.2.2), but many pages have scripts before it."""

CHUNK: Final = 64 * 1024
"""How many bytes are decoded at a time."""

_META_CHUNK: Final = 4096
_SAMPLE: Final = 4096
_AROUND_LABELS: Final = " \t\r\n\f\"'"

UTF_8: Final = "utf-8"
"""The name of the encoding of most pages."""


def decide(
    body: bytes,
    http_charset: str | None,
    *,
    link_charset: str | None = None,
    media_type: str = "text/html",
    default: str = DEFAULT_ENCODING,
) -> CharsetDecision:
    """Return the encoding of ``body``, by the rules in the docstring of this module.

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
            raise CharsetError(f"unknown encoding {label!r}", "use a name such as windows-1252 or utf-8")
        if encoding is not None and encoding not in tried:
            tried.add(encoding)
            decision = CharsetDecision(encoding, evidence, label, tuple(rejected))
            if _reads(body, encoding):
                return decision
            strongest = strongest or decision
        rejected.append((evidence, label))
    assert strongest is not None, "the default is a known label"
    return strongest


def encoding_of(label: str) -> str | None:
    """Return the name of the encoding that a label means; None for an unknown label."""
    found = webencodings.lookup(label.strip(_AROUND_LABELS))
    return None if found is None else str(found.name)


def decode(body: bytes, encoding: CharsetDecision | str) -> str:
    """Return the text of ``body`` without a byte order mark, decoded as browsers decode it.

    ``encoding`` is a decision or a label. Undecodable bytes become U+FFFD. Raises `CharsetError` for an unknown
    label.
    """
    label = encoding.encoding if isinstance(encoding, CharsetDecision) else encoding
    return "".join(decoded_pieces(body, label))


def decoded_pieces(body: bytes, encoding: str) -> Iterator[str]:
    """Yield the text of ``body`` like `decode`, in pieces that take little memory."""
    found = webencodings.lookup(encoding)
    if found is None:
        raise CharsetError(f"unknown encoding {encoding!r}")
    return _decoded(body, found, _bom_length(body, found.name))


def _bom_length(body: bytes, name: str) -> int:
    """Return the length of the byte order mark of an encoding at the start of ``body``; 0 without one."""
    return next((len(bom) for bom, encoding in _BOMS if encoding == name and body.startswith(bom)), 0)


def _labels(
    body: bytes, http_charset: str | None, link_charset: str | None, media_type: str, default: str
) -> Iterator[tuple[Evidence, str]]:
    """Yield the evidence after the byte order mark, strongest first, each searched for only when needed."""
    if http_charset:
        yield Evidence.HTTP, http_charset
    if media_type in _HTML_TYPES:
        for label in _meta_labels(body):
            yield Evidence.META, label
    if media_type == "text/css" and (rule := _CHARSET_RULE_RE.match(body)):
        yield Evidence.META, rule["label"].decode("ascii", "replace")
    if media_type in _HTML_TYPES or _XML_TYPE_RE.fullmatch(media_type):
        declared = _xml_label(body)
        if declared is not None:
            yield Evidence.XML, declared
    if link_charset:
        yield Evidence.LINK, link_charset
    if _XML_TYPE_RE.fullmatch(media_type):
        yield Evidence.DEFAULT, UTF_8
    yield Evidence.DEFAULT, default


def _encoding(body: bytes, evidence: Evidence, label: str) -> str | None:
    """Return the name of the encoding that a label means for this body; None if the label is rejected."""
    found = webencodings.lookup(label.strip(_AROUND_LABELS))
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
    """Return the byte order of UTF-16, by the zero bytes of ASCII characters; None if there are none."""
    sample = body[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if even == odd:
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _meta_labels(body: bytes) -> Iterator[str]:
    """Yield the labels in META elements, in both forms, in the first `META_BYTES` bytes.

    A parser finds them, not a pattern, so comments, scripts and attributes do not count. The bytes are read as
    ISO-8859-1, because tags and labels are ASCII in every encoding that a META can name.
    """
    parser: Any = etree.HTMLPullParser(events=("start",), tag="meta", encoding="iso-8859-1", huge_tree=True)
    for start in range(0, min(len(body), META_BYTES), _META_CHUNK):
        try:
            parser.feed(body[start : start + _META_CHUNK])
        except etree.LxmlError:
            return
        for _, meta in parser.read_events():
            label = _meta_label(meta.attrib)
            if label:
                yield label


def _meta_label(attributes: Any) -> str | None:
    """Return the label of one META element: its charset attribute, or the charset in its content; None without one."""
    charset: str | None = attributes.get("charset")
    if charset is not None:
        return charset.strip()
    if attributes.get("http-equiv", "").strip().lower() != "content-type":
        return None
    match = _META_CONTENT_RE.search(attributes.get("content", ""))
    return match and (match["double"] or match["single"] or match["bare"])


def _xml_label(body: bytes) -> str | None:
    """Return the label in the XML declaration, which may be UTF-16 without a byte order mark; None without one."""
    order = _xml_start(body)
    text = body[:_XML_DECLARATION_SIZE].decode(order or "iso-8859-1", "replace")
    match = _XML_ENCODING_RE.match(text)
    return (match["double"] or match["single"]) if match else order


def _xml_start(body: bytes) -> str | None:
    """Return the byte order of UTF-16 in which a body begins with an XML declaration; None if it does not."""
    return next((name for start, name in _XML_STARTS if body.startswith(start)), None)


def _reads(body: bytes, encoding: str) -> bool:
    """Tell whether a body decodes without errors, or with fewer errors than characters outside ASCII."""
    errors = -body.count("\ufffd".encode()) if encoding == "utf-8" else 0  # those in the source are no errors
    outside_ascii = 0
    for piece in _decoded(body, webencodings.lookup(encoding)):
        errors += piece.count("\ufffd")
        outside_ascii += len(piece) - len(piece.encode("ascii", "ignore"))
    return not errors or errors < outside_ascii - errors


def _decoded(body: bytes, encoding: Any, start: int = 0) -> Iterator[str]:
    """Decode from a position on, in pieces, with one of webencodings' encodings or with a better codec of Python."""
    name: str = encoding.name
    if name in ("gbk", "gb18030"):
        yield to_unicode(body[start:], "gb18030")  # reads 0x80 as the euro sign, as browsers do
    elif name.startswith("windows-"):
        table = _windows_table(encoding.codec_info.name)
        for position in range(start, len(body), CHUNK):
            yield codecs.charmap_decode(body[position : position + CHUNK], "strict", table)[0]
    else:
        codec, errors = _BETTER.get(name, (encoding.codec_info, "replace"))
        decoder = codec.incrementaldecoder(errors)
        for position in range(start, len(body), CHUNK):
            yield decoder.decode(body[position : position + CHUNK])
        yield decoder.decode(b"", final=True)


@lru_cache(maxsize=16)
def _windows_table(codec: str) -> str:
    """Return the characters of a Windows code page, with C1 controls in the gaps from 0x80 to 0x9F, as in browsers."""
    characters = (bytes([byte]).decode(codec, "replace") for byte in range(256))
    return "".join(
        chr(byte) if character == "\ufffd" and 0x80 <= byte < 0xA0 else character
        for byte, character in enumerate(characters)
    )


_EUC_JP_ERRORS: Final = "wcspider.charset.euc_jp"


def _vendor_character(error: UnicodeError) -> tuple[str, int]:
    """Return a character of JIS row 13 (circled digits, unit signs), which Python's EUC-JP lacks, from CP932."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or min(pair) < 0xA1:
        return "\ufffd", error.end
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
    return bytes((lead, trail)).decode("cp932", "replace"), error.start + 2


codecs.register_error(_EUC_JP_ERRORS, _vendor_character)

_BETTER: Final = {
    "iso-2022-jp": (codecs.lookup("iso2022_jp_ext"), "replace"),  # with the half-width katakana that browsers read
    "euc-jp": (codecs.lookup("euc_jp"), _EUC_JP_ERRORS),
}
