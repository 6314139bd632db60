"""web/html.py: a document as a stream."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from wcspider.web.documents.html import XHTML_TYPE
from wcspider.web.documents.html_parsing import parse

URL = "http://h/dir/page.html"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("", ""),
        (" \n", ""),
        ("<!-- only -->", ""),
        ("<!DOCTYPE html>", ""),
        ("\0", ""),
        ("text", "text"),
        ("<title>t</title><p>a</p><p>b</p>", "tab"),  # nothing is put between blocks
        ("<p>a<b>b</b>c", "abc"),
        ("a<!-- x -->b<?pi x?>c", "abc"),
        ("a<script>x</script>b<style>x</style>c<template>x<p>x</p></template>d", "abcd"),
        ("a<b><template shadowrootmode=open>b<template>x</template><slot></slot></template>c</b>d", "abcd"),
        ("a<b><template ShadowRootMode=Closed><style>x</style>b</template></b><template>x</template>c", "abc"),
        ("a<template shadowrootmode=no>x</template>b", "ab"),
        ("<noscript>a</noscript><textarea>b</textarea><option>c", "abc"),
        ("<p>a\0b", "ab"),
        ("a&amp;&eacute;&#8364;", "a&é€"),
        ('<?xml version="1.0" encoding="x-none"?>\n<p>é</p>', "é"),  # lxml refuses such text as it is
        ("<meta charset=koi8-r><p>é", "é"),  # text is decoded already
    ],
)
def test_text(source: str, text: str) -> None:
    assert parse(source).text.strip() == text


def test_many_pieces_of_text_are_in_order() -> None:
    numbers = [f"{number} " for number in range(5000)]
    document = parse("".join(f"<b>{number}</b>" for number in numbers))
    assert document.text == "".join(numbers)
    assert 1 < len(document.text_pieces) < 100


def test_bytes_are_decoded_by_the_encoding_they_are_said_to_be_in() -> None:
    document = parse("<meta charset=utf-8><p>Привет".encode("koi8-r"), "koi8-r")
    assert document.text == "Привет"
    assert document.encoding == "koi8-r"


@pytest.mark.parametrize("depth", [10, 1500, 50_000])
def test_deep_nesting_loses_no_text(depth: int) -> None:
    """libxml2 needs quadratic time for them."""
    source = "a" + "<div>" * depth + "b<br>c<i>d</i>" + "</div>" * depth + "<a href=x>e</a>"
    document = parse(source)
    assert document.text == "abcde"
    assert [element.get("href") for element in document.elements if element.name == "a"] == ["x"]


@pytest.mark.parametrize("tag", ["svg", "noscript", "b", "a"])
def test_no_nesting_takes_quadratic_time(tag: str) -> None:
    """A simple parser compares each end tag without a start tag with all open elements."""
    document = parse(f"<{tag}>" * 100_000 + "text" + "</i>" * 100_000)
    assert document.text == "text"


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("", ""),
        ("<p>no title", ""),
        ("<title> A\n <b>title</b>\xa0! </title><title>B</title>", "A <b>title</b> !"),
        ("<title></title>", ""),
        ("<template><title>A</title></template><title>B</title>", "B"),
        ("<body><svg><title>A</title></svg><title>B</title>", "B"),
        ("<title>R&amp;D &eacute;</title>", "R&D é"),
    ],
)
def test_title(source: str, title: str) -> None:
    assert parse(source).title == title


@pytest.mark.parametrize(
    ("source", "base"),
    [
        ("", URL),
        ("<base target=_top>", URL),
        ("<base href=http://other/x/y?q#f>", "http://other/x/y?q"),
        ("<base href='../up/'>", "http://h/up/"),
        ("<base target=_top><base href=/a/><base href=/b/>", "http://h/a/"),
        ("<base href=''>", URL),
        ("<base href='data:text/html,x'><base href=/b/>", URL),  # the first one counts, or none
        ("<base href='http://'>", URL),
        ("<template><base href=/a/></template>", URL),
    ],
)
def test_base_url(source: str, base: str) -> None:
    assert parse(source).base_url(URL) == base


@pytest.mark.parametrize(
    ("source", "directives"),
    [
        ("", set()),
        ("<meta name=robots content='NoIndex , nofollow'>", {"noindex", "nofollow"}),
        ("<meta name=ROBOTS content=none>", {"none", "noindex", "nofollow"}),
        ("<meta name=robots content=noarchive><meta name=robots content=nofollow>", {"noarchive", "nofollow"}),
        ("<meta name=googlebot content=nofollow>", set()),  # another robot
        ("<meta name=robots>", set()),
        ("<!-- <meta name=robots content=nofollow> -->", set()),
    ],
)
def test_robots(source: str, directives: set[str]) -> None:
    assert parse(source).robots() == directives


XHTML = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">{}</html>'


def test_xhtml_is_xml() -> None:
    """In HTML, the empty SCRIPT would contain the rest of the page, and the section would be no text."""
    head = '<head><title>T&nbsp;&amp;</title><script src="x"/></head>'
    body = '<body><a id="x"/><p>a&lt;<![CDATA[<b>&lt;]]></p></body>'
    document = parse(XHTML.format(head + body), media_type=XHTML_TYPE)
    assert document.text == "T\xa0&a<<b>&lt;"
    assert document.title == "T &"
    assert [element.name for element in document.elements] == ["a"]


@pytest.mark.parametrize(
    "source",
    [
        XHTML.format("<body><p>a<br></body>"),  # not well-formed
        XHTML.format("<body>a&undefined;</body>"),
        "<html><body>a</body></html>",  # no namespace, so not XHTML
        '<!DOCTYPE html [<!ENTITY e SYSTEM "file:///etc/passwd">]><html xmlns="http://www.w3.org/1999/xhtml">a</html>',
    ],
)
def test_what_is_not_xhtml_is_read_as_html(source: str) -> None:
    assert "a" in parse(source, media_type=XHTML_TYPE).text


@pytest.mark.parametrize("identifiers", ["", "SYSTEM 'a>b'", 'SYSTEM "a<b"', "PUBLIC '[' \"it's>\""])
def test_a_document_with_entities_of_its_own_is_read_as_html(identifiers: str) -> None:
    """In attributes lxml would expand them, and those in them."""
    source = XHTML.format("<body><a title='&e;'>a</a></body>").replace(
        "html>", f"html {identifiers} [<!ENTITY e 'x'>]>", 1
    )
    document = parse(source, media_type=XHTML_TYPE)
    (link,) = document.elements
    assert link.get("title") == "&e;"
    assert document.text == "a"  # and nothing of the declaration


@pytest.mark.parametrize(
    "source",
    [
        "<!DOCTYPE" * 200_000,
        "<!DOCTYPE html SYSTEM \"'" * 100_000,
        "<?xml" + " " * 500_000,
        " " * 500_000 + "<?xml",
    ],
)
def test_the_work_grows_with_the_length_of_what_stands_first(source: str) -> None:
    assert parse(source, media_type=XHTML_TYPE).title == ""


@pytest.mark.parametrize("declaration", ["'declared'", "SYSTEM 'file:///etc/hostname'"])
def test_entities_of_a_document_are_never_expanded(declaration: str) -> None:
    source = XHTML.format("<body>a &e; b</body>").replace("html>", f"html [<!ENTITY e {declaration}>]>", 1)
    assert parse(source, media_type=XHTML_TYPE).text.endswith("a &e; b")


MARKUP = st.lists(
    st.sampled_from(["<p>", "</p>", "<!--", "-->", "<script>", "</script>", "<svg>", "<title>", "<base href=", ">"])
    | st.text(max_size=5)
).map("".join)


@given(MARKUP, st.sampled_from(["text/html", XHTML_TYPE]))
def test_nothing_in_a_source_raises(source: str, media_type: str) -> None:
    document = parse(source, media_type=media_type)
    assert isinstance(document.text, str)
    assert isinstance(document.title, str)
    assert document.base_url(URL).isascii()
    assert document.robots() == frozenset()


@given(st.binary(), st.sampled_from(["utf-8", "utf-16le", "shift_jis", "windows-1252"]))
def test_nothing_in_bytes_raises(body: bytes, encoding: str) -> None:
    assert "\0" not in parse(body, encoding).text


@given(MARKUP)
@example("</p>\ra")
def test_the_text_is_that_of_the_tree(source: str) -> None:
    """By libxml2's own tree, which takes too much memory for large documents, and has no white space at the start."""
    tree = etree.HTML(source.replace("\0", "") or " ")
    expected = ""
    if tree is not None:
        etree.strip_elements(tree, "script", "style", "template", etree.Comment, etree.PI, with_tail=False)
        is_text = tree.tag not in ("script", "style", "template")
        expected = etree.tostring(tree, method="text", encoding="unicode", with_tail=False) if is_text else ""
    assert parse(source).text.lstrip() == expected.lstrip()


ENTITY = '<!ENTITY e "]>"><!-- it\'s ]> --><?pi ]> ?>'


@pytest.mark.parametrize("media_type", ["text/html", XHTML_TYPE])
@pytest.mark.parametrize("space", ["", " " * 100_000])
def test_declarations_of_a_document_are_no_text(media_type: str, space: str) -> None:
    source = XHTML.format("<head><title>t</title></head><body>a</body>").replace("html>", f"html [{ENTITY}{space}]>", 1)
    for markup in (source, "<!-- comment -->" + source.partition("?>")[2], source.replace("</body>", "<br></body>")):
        assert parse(markup, media_type=media_type).text == "ta"
