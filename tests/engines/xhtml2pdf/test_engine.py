"""HTML on pages: text, links, anchors, images, styles, geometry, and what xhtml2pdf could not do by itself."""

from __future__ import annotations

import io
import re
from importlib import resources

import pikepdf
import pytest
from PIL import Image

from tests.support.rendered_pages import URL, Asset, PageGeometry, Step, boxes, links, render, sizes, task, text
from wcspider.engines.document.forms import text_of
from wcspider.engines.document.xhtml import as_html
from wcspider.engines.xhtml2pdf.source.prepared_page import prepare
from wcspider.web.styles.responsive import Viewport

pytestmark = pytest.mark.slow

BASE = "https://example.com/dir/"


def _image(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 80).convert(mode).save(out, kind)
    return out.getvalue()


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


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("He said <q>no <q>way</q></q>.", "He said “no ‘way’”."),
        ("<p lang=de-AT>Er: <q>nein <b><q>doch</q></b></q>", "Er: „nein ‚doch‘“"),
        ("<div lang=fr><q>non</q> <q lang=en>no</q></div>", "«non» “no”"),
        ("<p lang=el><q>όχι</q><p lang=ru><q>нет</q><p lang=pt-BR><q>não</q>", "«όχι» «нет» “não”"),
        ("<p lang=ja><q>a</q>", "「a」"),
    ],
)
def test_quotation_marks(source: str, shown: str) -> None:
    assert " ".join(text(render(source)).split()) == shown


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
        ("<mfrac/><msup/><mroot/><mmultiscripts/><mtable/><msqrt/>", "√()"),
    ],
)
def test_formulas(source: str, shown: str) -> None:
    document = prepare(task(f"<math>{source}</math>"), Viewport()).document
    for tag, sign in (("sub", "_"), ("sup", "^")):
        for script in document.getElementsByTagName(tag):
            script.insertBefore(document.createTextNode(sign), script.firstChild)
    assert text_of(document.getElementsByTagName("body")[0]) == shown
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
            "<iframe srcdoc='<title>no</title><style>b { display: none }</style><p>The <b>notice'>no</iframe> x",
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
    ],
)
def test_links_of_what_is_played_or_embedded(source: str, expected: str | None) -> None:
    assert links(render(source)) == ([BASE + expected] if expected else [])


def test_link_around_an_image() -> None:
    assets = {BASE + "i.png": Asset(_image("PNG"), "image/png")}
    assert links(render("<a href=big.html><img src=i.png></a>", assets)) == [BASE + "big.html"]


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


def test_jpeg_stays_byte_for_byte() -> None:
    jpeg = _image("JPEG")
    rendering = render("<img src='i.jpg'><img src='/dir/i.jpg#x'>", {BASE + "i.jpg": Asset(jpeg, "image/jpeg")})
    [drawn] = rendering.images
    assert drawn.url == BASE + "i.jpg"
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        xobject = pdf.pages[0].Resources.XObject["/" + drawn.name]
        assert xobject.read_raw_bytes() == jpeg
        assert xobject.Filter == "/DCTDecode"


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "BMP", "TIFF"])
def test_image_formats(kind: str) -> None:
    assets = {BASE + "i": Asset(_image(kind), f"image/{kind.lower()}")}
    rendering = render("<img src=i>", assets)
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        xobject = pdf.pages[0].Resources.XObject["/" + rendering.images[0].name]
        assert (xobject.Width, xobject.Height) == (60, 40)


def test_same_bytes_under_two_urls_are_one_xobject() -> None:
    png = _image("PNG")
    assets = {BASE + name: Asset(png, "image/png") for name in "ab"}
    rendering = render("<img src=a><img src=b>", assets)
    assert [i.url for i in rendering.images] == [BASE + "a", BASE + "b"]
    assert len({i.name for i in rendering.images}) == 1


def test_images_that_are_not_drawn_are_not_listed() -> None:
    assets = {BASE + name: Asset(_image("PNG", (20, 10 + n)), "image/png") for n, name in enumerate("ab")}
    assert [i.url for i in render("<img src=a><div hidden><img src=b></div>", assets).images] == [BASE + "a"]


