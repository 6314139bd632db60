"""HTML on pages: text, links, anchors, images, styles, geometry, and what xhtml2pdf could not do by itself."""

from __future__ import annotations

import io
import re
from importlib import resources

import pikepdf
import pytest

from tests.support.rendered_pages import URL, Asset, PageGeometry, boxes, links, render, sizes, task, text
from wcspider.engines.xhtml2pdf.source.prepared_page import Page
from wcspider.web.styles.responsive import Viewport

pytestmark = pytest.mark.slow

BASE = "https://example.com/dir/"


@pytest.mark.parametrize(
    "sentence",
    [
        "The quick brown fox: naïve café, “quotes” – 12 €",
        "Zażółć gęślą jaźń, Příliš žluťoučký, İstanbul, Ħal",
        "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
        "Съешь ещё этих мягких французских булок, ґанок, љубав",
        "a → b ≤ c ├── ─ ✓ ☐ ½ ∑",
    ],
)
@pytest.mark.parametrize("tag", ["p", "pre"])
def test_text_comes_out_right(sentence: str, tag: str) -> None:
    rendering = render(f"<{tag}>{sentence}")
    assert sentence in " ".join(text(rendering).split())
    assert rendering.warnings == ()


def test_bold_and_italic_faces() -> None:
    with pikepdf.open(io.BytesIO(render("<p>a <b>b <i>c</i></b> <i>d</i>").pdf)) as pdf:
        names = {str(f.BaseFont).partition("+")[2] for f in pdf.pages[0].Resources.Font.values()}
    assert names - {""} == {f"WcspiderSerif-{style}" for style in ("Regular", "Bold", "Italic", "BoldItalic")}


def test_every_font_is_embedded() -> None:
    rendering = render("<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul><p>→ Ω Ж ✓ <code>x</code>")
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        used = {str(f.BaseFont): f for f in pdf.pages[0].Resources.Font.values()}
        unembedded = [name for name, font in used.items() if "/FontDescriptor" not in font]
    assert unembedded in ([], ["/Helvetica"])  # reportlab's initial font, in which nothing is set


def test_pages_share_font_programs() -> None:
    def programs(body: str) -> dict[str, bytes]:
        with pikepdf.open(io.BytesIO(render(body).pdf)) as pdf:
            found = [f for f in pdf.pages[0].Resources.Font.values() if "/FontDescriptor" in f]
            return {str(f.BaseFont): f.FontDescriptor.FontFile2.read_raw_bytes() for f in found}

    one, two = programs("<p>first Привет"), programs("<p>мир zebra <b>second</b>")
    assert one.items() <= two.items()


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("other.html", "https://example.com/dir/other.html"),
        ("/a b?q=é#z", "https://example.com/a%20b?q=%C3%A9#z"),
        ("#part", "https://example.com/dir/page.html#part"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("mailto:me@example.com", "mailto:me@example.com"),
        ("  HTTP://EXAMPLE.com:80/x  ", "http://example.com/x"),
        ("javascript:alert(1)", None),
        ("JavaScript:alert(1)", None),
        ("pdf:file.pdf", None),
        ("document:x", None),
        ("http://[bad", None),
    ],
)
def test_links(href: str, expected: str | None) -> None:
    assert links(render(f'<p><a href="{href}">link</a>')) == ([expected] if expected else [])


def test_links_follow_base() -> None:
    assert links(render("<base href='/other/'><a href=x>x</a>")) == ["https://example.com/other/x"]


@pytest.mark.parametrize(
    ("source", "numbers"),
    [
        ("<ol><li><li value=7><li><li value=x></ol>", "1. 7. 8. 9."),
        ("<ol reversed><li><li><ol><li></ol></ol>", "2. 1. 1."),
        ("<ol reversed start=10><li><li value=3><li></ol>", "10. 3. 2."),
        ("<ol reversed><li><li hidden><li></ol>", "2. 1."),
        ("<ol start=0><li><li></ol>", "0. 1."),
        ("<ol start=-1><li><li><li></ol>", "-1. 0. 1."),
        ("<ol start=' +07.5'><li></ol>", "7."),
        (f"<ol start={'9' * 5000}><li><li value=2147483648></ol>", "1. 2."),
        ("<ol type=a start=0><li><li><li value=26><li></ol>", "0. a. z. aa."),
        ("<ol type=A start=702><li><li></ol>", "ZZ. AAA."),
        ("<ol type=i start=-1><li><li value=4><li value=49></ol>", "-1. iv. xlix."),
        ("<ol type=I start=3999><li><li></ol>", "MMMCMXCIX. 4000."),
        ("<ol type=A><li><li type=I><li></ol>", "A. II. C."),
        ("<ol><li><ol start=5><li></ol><li></ol>", "1. 5. 2."),
    ],
)
def test_numbers_of_list_items(source: str, numbers: str) -> None:
    assert re.findall(r"\S+\.", text(render(re.sub("(<li[^>]*>)", r"\1x", source)))) == numbers.split()


