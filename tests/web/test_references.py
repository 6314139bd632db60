"""web/references.py: the auxiliary files of a page (14.10.3.3) and its links (14.10.5.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.documents.html import XHTML_TYPE
from wcspider.web.documents.html_parsing import parse
from wcspider.web.references import Link, Reference, links, page_references
from wcspider.web.resources import AuxiliaryKind
from wcspider.web.styles.responsive import Viewport
from wcspider.web.urls import canonical_url

URL = "http://h/dir/page.html"
DIRECTORY = "http://h/dir/"


def found(source: str, **options: Viewport) -> list[str]:
    """The references of a page, without the folder that the page is in."""
    references = page_references(parse(source), URL, **options)
    return [reference.url.removeprefix(DIRECTORY) for reference in references]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        # images, each way that HTML has
        ("<img src=a.gif>", ["a.gif"]),
        ("<img src='  a b.gif\n'>", ["a%20b.gif"]),
        ("<IMG SRC=/a.gif#x>", ["http://h/a.gif"]),
        ("<base href=x/><body background=' #a'><img src=' '>", []),
        ("<input type=IMAGE src=a><input src=b><input type=text src=c>", ["a"]),
        ("<object data=a type=image/png></object>", ["a"]),
        ("<object data=a.svg></object><object data=b.swf></object><object data=c></object>", ["a.svg"]),
        ("<object data=a.png type=text/html></object>", []),
        ("<embed src=a.PNG?x#y><embed src=b.mp4><embed src=c type=image/svg+xml>", ["a.PNG?x", "c"]),
        ("<iframe src=a.svg></iframe><iframe src=b.html></iframe><iframe src=c.svg srcdoc=d></iframe>", ["a.svg"]),
        ("<iframe src=a.gif width=1 height=1></iframe>", []),
        ("<video poster=a src=b><source src=c></video>", ["a"]),
        ("<svg><image href=a /><image xlink:href=b /><use href=c#x /><use href=#d /></svg>", ["a", "b", "c"]),
        ("<svg><filter><feImage href=a /></filter></svg>", ["a"]),
        ("<body background=a><table background=b><tr><td background=c>", ["a", "b", "c"]),
        ("<p background=a>", []),
        # style sheets
        ("<link rel=stylesheet href=a>", ["a"]),
        ("<link rel='Contents StyleSheet' href=a>", ["a"]),
        ("<link rel='alternate stylesheet' href=a>", []),
        ("<link rel=stylesheet href=a disabled>", []),
        ("<link rel=stylesheet href=a type='text/css; charset=x'>", ["a"]),
        ("<link rel=stylesheet href=a type=text/less>", []),
        ("<link rel=icon href=a><link rel=preload href=b><link href=c>", []),
        ("<link rel=stylesheet media='screen, print' href=a><link rel=stylesheet media=print href=b>", ["a"]),
        ("<style>@import 'a'; p { background: url(b) }</style>", ["a", "b"]),
        ("<style media=print>p { background: url(a) }</style>", []),
        ("<style type=text/less>p { background: url(a) }</style>", []),
        ("<style type='text/css; charset=x'>p { background: url(a) }</style>", []),  # as in browsers (HTML, 4.2.6)
        ("<p style='background: url(\"a\"), url(b)'>", ["a", "b"]),
        (f"<p style='width: {'9' * 5000}px; background: url(a)'>", ["a"]),
        ("<td background=a style='background: url(b)'>", ["a", "b"]),
        # what is no reference
        ("<script src=a></script><a href=b></a><iframe src=c></iframe><audio src=d>", []),
        ("<img src=''><img><img src='#x'>", []),
        ("<img src='data:image/gif;base64,R0lGODlh'><img src=about:blank><img src='http://'>", []),
        ("<template><img src=b></template>", []),
        # NOSCRIPT
        ("<noscript><img src=a><p style='background: url(b)'></p><video poster=c></noscript>", ["a"]),
        ("<link rel=preload as=style href=a><noscript><link rel=stylesheet href=a></noscript>", ["a"]),
        ("<noscript><link rel=icon href=a><style>p { background: url(b) }</style></noscript><img src=c>", ["b", "c"]),
        ("<img data-src=a src=b> <noscript><img src=a></noscript>", ["a"]),
        ("<img data-src=a> <noscript><img src='a?w=9'></noscript>", ["a"]),  # its twin, in another size
        ("<img data-src=a> text <noscript><img src=b></noscript>", ["a", "b"]),
        ("<img src=a> <noscript><img src=b></noscript>", ["a", "b"]),  # no script loads the first
        ("<img data-src=a><noscript><img src=b></noscript><noscript><img src=c></noscript>", ["a", "c"]),
        ("<img data-src=a><img src=b><noscript><img src=c></noscript>", ["a", "b", "c"]),
        (
            "<noscript><img src=a width=1 height='1px'><img src=b style='display: none'><img src=c width=1></noscript>",
            ["c"],
        ),
        ("<script>'<img src=a>'</script><!-- <img src=b> --><textarea><img src=c></textarea>", []),
        # document order, each once
        (
            "<img src=b><link rel=stylesheet href=a><p style='background: url(c)'><img src=b#x><img src=./a>",
            ["b", "a", "c"],
        ),
        ("<style>@import 'd';</style><img src=c><style>p { background: url(b) }</style><img src=a>", list("dcba")),
        # bases
        ("<img src=a><base href=http://other/><img src=b>", ["http://other/a", "http://other/b"]),
    ],
)
def test_page_references(source: str, expected: list[str]) -> None:
    assert found(source) == expected


def test_kinds() -> None:
    source = "<style>@import 'a'; @font-face { src: url(b) }</style><img src=c><link rel=stylesheet href=d>"
    assert tuple(page_references(parse(source), URL)) == (
        Reference(DIRECTORY + "a", AuxiliaryKind.STYLESHEET),
        Reference(DIRECTORY + "b", AuxiliaryKind.FONT),
        Reference(DIRECTORY + "c", AuxiliaryKind.IMAGE),
        Reference(DIRECTORY + "d", AuxiliaryKind.STYLESHEET),
    )


def test_a_page_for_print_refers_to_other_sheets() -> None:
    source = (
        "<link rel=stylesheet media=print href=a><link rel=stylesheet media=screen href=b>"
        "<style>@media print { p { background: url(c) } } @media screen { p { background: url(d) } }</style>"
    )
    assert found(source, viewport=Viewport("print", 700)) == ["a", "c"]
    assert found(source) == ["b", "d"]


def test_sheets_for_the_screen_and_for_the_paper() -> None:
    wide, narrow, less = (f"(m{kind}-width: {width}px)" for kind, width in (("in", 900), ("ax", 899), ("ax", 300)))
    source = (
        f"<link rel=stylesheet media='{wide}' href=a><link rel=stylesheet media='{narrow}' href=b>"
        f"<link rel=stylesheet media='{less}' href=c><style>@import 'd' {narrow};"
        f"@media {narrow} {{ p {{ background: url(e) }} }} @media {less} {{ p {{ background: url(f) }} }}</style>"
        f"<picture><source media='{narrow}' srcset=g><img src=h></picture>"
    )
    assert found(source, viewport=Viewport("screen", 1024, paper_width=680)) == ["a", "b", "d", "e", "h"]
    assert found(source, viewport=Viewport("screen", 1024)) == ["a", "h"]


def test_xhtml() -> None:
    source = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:s="http://www.w3.org/2000/svg" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"><body><img src="a"/>'
        '<s:svg><s:image xlink:href="b"/></s:svg><picture><source srcset="c"/><img src="d"/></picture></body></html>'
    )
    references = page_references(parse(source, media_type=XHTML_TYPE), URL)
    assert [reference.url for reference in references] == [DIRECTORY + name for name in "abc"]


def test_queries_are_sent_in_the_encoding_of_the_page() -> None:
    document = parse("<img src='a?é'><a href='b?é'>".encode("windows-1252"), "windows-1252")
    assert next(iter(page_references(document, URL))).url == DIRECTORY + "a?%E9"
    assert links(document, URL)[0].url == DIRECTORY + "b?%E9"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<a href=a>", [Link(DIRECTORY + "a", "a")]),
        ("<a href='A B#top'>", [Link(DIRECTORY + "A%20B", "a")]),
        ("<a name=x><a href='mailto:a@h'><a href='javascript:x()'><a href='http://'>", []),
        ("<a href=''><a href='#x'>", [Link(URL, "a"), Link(URL, "a")]),
        ("<map><area href=a></map>", [Link(DIRECTORY + "a", "area")]),
        ("<frameset><frame src=a><frame src=b></frameset>", [Link(DIRECTORY + name, "frame") for name in "ab"]),
        ("<iframe src=a></iframe><iframe src=about:blank></iframe>", [Link(DIRECTORY + "a", "iframe")]),
        ("<iframe src=a.svg></iframe><iframe src=b.svg srcdoc=c></iframe>", []),
        ("<iframe srcdoc='<a href=b>'></iframe><a href=c>", [Link(DIRECTORY + name, "a") for name in "bc"]),
        ("<iframe/srcdoc=" * 5000 + ">", []),
        ("<iframe href=a></iframe><link href=b><area src=c>", []),
        ("<a href=a rel='noopener NoFollow'>", [Link(DIRECTORY + "a", "a", nofollow=True)]),
        ("<a href=a charset=' KOI8-R'>", [Link(DIRECTORY + "a", "a", charset="KOI8-R")]),
        ("<noscript><iframe src=a></iframe></noscript><template><a href=b></template><!-- <a href=c> -->", []),
        ("<noscript><a href=a></a></noscript>", [Link(DIRECTORY + "a", "a")]),
        ("<noscript><a href=a></a></noscript><a href=a></a>", [Link(DIRECTORY + "a", "a")]),
        (
            "<a href=b></a><meta http-equiv=refresh content='9; a#x'>",
            [Link(DIRECTORY + "a", "meta"), Link(DIRECTORY + "b", "a")],
        ),
        (f"<meta http-equiv=refresh content='9; {URL}#x'>", []),
        ("<meta http-equiv=refresh content=9>", []),
        ("<base href=http://other/><a href=a>", [Link("http://other/a", "a")]),
        (
            "<a href=b></a><area href=a><a href=b rel=nofollow></a>",  # in order, and as often as they stand there
            [Link(DIRECTORY + "b", "a"), Link(DIRECTORY + "a", "area"), Link(DIRECTORY + "b", "a", nofollow=True)],
        ),
    ],
)
def test_links(source: str, expected: list[Link]) -> None:
    assert list(links(parse(source), URL)) == expected


MARKUP = (
    "<img src=|<a href='|<base href=|<link rel=stylesheet href=|<style>|</style>|<p style='|'|url(|)|@import |"
    "srcset='| 2x,|<picture>|<source srcset=|//|http:|é|>| |x"
)
PIECES = st.sampled_from(MARKUP.split("|"))


@given(st.lists(PIECES | st.text(max_size=3)).map("".join))
def test_references_are_canonical_and_once_each(source: str) -> None:
    document = parse(source)
    urls = [reference.url for reference in page_references(document, URL)]
    assert len(set(urls)) == len(urls)
    for url in (*urls, *(link.url for link in links(document, URL))):
        assert canonical_url(url) == url


def test_style_elements_behind_the_limit_are_counted() -> None:
    images = "".join(f"p {{ background: url(/{number}.png) }}" for number in range(10))
    html = f"<img src=a.png><style>{images}</style><style>{images}</style><img src=b.png>"
    found = page_references(parse(html.encode(), "utf-8"), "http://example.com/", most=4)
    assert [entry.url.rpartition("/")[2] for entry in found] == ["a.png", "0.png", "1.png", "2.png"]
    assert found.unread == 7 + 10 + 1
