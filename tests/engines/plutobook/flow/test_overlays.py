"""Boxes with a fixed position: they keep their places where a page leaves room for them, and cover no text."""

from __future__ import annotations

import pytest

from tests.support.letter_places import legible
from tests.support.rendered_pages import boxes, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

TEXT = "".join(f"<p>paragraph {number}: {'some words of the page ' * 9}</p>" for number in range(16))
BOX = "background: #fff; border: 1px solid"


def rendered(css: str, body: str) -> Rendering:
    return PlutoBookEngine().render(task(f"<!DOCTYPE html><style>{css}</style>{body}"))


@pytest.mark.parametrize(
    "css",
    [
        ".a { top: 50%; left: 50%; transform: translate(-50%, -50%); width: 400px; z-index: 999 }",
        ".a { top: 200px; left: 50%; margin-left: -200px; width: 400px }",
        ".a { inset: 0; margin: auto; width: 400px; height: 200px }",
        ".a { inset: 0; display: flex; align-items: center; justify-content: center }",
        ".a { top: 40%; left: 0; width: 48px }",
        ".a { top: calc(50vh - 80px); right: 0 }",
        ".a { top: 20px; right: 20px; width: 300px }",
        ".a { bottom: 20px } div { right: 20px }",
        ".a { top: 0; left: 0; right: 0 }",  # behind the text, so the page leaves no room for it
        "body { margin-left: 60px } .a { top: 0; width: 200px }",
        "body { position: relative; max-width: 400px; margin: auto } .a { top: 9px; left: 0; width: 110px }",
        "body { display: grid; grid-template-columns: 1fr 1fr } .a { top: 50%; left: 20% }",
        "body { display: flex } main { flex: 1 } .a { top: 50%; left: 20% }",
    ],
)
def test_a_window_covers_no_text(css: str) -> None:
    body = f"<main>{TEXT}</main><div class=a>Cookies? <a href=/y>Yes</a> <a href=/n>No</a></div>"
    rendering = rendered(f".a {{ position: fixed; {BOX} }} {css}", body)
    assert "Cookies" in text(rendering)
    assert legible(rendering)


@pytest.mark.parametrize("element", ["div", "span", "ul"])
@pytest.mark.parametrize("display", ["block", "flex", "table"])
def test_the_floats_in_a_window_take_no_room_from_the_text_behind_it(element: str, display: str) -> None:
    css = f".a {{ position: fixed; bottom: 0; width: 100%; display: {display} }} .b {{ float: left; width: 33% }}"
    floats = "<b class=b>Zebra<br>zebra</b>" * 2
    page = f"<p>before</p><{element} class=a>{floats}</{element}><div style='overflow: hidden'><p>Quick words</p></div>"
    places = {character: box for _, character, box in reversed(boxes(rendered(css, page)))}
    assert places["Q"][0] == pytest.approx(places["Z"][0], abs=45)  # a list is indented
    assert places["Q"][3] < places["Z"][1]


@pytest.mark.parametrize(("offset", "is_once"), [("", True), ("top: 0;", False)])
def test_the_room_behind_a_bar_without_offsets_is_not_added_to_its_own(offset: str, is_once: bool) -> None:
    css = (
        f".a {{ position: fixed; {offset} width: 100% }} .b {{ float: left; height: 90px }} .c {{ padding-top: 100px }}"
    )
    page = f"<main>{TEXT}</main><div class=a><b class=b>Zebra</b></div><div class=c></div><p>Quick"
    rendering = rendered(css, page)
    places = {character: (number, box) for number, character, box in reversed(boxes(rendering))}
    (page_of_bar, bar), (page_of_text, behind) = places["Z"], places["Q"]
    assert page_of_bar == page_of_text
    assert (bar[1] - behind[1] < 120 * 0.75 + 30) == is_once


