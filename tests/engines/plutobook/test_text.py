"""Text that PlutoBook has laid out comes out of the pages as the text of the source, by programs that are not ours."""

from __future__ import annotations

import html
import io
import re
import shutil
import unicodedata
from importlib import resources
from pathlib import Path

import pikepdf
import pytest

from tests.support.rendered_pages import task, text
from tests.support.scripts import PLACES, RIGHT_TO_LEFT, SENTENCES, SHIPPED, by_mupdf, by_poppler, folded, needs_fonts
from wcspider.engines.base import NO_FONT, Asset, Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

PARAGRAPHS = {
    "Hindi": ("hi", "हिन्दी में क्षत्रिय विद्यार्थी प्रधानमन्त्री की पुस्तकें र्स"),
    "Marathi": ("mr", "शाळेतील मुलांनी कऱ्हाडला सुऱ्या दर्‍यांची मराठी पुस्तके वाचली"),
    "Nepali": ("ne", "झण्डै ५ वा ८ झोला"),
    "Khmer": ("km", "ភាសាខ្មែរ គឺជាភាសាកំណើត ស្រ្តី"),
    "Urdu": ("ur", "اردو پاکستان کی قومی زبان ہے"),
    "Telugu": ("te", "తెలుగు భాష క్షమించు"),
    "Malayalam": ("ml", "മലയാളം ക്ഷ ഭാഷ"),
    "Sinhala": ("si", "සිංහල ශ්‍රී ලංකා"),
    "Lao": ("lo", "ພາສາລາວ ນ້ຳ"),
    "Tibetan": ("bo", "བོད་ཡིག"),
    "Myanmar": ("my", "မြန်မာဘာသာ စကား သည် ကျွန်ုပ်တို့"),
    "Arabic with tanwin": ("ar", "مرحباً بالعالم، هذا نصٌّ عربيٌّ مُشَكَّلٌ الإسلام والأخلاق"),
    "Arabic with letters of two fonts": ("ar", "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ"),
    "letters with marks": ("yo", "ẹ́ ọ̀ gbogbo ẹ́kọ́ ọ̀rọ̀ [t͡ʃ] ŋ̊ x̂ ė̃ ū̃ m̃"),
    "Japanese punctuation": ("ja", "東京・大阪／京都～奈良の①と②"),
    "Japanese wave dash": ("ja", "東京〜大阪"),
    "decomposed Latin": ("vi", "Tiê\u0301ng Viê\u0323t"),
    "emoji": ("en", "Ready \U0001f600 \U0001f680 set"),
    "letters that look alike": ("en", "\u03a9 \u2126 \u00b5 \u03bc \u0394 \u2206 \u2010 \u2011 - A\u0410\u0391"),
    "ligatures": ("en", "office affluent first flow"),
    "parentheses": ("en", r"f(x) \ (a\b) \(1\) [] <>"),
}
ALL = {**SENTENCES, **PARAGRAPHS}
SCRIPTS_FROM_THE_RIGHT = (*RIGHT_TO_LEFT, "Urdu", "Arabic with tanwin", "Arabic with letters of two fonts")


def render(body: str, assets: dict[str, Asset] | None = None, **options: object) -> Rendering:
    return PlutoBookEngine().render(task(body, assets, **options))


def page(script: str, place: str = "paragraph", **options: object) -> Rendering:
    language, sentence = ALL[script]
    direction = "rtl" if script in SCRIPTS_FROM_THE_RIGHT else "ltr"
    return render(f"<html lang={language} dir={direction}>{PLACES[place].format(escaped(sentence))}", **options)


def escaped(sentence: str) -> str:
    return sentence.replace("<", "&lt;")


def fonts_of(rendering: Rendering) -> set[str]:
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return {str(font.BaseFont)[8:] for page in pdf.pages for font in page.resources.get("/Font", {}).values()}


def font_programs(rendering: Rendering) -> set[bytes]:
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        fonts = (font for page in pdf.pages for font in page.resources.Font.values())
        return {bytes(font.FontDescriptor.FontFile2.read_bytes()) for font in fonts}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("script", SENTENCES)
def test_text_comes_out_in_each_place(script: str, place: str) -> None:
    needs_fonts(ALL[script][1])
    rendering = page(script, place)
    assert folded(ALL[script][1]) in folded(text(rendering))
    assert rendering.warnings == ()


@pytest.mark.parametrize("script", PARAGRAPHS)
def test_text_comes_out_by_pdfium(script: str) -> None:
    needs_fonts(ALL[script][1])
    assert folded(ALL[script][1]) in folded(text(page(script)))


