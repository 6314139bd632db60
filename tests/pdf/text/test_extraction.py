"""The text of PDF pages by ISO 32000-1, 9.10 and 14.9.4: a page for each rule, and pages that violate them."""

from __future__ import annotations

import unicodedata
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from fontTools import agl
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from tests.support.paths import ROOT
from tests.support.sample_fonts import (
    LATIN,
    Sample,
    composite,
    differing,
    shown,
    simple,
    to_unicode,
    with_unicode,
)
from tests.support.text_samples import ACTUAL_TEXT, SAMPLES
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.text.cmaps import COLLECTIONS, CMap, characters_of, predefined, read_cmap, write_cmap
from wcspider.pdf.text.extraction import PdfText, page_texts
from wcspider.pdf.text.page_resources import pages_from
from wcspider.pdf.text.rewriting import PageRewriter

ALL = [sample for samples in SAMPLES.values() for sample in samples]
GUIDE = ROOT / "examples" / "site" / "files" / "guide.pdf"


def text_of(pdf: bytes) -> str:
    """The text of a file, with its white space folded."""
    return " ".join(" ".join(page_texts(pdf)).split())


def without_ligatures(text: str) -> str:
    """A text with its Latin ligatures split, as PDFium returns them regardless of the font."""
    return "".join(unicodedata.normalize("NFKC", char) if "\ufb00" <= char <= "\ufb06" else char for char in text)


def renewed(pdf: bytes) -> bool:
    """Whether the first page of a file is made anew."""
    with pikepdf.open(BytesIO(pdf)) as opened:
        return PageRewriter(opened).rewrite(0) is not None


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.rule)
def test_rule(sample: Sample) -> None:
    assert without_ligatures(text_of(sample.pdf())) == without_ligatures(sample.text)


def test_the_page_on_text_has_a_row_for_each_rule() -> None:
    lines = (ROOT / "docs" / "text.md").read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    assert [row[:3] for row in rows if len(row) == 8 and row[0] not in ("rule", "---")] == [
        [sample.rule, f"`{sample.text}`", "✓"] for sample in ALL
    ]


# What the Glyph List, the CMaps and the collections have, in whole

_NAMES = sorted(
    name
    for name, codes in {**agl.LEGACY_AGL2UV, **agl.AGL2UV}.items()
    if unicodedata.category(agl.toUnicode(name)[0])[0] in "LNPS"
)
_TURNED = [name for name in _NAMES if unicodedata.bidirectional(agl.toUnicode(name)[0]) in ("R", "AL")]
_NAMES = [name for name in _NAMES if name not in _TURNED]
_LINES = 100


@pytest.mark.parametrize(
    "names", [_NAMES[at : at + _LINES] for at in range(0, len(_NAMES), _LINES)], ids=lambda n: n[0]
)
def test_the_glyph_list(names: list[str]) -> None:
    lines = b" ".join(b"<%02x> Tj T*" % (33 + at) for at in range(len(names)))
    content = b"BT /F 1.5 Tf 1.8 TL 20 190 Td %s ET" % lines
    text = "".join(page_texts(Sample("", differing(*names, first=33), content, "").pdf()))
    assert _compatible(text) == _compatible("".join(map(agl.toUnicode, names)))


@pytest.mark.parametrize("name", [name for name in _TURNED if len(agl.toUnicode(name)) > 1])
def test_names_of_several_characters_from_right_to_left(name: str) -> None:
    assert _compatible(text_of(Sample("", differing(name), shown(b"A"), "").pdf())) == _compatible(agl.toUnicode(name))


def _compatible(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("GBK2K-H", "gb18030", "a中㐂龥"),
        ("HKscs-B5-H", "big5hkscs", "a中咗䏰"),
        ("90ms-RKSJ-V", "cp932", "aｱ日"),
        ("KSCms-UHC-V", "cp949", "a한똠"),
        ("ETenms-B5-H", "big5", "a中文"),
        ("UniJIS-UCS2-HW-H", "utf-16-be", "日本"),
    ],
)
def test_predefined_cmaps(name: str, codec: str, text: str) -> None:
    cmap = predefined(name)
    codes = list(cmap.codes_in(text.encode(codec)))
    assert codes == [char.encode(codec) for char in text]
    [collection] = [found for found in COLLECTIONS if _reads(found, cmap, codes, text)]
    assert collection in COLLECTIONS