def test_quotation_marks() -> None:
    assert " ".join(text(render("He said <q>no <b><q>way</q></b></q>.")).split()) == "He said “no “way””."


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<ruby>5<rp>(</rp><rt>7</rt><rp>)</rp></ruby> apples", "5(7) apples"),
        ("<ruby>5<rp>[</rp><rt>7</rt><rp>]</rp>6<rt>8</ruby>", "5[7]6(8)"),
        ("<style>rp { display: none }</style><ruby>5<rp>(</rp><rt>7</rt><rp>)</rp></ruby>", "5(7)"),
        ("<style>rt { display: none }</style><ruby>5<rp>(</rp><rt>7</rt><rp>)</rp></ruby>", "5"),
        ("<ruby><ruby>a<rt>b</ruby><rt>c<rt> </ruby>", "a(b)(c)"),
    ],
)
def test_ruby(source: str, shown: str) -> None:
    assert " ".join(text(render(source)).split()) == shown


HALF = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"
SUM = "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (HALF, "1/2"),
        (f"<mn>2</mn>{HALF}<mi>x</mi>", "2 1/2 x"),
        (f"<mfrac>{SUM}<mn>2</mn></mfrac>", "(a+b)/2"),
        (f"<mfrac><mn>1</mn><mrow><mo>(</mo>{SUM}<mo>)</mo></mrow></mfrac>", "1/(a+b)"),
        (f"<mfrac>{HALF}{HALF}</mfrac>", "(1/2)/(1/2)"),
        (f"<mfrac linethickness=0>{SUM}<mn>2</mn></mfrac>", "a+b; 2"),
        (f"<msup>{SUM}<mn>2</mn></msup>", "(a+b)^2"),
        ("<msup><mi>x</mi><mrow><mo>-</mo><mn>1</mn></mrow></msup>", "x^-1"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_i^2"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>", "∑_i^nx_i"),
        ("<mmultiscripts><mi>C</mi><none/><mo>+</mo><mprescripts/><mn>6</mn><mn>12</mn></mmultiscripts>", "_6^12C^+"),
        (f"<msqrt>{HALF}</msqrt>", "√(1/2)"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "^3√(x)"),
        (
            "<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable>",
            "1, 2; 3, 4",
        ),
        ("<mi>sin</mi><mo>\u2061</mo><mi>x</mi><mn>1</mn><mn>2</mn>", "sin x1 2"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        ("<semantics><mi>x</mi><annotation>no</annotation><annotation-xml>no</annotation-xml></semantics>", "x"),
        ("<mtext>if <a href=/y>this</a></mtext>", "if this"),
        ("5 km", "5 km"),
        ("<mfrac/><msup/><mroot/><mmultiscripts/><mtable/><msqrt/><mi>x</mi>", "x"),
    ],
)
def test_formulas(source: str, shown: str) -> None:
    root = Page(task(f"<math>{source}</math>"), Viewport()).root
    for tag, sign in (("sub", "_"), ("sup", "^")):
        for script in root.iter(tag):
            script.text = sign + (script.text or "")
    assert "".join(root.find("body").itertext()) == shown
    drawn = sorted("".join(text(render(f"<math display=block>{source}</math>")).split()))
    assert drawn == sorted(re.sub("[_^ ]", "", shown))  # PDFium has scripts out of their order