@pytest.mark.parametrize("script", ALL)
def test_words_stay_apart(script: str) -> None:
    needs_fonts(ALL[script][1])
    sentence, found = (unicodedata.normalize("NFC", shown).split() for shown in (ALL[script][1], text(page(script))))
    assert found == sentence


@pytest.mark.parametrize(
    "content",
    ["'مُحَمَّدٌ لا يَنْسَى'", r"'\645\64f\62d\64e\645\64e\651\62f\64c' ' \644\627  ' attr(data-y)", "attr(data-x)"],
)
def test_text_of_style_sheets_whose_glyphs_depend_on_their_neighbours(content: str) -> None:
    source = f"<style>p::before {{ content: {content} }}</style><p data-x='مُحَمَّدٌ لا يَنْسَى' data-y='يَنْسَى'>"
    found = unicodedata.normalize("NFC", text(render(source)))
    assert found.split() == unicodedata.normalize("NFC", "مُحَمَّدٌ لا يَنْسَى").split()


@pytest.mark.parametrize("value", ["2px", "0.1em", "0.3rem", "var(--loose)", "calc(1px + 0.2em)"])
@pytest.mark.parametrize("place", ["<p style='letter-spacing: {}'>", "<style>p {{ letter-spacing: {} }}</style><p>"])
def test_letters_of_a_word_stay_together(place: str, value: str, tmp_path: Path) -> None:
    rendering = render(f"<body style='--loose: 5px'>{place.format(value)}The QUICK office, 2 words")
    found = [text(rendering)]
    if shutil.which("pdftotext") is not None:
        found.append(by_poppler(rendering.pdf, tmp_path / "x.pdf"))
    if shutil.which("mutool") is not None:
        found.append(by_mupdf(rendering.pdf, tmp_path / "x.pdf"))
    assert {" ".join(one.split()) for one in found} == {"The QUICK office, 2 words"}


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not there")
@pytest.mark.parametrize("value", ["-0.03em", "-0.05em"])
@pytest.mark.parametrize("script", ["Urdu", "vowelled Arabic", "Hebrew", "pointed Hebrew", "Devanagari"])
def test_words_with_less_space_between_their_letters_stay_apart(script: str, value: str, tmp_path: Path) -> None:
    language, sentence = ALL[script]
    needs_fonts(sentence)
    rendering = render(f"<html lang={language}><h1 style='letter-spacing: {value}'>{sentence}")
    for found in (text(rendering), by_poppler(rendering.pdf, tmp_path / "x.pdf")):
        assert list(filter(None, map(folded, found.split()))) == list(map(folded, sentence.split()))


def test_glyphs_depend_on_the_language() -> None:
    needs_fonts(ALL["Marathi"][1])
    shown = "<p lang=hi>शील</p><p lang=mr-IN>शील</p><p>शील</p>"
    assert text(render(shown)).split() == ["शील"] * 3


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not there")
@pytest.mark.parametrize("script", ALL)
def test_text_comes_out_by_poppler(script: str, tmp_path: Path) -> None:
    needs_fonts(ALL[script][1])
    assert folded(ALL[script][1]) in folded(by_poppler(page(script).pdf, tmp_path / "x.pdf"))


@pytest.mark.skipif(shutil.which("mutool") is None, reason="mutool is not there")
@pytest.mark.parametrize("script", [script for script in ALL if script not in SCRIPTS_FROM_THE_RIGHT])
def test_text_comes_out_by_mupdf(script: str, tmp_path: Path) -> None:
    # MuPDF gives right-to-left text in the order in which it is drawn, whatever the file.
    needs_fonts(ALL[script][1])
    assert folded(ALL[script][1]) in folded(by_mupdf(page(script).pdf, tmp_path / "x.pdf"))


@pytest.mark.parametrize("script", ALL)
def test_no_character_that_the_page_does_not_have(script: str) -> None:
    needs_fonts(ALL[script][1])
    found = text(page(script))
    assert set(re.findall(r"[\ufb00-\ufdff\ufe70-\ufefc\ufffd\u2e80-\u2fdf\ue000-\uf8ff]", found)) == set()


@pytest.mark.parametrize("script", SHIPPED)
def test_bundled_fonts_are_enough(script: str) -> None:
    rendering = page(script, system_fonts=False)
    assert rendering.warnings == ()
    assert folded(ALL[script][1]) in folded(text(rendering))
    assert all(name.startswith("Wcspider") for name in fonts_of(rendering))


