"""Icons that are boxes with a mask: the image of the mask in the color of the box."""

from __future__ import annotations

from base64 import b64encode
from urllib.parse import quote

import pypdfium2
import pytest
from lxml import etree

from tests.support.declarations import serialized
from tests.support.rendered_pages import Asset, task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.sheets.icon_masks import with_icons
from wcspider.engines.plutobook.svg.tints import tinted_url, with_tint
from wcspider.web.styles.tokens import declarations_of

SVG = b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='4' height='9' fill='red'/></svg>"
CLEAR = "background-color: transparent !"
TINT = "#wcspider-tint-"
RED, BLUE = (255, 0, 0), (0, 0, 255)
IN_DATA = f"url(data:image/svg+xml;base64,{b64encode(SVG).decode()})"
AS_TEXT = f'url("data:image/svg+xml;utf8,{quote(SVG)}")'


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "mask: url(i) no-repeat; background: currentColor",
            "background: -wcspider-tinted(url(i) currentColor) no-repeat",
        ),
        (
            "-webkit-mask-image: var(--i); -webkit-mask-size: 1em; background-color: currentcolor; color: red",
            "background-image: -wcspider-tinted(var(--i) red); background-size: 1em; color: red",
        ),
        ("mask: url(i); background: currentcolor; color: #00f", f'background: url("i{TINT}0000ff"); color: #00f'),
        (
            "width: 1em; height: 24px; mask: url('i'); background: red",
            f'width: 1em; height: 24px; background: url("i{TINT}ff0000")',
        ),
        ("content: ''; mask-image: url(i); background: red", f'content: ""; background-image: url("i{TINT}ff0000")'),
        ("content: ''; mask-image: url(i#a); background: red", 'content: ""; background-image: url("i#a")'),
        ("content: ''; mask: url(i); background: transparent", 'content: ""; background: url(i)'),
        (
            "content: ''; mask: url(i) top; background: var(--c)",
            'content: ""; background: -wcspider-tinted(url(i) var(--c)) top',
        ),
        # On an element, variables have values.
        ("background-image: -wcspider-tinted(url(i) #00f)", f'background-image: url("i{TINT}0000ff")'),
        ("background: -wcspider-tinted(none red) top", "background: none top"),
        # Masks of something else.
        ("mask: url(i); background: red; width: 100px; height: 100px", None),
        ("mask: url(i); background: red; width: 100%; height: 100%", None),
        ("mask: url(i); background: url(photo) currentcolor", None),
        ("mask: url(i)", None),
        ("mask: linear-gradient(red, #0000); background: currentcolor", None),
        ("mask-size: 1em; background: currentcolor", None),
    ],
)
def test_plain_words(written: str, expected: str | None) -> None:
    found = serialized(with_icons(declarations_of(written)))
    assert found == (serialized(declarations_of(written)) if expected is None else expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (
            "mask-image: var(--i); background-color: blue",
            f"background-image: -wcspider-tinted(var(--i) blue); {CLEAR}",
        ),
        ("mask-image: url(i)", f"background-image: url(i); {CLEAR}"),
        ("mask-size: contain; background-color: blue; top: 0", f"background-size: contain; top: 0; {CLEAR}"),
        ("background-color: blue", None),
        ("mask: linear-gradient(red, #0000); background: blue", None),
    ],
)
def test_icons_of_generated_boxes_are_described_by_several_rules(written: str, expected: str | None) -> None:
    found = serialized(with_icons(declarations_of(written), is_generated=True))
    assert found == (serialized(declarations_of(written)) if expected is None else expected)


@pytest.mark.parametrize(
    ("css", "color"),
    [
        ("i { display: block; width: 40px; height: 40px; background: blue; mask: url(i) }", BLUE),
        ("i { display: block; width: 40px; height: 40px; background: #00f; -webkit-mask: url(i) }", BLUE),
        ("p::before { content: ''; padding: 9px; background: blue; -webkit-mask: url(i) }", BLUE),
        (f"p::before {{ content: ''; padding: 9px; background: blue; mask: {IN_DATA} }}", BLUE),
        (f"p::before {{ content: ''; padding: 9px; background: blue; mask: {AS_TEXT} }}", BLUE),
        ("p { --c: blue } p::before { content: ''; padding: 9px; background-color: var(--c); mask: url(i) }", BLUE),
        ("p { --m: url(i) } p::before { content: ''; padding: 9px; background-color: blue; mask: var(--m) }", BLUE),
        (f":root {{ --m: {IN_DATA}; --c: blue }} p::before {{ content: ''; padding: 9px; background: var(--c);"
         "mask-image: var(--m) }", BLUE),
        ("body { color: blue } i { display: block; padding: 9px; background: currentColor; mask: url(i) }", BLUE),
        ("body { --c: blue } p { color: var(--c) } a { color: inherit } a::before { content: ''; padding: 9px; "
         "background: currentcolor; mask: url(i) }", BLUE),
        ("p { color: red } p::before { content: ''; padding: 9px; background: currentcolor; color: #00f; "
         "-webkit-mask: url(i) }", BLUE),
        # The image has its own color where that of the box is unknown.
        ("p::before { content: ''; padding: 9px } b::before, p::before { mask-image: url(i) } "
         "p::before { background-color: blue }", RED),
        ("p::before { --c: blue; content: ''; padding: 9px; background: var(--c); mask: url(i) }", RED),
        ("@supports (mask-image: none) { p { background: blue } } "
         "@supports not (mask-image: none) { p { background: red } }", RED),
    ],
)  # fmt: skip
def test_what_is_seen(css: str, color: tuple[int, int, int]) -> None:
    source = task(f"<style>{css}</style><i></i><p><a>a</a>", {"https://example.com/dir/i": Asset(SVG, "image/svg+xml")})
    with pypdfium2.PdfDocument(PlutoBookEngine().render(source).pdf) as document:
        colors = {found for _, found in document[0].render().to_pil().convert("RGB").getcolors(100_000)}
    assert {RED, BLUE} & colors == {color}


@pytest.mark.parametrize(
    ("svg", "expected"),
    [
        ('<svg xmlns="s"><path d="M0"/></svg>', '<svg color="#00ff00" fill="#00ff00" xmlns="s"><path d="M0"/></svg>'),
        ('<svg fill="none" stroke="currentColor"/>', '<svg color="#00ff00" fill="none" stroke="#00ff00"/>'),
        ("<svg fill='#123'><g style='fill: rgb(1, 2, 3); stroke:none'/></svg>",
         "<svg color=\"#00ff00\" fill='#00ff00'><g style='fill:#00ff00; stroke:none'/></svg>"),
        ('<svg><style>a{fill:red}b{color:url(#c)}</style><stop stop-color="red" color-rendering="x"/></svg>',
         '<svg color="#00ff00" fill="#00ff00"><style>a{fill:#00ff00}b{color:url(#c)}</style>'
         '<stop stop-color="#00ff00" color-rendering="x"/></svg>'),
    ],
)  # fmt: skip
def test_an_image_in_one_color(svg: str, expected: str) -> None:
    found = with_tint(svg.encode(), f"http://h/i{TINT}00ff00")
    assert found.decode() == expected
    etree.fromstring(found)
    assert with_tint(svg.encode(), "http://h/i") == svg.encode()


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64,AAAA",
        "data:image/svg+xml;base64,PHN2Zz",
        "data:image/svg+xml;base64,A",
        "data:image/svg+xml",
    ],
)
def test_other_images_in_data_urls_keep_their_colors(url: str) -> None:
    assert tinted_url(url, "#ff0000") is None