def test_a_deep_formula_is_there() -> None:
    assert "x" in text(render("<math>" + "<mrow>" * 900 + "<mi>x</mi>"))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<table><thead><tr><th>a<tfoot><tr><td>d<tbody><tr><td>b<tbody><tr><td>c</table>", "abcd"),
        ("<table><tfoot><tr><td>c</tfoot><tbody><tr><td>a<tfoot><tr><td>b</table>", "abc"),
        ("<table><tfoot><tr><td><table><tfoot><tr><td>c</tfoot><tr><td>b</table></tfoot><tr><td>a</table>", "abc"),
    ],
)
def test_the_foot_of_a_table_is_below_its_bodies(source: str, shown: str) -> None:
    assert "".join(text(render(source)).split()) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<progress value=30 max=100></progress>", "30/100"),
        ("<progress value=.25></progress>", "25 %"),
        ("<progress value=30 max=100>a third</progress> <progress></progress>", "a third"),
        ("<meter value=.7></meter> <meter min=0 max=10 value=-2.5></meter>", "0.7 -2.5/10"),
        (f"<meter value={'9' * 400}></meter><progress value=1e999></progress>", f"{'9' * 400}inf %"),
        (
            "<iframe srcdoc='<title>no</title><style>b { display: none }</style><p>The <b>no</b>notice'>no</iframe>"
            " <b>x</b>",
            "The notice x",
        ),
        (
            "<iframe srcdoc='<script>no</script><iframe srcdoc=&quot;<p onclick=no>deep&quot;></iframe>'></iframe>",
            "deep",
        ),
        ("<iframe hidden srcdoc=no></iframe><iframe style='display: none' srcdoc=no></iframe>x", "x"),
    ],
)
def test_what_elements_without_text_say(source: str, shown: str) -> None:
    assert "".join(text(render(source)).split()) == shown.replace(" ", "")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<audio controls src=a.mp3 title='A talk'></audio>", "a.mp3"),
        ("<audio controls><source src=a.mp3><source src=b>Your browser</audio>", "a.mp3"),
        ("<audio src=a.mp3></audio>", None),
        ("<audio controls src='javascript:x()'></audio>", None),
        ("<video src=a.mp4></video>", "a.mp4"),
        ("<video src=a.mp4><a href=b>Download</a></video>", "b"),
        ("<iframe src=no srcdoc='<base href=/no/><a href=c>d</a>'></iframe>", "c"),
        ("<noscript><iframe src=a height=0 width=0 style='display:none;visibility:hidden'></iframe></noscript>", None),
        ("<iframe src=a style='Display: None'></iframe>", None),
        ("<iframe src=a hidden></iframe>", None),
        ("<iframe width='100%' height=400></iframe><iframe src=' '></iframe>", None),  # a script fills them
        ("<iframe src=a width=1 height=1></iframe>", None),
        ("<iframe src=a style='width: 0px; height: 0'></iframe>", None),
        ("<video src=a style='display: none'></video>", None),
        ("<iframe src=a width=1 height=1 style='width: 100%; height: 300px'></iframe>", "a"),
        ("<iframe src=a width='100%' height=0></iframe>", "a"),  # a script gives it the height of its page
    ],
)
def test_links_of_what_is_played_or_embedded(source: str, expected: str | None) -> None:
    assert links(render(source)) == ([BASE + expected] if expected else [])


def test_anchors_have_their_places() -> None:
    filler = "<p>text" * 60
    rendering = render(f"<h1 id=top>Top</h1>{filler}<h2><a name='far%20ä'>Far</a></h2><p id=last>z<p id=top>again")
    top, far, last = rendering.structure.anchors
    assert [a.name for a in rendering.structure.anchors] == ["top", "far%20ä", "last"]
    assert (top.page, far.page, last.page) == (0, last.page, far.page)
    assert far.page > 0
    assert 0 < last.y < far.y < 841
    letter = next(box for page, c, box in boxes(rendering) if page == far.page and c == "F")
    assert letter[3] <= far.y <= letter[3] + 30
    assert top.x == pytest.approx(42.52, abs=1)


def test_anchor_in_a_table_and_of_an_element_without_text() -> None:
    rendering = render("<table><tr><td id=cell>x<td>y</table><span id=empty></span><p>after")
    assert [a.name for a in rendering.structure.anchors] == ["cell", "empty"]


def test_title_and_warnings() -> None:
    rendering = render("<title> A\n title </title><p>中", system_fonts=False)
    assert rendering.structure.title == "A title"
    assert rendering.warnings == ("characters that no font has (Chinese characters: install fonts-noto-cjk), U+4E2D",)