def _reads(collection: str, cmap: CMap, codes: list[bytes], text: str) -> bool:
    known = characters_of(collection)
    return [known.get(cmap.cids.get(code, 0)) for code in codes] == list(text)


@pytest.mark.parametrize("name", ["", "No-Such-H", "Adobe-None-UCS2", "../H"])
def test_a_cmap_that_is_none_is_empty(name: str) -> None:
    assert predefined(name) == CMap()


_CODES = st.binary(min_size=1, max_size=4)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@settings(deadline=None)
@given(st.dictionaries(_CODES, _TEXTS, max_size=250))
def test_a_cmap_that_was_written_is_read(characters: dict[bytes, str]) -> None:
    with Pdf.new() as pdf:
        written = pdf.make_stream(write_cmap(CMap(((b"\0\0", b"\xff\xff"),), {}, characters)))
        assert read_cmap(written) == CMap(((b"\0\0", b"\xff\xff"),), {}, characters)


@settings(deadline=None)
@given(st.binary(max_size=20), st.sampled_from(["90ms-RKSJ-H", "GBK2K-H", "CNS-EUC-H", "Identity-H", "none"]))
def test_codes_make_up_the_string(text: bytes, name: str) -> None:
    assert b"".join(predefined(name).codes_in(text)) == text


@pytest.mark.parametrize(
    ("body", "characters"),
    [
        (b"1 beginbfrange <41> <42> <00FF> endbfrange", {b"A": "ÿ", b"B": "Ā"}),
        (b"1 beginbfrange <41> <42> <FFFF> endbfrange", {b"A": "\uffff"}),
        (b"1 beginbfrange <41> <43> [<0058>] endbfrange", {b"A": "X"}),
        (b"1 beginbfrange <42> <41> <0058> endbfrange", {}),
        (b"1 beginbfrange <FE> <01FF> <0058> endbfrange", {b"\xfe": "X", b"\xff": "Y"}),
        (b"2 beginbfchar <41> <0058> <42> endbfchar", {b"A": "X"}),
        (b"1 beginbfchar <41> <58> endbfchar", {b"A": "X"}),
        (b"1 beginbfchar <41> <D840> endbfchar", {b"A": ""}),
        (b"% 1 beginbfchar <41> <0058> endbfchar\n", {}),
        (b"endbfchar endbfrange usecmap", {}),
    ],
)
def test_cmaps_as_others_write_them(body: bytes, characters: dict[bytes, str]) -> None:
    with Pdf.new() as pdf:
        assert read_cmap(pdf.make_stream(to_unicode(body))).characters == characters


def test_a_cmap_with_too_many_ranges_is_read_in_part() -> None:
    with Pdf.new() as pdf:
        cmap = pdf.make_stream(b"1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange " * 1000)
        assert len(read_cmap(cmap).characters) < 0x20000


def test_a_cmap_that_uses_itself_is_read() -> None:
    with Pdf.new() as pdf:
        cmap = pdf.make_stream(to_unicode(b"1 beginbfchar <41> <0058> endbfchar"))
        cmap.UseCMap = cmap
        assert read_cmap(cmap).characters == {b"A": "X"}


# Pages that PDFium reads as it should


@pytest.mark.parametrize(
    "sample",
    [
        Sample("simple font", LATIN, shown(b"as it is"), ""),
        Sample(
            "ToUnicode", with_unicode(simple(), to_unicode(b"1 beginbfchar <41> <03A9> endbfchar")), shown(b"A"), ""
        ),
        Sample("names", differing("Lslash", "oe", "Euro"), shown(b"ABC"), ""),
        Sample("predefined CMap", composite("Japan1", "90ms-RKSJ-H"), shown(b"a"), ""),
        Sample("other marks", LATIN, b"/P <</MCID 0>> BDC /Artifact BMC " + shown(b"a") + b" EMC EMC", ""),
    ],
    ids=lambda sample: sample.rule,
)
def test_what_pdfium_reads_right_is_left_to_it(sample: Sample) -> None:
    assert not renewed(sample.pdf())


def test_what_pages_inherit_is_theirs(tmp_path: Path) -> None:
    [sample] = [sample for sample in ACTUAL_TEXT if sample.rule == "ActualText in Properties"]
    with pikepdf.open(BytesIO(sample.pdf())) as pdf:
        page = pdf.pages[0].obj
        for key in ("/Resources", "/MediaBox"):
            pdf.Root.Pages[key] = page[key]
            del page[key]
        pdf.save(tmp_path / "inherited.pdf")
    assert text_of((tmp_path / "inherited.pdf").read_bytes()) == sample.text


