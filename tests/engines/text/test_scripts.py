"""Text of many scripts: other programs extract the same text from the pages that was drawn."""

from __future__ import annotations

import io
import shutil
import unicodedata
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.rendered_pages import boxes, render, sizes, task, text
from tests.support.scripts import PLACES, RIGHT_TO_LEFT, SENTENCES, SHIPPED, by_mupdf, by_poppler, folded, needs_fonts
from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.plain.text_engine import TextEngine
from wcspider.engines.registry import ENGINES
from wcspider.engines.registry import render as rendered_by
from wcspider.engines.text import system_fonts
from wcspider.engines.text.scripts import SILENT, script_of, unbroken

pytestmark = pytest.mark.slow


def page(script: str, place: str = "paragraph", **options: object) -> Rendering:
    language, sentence = SENTENCES[script]
    direction = "rtl" if script in RIGHT_TO_LEFT else "ltr"
    body = PLACES[place].format(sentence)
    return render(f"<html lang={language} dir={direction}>{body}", **options)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("script", SENTENCES)
def test_text_comes_out_by_pdfium(script: str, place: str) -> None:
    sentence = SENTENCES[script][1]
    needs_fonts(sentence)
    rendering = page(script, place)
    assert folded(sentence) in folded(text(rendering))
    assert rendering.warnings == ()


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not there")
@pytest.mark.parametrize("script", SENTENCES)
def test_text_comes_out_by_poppler(script: str, tmp_path: Path) -> None:
    sentence = SENTENCES[script][1]
    needs_fonts(sentence)
    assert folded(sentence) in folded(by_poppler(page(script).pdf, tmp_path / "x.pdf"))


@pytest.mark.skipif(shutil.which("mutool") is None, reason="mutool is not there")
@pytest.mark.parametrize("script", [script for script in SENTENCES if script not in RIGHT_TO_LEFT])
def test_text_comes_out_by_mupdf(script: str, tmp_path: Path) -> None:
    # MuPDF gives right-to-left text in the order in which it is drawn, whatever the file.
    sentence = SENTENCES[script][1]
    needs_fonts(sentence)
    assert folded(sentence) in folded(by_mupdf(page(script).pdf, tmp_path / "x.pdf"))


@pytest.mark.parametrize("script", SHIPPED)
def test_bundled_fonts_suffice(script: str) -> None:
    rendering = page(script, system_fonts=False)
    assert rendering.warnings == ()
    assert folded(SENTENCES[script][1]) in folded(text(rendering))


@pytest.mark.parametrize("script", SENTENCES)
def test_no_presentation_forms(script: str) -> None:
    found = text(page(script))
    assert len(folded(found)) >= len(folded(SENTENCES[script][1]))
    assert [c for c in found if "\ufb1d" <= c <= "\ufdff" or "\ufe70" <= c <= "\ufefc"] == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("abc e\u0301 abc", "abc é abc"),
        ("и\u0301 слово", "и\u0301 слово"),
        ("葛\U000e0100城市 辻\U000e0101", "葛城市 辻"),  # a variant of a character in a name
        ("a\ufe0fb", "ab"),
        ("I ❤\ufe0fNY", "I ❤NY"),
        ("a\u034fb", "ab"),
    ],
)
def test_marks_and_selectors_make_no_spaces_and_take_none(engine: str, source: str, expected: str) -> None:
    needs_fonts(expected)
    found = rendered_by(engine, task(f"<p>{source}"))
    shown = unicodedata.normalize("NFC", text(found).strip())
    assert [c for c in shown if not SILENT.match(c)] == list(unicodedata.normalize("NFC", expected))
    assert found.warnings == ()


@pytest.mark.parametrize("mark", ["&rlm;", "\u202b", "\u202e"])
def test_a_line_with_nothing_but_a_mark_of_direction(mark: str) -> None:
    found = text(rendered_by("xhtml2pdf", task(f"<p>before<p>{mark}</p><p>behind")))
    assert "before" in found
    assert "behind" in found