@pytest.mark.parametrize(
    ("css", "is_beside"),
    [
        ("body { margin-left: 240px } .a { top: 0; left: 0; bottom: 0; width: 220px }", True),
        ("main { padding-left: 15em } .a { top: 9px; width: 220px }", True),
        ("main { position: absolute; left: 240px } .a { inset: 0 auto 0 0; width: 220px }", True),
        ("p { margin: 0 } main { float: right; width: calc(100% - 240px) } .a { top: 0; left: 0; width: 220px }", True),
        ("p { margin: 0 } main { float: left; width: 60% } .a { top: 0; right: 0; width: 220px }", True),
        ("main { float: left; width: calc(100% - 240px) } .a { top: 0; left: 0; width: 220px }", False),
        ("main { margin-left: 240px } .a { bottom: 0; left: 0; width: 220px }", False),
        ("main { margin-right: 240px } .a { top: 0; left: 0; width: 220px }", False),
    ],
)
def test_a_column_stays_beside_the_text_if_the_page_leaves_room(css: str, is_beside: bool) -> None:
    rendering = rendered(f".a {{ position: fixed }} {css}", f"<nav class=a>Zebra</nav><main>{TEXT}</main>")
    places = {character: box for _, character, box in reversed(boxes(rendering))}
    assert (abs(places["Z"][3] - places["p"][3]) < 20) is is_beside
    assert legible(rendering)


@pytest.mark.parametrize(
    ("css", "left"),
    [("", 50), ("main { position: relative; max-width: 300px; margin: auto }", 190)],
)
def test_a_bar_above_the_text_is_as_wide_as_the_window(css: str, left: int) -> None:
    css = f"body {{ margin: 0 }} main {{ padding-top: 60px }} .a {{ position: fixed; top: 0; left: 0; right: 0 }} {css}"
    rendering = rendered(css, f"<main><nav class=a>Zebra</nav>{TEXT}</main>")
    zebra = next(box for _, character, box in boxes(rendering) if character == "Z")
    assert abs(zebra[0] - left) < 10
    assert legible(rendering)


@pytest.mark.parametrize(
    "css",
    [
        "main { margin-top: 80px }",
        "div { position: relative } main { margin-top: 80px }",
        "body { position: relative } div { margin-top: 80px }",
        "div { position: relative; padding-top: 80px }",
        "section { position: relative } main { margin-top: 80px }",
    ],
)
def test_a_bar_is_above_the_margin_that_leaves_room_for_it(css: str) -> None:
    css = f"body {{ margin: 0 }} .a {{ position: fixed; top: 0; width: 100%; height: 60px; {BOX} }} {css}"
    rendering = rendered(css, f"<section><div><header class=a>Zebra</header><main>{TEXT}</main></div></section>")
    places = {character: box for _, character, box in reversed(boxes(rendering))}
    assert places["Z"][3] > 770
    assert 700 < places["p"][3] < 740
    assert legible(rendering)


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".a { visibility: hidden }", "<div class=a><p class=w>hidden</p></div>"),
        ("aside { opacity: 0 }", "<aside><div><p class=w>hidden</p></div></aside>"),
        (".w { transform: scale(0) }", "<p class=w>hidden</p>"),
        (".w { bottom: 0; transform: translateY(100%) }", "<p class=w>hidden</p>"),
    ],
)
def test_a_hidden_window_takes_no_room(css: str, body: str) -> None:
    css = f".w {{ position: fixed; left: 20%; height: 300px }} {css}"
    assert boxes(rendered(css, f"{body}<p>shown")) == boxes(rendered(css, "<p>shown"))


