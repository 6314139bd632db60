"""HTML pages laid out by PlutoBook: text, links, anchors, images and styles."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
import pytest
from PIL import Image

from tests.support.pictures import RED, grey_png, places_of
from tests.support.rendered_pages import Asset, PageGeometry, boxes, links, picture, sizes, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.images import reader
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.sheets.declarations import HREF
from wcspider.engines.plutobook.source import link_targets
from wcspider.engines.plutobook.source.preparation import prepare
from wcspider.exceptions import EngineError
from wcspider.web.styles.responsive import Viewport

pytestmark = pytest.mark.slow

BASE = "https://example.com/dir/"


def render(body: str | bytes, assets: dict[str, Asset] | None = None, **options: object) -> Rendering:
    return PlutoBookEngine().render(task(body, assets, **options))


def words(rendering: Rendering) -> list[str]:
    return text(rendering).split()


def image(kind: str, size: tuple[int, int] = (60, 40), mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.effect_noise(size, 80).convert(mode).save(out, kind)
    return out.getvalue()


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("other.html", "https://example.com/dir/other.html"),
        ("/a b?q=é#z", "https://example.com/a%20b?q=%C3%A9#z"),
        ("#part", "https://example.com/dir/page.html#part"),
        ("", "https://example.com/dir/page.html"),
        ("mailto:me@example.com", "mailto:me@example.com"),
        ("javascript:alert(1)", None),
        ("http://[bad", None),
    ],
)
def test_links(href: str, expected: str | None) -> None:
    assert links(render(f'<p><a href="{href}">link</a>')) == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("source", "contents"),
    [
        ("<a href=x>a <b>b</b>  c</a>", "a b c"),
        ("<a href=x aria-label=said title=no>no</a>", "said"),
        ("<a href=x title=said>no</a>", "said"),
        ("<a href=x><img src=i alt=lamp> room</a>", "lamp room"),
        ("<a href=x>" + "a" * 200 + "</a>", "a" * 99 + "…"),
    ],
)
def test_links_say_where_they_lead(source: str, contents: str) -> None:
    with pikepdf.open(io.BytesIO(render(source).pdf)) as pdf:
        assert {str(a.Contents) for a in pdf.pages[0].Annots} == {contents}


@pytest.mark.parametrize("style", ["", "display: inline-block; transform: rotate(90deg)"])
def test_the_area_of_a_link_is_its_text(style: str) -> None:
    rendering = render(f"<p style='margin: 100px'><a href=x style='{style}'>link</a>")
    letters = [box for _, letter, box in boxes(rendering) if letter.strip()]
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        [link] = pdf.pages[0].Annots
        x0, y0, x1, y1 = map(float, link.Rect)
    assert "/QuadPoints" not in link
    assert x0 <= min(box[0] for box in letters) <= max(box[2] for box in letters) <= x1
    assert y0 <= min(box[1] for box in letters) <= max(box[3] for box in letters) <= y1
    assert max(x1 - x0, y1 - y0) < 25


def test_styles_still_know_where_links_lead() -> None:
    css = "a[href^='http']::after { content: ' (' attr(href) ')' } a[href='y'] { display: none }"
    assert words(render(f"<style>{css}</style><a href='http://b.example/c'>link</a> <a href=y>no</a>")) == [
        "link",
        "(http://b.example/c)",
    ]


@pytest.mark.parametrize(
    ("css", "expected"),
    [("a[href^=h] { color: red }", "http://b.example/c"), ("a[href] { color: red }", None), ("", None)],
)
def test_the_layout_gets_the_addresses_of_links_only_for_rules_about_them(css: str, expected: str | None) -> None:
    source = f"<style>{css}</style><a href='http://b.example/c'>link</a>"
    page = prepare(task(source), Viewport("screen"))
    assert page.root.find("body/a").get(HREF) == expected


def test_links_that_cannot_be_followed_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_targets, "MAX_LINKS", 2)
    own_process = {"system_fonts": font_setup.can_use(system_fonts=True)}  # another one would not have the limit
    link = "<a href='https://example.org/'>x</a> "
    for followed in (2 * link, 2 * link + "<a href='javascript:0'>x</a>"):
        assert render(followed, **own_process).warnings == ()
    rendering = render(3 * link, **own_process)
    assert rendering.warnings == (link_targets.TOO_MANY,)
    assert len(links(rendering)) == 2


def test_anchors_have_their_places() -> None:
    filler = "<p>text" * 60
    rendering = render(
        f"<body style='margin: 0'><h1 id=top>Top</h1>{filler}<h2><a name='far%20ä'></a>Far</h2>"
        "<table><tr id=row><td>c</table>"
        "<p id=last>z<p id=top>again<span id=end></span>"
    )
    found = {anchor.name: anchor for anchor in rendering.structure.anchors}
    assert list(found) == ["top", "far%20ä", "row", "last", "end"]
    [far] = {box[3] for page, c, box in boxes(rendering) if c == "F" and page == found["far%20ä"].page}
    assert found["far%20ä"].page > 0
    assert far <= found["far%20ä"].y <= far + 30
    assert found["last"].y < found["row"].y < found["far%20ä"].y
    assert found["top"].x == pytest.approx(42.52, abs=1)


def test_an_element_over_several_pages_begins_on_the_first() -> None:
    rendering = render(f"<p>before<div id=a>{'<p>text' * 200}</div>")
    [anchor] = rendering.structure.anchors
    assert anchor.page == 0
    assert 0 < anchor.y < 842


def test_an_inline_element_begins_at_its_first_line() -> None:
    rendering = render(f"<p>before <span id=a>Zebra {'word ' * 300}</span>")
    [anchor] = rendering.structure.anchors
    [first] = [box for _, c, box in boxes(rendering) if c == "Z"]
    assert first[3] <= anchor.y <= first[3] + 15


def test_headings_are_told_in_their_order_with_levels() -> None:
    source = "<h2>B</h2><h4>C¶</h4><h3>D <i>e</i></h3><h1>A</h1><h2></h2><h2 style='display: none'>no</h2>"
    rendering = render(source)
    assert [(h.title, h.level) for h in rendering.structure.headings] == [("B", 0), ("C", 1), ("D e", 1), ("A", 0)]
    assert [h.y for h in rendering.structure.headings] == sorted(
        (h.y for h in rendering.structure.headings), reverse=True
    )


def test_title_and_language() -> None:
    rendering = render("<html lang=' de-AT '><title> A\n title </title><p>x")
    assert (rendering.structure.title, rendering.structure.language) == ("A title", "de-AT")


class TestImages:
    def test_jpeg_stays_byte_for_byte(self) -> None:
        jpeg = image("JPEG")
        rendering = render("<img src='i.jpg'><img src='/dir/i.jpg#x'>", {BASE + "i.jpg": Asset(jpeg, "image/jpeg")})
        assert {drawn.url for drawn in rendering.images} == {BASE + "i.jpg"}
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            found = [pdf.pages[0].Resources.XObject["/" + drawn.name] for drawn in rendering.images]
            assert len({xobject.objgen for xobject in found}) == 1
            assert found[0].read_raw_bytes() == jpeg

    @pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "BMP", "TIFF"])
    @pytest.mark.parametrize(
        "source",
        [
            "<img src=i>",
            "<picture><source srcset='i 1x'><img src=no></picture>",
            "<img src=no srcset='i 1x, no 3x'>",
            "<object data=i></object>",
            "<embed src=i>",
            "<iframe src=i><p>no</iframe>",
            "<video poster=i></video>",
            "<form><input type=image src=i></form>",
            "<div style='background: url(i)'>x</div>",
            "<style>p::before { content: url(i) }</style><p>x",
            "<ul style='list-style-image: url(i)'><li>x</ul>",
        ],
    )
    def test_each_is_known_by_its_url(self, kind: str, source: str) -> None:
        rendering = render(source, {BASE + "i": Asset(image(kind), f"image/{kind.lower()}")})
        names = {drawn.name for drawn in rendering.images if drawn.url == BASE + "i"}
        with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
            drawn = [
                thing["/XObject"][f"/{name}"]
                for thing in _resources(pdf)
                for name in names
                if f"/{name}" in thing.get("/XObject", {})
            ]
            assert {(int(x.Width), int(x.Height)) for x in drawn} == {(60, 40)}

    @pytest.mark.parametrize("orientation", range(1, 9))
    def test_upright_as_exif_says(self, orientation: int) -> None:
        picture = Image.new("RGB", (40, 20), "white")
        picture.paste((0, 0, 0), (0, 0, 20, 10))  # the upper left quarter
        exif = Image.Exif()
        exif[0x0112] = orientation
        out = io.BytesIO()
        picture.save(out, "JPEG", quality=95, exif=exif)
        assets = {BASE + "i": Asset(out.getvalue(), "image/jpeg")}
        wide = orientation < 5
        page = "<body style='margin: 0'><img src=i style='display: block'>"
        with pypdfium2.PdfDocument(render(page, assets).pdf) as document:
            shown = document[0].render(scale=96 / 72).to_pil().convert("L")
        left = top = round(42.52 * 96 / 72)
        width, height = (40, 20) if wide else (20, 40)
        corners = {
            (right, lower)
            for right in (0, 1)
            for lower in (0, 1)
            if shown.getpixel((left + width // 4 + right * width // 2, top + height // 4 + lower * height // 2)) < 80
        }
        expected = {1: (0, 0), 2: (1, 0), 3: (1, 1), 4: (0, 1), 5: (0, 0), 6: (1, 0), 7: (1, 1), 8: (0, 1)}
        assert corners == {expected[orientation]}

    def test_what_cannot_be_read_has_its_text(self) -> None:
        rendering = render("<p>a <img src=no alt='A cat'> b <img src=bad alt=dog> c", {BASE + "bad": Asset(b"x", "")})
        assert words(rendering) == ["a", "A", "cat", "b", "dog", "c"]
        assert rendering.unreadable == {BASE + "bad": "an image cannot be read"}

    # What is missing has its text as words of their own, but an initial begins a word.
    @pytest.mark.parametrize(
        ("source", "shown"),
        [
            ("<p>Photo<img src=no alt='A cat'>here", "Photo A cat here"),
            ("<p>From<a href=x><img src=no alt=Sponsor></a>", "From Sponsor"),
            ("<p style='font-size: 0'>a<img src=no alt='A cat' style='font-size: 13px; width: 9px'>b", "A cat"),
            (
                "<p>$<img src=no alt=xy>-axis (<img src=no alt=ab>), <i>c</i><img src=no alt=de>f",
                "$xy-axis (ab), c de f",
            ),
            ("<p><img src=no alt=O>nce upon", "Once upon"),
            ("<p>a<img src=no title='The cat'>b", "a The cat b"),
            ("<p>a<img src=no alt='' title=no>b<img src=no>c", "abc"),
        ],
    )
    def test_missing_images(self, source: str, shown: str) -> None:
        assert " ".join(words(render(source))) == shown

    def test_a_drawing_that_includes_itself(self) -> None:
        svg = (
            b"<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
            b" width='90' height='90'>"
            b"<image xlink:href='self.svg' width='9' height='9'/><image href='self.svg' width='9' height='9'/>"
            b"<style>rect { fill: url(self.svg) }</style><rect width='9' height='9'/>"
            b"<text x='5' y='20'>Vector</text></svg>"
        )
        assert words(render("<img src=self.svg>", {BASE + "self.svg": Asset(svg, "image/svg+xml")})) == ["Vector"]


def _resources(pdf: pikepdf.Pdf) -> list[pikepdf.Object]:
    streams = [thing for thing in pdf.objects if isinstance(thing, pikepdf.Stream) and "/Resources" in thing]
    return [page.Resources for page in pdf.pages] + [stream.Resources for stream in streams]


class TestStyles:
    @pytest.mark.parametrize(
        "css",
        [
            "@layer a { i { display: none } }",
            "@supports (display: grid) { i { display: none } }",
            "@supports not (display: grid) { b { display: none } } i { display: none }",
            "p { & i { display: none } }",
            "q { &.no, i { display: none } b, & { display: none } } i { display: none }",
            "p { i { display: none } }",
            "p { @media print { i { display: none } } }",
            "@media (min-width: 500px) { i { display: none } }",
            "@layer a { i { display: none } b { display: none } } b { display: inline }",
            "@media screen { b { display: none } } @media print { i { display: none } }",
            "@layer a, b; @charset 'x'; i { display: none }",
            "@layer a, b; @layer b { i { display: none } } @layer a { i { display: inline } }",
            "@layer a { i { display: none } @layer c { p { color: red } } } @layer c { b { display: inline } }",
            "i { display: none } </style><style> @layer a { i { display: inline } }",
            "@layer a, b; </style><style> @layer b { i { display: none } } @layer a { i { display: inline } }",
            ":root, :host { --d: none } i { display: var(--d) }",
            "i, ::backdrop, p:popover-open { display: none }",
            "i, ::-webkit-file-upload-button { display: none }",
            "p { ::selection, i { display: none } }",
            "i { display: none } b, :-moz-any-link { display: none } b, ::-moz-selection { display: none }",
            "@property --d { syntax: '*'; inherits: false; initial-value: none } i { display: var(--d) }",
            "@property --d { syntax: '*'; inherits: false; initial-value: inline }"
            "p { --d: none } b { display: var(--d) } i { display: none }",
            "@property --d { syntax: '*'; inherits: true; initial-value: inline }"
            "p { --d: none } i { display: var(--d) }",
        ],
    )
    def test_conditions_layers_and_nested_rules(self, css: str) -> None:
        assert words(render(f"<style>{css}</style><p><b>b</b> <i>i</i>")) == ["b"]

    @pytest.mark.parametrize(
        "css",
        [
            "overflow: hidden; height: 20px",
            "overflow: auto; max-height: 20px",
            "overflow-y: scroll; height: 2em",
            "height: 20px",
            "position: fixed; top: 0; height: 30px; overflow: hidden",
            "opacity: 0.1",
        ],
    )
    @pytest.mark.parametrize("page", ["<style>div {{ {} }}</style><div>{}</div>", "<div style='{}'>{}</div>"])
    def test_nothing_is_cut_off(self, css: str, page: str) -> None:
        found = render(page.format(css, "word " * 300))
        assert words(found).count("word") == 300

    def test_what_is_as_high_as_its_text_is_not_under_other_text(self) -> None:
        css = "div { height: 20px; overflow: hidden }"
        rendering = render(f"<style>{css}</style><div>{'over ' * 100}</div><p>last")
        lowest = min(box[1] for _, c, box in boxes(rendering) if c == "v")
        assert max(box[3] for _, c, box in boxes(rendering) if c == "l") < lowest

    def test_what_floats_to_the_next_page_does_not_cover_its_text(self) -> None:
        above, below = "<p>x</p>" * 22, f"<p>{'words ' * 60}</p>" * 8
        floating = "<div style='float: left; width: 200px; height: 320px; break-inside: avoid'>figure</div>"
        rendering = render(above + floating + below)
        page, _, figure = next(box for box in boxes(rendering) if box[1] == "f")
        beside = [
            left
            for number, letter, (left, bottom, _, _) in boxes(rendering)
            if number == page == 1 and letter == "w" and bottom > figure[1] - 200
        ]
        assert len(beside) > 40
        assert min(beside) > figure[0] + 140

    def test_what_stays_on_a_screen_is_on_one_page(self) -> None:
        rendering = render("<div style='position: fixed; top: 0'>fixed</div>" + "<p>text" * 200)
        assert len(sizes(rendering)) > 2
        assert words(rendering).count("fixed") == 1

    @pytest.mark.parametrize(
        "color",
        ["oklch(40% 0.2 250)", "lab(40% 20 30)", "color-mix(in srgb, red, blue)", "linear-gradient(#003, #006)"],
    )
    def test_colors_that_only_browsers_know(self, color: str) -> None:
        page = f"<style>p {{ --c: {color}; background: var(--c) }} div {{ background: {color} }}</style>"
        rendering = render(f"{page}<div style='height: 50px'></div>")
        with pypdfium2.PdfDocument(rendering.pdf) as document:
            shown = document[0].render().to_pil().convert("RGB")
        assert len(shown.getcolors(9999)) > 1

    @pytest.mark.parametrize(
        "css",
        ["p { color: ", "}}}", "@media {", "p { color: rgb(; } p { width: calc(1px", "\x00<!--", "p:has(", "</style"],
    )
    def test_broken_stylesheets(self, css: str) -> None:
        assert "shown" in text(render(f"<style>{css}</style><p>shown"))


class TestElements:
    @pytest.mark.parametrize(
        ("source", "shown"),
        [
            ("<details><summary>S</summary>closed</details>", "S"),
            ("<details open><summary>S</summary>open</details>", "S open"),
            ("<noscript><p>without</p></noscript>", "without"),
            ("<script>no</script><template>no</template><dialog>no</dialog><p hidden>no</p>yes", "yes"),
            ("<p popover>no</p>yes", "yes"),
            ("<ol reversed><li>a<li>b</ol>", "2. a 1. b"),
            ("<ruby>5<rp>(</rp><rt>7</rt><rp>)</rp></ruby> apples", "5(7) apples"),
            (
                "<style>p u { display: none }</style><p><span><math display=block><mi>x</mi></math><u>no</u></span> y",
                "x y",
            ),
            ("<progress value=30 max=100>a third</progress> <meter value=.3>30 %</meter> of it", "of it"),
            ("<iframe srcdoc='<title>no</title><p>The <b>notice'>no</iframe> x", "The notice x"),
            (
                "<iframe srcdoc='<style>b { display: none } @media print { i { display: none } }</style><p>The"
                " <b>no</b><i>no</i>notice'></iframe> <b>x</b> <i>y</i>",
                "The notice x y",
            ),
            (
                "<x-a><template shadowrootmode=open><style>i { display: none }</style>b <i>no</i> <slot></slot>"
                "</template>c</x-a> <i>d</i>",
                "b c d",
            ),
            ("<style>.a { display: none }</style><iframe src=f class=a title=no></iframe>x", "x"),
            ("<style>iframe { visibility: hidden }</style><noscript><iframe src=f title=no></iframe></noscript>x", "x"),
            ("<style>p iframe { display: none }</style><iframe src=f title=yes></iframe>", "yes"),
            ("<xmp><b>x</b></xmp>", "<b>x</b>"),
        ],
    )
    def test_what_is_shown(self, source: str, shown: str) -> None:
        assert "".join(found for found in words(render(source)) if found not in "▸▾") == shown.replace(" ", "")

    def test_what_is_closed_is_reported(self) -> None:
        rendering = render("<details><summary>S</summary><p id=a>closed</details>")
        assert rendering.warnings == ("closed parts of the page are not shown (DETAILS)",)
        assert [anchor.name for anchor in rendering.structure.anchors] == ["a"]

    def test_closed_menus_are_not_reported(self) -> None:
        assert not render("<nav><li><details><summary>S</summary><a href=a>closed</a></details></nav>").warnings

    @pytest.mark.parametrize(
        ("body", "shown"),
        [
            ("<p>a <![CDATA[b < c & <i/> d]]> e</p>", "a b < c & <i/> d e"),
            ("<a id='1>'/>x", "x"),
            ("<title/><p/>x", "x"),
        ],
    )
    def test_xhtml(self, body: str, shown: str) -> None:
        page = f"<html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>"
        assert words(render(page.encode(), media_type="application/xhtml+xml")) == shown.split()

    @pytest.mark.parametrize("body", [b"", b"\x00\xff", b"<", b"<html><frameset><frame src=x></frameset>", b"<!---"])
    def test_hardly_a_page(self, body: bytes) -> None:
        assert len(sizes(render(body))) == 1


class TestLimits:
    @pytest.mark.parametrize(
        "body",
        [
            "<div>" * 2000 + "bottom",
            "<table><tr><td>" * 60 + "bottom",
            "<div style='display: flex; flex-direction: column'>" * 60 + "bottom",
            "<style>div { display: flex; flex-direction: column }</style>" + "<div>" * 60 + "bottom",
            "<style>div { columns: 2 }</style>" + "<div>" * 40 + "bottom",
            "<style>div { display: table }</style>" + "<div>" * 60 + "bottom",
            "<table><tr><td colspan=1000>x<tr><td colspan=999>y<td>bottom</table>",
            "<div style='height: 100000000px'></div>bottom",
            "<form><textarea rows=1000000000 cols=99999999></textarea></form>bottom",
        ],
    )
    def test_what_would_take_for_ever(self, body: str) -> None:
        assert "bottom" in words(render(body))

    @pytest.mark.parametrize("body", ["word " * 700_000, "<i></i>" * 210_000])
    def test_what_is_too_large(self, body: str) -> None:
        with pytest.raises(EngineError, match="the page has more than"):
            render(body)

    def test_more_places_than_are_looked_for(self) -> None:
        rendering = render("".join(f"<i id=a{number}>x</i> " for number in range(12_000)))
        assert len(rendering.structure.anchors) == 12_000


def test_many_uses_of_one_image_leave_the_file_sound() -> None:
    rendering = render("<img src=i> " * 60, {BASE + "i": Asset(image("PNG"), "image/png")})
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert not pdf.check_pdf_syntax()
        assert pdf.get_warnings() == []


@pytest.mark.parametrize("body", ["", "<!-- nothing -->", "<script>1</script>", "<p></p>"])
def test_a_page_without_contents_is_an_empty_page(body: str) -> None:
    rendering = render(f"<!DOCTYPE html><style>body {{ margin: 0 }}</style>{body}")
    assert (len(sizes(rendering)), text(rendering), rendering.warnings) == (1, "", ())


def test_state_does_not_pass_from_page_to_page() -> None:
    first = render("<p>a <b>b</b>")
    render("<html dir=rtl lang=ar><style>p { color: red; font-size: 40px }</style><p>b")
    assert render("<p>a <b>b</b>") == first


def test_each_image_of_a_page_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    picture_of = reader._picture
    monkeypatch.setattr(reader, "_picture", lambda body, digest: read.append(digest) or picture_of(body, digest))
    assets = {f"https://example.com/dir/{n}": Asset(grey_png(9, 9, n), "image/png") for n in range(100)}
    wide = "<div style='width: 900px'>wider than the page, so it is laid out twice</div>"
    reader.forget()
    rendering = PlutoBookEngine().render(task(wide + "".join(f"<img src={n}>" for n in range(100)), assets))
    assert len({image.url for image in rendering.images}) == 100
    assert len(read) == 100


def test_the_address_of_a_frame_makes_no_page_wide() -> None:
    url = "https://example.org/maps/embed?pb=" + "".join(f"!1m{number}!2d2382.0904" for number in range(40))
    frame = f"<div style='display: flex'><div><iframe src='{url}'></iframe></div></div>"
    image = "<svg width=2000 height=50 style='max-width: 30%'><rect width='100%' height='100%' fill='red'/></svg>"
    found = PlutoBookEngine().render(task(f"<!DOCTYPE html><body style='margin: 0'>{image}{frame}"))
    places = [x for x, _ in places_of(RED, picture(found))]
    assert max(places) - min(places) == pytest.approx(0.3 * PageGeometry().viewport_width * 0.75, abs=2)
    assert "".join(text(found).split()) == url
    assert set(links(found)) == {url}


@pytest.mark.parametrize(
    "selector", [":only-child", ":last-child", ":first-child", ":last-of-type", ":nth-last-child(1)", ":only-of-type"]
)
def test_links_to_places_match_no_selector_of_the_page(selector: str) -> None:
    source = f"<style>body {{ margin: 0 }} body > div{selector} {{ margin-left: 100px }}</style><div id=a>X</div>"
    ((_, _, (left, _, _, _)),) = boxes(render(f"<!DOCTYPE html>{source}"))
    assert left == pytest.approx(PageGeometry().margin_left + 75, abs=2)