@pytest.mark.parametrize("script", SENTENCES)
def test_plain_text(script: str) -> None:
    sentence = SENTENCES[script][1]
    needs_fonts(sentence)
    rendering = TextEngine().render(RenderTask("http://a.example/x.txt", sentence.encode(), "text/plain"))
    assert folded(sentence) in folded(text(rendering))
    assert rendering.warnings == ()


def test_every_font_is_embedded_as_truetype() -> None:
    body = "".join(f"<p lang={language}>{sentence}" for language, sentence in SENTENCES.values())
    with pikepdf.open(io.BytesIO(render(body).pdf)) as pdf:
        fonts = [f for p in pdf.pages for f in p.Resources.Font.values()]
        assert {str(f.Subtype) for f in fonts if f.BaseFont != "/Helvetica"} == {"/TrueType"}
        assert all("/FontFile2" in f.FontDescriptor for f in fonts if f.BaseFont != "/Helvetica")


def test_the_same_page_is_the_same_bytes() -> None:
    body = "".join(f"<p lang={language}>{sentence}" for language, sentence in SENTENCES.values())
    assert render(body) == render(body)


@pytest.mark.parametrize("script", ["Arabic", "Persian"])
def test_pages_share_the_fonts_of_plain_text(script: str) -> None:
    def programs(body: str) -> dict[str, bytes]:
        with pikepdf.open(io.BytesIO(render(body).pdf)) as pdf:
            found = [f for f in pdf.pages[0].Resources.Font.values() if "Scripts" in str(f.BaseFont)]
            return {str(f.BaseFont): f.FontDescriptor.FontFile2.read_raw_bytes() for f in found}

    first, *rest = SENTENCES[script][1].split()
    one, two = programs(f"<p>{first}"), programs(f"<p>{first} {' '.join(rest)}")
    assert one.items() <= two.items()


class TestMissing:
    def test_each_script_is_named_with_its_package(self) -> None:
        body = "<p>ภาษา <b>中文</b> हिन्दी"
        assert render(body, system_fonts=False).warnings == (
            "characters that no font has (Devanagari: install fonts-noto-core), "
            "U+0926 U+0928 U+0939 U+093F U+0940 and 1 more",
            "characters that no font has (Thai: install fonts-noto-core), U+0E20 U+0E29 U+0E32",
            "characters that no font has (Chinese characters: install fonts-noto-cjk), U+4E2D U+6587",
        )

    @pytest.mark.parametrize("character", ["中", "ก", "\U000e1234", "\ue000", "\U0001f600"])
    def test_text_without_a_font_is_kept(self, character: str) -> None:
        assert f"a{character}b" in folded(text(render(f"<p>a{character}b", system_fonts=False)))

    def test_layout_controls_need_no_font(self) -> None:
        assert render("<p>a\u200bb\u2060c\u200ed\ufeffe\u00adf\ufe0f", system_fonts=False).warnings == ()


class TestLines:
    def _rows(self, rendering: Rendering) -> list[str]:
        rows: dict[float, str] = {}
        for _, character, box in boxes(rendering):
            rows.setdefault(round(box[1] / 12), "")
            rows[round(box[1] / 12)] += character
        return list(rows.values())

    @pytest.mark.parametrize("script", ["Chinese", "Japanese", "Thai"])
    def test_lines_fill_the_page_and_lose_nothing(self, script: str) -> None:
        language, sentence = SENTENCES[script]
        needs_fonts(sentence)
        rendering = render(f"<html lang={language}><p>{sentence * 150}")
        assert folded(text(rendering)) == folded(sentence * 150)
        assert len(sizes(rendering)) > 1
        edges = [box[2] for _, _, box in boxes(rendering)]
        assert 500 < max(edges) < 595.276 - 42.52 + 12

    def test_no_line_begins_with_a_full_stop(self) -> None:
        needs_fonts("中。")
        rendering = render("<html lang=zh><p>" + "中文字。" * 200)
        left = min(box[0] for _, _, box in boxes(rendering))
        assert {c for _, c, box in boxes(rendering) if box[0] < left + 3} <= set("中文字")

    def test_mixed_text_keeps_its_spaces(self) -> None:
        needs_fonts("中")
        words = " ".join(text(render("<html lang=zh><p>" + "中文 some English words, <b>bold</b> 中文。" * 30)).split())
        assert words.count("some English words, bold") == 30

    def test_a_column_is_as_narrow_as_a_character(self) -> None:
        needs_fonts("中")
        rendering = render(
            "<html lang=zh><table width=100%><tr><td>" + "中文字" * 40 + "<td>" + "abc " * 200 + "</table>"
        )
        assert folded(text(rendering)).count("中文字") + folded(text(rendering)).count("abc") > 200
        assert max(box[2] for _, _, box in boxes(rendering)) < 595