@pytest.mark.parametrize(
    "markup",
    [
        "<picture><source srcset='big.png' media='(min-width: 5000px)'><source srcset=i.png><img src=no.png></picture>",
        "<img srcset='i.png 1x, no.png 2x' src=no.png>",
        "<object data=i.png type=image/png></object>",
        "<video poster=i.png></video>",
    ],
)
def test_references_to_images(markup: str) -> None:
    assets = {BASE + "i.png": Asset(_image("PNG"), "image/png")}
    assert [i.url for i in render(markup, assets).images] == [BASE + "i.png"]


def test_image_that_is_missing_or_broken() -> None:
    rendering = render("<p>a <img src=none.png alt='A cat'> b <img src=bad.png> c", {BASE + "bad.png": Asset(b"x", "")})
    assert "a A cat b" in text(rendering)
    assert rendering.images == ()


def test_svg_is_drawn() -> None:
    svg = b"""<svg xmlns='http://www.w3.org/2000/svg' width='100' height='50'><text x='5' y='20'>Vector</text></svg>"""
    assert "Vector" in text(render("<p>x <img src=v.svg>", {BASE + "v.svg": Asset(svg, "image/svg+xml")}))


class TestStyles:
    CSS = Asset(b"@import 'more.css'; p { color: #ff0000 } .gone { display: none }", "text/css")
    MORE = Asset(b"@media print { .screen { display: none } } @media screen { .print { display: none } }", "text/css")
    PAGE = "<link rel=stylesheet href=css/a.css><p>shown</p><p class=gone>gone</p><p class=screen>S<p class=print>P"

    def _assets(self) -> dict[str, Asset]:
        return {BASE + "css/a.css": self.CSS, BASE + "css/more.css": self.MORE}

    @pytest.mark.parametrize(("media", "expected"), [("print", ["shown", "P"]), ("screen", ["shown", "S"])])
    def test_media(self, media: str, expected: list[str]) -> None:
        rendering = render(self.PAGE, self._assets(), geometry=PageGeometry(media=media))
        assert text(rendering).split() == expected

    def test_without_author_styles(self) -> None:
        rendering = render(self.PAGE, self._assets(), step=Step.NO_AUTHOR_STYLES)
        assert text(rendering).split() == ["shown", "gone", "S", "P"]

    def test_relative_to_where_a_redirect_led(self) -> None:
        css = Asset(b"@import 'more.css'", "text/css", url="https://cdn.example/v2/a.css")
        assets = {BASE + "css/a.css": css, "https://cdn.example/v2/more.css": Asset(b"p { display: none }", "text/css")}
        assert text(render(self.PAGE, assets)).split() == []

    def test_page_of_the_author_does_not_change_ours(self) -> None:
        assert sizes(render("<style>@page { size: A6 landscape; margin: 0 }</style><p>x")) == sizes(render("<p>x"))

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

    def test_scaled_links_and_anchors_stand_where_their_text_stands(self) -> None:
        rendering = render("<p>x<p id=a><a href=y>H</a>", geometry=PageGeometry(scale=0.5))
        [letter] = [box for _, c, box in boxes(rendering) if c == "H"]
        [anchor] = rendering.structure.anchors
        assert letter[3] <= anchor.y <= letter[3] + 15
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            x0, y0, x1, y1 = map(float, pdf.pages[0].Annots[0].Rect)
        assert x0 <= letter[0] <= letter[2] <= x1 + 1
        assert y0 <= letter[1] <= letter[3] <= y1 + 1

    def test_preferred_zoom_undoes_the_scaling(self) -> None:
        geometry = PageGeometry(scale=0.5)
        assert 0.75 * geometry.scale * geometry.preferred_zoom == pytest.approx(1)


