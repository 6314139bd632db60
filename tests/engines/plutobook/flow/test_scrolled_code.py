"""Code in boxes that can be scrolled: its text has its place in the text of the page."""

from __future__ import annotations

import io

import pikepdf
import pytest
from lxml import html

from tests.support.letter_places import legible, letters, rendered
from tests.support.rendered_pages import task, text
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import scrolled_code

PAGE = "<p>One<pre>Two</pre><p>Three<pre><code>Four</code></pre><p>Five"
ROUND = "border-radius: 3px; background: #eee"


@pytest.mark.parametrize("value", ["auto", "scroll", "AUTO"])
@pytest.mark.parametrize("tag", ["pre", "code"])
def test_code_is_read_where_it_stands(tag: str, value: str) -> None:
    css = f"<style>{tag} {{ display: block; overflow: {value}; {ROUND} }}</style>"
    assert text(PlutoBookEngine().render(task(css + PAGE))).split() == ["One", "Two", "Three", "Four", "Five"]


def test_round_corners_are_drawn_once() -> None:
    tokens = "".join(f"<b>{n}</b> " for n in range(50))
    css = f"<style>pre {{ overflow: auto; {ROUND} }} b {{ color: red }}</style>"
    with pikepdf.open(io.BytesIO(rendered(f"{css}<pre>{tokens}</pre>"))) as pdf:
        curves = [part for part in pikepdf.parse_content_stream(pdf.pages[0]) if str(part.operator) == "c"]
    assert len(curves) == 4


@pytest.mark.parametrize(
    ("page", "is_shown"),
    [
        ("<pre>A</pre>", True),
        ("<pre>A</pre><i></i>", True),
        ("<i></i><pre>A</pre>", False),
        ("<div><i></i></div><div><pre>A</pre></div>", False),
        ("<i><pre>A</pre></i>", True),
        ("<i><i></i><pre>A</pre></i>", False),
        ("<i><i></i></i><table><tr><td><pre>A</pre></table>", True),
        ("<table><tr><td><i></i><pre>A</pre></table>", False),
        ("<pre><span><i></i></span>A</pre>", False),
        ("<pre class=generated>A</pre>", False),
        ("<div class=generated></div><pre>A</pre>", False),
        ("<div class=generated><pre>A</pre></div>", False),
        ("<div class=scrolled><p>A</div>", False),
    ],
)
def test_code_near_floats_is_left_as_it_is(page: str, is_shown: bool) -> None:
    css = (
        "pre, .scrolled { overflow: auto }"
        "i { float: right; width: 50% } .generated::before { content: 'B'; float: left }"
    )
    root = html.document_fromstring(page)
    scrolled_code.show_overflow(PageStyles(root, [css]))
    assert ("overflow" in html.tostring(root).decode()) is is_shown


def test_code_stays_beside_a_float_and_contains_its_own() -> None:
    css = f"<style>i {{ float: left; width: 50%; height: 99px }} pre {{ overflow: auto; {ROUND} }}</style>"
    assert letters(f"{css}<i>A</i><pre>\nB\n" + "\n" * 20 + "C</pre>")["C"][0] > 250
    places = letters(f"{css}<pre><i>A</i>B</pre><p>C")
    assert places["C"][1] - places["A"][1] > 70


@pytest.mark.parametrize(
    ("source", "is_broken"),
    [
        ("<p>See <code>{long}</code>.", True),
        ("<p>See <tt><span>{long}</span></tt>.", True),
        ("<p>See <code>short</code>.", False),
        ("<p>See <b>{long}</b>.", False),
        ("<pre>See <code>{long}</code>.</pre>", False),
        ("<table><tr><td><code>{long}</code></table>", False),
    ],
)
def test_lines_end_inside_of_long_code(source: str, is_broken: bool) -> None:
    root = html.document_fromstring(source.format(long="City.objects.filter(point__within=Country.objects)"))
    scrolled_code.break_lines(PageStyles(root, ["code, tt, b { white-space: nowrap }"]))
    assert len(root.xpath("//*[@style='white-space:normal!important']")) == is_broken


def test_long_code_does_not_cover_the_next_column() -> None:
    css = "code { white-space: nowrap } div { float: left; width: 250px }"
    columns = f"<div>See <code>{'abc.def(' * 12}</code></div><div>Next column</div>"
    assert legible(PlutoBookEngine().render(task(f"<style>{css}</style>{columns}")))