class TestUnbroken:
    @pytest.mark.parametrize(
        ("word", "pieces"),
        [
            ("word", ["word"]),
            ("中文字", ["中", "文", "字"]),
            ("中。文", ["中。", "文"]),
            ("「中」文", ["「中」", "文"]),
            ("abc中def", ["abc", "中", "def"]),
            ("ไทย", ["ไท", "ย"]),
            ("น้ำ", ["น้ำ"]),  # a consonant with its marks
            ("がっこう", ["がっ", "こ", "う"]),  # a small kana begins no line
            ("か\u3099", ["か\u3099"]),
            ("한국어", ["한국어"]),  # Korean has spaces
        ],
    )
    def test_table(self, word: str, pieces: list[str]) -> None:
        assert unbroken(word) == pieces

    @given(st.text())
    def test_no_character_is_lost(self, word: str) -> None:
        assert "".join(unbroken(word)) == word


class TestScripts:
    @pytest.mark.parametrize(
        ("character", "name", "package"),
        [
            ("a", "Latin", "fonts-noto-core"),
            ("\u2d30", "Tifinagh", "fonts-noto-core"),
            ("\U00010330", "Gothic", "fonts-noto-core"),
            ("漢", "Chinese characters", "fonts-noto-cjk"),
            ("、", "Chinese characters", "fonts-noto-cjk"),
            ("\U00020000", "rare Chinese characters", "fonts-hanazono"),
            ("\U00031350", "rare Chinese characters", "fonts-hanazono"),
            ("あ", "Japanese", "fonts-noto-cjk"),
            ("ー", "Japanese", "fonts-noto-cjk"),  # belongs to two scripts, and is in the block of Katakana
            ("한", "Korean", "fonts-noto-cjk"),
            ("→", "symbols", "fonts-noto-core"),
            ("\U0001f600", "emoji", "fonts-noto-color-emoji"),
            ("✨", "emoji", "fonts-noto-color-emoji"),
            ("\ue000", "private characters", ""),
        ],
    )
    def test_table(self, character: str, name: str, package: str) -> None:
        found = script_of(character)
        assert (found.name, found.package) == (name, package)

    @given(st.characters())
    def test_every_character_has_a_script(self, character: str) -> None:
        assert script_of(character).name


class TestSystemFonts:
    def test_no_fontconfig(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "")
        assert system_fonts.faces.__wrapped__() == ()

    @pytest.mark.parametrize(
        ("language", "variant"),
        [("zh-CN", "SC"), ("zh", "SC"), ("zh-TW", "TC"), ("zh_Hant", "TC"), ("ja", "JP"), ("ko-KR", "KR"), ("en", "")],
    )
    def test_variants(self, language: str, variant: str) -> None:
        assert system_fonts.variant_of(language) == variant

    def test_the_language_chooses_the_glyphs(self) -> None:
        needs_fonts("直")
        names = {system_fonts.name_for("直", variant=variant) for variant in ("SC", "JP")}
        if not any("CJK" in str(name) for name in names):
            pytest.skip("no font with variants; install fonts-noto-cjk")
        assert len(names) == 2

    def test_listed_faces_have_what_they_say(self) -> None:
        for face in system_fonts.faces()[:5]:
            font = system_fonts.register(face)
            assert font is not None
            covered = font.characters
            firsts, lasts = face.ranges
            assert all(set(range(first, last + 1)) & covered for first, last in zip(firsts, lasts, strict=True))
