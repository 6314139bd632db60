"""Samples of text: a PDF file for each rule of ISO 32000-1, 9.10 and 14.9.4, with the text that the rule gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pikepdf import Array, Dictionary, Name

from tests.support.sample_fonts import (
    IDENTITY,
    LATIN,
    Content,
    Sample,
    bfchar,
    bfrange,
    composite,
    differing,
    shown,
    simple,
    to_unicode,
    type3,
    with_unicode,
)
from tests.support.tagged_pages import Element, around_form, around_image, in_form, in_properties, tagged

# The CMap of example 2 in 9.10.3.
EXAMPLE = to_unicode(
    b"""2 beginbfrange
<0000> <005E> <0020>
<005F> <0061> [<00660066> <00660069> <00660066006C>]
endbfrange
1 beginbfchar
<3A51> <D840DC3E>
endbfchar""",
    b"Adobe-Identity-UCS",
    size=2,
)
BASE_CMAP = bfchar("41 0391", "42 0392", name=b"Base-UCS")
CODES = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own-H def\n%s\nendcmap"
TO_UNICODE = [
    Sample("ToUnicode: bfchar", with_unicode(simple(), bfchar("41 03A9", "42 0416")), shown(b"AB"), "ΩЖ"),
    Sample(
        "ToUnicode: bfchar to several characters", with_unicode(simple(), bfchar("41 00660066006C")), shown(b"A"), "ffl"
    ),
    Sample(
        "ToUnicode: several characters from right to left",
        with_unicode(simple(), bfchar("41 0645", "42 06440627", "43 0633")),
        shown(b"ABC"),
        "سلام",
    ),
    Sample(
        "ToUnicode: bfchar beyond the BMP", with_unicode(simple(), bfchar("41 D840DC3E")), shown(b"A"), "\U0002003e"
    ),
    Sample("ToUnicode: bfrange from a string", with_unicode(simple(), bfrange("41 43 03B1")), shown(b"ABC"), "αβγ"),
    Sample(
        "ToUnicode: bfrange from a string of several characters",
        with_unicode(simple(), bfrange("41 43 00780061")),
        shown(b"ABC"),
        "xaxbxc",
    ),
    Sample(
        "ToUnicode: bfrange from an array",
        with_unicode(simple(), bfrange("41 43 [0058 00660069 03A9]")),
        shown(b"ABC"),
        "XfiΩ",
    ),
    Sample(
        "ToUnicode: the example of 9.10.3",
        with_unicode(IDENTITY, EXAMPLE),
        shown(bytes.fromhex("0021 0022 005F 0060 0061 3A51")),
        "ABfffiffl\U0002003e",
    ),
    Sample("ToUnicode before the encoding", with_unicode(LATIN, bfchar("41 005A")), shown(b"A"), "Z"),
    Sample("ToUnicode before Differences", with_unicode(differing("Euro"), bfchar("41 005A")), shown(b"A"), "Z"),
    Sample(
        "ToUnicode before the character collection",
        with_unicode(composite("Japan1", "Identity-H"), bfchar("0422 0058", size=2)),
        shown(bytes.fromhex("0422")),
        "X",
    ),
    Sample(
        "ToUnicode leaves a code out: the encoding has it", with_unicode(LATIN, bfchar("41 005A")), shown(b"AB"), "ZB"
    ),
    Sample(
        "ToUnicode: UseCMap",
        with_unicode(simple(), bfchar("43 0393", use=b"Base-UCS"), BASE_CMAP),
        shown(b"ABC"),
        "ΑΒΓ",
    ),
    Sample(
        "ToUnicode: entries of a CMap override those of UseCMap",
        with_unicode(simple(), bfchar("42 0058", use=b"Base-UCS"), BASE_CMAP),
        shown(b"AB"),
        "ΑX",
    ),
    Sample("ToUnicode of a Type 3 font", with_unicode(type3("g1", "g2"), bfrange("41 42 03B1")), shown(b"AB"), "αβ"),
]

ENCODINGS = [
    Sample("WinAnsiEncoding", LATIN, shown("Grüße „€“ • Žižka".encode("cp1252")), "Grüße „€“ • Žižka"),
    Sample(
        "MacRomanEncoding",
        simple(Encoding=Name.MacRomanEncoding),
        shown("Grüße „ƒ“ ﬁ".encode("mac_roman")),
        "Grüße „ƒ“ ﬁ",
    ),
    Sample(
        "MacExpertEncoding",
        simple("Minion-Expert", Encoding=Name.MacExpertEncoding),
        shown(b"\x30\x47\x57"),
        "\uf730¼ﬁ",
    ),
    Sample("StandardEncoding", simple(Encoding=Name.StandardEncoding), shown(b"\xe1\xf1 \xae\xaf \xa4"), "Ææ ﬁﬂ ⁄"),
    Sample("no Encoding: the built-in one of a standard font", simple(), shown(b"\xe1\xf1 \xae"), "Ææ ﬁ"),
    Sample("Symbol's built-in encoding", simple("Symbol"), shown(b"abG \xa5\xb3"), "αβΓ ∞≥"),
    Sample("ZapfDingbats' built-in encoding", simple("ZapfDingbats"), shown(b"\x21\x33\x6c"), "✁✓●"),
    Sample("Differences: names of the Latin set", differing("Lslash", "oe", "Euro"), shown(b"ABC"), "Łœ€"),
    Sample("Differences: names of the Symbol font", differing("alpha", "infinity"), shown(b"AB"), "α∞"),
    Sample(
        "Differences over a base encoding",
        differing("Euro", encoding="MacRomanEncoding"),
        shown("Aüß".encode("mac_roman")),
        "€üß",
    ),
    Sample(
        "Differences over a base encoding: several runs",
        simple(
            Encoding=Dictionary(
                BaseEncoding=Name.WinAnsiEncoding, Differences=Array([65, Name.alpha, 67, Name.beta, Name.gamma])
            )
        ),
        shown(b"ABCDE"),
        "αBβγE",
    ),
    Sample("Differences of a Type 3 font", type3("A", "eacute"), shown(b"AB"), "Aé"),
    Sample("Glyph List: names beyond the standard sets", differing("afii10017", "Lcommaaccent"), shown(b"AB"), "АĻ"),
    Sample("Glyph List: a name of two characters", differing("dalethatafpatah"), shown(b"A"), "\u05d3\u05b2"),
    Sample("Glyph List: uniXXXX", differing("uni20AC", "uni0416"), shown(b"AB"), "€Ж"),
    Sample("Glyph List: uniXXXXYYYY", differing("uni00660069"), shown(b"A"), "fi"),
    Sample("Glyph List: uXXXX to uXXXXXX", differing("u20AC", "u2003E"), shown(b"AB"), "€\U0002003e"),
    Sample("Glyph List: the part after a dot is ignored", differing("A.swash", "uni0416.alt"), shown(b"AB"), "AЖ"),
    Sample("Glyph List: components of a composite", differing("f_i", "T_h.liga"), shown(b"AB"), "fiTh"),
    Sample("Glyph List: components of other forms", differing("f_uni0069_u006C"), shown(b"A"), "fil"),
    Sample("Glyph List: ligatures that have a code", differing("ff", "ffi"), shown(b"AB"), "ﬀﬃ"),
    Sample("Glyph List: names of ZapfDingbats", differing("a1", "a19", base="ZapfDingbats"), shown(b"AB"), "✁✓"),
]


def _predefined(ordering: str, encoding: str, text: str, codec: str) -> Sample:
    return Sample(f"predefined CMap: {encoding}", composite(ordering, encoding), shown(text.encode(codec)), text)


COLLECTIONS = [
    *(
        _predefined(*row)
        for row in [
            ("GB1", "GB-EUC-H", "中文简体", "gb2312"),
            ("GB1", "GBpc-EUC-H", "中文简体", "gb2312"),
            ("GB1", "GBK-EUC-H", "中文镕", "gbk"),
            ("GB1", "GBKp-EUC-H", "中文镕", "gbk"),
            ("GB1", "GBK2K-H", "中文㐂", "gb18030"),
            ("GB1", "UniGB-UCS2-H", "中文简体", "utf-16-be"),
            ("GB1", "UniGB-UTF16-H", "中文简体", "utf-16-be"),
            ("CNS1", "B5pc-H", "中文繁體", "big5"),
            ("CNS1", "HKscs-B5-H", "中文咗䏰", "big5hkscs"),
            ("CNS1", "ETen-B5-H", "中文繁體", "big5"),
            ("CNS1", "ETenms-B5-H", "中文繁體", "big5"),
            ("CNS1", "UniCNS-UCS2-H", "中文繁體", "utf-16-be"),
            ("CNS1", "UniCNS-UTF16-H", "中文𠀾", "utf-16-be"),
            ("Japan1", "83pv-RKSJ-H", "日本語あ", "shift_jis"),
            ("Japan1", "90ms-RKSJ-H", "日本語ｱ①", "cp932"),
            ("Japan1", "90msp-RKSJ-H", "日本語①", "cp932"),
            ("Japan1", "90pv-RKSJ-H", "日本語あ", "shift_jis"),
            ("Japan1", "Add-RKSJ-H", "日本語あ", "shift_jis"),
            ("Japan1", "EUC-H", "日本語ア", "euc_jp"),
            ("Japan1", "Ext-RKSJ-H", "日本語あ", "shift_jis"),
            ("Japan1", "UniJIS-UCS2-H", "日本語", "utf-16-be"),
            ("Japan1", "UniJIS-UCS2-HW-H", "日本語", "utf-16-be"),
            ("Japan1", "UniJIS-UTF16-H", "日本𠮷", "utf-16-be"),
            ("Korea1", "KSC-EUC-H", "한국어", "euc_kr"),
            ("Korea1", "KSCms-UHC-H", "한국똠", "cp949"),
            ("Korea1", "KSCms-UHC-HW-H", "한국똠", "cp949"),
            ("Korea1", "KSCpc-EUC-H", "한국어", "euc_kr"),
            ("Korea1", "UniKS-UCS2-H", "한국어", "utf-16-be"),
            ("Korea1", "UniKS-UTF16-H", "한국어", "utf-16-be"),
        ]
    ),
    Sample("predefined CMap: CNS-EUC-H", composite("CNS1", "CNS-EUC-H"), shown(bytes.fromhex("C4E3 8EA2C5C6")), "中睔"),
    Sample("predefined CMap: H", composite("Japan1", "H"), shown("日本語".encode("iso2022_jp")[3:-3]), "日本語"),
    Sample(
        "a collection's CIDs: Adobe-Japan1",
        composite("Japan1", "Identity-H"),
        shown(bytes.fromhex("034B 0465")),
        "あ亜",
    ),
    Sample("a collection's CIDs: Adobe-GB1", composite("GB1", "Identity-H"), shown(bytes.fromhex("11CF")), "中"),
    Sample("a collection's CIDs: Adobe-CNS1", composite("CNS1", "Identity-H"), shown(bytes.fromhex("0253")), "一"),
    Sample("a collection's CIDs: Adobe-Korea1", composite("Korea1", "Identity-H"), shown(bytes.fromhex("043E")), "가"),
    Sample(
        "an embedded CMap over a collection",
        composite(
            "Japan1",
            CODES % b"1 begincodespacerange <00> <FF> endcodespacerange 1 begincidrange <41> <42> 843 endcidrange",
        ),
        shown(b"AB"),
        "あぃ",
    ),
    Sample(
        "an embedded CMap that uses a predefined one",
        composite("Japan1", CODES % b"/90ms-RKSJ-H usecmap 1 begincidchar <8140> 843 endcidchar", use="90ms-RKSJ-H"),
        shown(bytes.fromhex("8140") + "日本".encode("cp932")),
        "あ日本",
    ),
]


# ActualText (14.9.4)


def _actual_text(rule: str, content: bytes | Content, text: str, pages: int = 1) -> Sample:
    return Sample(f"ActualText {rule}", LATIN, content, text, pages)


def _line(inner: bytes) -> bytes:
    return b"BT /F 12 Tf 20 100 Td (a) Tj " + inner + b" (b) Tj ET"


MARKED = b"/P <</MCID %d>> BDC %s EMC"

ACTUAL_TEXT = [
    _actual_text("in the content", _line(b"/Span <</ActualText (1)>> BDC (xyz) Tj EMC"), "a1b"),
    _actual_text("longer than what is shown", _line(b"/Span <</ActualText (in full)>> BDC (x) Tj EMC"), "ain fullb"),
    _actual_text("in UTF-16BE", _line(b"/Span <</ActualText <FEFF6C34D840DC3E>>> BDC (xyz) Tj EMC"), "a水\U0002003eb"),
    _actual_text("in PDFDocEncoding", _line(b"/Span <</ActualText (\\240\\223)>> BDC (xyz) Tj EMC"), "a€ﬁb"),
    _actual_text("that is empty", _line(b"/Span <</ActualText ()>> BDC (xyz) Tj EMC"), "ab"),
    _actual_text("for several strings", _line(b"/Span <</ActualText (1)>> BDC (x) Tj [(y) -100 (z)] TJ EMC"), "a1b"),
    _actual_text(
        "for a sequence over text objects",
        b"BT /F 12 Tf 20 100 Td (a) Tj ET /Span <</ActualText (1)>> BDC BT /F 12 Tf 26 100 Td (x) Tj ET "
        b"BT /F 12 Tf 32 100 Td (yz) Tj ET EMC BT /F 12 Tf 44 100 Td (b) Tj ET",
        "a1b",
    ),
    _actual_text(
        "twice, the same",
        _line(b"/Span <</ActualText (1)>> BDC (xy) Tj EMC /Span <</ActualText (1)>> BDC (z) Tj EMC"),
        "a11b",
    ),
    _actual_text(
        "within ActualText: the outer one",
        _line(b"/Span <</ActualText (1)>> BDC (x) Tj /Span <</ActualText (2)>> BDC (y) Tj EMC (z) Tj EMC"),
        "a1b",
    ),
    _actual_text(
        "within other marks",
        _line(b"/P BMC /Span <</Lang (en)>> BDC /Span <</ActualText (1)>> BDC (x) Tj EMC (y) Tj EMC EMC"),
        "a1yb",
    ),
    _actual_text("in Properties", in_properties(P0="1"), "a1b"),
    _actual_text("in Properties, in UTF-16BE", in_properties(P0="水"), "a水b"),
    _actual_text("in a form XObject, shown twice", in_form, "a1b a1b"),
    _actual_text("for a form XObject", around_form, "a1b"),
    _actual_text("for a picture", around_image, "Once"),
    _actual_text("of a structure element", tagged(_line(MARKED % (0, b"(xyz) Tj")), Element([0], "1")), "a1b"),
    _actual_text(
        "of a structure element above",
        tagged(_line(MARKED % (0, b"(x) Tj") + MARKED % (1, b"(y) Tj")), Element([Element([0]), Element([1])], "1")),
        "a1b",
    ),
    _actual_text(
        "of a structure element before that in the content",
        tagged(_line(MARKED % (0, b"/Span <</ActualText (2)>> BDC (x) Tj EMC (y) Tj")), Element([0], "1")),
        "a1b",
    ),
    _actual_text(
        "of two structure elements, one in the other: the outer one",
        tagged(
            _line(MARKED % (0, b"(x) Tj") + MARKED % (1, b"(y) Tj")),
            Element([Element([0], "2"), Element([1], "3")], "1"),
        ),
        "a1b",
    ),
    _actual_text(
        "of a structure element on two pages",
        tagged(_line(MARKED % (0, b"(xyz) Tj")), Element([0, 100], "1")),
        "a1b ab",
        pages=2,
    ),
]

SAMPLES: Mapping[str, Sequence[Sample]] = {
    "ToUnicode CMaps (9.10.3)": TO_UNICODE,
    "Encodings and the Adobe Glyph List (9.10.2)": ENCODINGS,
    "Predefined CMaps and character collections (9.10.2)": COLLECTIONS,
    "ActualText (14.9.4)": ACTUAL_TEXT,
}
"""The samples of each clause."""