class TestHardShapes:
    def test_nested_500_deep(self) -> None:
        assert "bottom" in text(render("<div>" * 500 + "bottom"))
        assert "bottom" in text(render("<b><i><span>" * 400 + "bottom"))
        assert "bottom" in text(render("<table><tr><td>" * 100 + "bottom"))

    @pytest.mark.parametrize("spans", ["", " rowspan=2"])
    def test_cell_taller_than_a_page_stays_readable(self, spans: str) -> None:
        cell = "<p>" + "lorem ipsum " * 30
        rendering = render(f"<table><tr><td{spans}>{cell * 40}<td>side<tr><td>next</table>")
        assert text(rendering).count("lorem") == 40 * 30
        heights = [b[3] - b[1] for _, c, b in boxes(rendering) if c == "l"]
        assert min(heights) >= 4

    def test_long_preformatted_text_is_all_there(self) -> None:
        lines = "\n".join(f"<span>line</span> {n:05d} of it" for n in range(1500))
        found = text(render(f"<pre>{lines}</pre>"))
        assert [f"{n:05d}" in found for n in range(1500)] == [True] * 1500

    def test_long_lines_stay_on_the_page(self) -> None:
        for body in ("<pre>" + "abc def " * 60, "<p>" + "x" * 500, "<p style='white-space: pre'>" + "ab " * 200):
            assert max(box[2] for _, _, box in boxes(render(body))) < 595

    def test_long_paragraph_and_long_table_are_all_there(self) -> None:
        words = " ".join(f"w{n:05d}" for n in range(6000))
        assert text(render(f"<p>{words}")).count("w") == 6000
        rows = "".join(f"<tr><td>r{n:04d}<td>x" for n in range(900))
        assert text(render(f"<table>{rows}</table>")).count("r") == 900

    def test_long_boxes_do_not_lose_text_or_space(self) -> None:
        body = "<div style='width: 400px; padding: 10px; border: 1px solid'>" * 3 + "<p>paragraph</p>" * 200
        assert text(render(body)).count("paragraph") == 200

    @pytest.mark.parametrize("body", [b"", b"\x00\xff", b"<", b"<html><frameset><frame src=x></frameset>", b"<!---"])
    def test_hardly_a_page(self, body: bytes) -> None:
        assert len(sizes(render(body))) == 1

    def test_orders_to_xhtml2pdf_are_no_orders(self) -> None:
        body = "<pdf:toc/><pdftoc></pdftoc><pdf:nextpage><pdf:insertpdf src='/etc/passwd'>one<pdf:pagenumber> page"
        rendering = render(f"<p style='-pdf-page-break: before'>{body}")
        assert len(sizes(rendering)) == 1
        assert "one" in text(rendering)

    def test_unshown_elements(self) -> None:
        body = "<script>no</script><template>no</template><p hidden>no</p><dialog>no</dialog><!-- no --><p>yes</p>"
        assert text(render(body + "<noscript>too</noscript>")).split() == ["yes", "too"]

    def test_controls_are_drawn_as_text_where_nothing_else_works(self) -> None:
        body = (
            "<input value=name><input type=hidden value=no><input type=checkbox checked>"
            "<select><option>1<option selected>two</select><textarea>area</textarea><button>Go</button>"
        )
        found = text(render(body, step=Step.TEXT_ONLY))
        assert all(word in found for word in ("name", "☑", "two", "area", "Go"))
        assert "no" not in found

    @pytest.mark.parametrize(
        ("head", "body", "shown"),
        [
            ("<title/>", "<p/>x", "x"),
            ("<script src='a>b'/>", "x", "x"),
            ("<style title='/>'/><script\n/>", "x", "x"),
            ("", "<a id='1>'/>x", "x"),
            ("", "<p>a <![CDATA[b < c & <i/> d]]> e</p>", "a b < c & <i/> d e"),
            ("<!-- <script> --><?x a > b ?>", "<!-- <![CDATA[ --><?x > ?>x", "x"),
            ("<style>/*<![CDATA[*/ body > i { display: none } /*]]>*/</style>", "x<i>y</i>", "x"),
            ("<style><![CDATA[ body > i { display: none } ]]></style>", "x<i>y</i>", "x"),
            ("<script>'<p/>' > '<![CDATA['</script>", "<p/>x", "x"),
            # Not well-formed, so as it is in HTML
            ("", "<p it's/>x", "x"),
            ("", "x<b>y<![CDATA[z", "xy"),
            ("", "x<!-- y", "x"),
        ],
    )
    def test_xhtml(self, head: str, body: str, shown: str) -> None:
        page = f"<html xmlns='http://www.w3.org/1999/xhtml'><head>{head}</head><body>{body}</body></html>"
        assert text(render(page.encode(), media_type="application/xhtml+xml")).split() == shown.split()

    @pytest.mark.parametrize(
        "repeated", ["a", " ", "/", '"', "'\"", "<!--", "<![CDATA[", "<?", "<style>", "<a '", "<a b"]
    )
    def test_the_work_grows_with_the_length_of_xhtml(self, repeated: str) -> None:
        page = "<a" + repeated * (500_000 // len(repeated))
        assert as_html(page) == page


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