@pytest.mark.parametrize("fanout", [2, 3, 100])
def test_pages_are_found_in_any_tree(fanout: int) -> None:
    with Pdf.new() as pdf:
        nodes: list[Object] = []
        for number in range(12):
            pdf.add_blank_page()
            nodes.append(pdf.pages[-1].obj)
            nodes[-1].Number = number
        while len(nodes) > 1:
            groups = [nodes[at : at + fanout] for at in range(0, len(nodes), fanout)]
            nodes = [
                pdf.make_indirect(
                    Dictionary(Type=Name.Pages, Kids=Array(kids), Count=sum(int(kid.get("/Count", 1)) for kid in kids))
                )
                for kids in groups
            ]
        pdf.Root.Pages = nodes[0]
        for first in range(13):
            assert [int(page.Number) for page in pages_from(pdf, first)] == list(range(first, 12))
        found = PageRewriter(pdf)
        assert [int(found.page(index).Number) for index in (3, 4, 4, 0, 11, 5)] == [3, 4, 4, 0, 11, 5]


def _with_an_actual_text(pdf: bytes) -> bytes:
    """A file with an unused ActualText on each page, so that all pages are rewritten."""
    with pikepdf.open(BytesIO(pdf)) as opened:
        for page in opened.pages:
            page.contents_add(b"/Span <</ActualText (no)>> BDC EMC ", prepend=True)
        out = BytesIO()
        opened.save(out)
    return out.getvalue()


@pytest.mark.parametrize("pdf", [GUIDE.read_bytes(), *(sample.pdf() for sample in ALL[:40])])
def test_a_page_that_is_made_anew_has_the_same_text(pdf: bytes) -> None:
    anew = _with_an_actual_text(pdf)
    assert renewed(anew)
    assert list(page_texts(anew)) == list(page_texts(pdf))


def test_a_hyphen_at_the_end_of_a_line_is_one() -> None:
    lines = b"BT /F 12 Tf 14 TL 20 100 Td (the light-) Tj T* (house is well-known) Tj ET"
    pdf = Sample("", LATIN, lines, "").pdf()
    assert [*page_texts(pdf), *page_texts(_with_an_actual_text(pdf))] == ["the light-\r\nhouse is well-known"] * 2


# Pages that nobody should write


def _form_in_itself(pdf: Pdf, page: Object) -> bytes:
    form = pdf.make_stream(b"/X Do", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 10, 10])
    form.Resources = Dictionary(XObject=Dictionary(X=form))
    page.Resources.XObject = form.Resources.XObject
    return b"/X Do /Span <</ActualText (1)>> BDC " + shown(b"a") + b" EMC"


def _elements_in_a_circle(pdf: Pdf, page: Object) -> bytes:
    element = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.P, ActualText=String("1")))
    element.P = element
    page.StructParents = 0
    pdf.Root.StructTreeRoot = Dictionary(ParentTree=Dictionary(Nums=Array([0, Array([element])])))
    return b"/P <</MCID 0>> BDC " + shown(b"a") + b" EMC"


def _wrong_types(pdf: Pdf, page: Object) -> bytes:
    page.StructParents = Name.Wrong
    page.Resources.Properties = Array([])
    page.Resources.XObject = Dictionary(X=1)
    page.Resources.ExtGState = Dictionary(G=Dictionary(Font=1))
    pdf.Root.StructTreeRoot = Array([])
    return b"/Span /P0 BDC /Span <</ActualText 1>> BDC /Span BDC BDC /G gs /X Do " + shown(b"a") + b" EMC EMC EMC EMC"


def _too_long(pdf: Pdf, page: Object) -> bytes:
    return b"/Span <</ActualText (1)>> BDC " + shown(b"a") + b" EMC" + b" " * 5_000_000


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (_form_in_itself, "1"),
        (_elements_in_a_circle, "1"),
        (_wrong_types, "a"),
        (_too_long, "1"),  # by PDFium
        (b"EMC EMC " + shown(b"a") + b" /Span <</ActualText (1)>> BDC " + shown(b"b"), "a"),
        (b"/Span <</ActualText (1)>> BDC EMC " + shown(b"a"), "a"),
        (b"/Span <</Actual#54ext (1)>> BDC " + shown(b"a") + b" EMC", "1"),
        (b"/Span <</ActualText (1)>> BDC 20 100 10 10 re f EMC " + shown(b""), "1"),
        (b"/Span <</ActualText (1)>> BDC q 10 0 0 10 20 100 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \0 EI Q EMC", "1"),
    ],
)
def test_pages_that_are_wrong_have_text(content: bytes, text: str) -> None:
    assert text in text_of(Sample("", LATIN, content, "").pdf())