class TestStyles:
    @pytest.mark.parametrize(
        "css", ["p { color: ", "}}}", "@media {", "p { color: rgb(; } p { width: calc(1px", "\x00<!--", "p:has("]
    )
    def test_broken_stylesheets(self, css: str) -> None:
        assert "shown" in text(render(f"<style>{css}</style><p>shown"))

    @pytest.mark.parametrize("css", ["position: fixed; top: 0", "position: sticky", "white-space: nowrap", "zoom: 9"])
    def test_what_would_spoil_a_page_is_left_out(self, css: str) -> None:
        body = "<p style='{}'>" + "word " * 200
        assert boxes(render(body.format(css))) == boxes(render(body.format("")))

    def test_long_selectors(self) -> None:
        selector = " ".join(["div"] * 200)
        assert "x" in text(render(f"<style>{selector} {{ color: red }}</style>" + "<div>" * 60 + "x"))

    @pytest.mark.parametrize(
        ("css", "expected"),
        [
            ("p:first-child { display: none }", "bcBC"),
            ("p:last-child { display: none }", "abAB"),
            ("p:nth-child(2) { display: none }", "acAC"),
            ("p:not(:first-child) { display: none }", "aA"),
            ("#two p { display: none }", "abc"),
            ("section + section p { display: none }", "abc"),
            ("section ~ section p:nth-child(2) { display: none }", "abcAC"),
            ("p.k + p { display: none }", "abAB"),
            ("[data-x] { display: none }", "abcAB"),
        ],
    )
    def test_elements_share_styles_only_where_no_selector_tells_them_apart(self, css: str, expected: str) -> None:
        body = "<section><p>a<p class=k>b<p>c</section><section id=two><p>A<p class=k>B<p data-x>C</section>"
        assert "".join(text(render(f"<style>{css}</style>{body}")).split()) == expected

    @pytest.mark.parametrize(
        ("css", "style", "is_shown"),
        [
            (".a { display: block !important }", "display: none", True),
            ("* { display: block !important } #i { display: none }", "", True),
            ("#i { display: block !important } p { display: none !important }", "", True),
            (".a { display: none !important } p.a { display: block !important }", "", True),
            ("@media print { * { display: block !important } }", "display: none", True),
            ("* { display: block !important }", "display: none !important", False),
            ("p { display: block }", "display: none !important; display: block", False),
            ("#i { display: block }", "display: none", False),
            ("b { display: block !important }", "display: none", False),
        ],
    )
    def test_what_is_important(self, css: str, style: str, is_shown: bool) -> None:
        rendering = render(f"<style>{css}</style><p class=a id=i style='{style}'>HHH")
        assert text(rendering) == ("HHH" if is_shown else "")


class TestGeometry:
    BODY = "<p>" + "word " * 400

    def test_landscape(self) -> None:
        assert set(sizes(render(self.BODY, geometry=PageGeometry(842, 595)))) == {(842, 595)}

    def test_margins(self) -> None:
        geometry = PageGeometry(500, 500, 100, 80, 60, 40)
        found = [box for _, _, box in boxes(render(self.BODY, geometry=geometry))]
        assert min(b[0] for b in found) >= 40 - 1
        assert max(b[2] for b in found) <= 420 + 1
        assert max(b[3] for b in found) <= 400 + 1
        assert min(b[1] for b in found) >= 60 - 4

    def test_scale(self) -> None:
        full, half = (render(self.BODY, geometry=PageGeometry(scale=scale)) for scale in (1.0, 0.5))

        def height(rendering: object) -> float:
            return max(b[3] - b[1] for _, c, b in boxes(rendering) if c == "d")  # type: ignore[arg-type]

        assert height(half) == pytest.approx(height(full) / 2, rel=0.05)
        assert sizes(half)[0] == sizes(full)[0]

    def test_preferred_zoom_undoes_the_scaling(self) -> None:
        geometry = PageGeometry(scale=0.5)
        assert 0.75 * geometry.scale * geometry.preferred_zoom == pytest.approx(1)


def test_fonts_of_the_author_are_not_used() -> None:
    font = resources.files("wcspider.fonts").joinpath("WcspiderMono-Bold.ttf").read_bytes()
    styles = "<style>@font-face { font-family: Mine; src: url(f.ttf) } p { font: 40px Mine }</style>"
    rendering = render(f"{styles}<p>Hello", {BASE + "f.ttf": Asset(font, "font/ttf")})
    assert rendering.pdf == render(f"{styles}<p>Hello").pdf
    assert (text(rendering), rendering.warnings) == ("Hello", ())


def test_state_does_not_pass_from_page_to_page() -> None:
    first = render("<p>a <b>b</b>")
    render("<html dir=rtl lang=ar><style>p { color: red; font-size: 40px }</style><p>b")
    assert render("<p>a <b>b</b>") == first


def test_url_of_the_page_is_where_it_is() -> None:
    assert links(render("<a href='#here'>x</a>")) == [URL + "#here"]