@pytest.mark.parametrize("script", ["Devanagari", "Japanese"])
def test_characters_without_a_font_keep_their_text(script: str) -> None:
    rendering = page(script, system_fonts=False)
    assert folded(ALL[script][1]) in folded(text(rendering))
    assert [line for line in rendering.warnings if NO_FONT in line and "install fonts-noto" in line]


LATIN = "".join(c for c in bytes(range(33, 256)).decode("cp1252", "ignore") if c not in "\x7f\xa0\xad")


@pytest.mark.parametrize("around", ["", "\u2192 ", "\u0416 ", "no\xa0break soft\xadhyphen "])
@pytest.mark.parametrize("family", ["serif", "sans-serif", "monospace"])
def test_characters_of_win_ansi(family: str, around: str) -> None:
    words = f"{around}{' '.join(LATIN[start : start + 20] for start in range(0, len(LATIN), 20))}"
    rendering = render(f"<p style='font-family: {family}; font-variant-ligatures: none'>{html.escape(words)}")
    assert folded(words.replace("\xad", "")) in folded(text(rendering))
    assert all(name.startswith("Wcspider") for name in fonts_of(rendering))


def test_pages_share_their_fonts() -> None:
    one, other = (render(f"<p style='font-family: sans-serif'>{words} <b>bold</b>") for words in ("first", "another"))
    assert font_programs(one) == font_programs(other)
    assert len(font_programs(one)) == 2


@pytest.mark.parametrize(
    ("families", "expected"),
    [
        ("serif", "WcspiderSerif-Regular"),
        ("sans-serif", "WcspiderSans-Regular"),
        ("monospace", "WcspiderMono-Regular"),
        ("system-ui", "WcspiderSans-Regular"),
        ("cursive", "WcspiderSerif-Regular"),
        ("fantasy", "WcspiderSans-Regular"),
        ("Arial", "WcspiderSans-Regular"),
        ("'courier new'", "WcspiderMono-Regular"),
        # A family that is not there is passed over.
        ("Nowhere, monospace", "WcspiderMono-Regular"),
        ("Nowhere", "WcspiderSerif-Regular"),
        # Those of the system only fill gaps: a page looks the same on each machine.
        ("'Noto Sans Devanagari', monospace", "WcspiderMono-Regular"),
    ],
)
def test_families(families: str, expected: str) -> None:
    assert fonts_of(render(f'<p style="font-family: {families}">words')) == {expected}


def test_rendering_is_repeatable() -> None:
    source = "<p>Latin, Кириллица, العربية, हिन्दी and \U0001f600"
    assert render(source).pdf == render(source).pdf


def test_text_of_a_form_xobject() -> None:
    rendering = render("<p style='filter: none; mix-blend-mode: multiply'>blended <b>words</b> naïve")
    assert "blended words naïve" in text(rendering)
    assert all(name.startswith("Wcspider") for name in fonts_of(rendering))


@pytest.mark.parametrize("script", ["Arabic", "Latin"])
def test_author_font_whose_glyphs_depend_on_their_neighbours(script: str) -> None:
    name = "WcspiderScripts" if script == "Arabic" else "WcspiderMono"
    body = resources.files("wcspider.fonts").joinpath(f"{name}-Regular.ttf").read_bytes()
    for encoding in ("ascii", "utf-16-be"):
        body = body.replace("Wcspider".encode(encoding), "Homemade".encode(encoding))
    url = "https://example.com/own.ttf"
    style = f"<style>@font-face {{ font-family: Own; src: url({url}) }} p {{ font-family: Own, serif }}</style>"
    language, sentence = ALL[script]
    rendering = render(
        f"<html lang={language}>{style}<p>{sentence}",
        {url: Asset(body, "font/ttf")},
    )
    assert folded(sentence) in folded(text(rendering))
    assert any(url in line for line in rendering.warnings) == (script == "Arabic")
    assert ("HomemadeMono-Regular" in fonts_of(rendering)) == (script == "Latin")


@pytest.mark.parametrize("script", ["", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u65e5\u672c"])
def test_text_that_looks_like_operators(script: str) -> None:
    source = f"<p>write /F1 12 Tf (text) Tj ET \\ and <b>/f-0-0 1 Tf</b> &lt;41&gt; {script}"
    assert "write /F1 12 Tf (text) Tj ET \\ and /f-0-0 1 Tf <41>" in text(render(source))
