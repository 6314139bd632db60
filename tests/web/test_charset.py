"""web/charset.py: the encoding of a text resource, and the evidence that decided it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.exceptions import CharsetError
from wcspider.web import charset
from wcspider.web.charset import CharsetDecision, Evidence, decide, decode

BOM, HTTP, META, XML, LINK, DEFAULT = Evidence

GERMAN = "Größe, Übergänge: schöne Füße"
POLISH = "Zażółć gęślą jaźń – „łódź”"
RUSSIAN = "Съешь же ещё этих мягких французских булок"
UKRAINIAN = "Їхній ґанок, єдина вулиця"
GREEK = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία"
TURKISH = "Pijamalı hasta yağız şoföre çabucak güvendi"
HEBREW = "דג סקרן שט בים מאוכזב"
ARABIC = "صِف خَلقَ خَودِ".replace("\u0650", "").replace("\u064e", "")
THAI = "เป็นมนุษย์สุดประเสริฐ"
VIETNAMESE = "tiêng viêt"
JAPANESE = "いろはにほへと、日本語の文字コード。カタカナ"
CHINESE = "我能吞下玻璃而不伤身体，汉字编码。"
TAIWANESE = "我能吞下玻璃而不傷身體，漢字編碼。"
KOREAN = "다람쥐 헌 쳇바퀴에 타고파, 한국어"

REAL_TEXT = [
    ("utf-8", "utf-8", GERMAN + RUSSIAN + JAPANESE),
    ("windows-1252", "windows-1252", GERMAN + " €“”"),
    ("iso-8859-1", "windows-1252", GERMAN),  # the label means windows-1252 in the standard, here and below
    ("us-ascii", "windows-1252", GERMAN),
    ("iso-8859-2", "iso-8859-2", "Zażółć gęślą jaźń"),
    ("windows-1250", "windows-1250", POLISH),
    ("iso-8859-3", "iso-8859-3", "eĥoŝanĝo ĉiuĵaŭde"),
    ("iso-8859-4", "iso-8859-4", "ķīļš ģērbās"),
    ("iso-8859-5", "iso-8859-5", RUSSIAN),
    ("windows-1251", "windows-1251", RUSSIAN),
    ("koi8-r", "koi8-r", RUSSIAN),
    ("koi8-u", "koi8-u", UKRAINIAN),
    ("ibm866", "ibm866", RUSSIAN),
    ("iso-8859-6", "iso-8859-6", ARABIC),
    ("windows-1256", "windows-1256", ARABIC),
    ("iso-8859-7", "iso-8859-7", GREEK),
    ("windows-1253", "windows-1253", GREEK),
    ("iso-8859-8", "iso-8859-8", HEBREW),
    ("iso-8859-8-i", "iso-8859-8-i", HEBREW),
    ("windows-1255", "windows-1255", HEBREW),
    ("iso-8859-9", "windows-1254", TURKISH),
    ("iso-8859-10", "iso-8859-10", "ĸŋþæð"),
    ("iso-8859-13", "iso-8859-13", "įlinkdama fechtuotojo špaga"),
    ("windows-1257", "windows-1257", "įlinkdama fechtuotojo špaga"),
    ("iso-8859-14", "iso-8859-14", "ŵŷẁ"),
    ("iso-8859-15", "iso-8859-15", "cœur à 5 €"),
    ("iso-8859-16", "iso-8859-16", "țară și €"),
    ("tis-620", "windows-874", THAI),
    ("windows-1258", "windows-1258", VIETNAMESE),
    ("macintosh", "macintosh", GERMAN),
    ("x-mac-cyrillic", "x-mac-cyrillic", RUSSIAN),
    ("shift_jis", "shift_jis", JAPANESE + "①㈱～－"),  # with the vendor's characters of CP932
    ("x-sjis", "shift_jis", JAPANESE),
    ("euc-jp", "euc-jp", JAPANESE),
    ("iso-2022-jp", "iso-2022-jp", JAPANESE),
    ("gb2312", "gbk", CHINESE),
    ("gbk", "gbk", CHINESE + TAIWANESE),
    ("gb18030", "gb18030", CHINESE + "𠀀"),
    ("big5", "big5", TAIWANESE),
    ("euc-kr", "euc-kr", KOREAN + "쳌똠방각하"),  # with the syllables of CP949
    ("ks_c_5601-1987", "euc-kr", KOREAN),
]
PYTHON_CODECS = {
    "x-sjis": "cp932",
    "shift_jis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "ibm866": "cp866",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "us-ascii": "cp1252",
    "gb2312": "gb2312",
    "euc-kr": "cp949",
    "tis-620": "cp874",
    "ks_c_5601-1987": "cp949",
}


@pytest.mark.parametrize(("label", "name", "text"), REAL_TEXT, ids=[row[0] for row in REAL_TEXT])
def test_real_text(label: str, name: str, text: str) -> None:
    """Each encoding by each of its ways to be named, in any case."""
    codec = PYTHON_CODECS.get(label, label)
    body = text.encode(codec)
    assert decode(body, label.upper()) == text
    assert decide(body, label.upper()) == CharsetDecision(name, HTTP, label.upper())
    assert decide(body, None, link_charset=label) == CharsetDecision(name, LINK, label)
    for markup, evidence in [
        (f"<meta charset={label}>", META),
        (f"<META content='text/html; charset={label}' HTTP-EQUIV=Content-Type>", META),
        (f'<?xml version="1.0" encoding="{label}"?><html/>', XML),
    ]:
        page = markup.encode() + body
        decision = decide(page, None)
        assert decision == CharsetDecision(name, evidence, label)
        assert decode(page, decision) == markup + text


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, JAPANESE, "😀"])
@pytest.mark.parametrize(
    ("bom", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "utf-16be"),
    ],
)
def test_byte_order_marks_go_before_everything(bom: bytes, codec: str, name: str, text: str) -> None:
    body = bom + f"<meta charset=koi8-r>{text}".encode(codec)
    decision = decide(body, "big5", link_charset="gbk")
    assert decision == CharsetDecision(name, BOM, name)
    assert decode(body, decision) == f"<meta charset=koi8-r>{text}"


@pytest.mark.parametrize(
    ("body", "http", "expected"),
    [
        # the order of the steps
        (b"<meta charset=koi8-r>\xa4\xa4", "big5", ("big5", HTTP)),
        (b"<?xml version='1.0' encoding='koi8-u'?><meta charset=koi8-r>\xc1", None, ("koi8-r", META)),
        (b"\xc1", None, ("windows-1252", DEFAULT)),
        (b"", "utf-8", ("utf-8", HTTP)),
        # META, in HTML's own words
        (b"<meta charset=' KOI8-R '>", None, ("koi8-r", META)),
        (b"<meta/charset=koi8-r/>", None, ("windows-1252", DEFAULT, (META, "koi8-r/"))),
        (b"<meta http-equiv=refresh content='0; charset=koi8-r'>", None, ("windows-1252", DEFAULT)),
        (b"<meta content='text/html; charset=koi8-r'>", None, ("windows-1252", DEFAULT)),
        (b"<meta http-equiv=content-type content='CharSet = \"koi8-r\" x'>", None, ("koi8-r", META)),
        (b"<meta name=charset content=koi8-r>", None, ("windows-1252", DEFAULT)),
        (b"<!-- <meta charset=koi8-r> -->", None, ("windows-1252", DEFAULT)),
        (b"<script>'<meta charset=koi8-r>'</script>", None, ("windows-1252", DEFAULT)),
        (b"<style><meta charset=koi8-r></style>", None, ("windows-1252", DEFAULT)),
        (b"<title><meta charset=koi8-r></title>", None, ("windows-1252", DEFAULT)),
        (b"<p title='<meta charset=koi8-r>'>", None, ("windows-1252", DEFAULT)),
        (b"<!-- --><meta charset=koi8-r>", None, ("koi8-r", META)),
        (b"<meta charset=koi8-r><meta charset=big5>", None, ("koi8-r", META)),
        (b" " * 1000 + b"<meta charset=koi8-r>", None, ("koi8-r", META)),  # within 1024 bytes
        (b" " * 1015 + b"<meta charset=koi8-r>", None, ("koi8-r", META)),  # across their end
        (b"<p>" + b"x" * 4090 + b"<meta charset=koi8-r>", None, ("koi8-r", META)),  # far beyond
        (b"<p>" + b"x" * 70_000 + b"<meta charset=koi8-r>", None, ("windows-1252", DEFAULT)),  # beyond 64 KiB
        (b"<meta charset=utf-16>\xc3\xa9", None, ("utf-8", META)),  # it could be read, so it is not UTF-16
        (b"<meta charset=UTF-16BE>a\x00", None, ("utf-8", META)),
        (b"<meta charset=x-user-defined>\xe9", None, ("windows-1252", META)),
        # the XML declaration
        (b'<?xml version="1.0"?>\xe9', None, ("windows-1252", DEFAULT)),
        (b' <?xml version="1.0" encoding="koi8-r"?>', None, ("windows-1252", DEFAULT)),  # not at the start
        (b'<?xml version="1.0" encoding="utf-16"?>\xc3\xa9', None, ("utf-8", XML)),
        ('<?xml version="1.0" encoding="utf-16"?>é'.encode("utf-16-le"), None, ("utf-16le", XML)),
        ('<?xml version="1.0" encoding="UTF-16"?>é'.encode("utf-16-be"), None, ("utf-16be", XML)),
        ('<?xml version="1.0"?>é'.encode("utf-16-be"), None, ("utf-16be", XML)),
        # labels that are wrong
        (b"<meta charset=koi8-r>", "no-such", ("koi8-r", META, (HTTP, "no-such"))),
        (b"<meta charset=no><meta charset=koi8-r>", "", ("koi8-r", META, (META, "no"))),
        (b"\xe9", "utf-7", ("windows-1252", DEFAULT, (HTTP, "utf-7"))),  # no label, for safety
        (b"\xe9", "hz-gb-2312", ("windows-1252", DEFAULT, (HTTP, "hz-gb-2312"))),
        (b"<meta charset=koi8-r>", "utf-16", ("koi8-r", META, (HTTP, "utf-16"))),  # no zero byte in it
        (b"caf\xe9", "utf-8", ("windows-1252", DEFAULT, (HTTP, "utf-8"))),
        (b"<meta charset=iso-8859-15>\xa4", "utf-8", ("iso-8859-15", META, (HTTP, "utf-8"))),
        # labels that a few bad bytes do not outweigh
        ("éèê".encode() + b"\xe9", "utf-8", ("utf-8", HTTP)),
        ("éè\ufffd\ufffd\ufffd".encode(), "utf-8", ("utf-8", HTTP)),  # marks of the author's own
        # how HTTP labels are written
        (b"", '"UTF-8"', ("utf-8", HTTP)),
        (b"", " utf8 ", ("utf-8", HTTP)),
    ],
)
def test_decide(body: bytes, http: str | None, expected: tuple[object, ...]) -> None:
    encoding, evidence, *rejected = expected
    decision = decide(body, http)
    assert (decision.encoding, decision.evidence) == (encoding, evidence)
    assert decision.rejected == tuple(rejected)


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, "日本語 の 文字"])
@pytest.mark.parametrize(("codec", "name"), [("utf-16-le", "utf-16le"), ("utf-16-be", "utf-16be")])
@pytest.mark.parametrize("label", ["utf-16", "UTF-16LE", "utf-16be"])
def test_utf_16_by_its_label_is_in_the_order_that_its_bytes_show(text: str, codec: str, name: str, label: str) -> None:
    body = f"<p>{text}</p>".encode(codec)
    decision = decide(body, label)
    assert (decision.encoding, decision.evidence) == (name, HTTP)
    assert decode(body, decision) == f"<p>{text}</p>"


@pytest.mark.parametrize(
    ("media_type", "evidence"),
    [
        ("text/html", META),
        ("application/xhtml+xml", META),
        ("text/xml", XML),
        ("image/svg+xml", XML),
        ("text/plain", DEFAULT),
        ("text/css", DEFAULT),
    ],
)
def test_only_markup_declares_its_encoding(media_type: str, evidence: Evidence) -> None:
    body = b'<?xml version="1.0" encoding="koi8-r"?><meta charset="koi8-r"/>'
    assert decide(body, None, media_type=media_type).evidence is evidence


@pytest.mark.parametrize(
    ("sheet", "name"),
    [
        ('@charset "iso-8859-1"; a { content: "ü" }', "windows-1252"),
        ('@charset "utf-16"; a { color: red }', "utf-8"),  # CSS Syntax 3, 3.2
        (' @charset "iso-8859-1"; a { color: red }', "utf-8"),
        ("@charset 'iso-8859-1'; a { color: red }", "utf-8"),
    ],
)
def test_a_style_sheet_declares_its_encoding_at_its_beginning(sheet: str, name: str) -> None:
    assert decide(sheet.encode("latin-1"), None, media_type="text/css", default="utf-8").encoding == name


@pytest.mark.parametrize("media_type", ["application/xhtml+xml", "text/xml", "application/xml", "image/svg+xml"])
@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>'])
def test_xml_without_a_declared_encoding_is_utf_8(media_type: str, declaration: str) -> None:
    body = f"{declaration}<p>{RUSSIAN}</p>".encode()
    assert decide(body, None, media_type=media_type) == CharsetDecision("utf-8", DEFAULT, "utf-8")
    assert decide(body, None).encoding == "windows-1252"
    latin = decide(b"<p>\xe9\xe8</p>", None, media_type=media_type)  # it is not well-formed
    assert latin == CharsetDecision("windows-1252", DEFAULT, "windows-1252", ((DEFAULT, "utf-8"),))


def test_the_strongest_label_stands_if_none_reads_the_body_better() -> None:
    decision = decide(b"\xe9", "utf-8", link_charset="euc-jp", default="utf-8")
    assert decision == CharsetDecision("utf-8", HTTP, "utf-8")


def test_a_body_is_read_once_by_each_encoding(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(charset, "_reads", lambda body, encoding: read.append(encoding))
    decision = decide(b"<meta charset=utf-8><meta charset=koi8-r><meta charset=UTF8>" * 9, "utf-8", default="koi8-r")
    assert read == ["utf-8", "koi8-r"]
    assert decision == CharsetDecision("utf-8", HTTP, "utf-8")


def test_a_default_that_is_no_encoding() -> None:
    with pytest.raises(CharsetError, match="no-such"):
        decide(b"", None, default="no-such")
    with pytest.raises(CharsetError, match="no-such"):
        decode(b"", "no-such")


@pytest.mark.parametrize(
    ("body", "encoding", "text"),
    [
        (b"\x81\x8d\x8f\x90\x9d\x80", "windows-1252", "\x81\x8d\x8f\x90\x9d€"),  # C1 where nothing is
        (b"\xaa\x80", "windows-1253", "\ufffd€"),  # nothing, and no C1 control
        (b"\x80", "gbk", "€"),
        (b"\xad\xa1\xad\xea\xa4\xa2", "euc-jp", "①㈱あ"),  # row 13, which Python's codec has not
        (b"\xf9\xa1\xfa\xa1\xfa\xe0\xfc\xf1a", "euc-jp", "纊忞洄ⅰa"),  # rows 89 to 92
        (b"\xad\xa1\xa4", "euc-jp", "①\ufffd"),
        (b"\x8e\xb1", "euc-jp", "ｱ"),
        (b"\x1b(I1\x1b(B", "iso-2022-jp", "ｱ"),
        (b"\xff\xfea", "utf-8", "\ufffd\ufffda"),  # another encoding's byte order mark is none
        (b"\xef\xbb\xbfa", "utf-8", "a"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "utf-8", "\ufeffa"),
        (b"a\x00b", "utf-16le", "a\ufffd"),
        (b"\x80", "x-user-defined", "\uf780"),
        pytest.param(b"\xe9" * 100_000, "windows-1252", "é" * 100_000, id="read in pieces"),
    ],
)
def test_decode(body: bytes, encoding: str, text: str) -> None:
    assert decode(body, encoding) == text


LABELS = st.none() | st.sampled_from([*(row[0] for row in REAL_TEXT), "utf-16", "no-such", "replacement", ""])


@given(st.binary(), LABELS, LABELS, LABELS)
def test_any_bytes_are_decided_and_decoded(body: bytes, http: str | None, meta: str | None, link: str | None) -> None:
    page = (f"<meta charset={meta}>".encode() if meta else b"") + body
    decision = decide(page, http, link_charset=link)
    assert decision == decide(page, http, link_charset=link)
    assert isinstance(decode(page, decision), str)
    strengths = [list(Evidence).index(evidence) for evidence, _ in decision.rejected]
    assert strengths == sorted(strengths)
