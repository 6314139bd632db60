"""The trees of pages: elements without end tags, invalid characters and elements, trees that are nested too deep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from tests.support.rendered_pages import task
from wcspider.engines.document.html_trees import flatten
from wcspider.engines.document.page_parsing import MAX_OPEN, as_html, parse, parse_text
from wcspider.engines.document.shadow_trees import HOST
from wcspider.exceptions import EngineError

INVISIBLE = "".join(
    map(
        chr,
        (*range(0x09), 0x0B, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0x2060, 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0xFFFF),
    )
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<dl><dt>a<dd>b<dd>c<dt>e<dd>f</dl>g", "<dl><dt>a</dt><dd>b</dd><dd>c</dd><dt>e</dt><dd>f</dd></dl>g"),
        ("<dl><dd>a<p>b<dd>c</dd>d</dl>", "<dl><dd>a<p>b</p></dd><dd>c</dd>d</dl>"),
        ("<dl><dd>a<dl><dd>b<dd>c</dl>d<dd>e</dl>", "<dl><dd>a<dl><dd>b</dd><dd>c</dd></dl>d</dd><dd>e</dd></dl>"),
        ("<ruby>a<rt>b<rt>c</ruby>", "<ruby>a<rt>b</rt><rt>c</rt></ruby>"),
        ("<ruby>a<rp>(<rt>b<rp>)</ruby>c", "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>c"),
        ("<ruby>a<rp>(<rt>b</rt>c</rp>d</ruby>e", "<ruby>a<rp>(</rp><rt>b</rt>cd</ruby>e"),
    ],
)  # fmt: skip
def test_elements_without_an_end_tag_end_before_the_next(source: str, expected: str) -> None:
    body = parse_text(source).find("body")
    assert html.tostring(body, encoding="unicode") == f"<body>{expected}</body>"


def test_many_elements_without_an_end_tag_stay_in_order() -> None:
    items = [str(number) for number in range(200)]
    body = parse_text(f"<dl>{''.join(f'<dd>{item}' for item in items)}</dl>").find("body")
    assert [element.text for element in body[0]] == items


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<title>t</title><header>a</header>b<main>c<p>d</main>e", "<header>a</header>b<main>c<p>d</p></main>e"),
        ("<meta charset=utf-8><main>a</main><link href=x>b", '<main>a</main><link href="x">b'),
        ("<html><head><x-a>a</x-a></head><body>b<p>c</body></html>", "<x-a>a</x-a>b<p>c</p>"),
        ("<head><style>a</style><noscript><style>b</style></noscript></head>c", "c"),
    ],
)
def test_contents_are_in_the_body(source: str, expected: str) -> None:
    root = parse_text(source)
    assert html.tostring(root.find("body"), encoding="unicode") == f"<body>{expected}</body>"
    assert {element.tag for element in root.find("head")} <= {"title", "meta", "style", "noscript"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<head></head></html></html><body class=b>a<p>c</body></html>", '<body class="b">a<p>c</p></body>'),
        ("<body id=a>b</body></html>c<p>d</html><i>e</i>f", '<body id="a">bc<p>d<i>e</i>f</p></body>'),
        (
            "<body id=a>b</html><head><style>s</style></head><body id=c class=d>e",
            '<body id="a" class="d">b<style>s</style>e</body>',
        ),
    ],
)
def test_contents_behind_the_end_are_in_the_body(source: str, expected: str) -> None:
    assert html.tostring(parse_text(source).find("body"), encoding="unicode") == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<nav><div><div>a</div></nav><p>b", "<nav><div><div>a</div></div></nav><p>b</p>"),
        ("<center><h2>a</center>b<h3>c</h2>", "<center><h2>a</h2></center>b<h3>c</h3>"),
        ("<h1><a>a</h1>b<a>c</a>", "<h1><a>a</a></h1><a>b</a><a>c</a>"),
        ("<b><p>a</b>b</p>c", "<b></b><p><b>a</b>b</p>c"),
        ("<table>a<tr><td>b</table>c", "a<table><tbody><tr><td>b</td></tr></tbody></table>c"),
        ("<button><p>a<button>b", "<button><p>a</p></button><button>b</button>"),
        ("<section><ul><li>a</section>b", "<section><ul><li>a</li></ul></section>b"),
        # libxml2 would end the outer element before the inner one
        ("<b>a<p>b</p>c</b>", "<b>a<p>b</p>c</b>"),
        ("<h1>a<p>b</h1>", "<h1>a<p>b</p></h1>"),
        ("<a href='h'>a<table><tr><td>b</table></a>",
         '<a href="h">a<table><tbody><tr><td>b</td></tr></tbody></table></a>'),
        ("<ul><pre>a</pre><li>b</ul>", "<ul><pre>a</pre><li>b</li></ul>"),
        ("<b>a<p title='<b>'>b<br>c</p><x-a>d</x-a></b>",
         '<b>a<p title="&lt;b&gt;">b<br>c</p><x-a>d</x-a></b>'),
        ("<b><script>a<b;'</b>'</script><p>b</p></b>", "<b><script>a<b;'</b>'</script><p>b</p></b>"),
    ],
)  # fmt: skip
def test_elements_end_as_in_browsers(source: str, expected: str) -> None:
    body = parse_text(f"<!DOCTYPE html>{source}").find("body")
    assert html.tostring(body, encoding="unicode") == f"<body>{expected}</body>"


@pytest.mark.parametrize("tag", ["pre", "pre class='a'", "textarea", "listing"])
def test_the_first_newline_is_kept_if_the_first_line_is_empty(tag: str) -> None:
    texts = [parse_text(f"<{tag}>{start}a").find("body")[0].text for start in ("", "\n", "\n\n")]
    assert texts == ["a", "a", "\n\na"]  # readers of the tree ignore the first newline


def test_many_elements_may_have_no_end_tag() -> None:
    body = parse_text("a<br>" * (MAX_OPEN + 9)).find("body")
    assert len(body) == MAX_OPEN + 9


def test_an_end_tag_may_be_a_line_break() -> None:
    body = parse_text("a</br>b</BR >c</br/>d<br/></brother>e").find("body")
    assert html.tostring(body, encoding="unicode") == "<body>a<br>b<br>c<br>d<br>e</body>"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a<wbr>b<b>c</b>d<wbr>e</p>f", "<p>a<wbr></wbr>b<b>c</b>d<wbr></wbr>e</p>f"),
        ("a<embed src=x>b<i>c</i>", 'a<embed src="x"></embed>b<i>c</i>'),
        ("<p>a<bgsound><track>b</p>c", "<p>a<bgsound></bgsound><track></track>b</p>c"),
        ("a<embed>b<i>c</i></embed>d<embed>e</embed>f", "a<embed></embed>b<i>c</i>d<embed></embed>ef"),
    ],
)
def test_nothing_is_inside_empty_elements(source: str, expected: str) -> None:
    body = parse_text(source).find("body")
    assert html.tostring(body, encoding="unicode") == f"<body>{expected}</body>"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<svg><g><path><p>a</p>b<p>c", "<svg><g><path></path></g></svg><p>a</p>b<p>c</p>"),
        ("x<svg><text>a</text></svg>b<p>c", "x<svg><text>a</text></svg>b<p>c</p>"),
        ("<svg><foreignobject><p>a</p></foreignobject></svg>b", "<svg><foreignobject><p>a</p></foreignobject></svg>b"),
        ("<math><mrow><mo>+</mo><p>a</p>b", "<math><mrow><mo>+</mo></mrow></math><p>a</p>b"),
        ("<math><mtext>a<b>b</b></mtext></math>", "<math><mtext>a<b>b</b></mtext></math>"),
        ("<svg><g><p>a</p>b</g>c</svg>d<b>e</b>", "<svg><g></g></svg><p>a</p>bcd<b>e</b>"),
    ],
)
def test_html_ends_drawings_and_formulas(source: str, expected: str) -> None:
    body = parse_text(source).find("body")
    assert html.tostring(body, encoding="unicode") == f"<body>{expected}</body>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p/>x<br/>", "<p></p>x<br>"),
        ("<![CDATA[a < b]]> &eacute;&lt;", "a &lt; b \xe9&lt;"),
        ("<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>", "<svg><g></g></svg>"),
        ("<!-- a --><?b?><script>c &lt; d</script>", "<script>c < d</script>"),
    ],
)
def test_xhtml_becomes_html(body: str, expected: str) -> None:
    page = f"<?xml version='1.0' encoding='x'?><html xmlns='http://www.w3.org/1999/xhtml'><body>{body}</body></html>"
    assert as_html(page) == f"<html><body>{expected}</body></html>"


def test_what_is_not_well_formed_is_html() -> None:
    assert as_html("<html><p>a & b<br></html>") == "<html><p>a & b<br></html>"


def test_too_many_nested_elements_are_refused() -> None:
    assert "bottom" in "".join(parse_text("<div>" * 2_000 + "bottom").itertext())
    for depth in (3_000, 300_000):
        with pytest.raises(EngineError, match="nested too deep"):
            parse_text("<div>" * depth + "bottom")


def test_texts_of_deep_blocks_stay_apart() -> None:
    root = etree.fromstring("<html><div>a<p>b<i>c</i></p><p>d</p>e</div></html>")
    flatten(root, 1)
    assert etree.tostring(root, encoding="unicode") == (
        "<html><div><span>a</span><div/><span>b</span><span>c</span><div/><div/><span>d</span><div/><span>e</span>"
        "</div></html>"
    )


@given(st.text(st.sampled_from(f"{INVISIBLE}a\t\xa0\u205f\u2061é語\ufefe\ufffd😀"), max_size=20))
def test_characters_that_are_not_allowed_are_removed(text: str) -> None:
    body = parse_text(f"<p>-{text}-").find("body")
    assert body[0].text == f"-{''.join(character for character in text if character not in INVISIBLE)}-"


@pytest.mark.parametrize("form", ["&#{};", "&#00{}z", "&#x{:x};", "&#X0{:X}z"])
def test_references_to_characters_that_are_not_allowed_are_removed(form: str) -> None:
    codes = (*range(1, 9), 0x0B, *range(0x0E, 0x20), 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D, 0xFFFE, 0xFFFF)
    body = parse_text(f"<p>-{'-'.join(map(form.format, codes))}-").find("body")
    assert body[0].text.replace("z", "") == "-" * (len(codes) + 1)


def test_other_references_are_kept() -> None:
    references = "&#9;&#10;&#32;&#x7e;&#128;&#x9f;&#xa0;&#110;&#1200;&#xb0;&#xfffd;&#65533;&#x1f600;"
    body = parse_text(f"<p>{references}").find("body")
    assert body[0].text == "\t\n ~€Ÿ\xa0nҰ°\ufffd\ufffd\U0001f600"


def test_a_form_feed_is_a_space() -> None:
    body = parse_text("<p\fid=x>a-b\fc&#12;d").find("body")
    assert (body[0].get("id"), body[0].text) == ("x", "a-b c d")


def test_everything_behind_a_plaintext_is_its_text() -> None:
    body = parse_text("<div>a<plaintext>b</div>c").find("body")
    assert html.tostring(body, encoding="unicode") == "<body><div>a<plaintext>b&lt;/div&gt;c</plaintext></div></body>"


def test_the_name_of_an_element_is_no_sign_of_too_many_nested_ones() -> None:
    assert len(parse_text("a<br>" * (MAX_OPEN + 9) + "</depth>").find("body")) == MAX_OPEN + 9


@pytest.mark.parametrize("name", ["data-wcspider-width", "DATA-WCSPIDER-x", "data-wcspider-"])
def test_a_page_cannot_set_the_attributes_of_the_preparation(name: str) -> None:
    root = parse_text(f"<html {name}=1><body><div><template shadowrootmode=open><p {name} id=a>a</template></div>")
    assert {attribute for element in root.iter(etree.Element) for attribute in element.attrib} == {"id", HOST}
    assert root.attrib == {}


@pytest.mark.parametrize(
    ("source", "expected"), [("<p>a", "ltr"), ("<body dir=rtl>a", "rtl"), ("<html dir=rtl><body>a", "rtl")]
)
def test_the_document_of_a_frame_has_a_direction_of_its_own(source: str, expected: str) -> None:
    root = parse(task(f"<html dir=rtl><iframe dir=rtl srcdoc='{source}'></iframe>"))
    assert root.find(".//div").get("dir") == expected
