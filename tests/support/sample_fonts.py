"""PDF files made by hand, one for each rule of ISO 32000-1, 9.10 and 14.9.4, with the text that the rule gives.

They are made with pikepdf, never with what is tested. White space between words is as the positions have it, so what
is compared is folded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

Font = Callable[[Pdf], Object]
Content = Callable[[Pdf, Object], bytes]
"""Makes the content of a page, and changes the page's dictionary, which is given."""


@dataclass(frozen=True)
class Sample:
    """A page in one font, and its text."""

    rule: str
    font: Font
    content: bytes | Content
    text: str
    pages: int = 1

    def pdf(self) -> bytes:
        """The file."""
        with Pdf.new() as pdf:
            font = pdf.make_indirect(self.font(pdf))
            for _ in range(self.pages):
                pdf.add_blank_page(page_size=(400, 200))
                page = pdf.pages[-1].obj
                page.Resources = Dictionary(Font=Dictionary(F=font))
            for held in pdf.pages:
                content = self.content if isinstance(self.content, bytes) else self.content(pdf, held.obj)
                held.obj.Contents = pdf.make_stream(content)
            out = BytesIO()
            pdf.save(out, static_id=True)
            return out.getvalue()


def shown(*strings: bytes) -> bytes:
    """A line of text: each string is shown behind the one before."""
    return b"BT /F 12 Tf 20 100 Td " + b" ".join(b"<" + text.hex().encode() + b"> Tj" for text in strings) + b" ET"


# Fonts


def simple(base: str = "Helvetica", **entries: Any) -> Font:
    """A simple font, each of whose glyphs is half an em wide."""
    return lambda pdf: Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name(f"/{base}"),
        FirstChar=0,
        LastChar=255,
        Widths=Array([500] * 256),
        FontDescriptor=pdf.make_indirect(
            Dictionary(
                Type=Name.FontDescriptor,
                FontName=Name(f"/{base}"),
                Flags=4 if base in ("Symbol", "ZapfDingbats") else 32,
                FontBBox=[0, -200, 1000, 800],
                ItalicAngle=0,
                Ascent=800,
                Descent=-200,
                CapHeight=700,
                StemV=80,
            )
        ),
        **entries,
    )


def differing(*names: str, first: int = 65, base: str = "Helvetica", encoding: str = "") -> Font:
    """A simple font whose Differences name the glyphs from code 65 on."""
    differences = Array([first, *(Name(f"/{name}") for name in names)])
    entries: dict[str, Any] = {"BaseEncoding": Name(f"/{encoding}")} if encoding else {}
    return simple(base, Encoding=Dictionary(Type=Name.Encoding, Differences=differences, **entries))


def type3(*names: str) -> Font:
    """A Type 3 font whose glyphs are squares."""

    def make(pdf: Pdf) -> Object:
        square = pdf.make_stream(b"500 0 0 0 400 400 d1 0 0 400 400 re f")
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=[0, 0, 500, 500],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            CharProcs=Dictionary({f"/{name}": square for name in names}),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, *(Name(f"/{name}") for name in names)])),
            FirstChar=65,
            LastChar=64 + len(names),
            Widths=Array([500] * len(names)),
        )

    return make


def composite(ordering: str, encoding: str | bytes, use: str = "", registry: str = "Adobe") -> Font:
    """A composite font of a character collection, with a predefined CMap or an embedded one."""

    def make(pdf: Pdf) -> Object:
        collection = Dictionary(Registry=String(registry), Ordering=String(ordering), Supplement=0)
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType0,
            BaseFont=Name("/Ryumin-Light"),
            CIDSystemInfo=collection,
            DW=1000,
            FontDescriptor=pdf.make_indirect(
                Dictionary(
                    Type=Name.FontDescriptor,
                    FontName=Name("/Ryumin-Light"),
                    Flags=4,
                    FontBBox=[0, -200, 1000, 800],
                    ItalicAngle=0,
                    Ascent=800,
                    Descent=-200,
                    CapHeight=700,
                    StemV=80,
                )
            ),
        )
        if isinstance(encoding, bytes):
            cmap = pdf.make_stream(encoding, Type=Name.CMap, CMapName=Name("/Own-H"), CIDSystemInfo=collection)
            if use:
                cmap.UseCMap = Name(f"/{use}")
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name("/Ryumin-Light"),
            Encoding=cmap if isinstance(encoding, bytes) else Name(f"/{encoding}"),
            DescendantFonts=Array([pdf.make_indirect(descendant)]),
        )

    return make


