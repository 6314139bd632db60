"""Words that are in one piece on the pages, so that programs find them."""

from __future__ import annotations

import io
import re

import pikepdf
import pypdfium2
import pytest
from lxml import html

from tests.support.rendered_pages import task, text
from tests.support.scripts import needs_fonts
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source.words import keep_whole

WIDTHS = range(150, 500, 10)


def extracted(body: str) -> str:
    return text(PlutoBookEngine().render(task(body)))


@pytest.mark.parametrize("word", ["thread-safe", "--no-install", "e-mail-\u00fcbersicht", "A-4711"])
@pytest.mark.parametrize("place", ["<p>words and {word} words", "<table><td>{word}</table>", "<pre>words {word}</pre>"])
def test_lines_do_not_end_at_hyphens(word: str, place: str) -> None:
    pages = "".join(f"<div style='width: {width}px'>{place.format(word=word)}</div>" for width in WIDTHS)
    assert extracted(pages).count(word) == len(WIDTHS)


def test_a_line_of_a_heading_ends_at_the_hyphen_of_a_long_word() -> None:
    assert "oriented" in extracted("<h1 style='width: 280px'>Microservice-oriented benchmarks</h1>")


@pytest.mark.parametrize(
    "place", ["<p style='width: {0}px'>{1} {2}", "<table style='width: {0}px'><td>{1} {2}</table>"]
)
def test_elements_beside_a_long_word_are_whole(place: str) -> None:
    pages = "".join(place.format(width, "x" * 50, "<b>wonderful</b> " * 3) for width in WIDTHS)
    assert extracted(pages).count("wonderful") == 3 * len(WIDTHS)


def test_soft_hyphens_divide_no_word() -> None:
    word = "Donau&shy;dampf&shy;schiff"
    pages = "".join(f"<p style='width: {width}px'>words and {word} words" for width in WIDTHS)
    assert extracted(pages).count("Donaudampfschiff") == len(WIDTHS)


@pytest.mark.parametrize(
    "words",
    [
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์",
        "ມະນຸດທຸກຄົນເກີດມາມີກຽດສັກສີ",
        "មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងភាពស្មើៗគ្នា",
        "လူတိုင်းသည်တူညီလွတ်လပ်သောဂုဏ်သိက္ခာဖြင့်",
        "འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་",
    ],
)
@pytest.mark.parametrize("place", ["<p>{}", "<p style='width: 150px'>{}", "<table><td>{0}<td>{0}</table>"])
def test_scripts_without_spaces_have_lines(place: str, words: str) -> None:
    needs_fonts(words)
    rendering = PlutoBookEngine().render(task(place.format(words * 10)))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        pages = [(page.get_width(), page.get_textpage()) for page in document]
        assert all(found.get_charbox(n)[2] < width for width, found in pages for n in range(found.count_chars()))
    found = re.sub(r"\s", "", text(rendering))
    assert found.count(words[:9]) == 10 * place.count("{")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("มนุษย์เกิดมาและเสมอภาค", "ม|นุษย์|เกิด|มา|และ|เสมอ|ภาค"),
        ("ມະນຸດທຸກຄົນເກີດ", "ມະ|ນຸດ|ທຸກ|ຄົນ|ເກີດ"),
        ("មនុស្សទាំងមានភាពស្មើ", "ម|នុ|ស្ស|ទាំង|មាន|ភាព|ស្មើ"),
        ("လူတိုင်းသိက္ခာဖြင့်အင်္ဂ", "လူ|တိုင်း|သိက္ခာ|ဖြင့်|အင်္ဂ"),
        ("འགྲོ་བ་མིའི་ཡོངས། ལ་", "འགྲོ་|བ་|མིའི་|ཡོངས། ལ་"),
        ("mixed ไทย-ลาว 中文", "mixed ไทย-\ufeffลาว 中文"),
    ],
)
def test_lines_end_between_syllables(words: str, expected: str) -> None:
    body = html.fromstring(f"<body><p>{words}</p></body>")
    keep_whole(body)
    assert body.text_content().replace("\u200b", "|") == expected


def test_titles_of_headings_have_no_added_characters() -> None:
    rendering = PlutoBookEngine().render(task("<h1>A thread-safe e&shy;mail</h1>"))
    assert [heading.title for heading in rendering.structure.headings] == ["A thread-safe e\u00admail"]


def test_words_of_a_wide_table_are_whole() -> None:
    name = "sqlite3_vfs_register_with_a_long_name_" * 3
    rows = "".join(f"<tr><td>{name}<td>{name}<td>Each of the diacritics is removed from characters" for _ in range(3))
    found = extracted(f"<table>{rows}</table>")
    assert found.count("diacritics") == found.count("characters") == 3
    assert re.sub(r"\s", "", found).count(name) == 6


@pytest.mark.parametrize(
    ("source", "variants"),
    [
        ("<p>\ub370\ube44\uc548 \uad00\ub9ac\uc790", {"kr"}),
        ("<p>\u3053\u308c\u306f\u672c", {"jp"}),
        ("<p>\u8fd9\u662f\u4e66", {"sc"}),
        ("<html lang=ja><p>\u672c", {"jp"}),
        ("<p>" + "\u8fd9\u662f\u4e66" * 9 + " <a>\ud55c</a>", {"sc"}),
    ],
)
def test_variants_of_fonts_for_pages_without_a_language(source: str, variants: set[str]) -> None:
    needs_fonts(re.sub(r"<[^>]*>", "", source))
    with pikepdf.open(io.BytesIO(PlutoBookEngine().render(task(source)).pdf)) as document:
        names = {str(font.BaseFont) for page in document.pages for font in page.resources.Font.values()}
    found = {match[1] for name in names if (match := re.search(r"CJK(sc|tc|jp|kr)", name))}
    if not found:
        pytest.skip("the fonts of the system have no variants")
    assert found == variants