@pytest.mark.parametrize(
    ("css", "body"),
    [
        (".d { position: absolute; z-index: 99; width: 100%; left: 0 } #d { transform: translateX(100%) }",
         "<header style='position: fixed; left: 0; right: 0; top: 0'>Q <nav class=d id=d>menu</nav></header>"),
        ("aside { position: fixed; right: -48px; bottom: 40px; opacity: 0; width: 200px; height: 90px }",
         "<aside><button>x</button></aside>"),
        ("aside { position: fixed; right: 0 } ul { opacity: 0; transform: translateX(250%); width: 90px; height: 9px }",
         "<aside><ul><li><i></i></li></ul></aside>"),
    ],
)  # fmt: skip
def test_what_waits_beside_the_window_does_not_make_the_page_smaller(css: str, body: str) -> None:
    sizes = [
        {round(box[3] - box[1], 1) for _, letter, box in boxes(rendered(css, f"{shown}<p>Z")) if letter == "Z"}
        for shown in ("", body)
    ]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("css", "is_shown"),
    [
        (".a { right: -260px }", False),
        (".a { left: -200px }", False),
        ("nav { position: fixed; display: flex; width: 100% } .a { right: -260px }", False),
        ("nav { position: relative } .a { right: -100% }", False),
        ("nav { position: relative } .a { right: -150px }", True),
        ("nav { position: relative; float: left } .a { right: -260px }", True),
        ("nav { position: relative; display: inline-block } .a { right: -260px }", True),
        ("nav { position: relative; width: 200px } .a { right: -260px }", True),
        ("body { display: flex } nav { position: relative } .a { right: -260px }", True),
        ("nav { position: absolute } .a { right: -260px }", True),
        (".a { right: -260px; position: static }", True),
    ],
)
def test_menus_beside_the_window_are_left_out(css: str, is_shown: bool) -> None:
    menu = "<nav><div class=a>Menu</div></nav><p>Text"
    rendering = rendered(f".a {{ position: absolute; top: 0; width: 200px; z-index: 2 }} {css}", menu)
    assert ("Menu" in text(rendering)) is is_shown
    assert max(box[3] - box[1] for _, letter, box in boxes(rendering) if letter == "T") > 4


BAR = ".a { position: absolute; top: 0; z-index: 99; background: #222; color: #fff; height: 40px; left: 0; right: 0 }"


@pytest.mark.parametrize(
    "css",
    [
        "",
        ".a { position: fixed }",
        ".a { left: 0; right: auto; width: 100% }",
        ".a { display: flex; flex-wrap: wrap; position: fixed }",
        ".a { height: auto; min-height: 40px; overflow: hidden } .a p { float: left }",
        ".a { height: 30px; padding: 5px } .a p { padding: 0 }",
        "body { margin: 0 } main { margin-top: 40px }",
        "body { padding: 40px 9px 0 }",
        "html { padding: 9px } body { margin: 20px } div { padding-top: 10px; border: 5px solid; margin-top: 40px }",
        "body { margin: 20px } div { margin: 40px 0 0 } main { padding-top: 20px }",
    ],
)
def test_a_bar_that_is_higher_than_on_a_screen_moves_the_page_down(css: str) -> None:
    css = f"body {{ padding-top: 40px }} .a p {{ margin: 0; padding: 0 600px 20px 9px }} {BAR} {css}"
    rendering = rendered(
        css, f"<div><header class=a><p>Zebra</p><p>{'menu ' * 30}</p></header><main>{TEXT}</main></div>"
    )
    places = {character: box for _, character, box in reversed(boxes(rendering))}
    assert places["Z"][0] < 60
    assert 740 < places["Z"][1] < 800
    assert legible(rendering)


@pytest.mark.parametrize(
    ("css", "before"),
    [
        ("", "<p>Before</p>"),
        ("", "<br>Before<br>"),
        (".a { top: 9px }", ""),
        (".a { margin-top: 9px }", ""),
        (".a { right: 50% }", ""),
        (".a { height: auto }", ""),
        ("body { display: flex }", ""),
        ("div { position: relative }", ""),
        ("div { display: flex; flex-direction: column }", ""),
        ("div { max-width: 400px }", ""),
    ],
)
def test_other_boxes_above_the_page_do_not_move_it(css: str, before: str) -> None:
    css = f"body {{ padding-top: 60px }} p {{ margin: 0 }} {BAR} {css}"
    places = [
        next(box for _, character, box in boxes(rendered(css, f"{before}<div>{bar}<main>Quote")) if character == "Q")
        for bar in ("", f"<header class=a><p>{'menu ' * 30}</p></header>")
    ]
    assert places[0] == places[1]


def test_a_bar_as_high_as_on_a_screen_moves_nothing() -> None:
    css = f"body {{ margin: 0 }} p {{ margin: 0 }} main {{ margin-top: 50px }} {BAR}"
    bar, main = "<header class=a>Zebra</header>", "<main><p>Quote</main>"
    first, second = (rendered(css, body) for body in (main, f"{bar}{main}"))
    assert [b for _, c, b in boxes(first) if c == "Q"] == [b for _, c, b in boxes(second) if c == "Q"]