def with_unicode(font: Font, *cmaps: bytes) -> Font:
    """A font with a ToUnicode CMap; each further CMap is the one that the CMap before it uses."""

    def make(pdf: Pdf) -> Object:
        made = font(pdf)
        streams = [pdf.make_stream(cmap, Type=Name.CMap) for cmap in cmaps]
        for stream, used in pairwise(streams):
            stream.UseCMap = used
        made.ToUnicode = streams[0]
        return made

    return make


def to_unicode(body: bytes, name: bytes = b"Own-UCS", size: int = 1, use: bytes = b"") -> bytes:
    """A ToUnicode CMap, whose codes have `size` bytes."""
    codes = b"<00> <FF>" if size == 1 else b"<0000> <FFFF>"
    return b"""/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
%s
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /%s def
/CMapType 2 def
1 begincodespacerange
%s
endcodespacerange
%s
endcmap
CMapName currentdict /CMap defineresource pop
end
end
""" % (b"/%s usecmap" % use if use else b"", name, codes, body)


LATIN = simple(Encoding=Name.WinAnsiEncoding)
IDENTITY = composite("Identity", "Identity-H")

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
BASE_CMAP = to_unicode(b"2 beginbfchar\n<41> <0391>\n<42> <0392>\nendbfchar", b"Base-UCS")
CODES = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Own-H def\n%s\nendcmap"

TO_UNICODE = [
    Sample(
        "ToUnicode: bfchar",
        with_unicode(simple(), to_unicode(b"2 beginbfchar\n<41> <03A9>\n<42> <0416>\nendbfchar")),
        shown(b"AB"),
        "ΩЖ",
    ),
    Sample(
        "ToUnicode: bfchar to several characters",
        with_unicode(simple(), to_unicode(b"1 beginbfchar\n<41> <00660066006C>\nendbfchar")),
        shown(b"A"),
        "ffl",
    ),
    Sample(
        "ToUnicode: several characters from right to left",
        with_unicode(simple(), to_unicode(b"3 beginbfchar\n<41> <0645>\n<42> <06440627>\n<43> <0633>\nendbfchar")),
        shown(b"ABC"),
        "سلام",
    ),
    Sample(
        "ToUnicode: bfchar beyond the BMP",
        with_unicode(simple(), to_unicode(b"1 beginbfchar\n<41> <D840DC3E>\nendbfchar")),
        shown(b"A"),
        "\U0002003e",
    ),
    Sample(
        "ToUnicode: bfrange from a string",
        with_unicode(simple(), to_unicode(b"1 beginbfrange\n<41> <43> <03B1>\nendbfrange")),
        shown(b"ABC"),
        "αβγ",
    ),
    Sample(
        "ToUnicode: bfrange from a string of several characters",
        with_unicode(simple(), to_unicode(b"1 beginbfrange\n<41> <43> <00780061>\nendbfrange")),
        shown(b"ABC"),
        "xaxbxc",
    ),
    Sample(
        "ToUnicode: bfrange from an array",
        with_unicode(simple(), to_unicode(b"1 beginbfrange\n<41> <43> [<0058> <00660069> <03A9>]\nendbfrange")),
        shown(b"ABC"),
        "XfiΩ",
    ),
    Sample(
        "ToUnicode: the example of 9.10.3",
        with_unicode(IDENTITY, EXAMPLE),
        shown(bytes.fromhex("0021 0022 005F 0060 0061 3A51")),
        "ABfffiffl\U0002003e",
    ),
    Sample(
        "ToUnicode before the encoding",
        with_unicode(LATIN, to_unicode(b"1 beginbfchar\n<41> <005A>\nendbfchar")),
        shown(b"A"),
        "Z",
    ),
    Sample(
        "ToUnicode before Differences",
        with_unicode(differing("Euro"), to_unicode(b"1 beginbfchar\n<41> <005A>\nendbfchar")),
        shown(b"A"),
        "Z",
    ),
    Sample(
        "ToUnicode before the character collection",
        with_unicode(composite("Japan1", "Identity-H"), to_unicode(b"1 beginbfchar\n<0422> <0058>\nendbfchar", size=2)),
        shown(bytes.fromhex("0422")),
        "X",
    ),
    Sample(
        "ToUnicode leaves a code out: the encoding has it",
        with_unicode(LATIN, to_unicode(b"1 beginbfchar\n<41> <005A>\nendbfchar")),
        shown(b"AB"),
        "ZB",
    ),
    Sample(
        "ToUnicode: UseCMap",
        with_unicode(simple(), to_unicode(b"1 beginbfchar\n<43> <0393>\nendbfchar", use=b"Base-UCS"), BASE_CMAP),
        shown(b"ABC"),
        "ΑΒΓ",
    ),
    Sample(
        "ToUnicode: what a CMap says comes before UseCMap",
        with_unicode(simple(), to_unicode(b"1 beginbfchar\n<42> <0058>\nendbfchar", use=b"Base-UCS"), BASE_CMAP),
        shown(b"AB"),
        "ΑX",
    ),
    Sample(
        "ToUnicode of a Type 3 font",
        with_unicode(type3("g1", "g2"), to_unicode(b"1 beginbfrange\n<41> <42> <03B1>\nendbfrange")),
        shown(b"AB"),
        "αβ",
    ),
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
    Sample("Glyph List: what follows a full stop is dropped", differing("A.swash", "uni0416.alt"), shown(b"AB"), "AЖ"),
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
        composite(
            "Japan1",
            CODES % b"/90ms-RKSJ-H usecmap 1 begincidchar <8140> 843 endcidchar",
            use="90ms-RKSJ-H",
        ),
        shown(bytes.fromhex("8140") + "日本".encode("cp932")),
        "あ日本",
    ),
]


