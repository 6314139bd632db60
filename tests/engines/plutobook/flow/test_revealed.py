"""Content that a page shows with a script, and content that stays hidden."""

from __future__ import annotations

import pypdfium2
import pytest

from tests.support.pictures import grey_png
from tests.support.rendered_pages import Asset, boxes, task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine

HIDDEN = "<style>.h { opacity: 0 }</style>"


@pytest.mark.parametrize(
    "source",
    [
        "<style>html { opacity: 0 }</style><p>found",
        "<style>body { opacity: 0 }</style><p>found",
        "<body style='opacity: 0'><p>found",
        "<body style='opacity: 0; visibility: hidden'><p>found",
        "<html style='display: none'><p>found",
        "<style>.frame, html { display: none }</style><p>found",
        "<html class=framed><style>.framed { display: none !important }</style><p>found",
        "<style media=print>body { display: none }</style><p>found",
        "<style>@media print { body * { display: none !important } }</style><main><p>found</main>",
        "<style>@media print { body>*{display:none} }</style><p>found",
        f"{HIDDEN}<div class=h>found</div>",
        f"{HIDDEN}<main class=h style='transition: opacity 1s'><p>found</main>",
        "<style>[data-aos^=fade] { opacity: 0 } [data-aos=fade-up] { transform: translate3d(0, 9999px, 0) }</style>"
        "<h2 data-aos=fade-up>found</h2>",
        "<style>.wow { visibility: hidden }</style><section class=wow><p>found</section>",
        "<style>:root { --start: 0 } p { opacity: var(--start) }</style><p>found",
    ],
)
def test_content_that_has_its_room_is_shown(source: str) -> None:
    assert "found" in text(PlutoBookEngine().render(task(source)))


@pytest.mark.parametrize(
    "source",
    [
        f"{HIDDEN}<div class=h style='position: absolute'>hidden</div>",
        f"{HIDDEN}<style>div {{ position: fixed; top: 0 }}</style><div class=h>hidden</div>",
        f"{HIDDEN}<div class=h style='visibility: hidden'>hidden</div>",
        "<div style='visibility: hidden; position: absolute'>hidden</div>",
        "<h2>Title <span style='visibility: hidden'>hidden</span></h2>",
        f"{HIDDEN}<ul class=h style='height: 0'><li>hidden</ul>",
        "<style>@media print { body * { display: none } p { display: block } }</style><div>hidden</div>",
        f"{HIDDEN}<div class=h aria-hidden=true>hidden</div>",
        "<style>ul { visibility: hidden; position: absolute } ul ul { position: relative }</style>"
        "<ul><li style='visibility: inherit'><ul><li>hidden</ul></ul>",
        f"{HIDDEN}<h2>Title <a class=h href=a>hidden</a></h2>",  # such as the link to a heading
        f"{HIDDEN}<style>.h {{ display: none }}</style><div class=h>hidden</div>",
    ],
)
def test_boxes_above_the_page_stay_hidden(source: str) -> None:
    assert "hidden" not in text(PlutoBookEngine().render(task(f"{source}<p>shown")))


def test_an_image_that_a_script_fades_in_is_shown() -> None:
    asset = Asset(grey_png(9, 9, 50), "image/png")
    rendering = PlutoBookEngine().render(task(f"{HIDDEN}<p><img class=h src=i>", {"https://example.com/dir/i": asset}))
    assert [image.url for image in rendering.images] == ["https://example.com/dir/i"]


FILLING = ".s { position: fixed } .f { inset: 0 } .z { z-index: 40; background: blue }"
SIGN = ".sign { position: absolute; z-index: 50; background: blue; top: 0; left: 0; width: 400px; height: 600px }"


@pytest.mark.parametrize(
    ("source", "is_shown"),
    [
        (".s { position: fixed } .m { transform: translateX(100%) }", False),
        (".s { position: fixed } .m { --x: -100%; translate: var(--x) var(--y) }", False),
        (".s { position: fixed } .m { transform: translate(0, -100%) }", False),
        (".s { position: fixed; width: 300px } .m { left: -300px }", False),
        (".s { position: fixed } .m { transform: translateX(100%) } p.m { transform: none }", True),
        (".s { position: fixed } .m { transform: translateX(100%) } p.m { position: relative; width: 9em }", True),
        (".s { position: absolute } .m { transform: translateX(100%) }", True),
    ],
)
def test_drawers_of_several_rules_stay_hidden(source: str, is_shown: bool) -> None:
    shown = text(PlutoBookEngine().render(task(f"<style>{source}</style><p class='s m'>menu</p><p>shown")))
    assert ("menu" in shown) is is_shown