def test_a_file_that_is_no_pdf_is_refused() -> None:
    with pytest.raises(SourceUnreadableError, match="the text of the PDF file cannot be read"):
        list(page_texts(b"no PDF"))


@settings(deadline=None)
@given(st.data())
def test_a_damaged_file_has_text_or_is_refused(data: st.DataObject) -> None:
    pdf = bytearray(data.draw(st.sampled_from(ACTUAL_TEXT)).pdf())
    for at in data.draw(st.lists(st.integers(0, len(pdf) - 1), max_size=20)):
        pdf[at] = data.draw(st.integers(0, 255))
    with suppress(SourceUnreadableError):
        assert all(isinstance(text, str) for text in page_texts(bytes(pdf)))


def test_pages_are_read_from_a_file_in_any_order(tmp_path: Path) -> None:
    [sample] = [sample for sample in ACTUAL_TEXT if sample.pages == 2]
    path = tmp_path / "two.pdf"
    path.write_bytes(sample.pdf())
    with PdfText(path) as text:
        assert [text.page(1), text.page(0), len(text)] == ["a1b", "ab", 2]


# A few pages of a large file


def _many_pages(path: Path, pages: int, mode: pikepdf.ObjectStreamMode) -> Path:
    """A file whose pages say their number, with a page tree of two levels and an inherited font."""
    with Pdf.new() as pdf:
        font = pdf.make_indirect(Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica))
        for number in range(pages):
            page = pdf.add_blank_page(page_size=(200, 200))
            page.Contents = pdf.make_stream(shown(b"page %d" % number))
            del page.Resources
        first, second = (pdf.make_indirect(Dictionary(Type=Name.Pages, Parent=pdf.Root.Pages)) for _ in range(2))
        kids = list(pdf.Root.Pages.Kids)
        for node, members in ((first, kids[:3]), (second, kids[3:])):
            node.Kids, node.Count = Array(members), len(members)
            for member in members:
                member.Parent = node
        pdf.Root.Pages.Kids = Array([first, second])
        pdf.Root.Pages.Resources = Dictionary(Font=Dictionary(F=font))
        pdf.save(path, object_stream_mode=mode)
    return path


MODES = (pikepdf.ObjectStreamMode.generate, pikepdf.ObjectStreamMode.disable)


@pytest.mark.parametrize("mode", MODES, ids=["streams", "tables"])
@pytest.mark.parametrize(("first", "count"), [(0, 2), (2, 3), (7, 1), (0, 8), (5, 9)])
def test_a_few_pages_have_the_text_that_they_have_in_the_file(
    tmp_path: Path, mode: pikepdf.ObjectStreamMode, first: int, count: int
) -> None:
    path = _many_pages(tmp_path / "many.pdf", 8, mode)
    with PdfText(path, first, count) as text:
        assert len(text) == (count if first + count <= 8 else 8)  # else PDFium reads the whole file
        assert [text.page(index) for index in range(first, min(8, first + count))] == [
            f"page {index}" for index in range(first, min(8, first + count))
        ]


@pytest.mark.parametrize("damage", [b"bytes before the header", b""])
def test_pages_of_a_damaged_file_are_found_in_the_whole_file(tmp_path: Path, damage: bytes) -> None:
    path = _many_pages(tmp_path / "many.pdf", 8, pikepdf.ObjectStreamMode.disable)
    path.write_bytes(damage + path.read_bytes().replace(b"startxref\n", b"startxref\n1"))
    with PdfText(path, 4, 2) as text:
        assert (len(text), text.page(4), text.page(5)) == (8, "page 4", "page 5")


def test_something_else_in_the_place_of_a_page_is_an_empty_page() -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.Root.Pages.Kids.insert(0, Name.none)
        assert [page.get("/Type") for page in pages_from(pdf, 0)] == [None, Name.Page]