# ActualText (14.9.4)


def _properties(**texts: str) -> Content:
    def make(pdf: Pdf, page: Object) -> bytes:
        page.Resources.Properties = Dictionary(
            {f"/{name}": pdf.make_indirect(Dictionary(ActualText=String(text))) for name, text in texts.items()}
        )
        return b"BT /F 12 Tf 20 100 Td (a) Tj /Span /P0 BDC (xyz) Tj EMC (b) Tj ET"

    return make


@dataclass(frozen=True)
class Element:
    """A structure element (14.7.2) with its ActualText and its children: elements, or marked content by MCID."""

    holds: Sequence[Element | int]
    text: str | None = None


def tagged(content: bytes, *elements: Element) -> Content:
    """A page of a tagged file; on the second page, each MCID is another."""

    def make(pdf: Pdf, page: Object) -> bytes:
        parents: dict[int, Object] = {}
        number = pdf.pages.index(pikepdf.Page(page))
        if number == 0:
            root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, ParentTree=Dictionary(Nums=Array([]))))
            root.K = Array([_element(pdf, element, root, parents) for element in elements])
            pdf.Root.StructTreeRoot = root
            pdf.Root.MarkInfo = Dictionary(Marked=True)
            for at, held in enumerate(pdf.pages):
                held.obj.StructParents = at
                found = {mcid - 100 * at: parent for mcid, parent in parents.items() if mcid // 100 == at}
                root.ParentTree.Nums.append(at)
                root.ParentTree.Nums.append(
                    pdf.make_indirect(Array([found.get(mcid) for mcid in range(max(found, default=-1) + 1)]))
                )
        return content

    return make


def _element(pdf: Pdf, element: Element, parent: Object, parents: dict[int, Object]) -> Object:
    """A structure element; MCIDs from 100 on are those of the second page, less 100."""
    made = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Span, P=parent))
    if element.text is not None:
        made.ActualText = String(element.text)
    kids = Array([])
    for held in element.holds:
        if isinstance(held, Element):
            kids.append(_element(pdf, held, made, parents))
        else:
            kids.append(Dictionary(Type=Name.MCR, Pg=pdf.pages[held // 100].obj, MCID=held % 100))
            parents[held] = made
    made.K = kids
    return made


def _in_form(pdf: Pdf, page: Object) -> bytes:
    """A form XObject with a marked-content sequence in it, shown twice."""
    page.Resources.XObject = Dictionary(
        X=pdf.make_stream(
            b"BT /F 12 Tf 0 0 Td (a) Tj /Span <</ActualText (1)>> BDC (xyz) Tj EMC (b) Tj ET",
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=[0, -20, 100, 20],
            Resources=Dictionary(Font=page.Resources.Font),
        )
    )
    return b"q 1 0 0 1 20 100 cm /X Do Q q 1 0 0 1 20 60 cm /X Do Q"


def _around_form(pdf: Pdf, page: Object) -> bytes:
    """A marked-content sequence with a form XObject in it."""
    _in_form(pdf, page)
    page.Resources.XObject.X = pdf.make_stream(
        b"BT /F 12 Tf 0 0 Td (xyz) Tj ET",
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=[0, -3, 18, 9],
        Resources=Dictionary(Font=page.Resources.Font),
    )
    return (
        b"BT /F 12 Tf 20 100 Td (a) Tj ET /Span <</ActualText (1)>> BDC q 1 0 0 1 26 100 cm /X Do Q EMC "
        b"BT /F 12 Tf 44 100 Td (b) Tj ET"
    )


def _around_image(pdf: Pdf, page: Object) -> bytes:
    """An initial that is a picture."""
    page.Resources.XObject = Dictionary(
        X=pdf.make_stream(
            b"\0",
            Type=Name.XObject,
            Subtype=Name.Image,
            Width=1,
            Height=1,
            ColorSpace=Name.DeviceGray,
            BitsPerComponent=8,
        )
    )
    return b"/Span <</ActualText (O)>> BDC q 12 0 0 12 20 100 cm /X Do Q EMC BT /F 12 Tf 32 100 Td (nce) Tj ET"


def _line(inner: bytes) -> bytes:
    return b"BT /F 12 Tf 20 100 Td (a) Tj " + inner + b" (b) Tj ET"


MARKED = b"/P <</MCID %d>> BDC %s EMC"

ACTUAL_TEXT = [
    Sample("ActualText in the content", LATIN, _line(b"/Span <</ActualText (1)>> BDC (xyz) Tj EMC"), "a1b"),
    Sample(
        "ActualText longer than what is shown",
        LATIN,
        _line(b"/Span <</ActualText (in full)>> BDC (x) Tj EMC"),
        "ain fullb",
    ),
    Sample(
        "ActualText in UTF-16BE",
        LATIN,
        _line(b"/Span <</ActualText <FEFF6C34D840DC3E>>> BDC (xyz) Tj EMC"),
        "a水\U0002003eb",
    ),
    Sample(
        "ActualText in PDFDocEncoding", LATIN, _line(b"/Span <</ActualText (\\240\\223)>> BDC (xyz) Tj EMC"), "a€ﬁb"
    ),
    Sample("ActualText that is empty", LATIN, _line(b"/Span <</ActualText ()>> BDC (xyz) Tj EMC"), "ab"),
    Sample(
        "ActualText for several strings",
        LATIN,
        _line(b"/Span <</ActualText (1)>> BDC (x) Tj [(y) -100 (z)] TJ EMC"),
        "a1b",
    ),
    Sample(
        "ActualText for a sequence over text objects",
        LATIN,
        b"BT /F 12 Tf 20 100 Td (a) Tj ET /Span <</ActualText (1)>> BDC BT /F 12 Tf 26 100 Td (x) Tj ET "
        b"BT /F 12 Tf 32 100 Td (yz) Tj ET EMC BT /F 12 Tf 44 100 Td (b) Tj ET",
        "a1b",
    ),
    Sample(
        "ActualText twice, the same",
        LATIN,
        _line(b"/Span <</ActualText (1)>> BDC (xy) Tj EMC /Span <</ActualText (1)>> BDC (z) Tj EMC"),
        "a11b",
    ),
    Sample(
        "ActualText within ActualText: the outer one",
        LATIN,
        _line(b"/Span <</ActualText (1)>> BDC (x) Tj /Span <</ActualText (2)>> BDC (y) Tj EMC (z) Tj EMC"),
        "a1b",
    ),
    Sample(
        "ActualText within other marks",
        LATIN,
        _line(b"/P BMC /Span <</Lang (en)>> BDC /Span <</ActualText (1)>> BDC (x) Tj EMC (y) Tj EMC EMC"),
        "a1yb",
    ),
    Sample("ActualText in Properties", LATIN, _properties(P0="1"), "a1b"),
    Sample("ActualText in Properties, in UTF-16BE", LATIN, _properties(P0="水"), "a水b"),
    Sample("ActualText in a form XObject, shown twice", LATIN, _in_form, "a1b a1b"),
    Sample("ActualText for a form XObject", LATIN, _around_form, "a1b"),
    Sample("ActualText for a picture", LATIN, _around_image, "Once"),
    Sample(
        "ActualText of a structure element",
        LATIN,
        tagged(_line(MARKED % (0, b"(xyz) Tj")), Element([0], "1")),
        "a1b",
    ),
    Sample(
        "ActualText of a structure element above",
        LATIN,
        tagged(
            _line(MARKED % (0, b"(x) Tj") + MARKED % (1, b"(y) Tj")),
            Element([Element([0]), Element([1])], "1"),
        ),
        "a1b",
    ),
    Sample(
        "ActualText of a structure element before that in the content",
        LATIN,
        tagged(_line(MARKED % (0, b"/Span <</ActualText (2)>> BDC (x) Tj EMC (y) Tj")), Element([0], "1")),
        "a1b",
    ),
    Sample(
        "ActualText of two structure elements, one in the other: the outer one",
        LATIN,
        tagged(
            _line(MARKED % (0, b"(x) Tj") + MARKED % (1, b"(y) Tj")),
            Element([Element([0], "2"), Element([1], "3")], "1"),
        ),
        "a1b",
    ),
    Sample(
        "ActualText of a structure element on two pages",
        LATIN,
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