def _is_covered(source: str) -> bool:
    rendering = PlutoBookEngine().render(task(f"<style>{FILLING} {SIGN}</style>{source}<p>shown"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        return document[0].render().to_pil().getpixel((300, 300)) == (0, 0, 255)


@pytest.mark.parametrize(
    ("source", "is_covered"),
    [
        ("<div class='s f z'></div>", False),
        ("<div class='s z' style='top: 0; left: 0; width: 100%; height: 100vh'><b></b></div>", False),
        ("<div class='s f z' style='z-index: 1'></div>", True),  # a background
        ("<div class='s f z' style='z-index: var(--high)'></div>", True),  # without a value
        ("<style>* { --high: 10 }</style><div class='s f z' style='z-index: var(--high)'></div>", False),
        ("<div class='s z' style='top: 0; left: 0; right: 0; height: 600px'></div>", True),
        ("<div class='s z' style='inset: 0; height: 600px'></div>", True),
        ("<div class='s z' style='inset: 0; height: 600px'>text</div>", True),
        ("<div class='z' style='position: absolute; top: 0; width: 100vw; height: 100vh'></div>", False),
        ("<main><div class='f z' style='position: absolute'></div></main>", False),
        (
            "<main style='position: relative; height: 600px'><div class='f z' style='position: absolute'></div></main>",
            True,
        ),
        ("<a href=a class='f z' style='position: absolute'></a>", True),
        ("<div class='s f z'></div><i class=sign></i>", False),
        ("<div class='s f z'></div><i class=sign><b></b></i>", False),
        ("<div class='s f z'></div><a href=a class=sign></a>", True),
        ("<div class='s f z'></div><i class=sign>text</i>", True),
        ("<div class='s f z'></div><i class=sign style='z-index: 1'></i>", True),
        ("<div><div class='s f z'></div></div><i class=sign></i>", True),
    ],
)
def test_a_screen_that_covers_the_page_as_it_loads_is_left_out(source: str, is_covered: bool) -> None:
    assert _is_covered(source) is is_covered


@pytest.mark.parametrize(
    "source",
    [
        "<div class='s f z'>above</div>",
        "<div class='s f z' style='height: 100%'>above</div>",
        "<div class='f z' style='position: absolute'>above</div>",
        "<div class='s f z'><p style='position: absolute; top: 9px; left: 50%; margin: -50px'>above</p></div>",
        "<div class='s f z'><b><p style='position: fixed; left: 50%; transform: translate(-50%)'>above</p></b></div>",
    ],
)
def test_the_text_of_a_screen_is_above_the_text_that_it_covers(source: str) -> None:
    rendering = PlutoBookEngine().render(task(f"<style>{FILLING}</style>{source}<p>shown"))
    lines = {character: box for _, character, box in boxes(rendering)}
    assert lines["v"][1] > lines["s"][3]  # "above" is higher than "shown"
    assert lines["v"][0] > 0
    assert not _is_covered(source)


def test_a_hidden_screen_takes_no_room() -> None:
    hidden = f"<style>{FILLING}</style><div class='s f z' style='visibility: hidden'>above<br>above</div>"
    found, usual = (boxes(PlutoBookEngine().render(task(f"{source}<p>shown"))) for source in (hidden, ""))
    assert found == usual


@pytest.mark.parametrize("offsets", ["inset: 0", "top: 0; right: 0; bottom: 0; left: 0"])
def test_a_box_between_two_offsets_keeps_its_height(offsets: str) -> None:
    box = f"<p style='position: absolute; {offsets}; margin: auto; height: 100px; background: blue'>text"
    rendering = PlutoBookEngine().render(task(f"<div style='position: relative; height: 500px'>{box}</div>"))
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        picture = document[0].render().to_pil()
    assert [picture.getpixel((300, y)) == (0, 0, 255) for y in (100, 220, 350)] == [False, True, False]


def test_boxes_that_are_placed_in_a_box_of_a_screen_stay_in_it() -> None:
    inner = (
        "<div style='position: relative; height: 2em; width: 9em'><p style='position: absolute; left: 5em'>ABC</div>"
    )
    found = boxes(PlutoBookEngine().render(task(f"<style>{FILLING}</style><div class='s f z'>x{inner}</div>")))
    left = {character: box[0] for _, character, box in found}
    assert left["A"] - left["x"] > 50


ITEMS = "".join(f"<li><a href=/{number}>Section {number}</a>" for number in range(30))


def _lowest(source: str) -> float:
    """How far below the top of the first page the text below a menu is, in points."""
    page, _, (_, _, _, top) = next(
        found for found in boxes(PlutoBookEngine().render(task(f"{source}<p>Z"))) if found[1] == "Z"
    )
    return page * 842 + 842 - top


@pytest.mark.parametrize(
    "styles",
    [
        "width: 50px; height: 4em; overflow: hidden",
        "width: 50px; height: 64px; overflow-y: hidden",
        "width: 3rem; height: 3rem; overflow: clip",
    ],
)
def test_a_menu_as_small_as_a_button_stays_closed(styles: str) -> None:
    rules = f"<style>nav {{ {styles.split('; ', 1)[1]} }} nav {{ {styles.split('; ', 1)[0]} }}</style>"
    assert _lowest(f"{rules}<nav><ul>{ITEMS}</ul></nav>") < 160


@pytest.mark.parametrize(
    "styles",
    [
        "width: 200px; height: 4em; overflow: hidden",
        "width: 50px; height: 4em; overflow: hidden; overflow: visible",
        "width: 50px; height: 4em",
        "width: 50px; height: 400px; overflow: hidden",
        "height: 4em; overflow: hidden",
    ],
)
def test_another_box_is_as_high_as_its_text(styles: str) -> None:
    assert _lowest(f"<style>nav {{ {styles} }}</style><nav><ul>{ITEMS}</ul></nav>") > 400


def test_a_small_box_without_a_menu_is_as_high_as_its_text() -> None:
    rules = "<style>div { width: 50px; height: 50px; overflow: hidden }</style>"
    assert _lowest(f"{rules}<div>{'word ' * 40}</div>") > 400
