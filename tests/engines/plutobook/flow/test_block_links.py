"""Links that contain blocks: they lead somewhere, and look as without this."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import boxes, links, picture, task
from wcspider.engines.base import Rendering
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

STYLES = """<style>
.card { padding: 10px; border: 2px solid; background: #def; margin: 5px; width: 150px } .flex { display: flex }
.grid { display: grid; grid-template-columns: 1fr 1fr } .block { display: block } .right { float: right }
.column { float: left; width: 30% }
</style>"""

BODIES = [
    "<a href=h><h2>heading</h2></a>",
    "<a href=h><div>one</div><div>two</div></a>after",
    "before<a href=h class=card><p>paragraph</p></a>",
    "<a href=h><span><div>block in an inline element</div></span></a>",
    "<a href=h><span class=block>span</span></a>",
    "<a href=h><span style='display: flex'>flex</span></a>",
    "<a href=h><table><tr><td>table</table></a>",
    "<ul><li><a href=h><p>item</p></a></ul>",
    "<a href=h>text beside<p>paragraph</p>text behind</a>",
    "<header><a href=h><h1>title</h1></a> by someone</header>",
    "<a href=h><span class=right>float</span></a>after",
    "before <a href=h><div class='card right'>one</div><div class='card right'>two</div></a> after",
    "<a href=h><div class='column'>one</div></a><a href=h><div class='column'>two</div></a>",
    "<a href=h><div class='column' style='padding: 9px; box-sizing: border-box; margin-right: 5%'>one</div></a>after",
    "<div class=flex><a href=h class=card><h3>card</h3></a></div>",
    "<div class=grid><a href=h class=card><h3>card</h3></a></div>",
]


def render(body: str) -> Rendering:
    return PlutoBookEngine().render(task(STYLES + body))


def placed(rendering: Rendering) -> list[tuple[str, float, float]]:
    """Each character with its left and its bottom, in points."""
    return [(character, box[0], box[1]) for _, character, box in boxes(rendering)]


def near(rendering: Rendering) -> list[tuple[str, object, object]]:
    """Each character with about its place: the text before a link may end at another fraction of a point."""
    return [(c, pytest.approx(left, abs=0.2), pytest.approx(bottom, abs=0.2)) for c, left, bottom in placed(rendering)]


@pytest.mark.parametrize("body", BODIES)
def test_a_link_with_blocks_has_an_annotation_and_its_look(body: str) -> None:
    rendering = render(body)
    assert set(links(rendering)) == {"https://example.com/dir/h"}
    assert placed(rendering) == near(render(body.replace("href=h", "data-h=h")))


@pytest.mark.parametrize(
    ("style", "is_underlined"),
    [
        ("display: block", True),
        ("display: inline", True),
        ("display: inline-block", False),
        ("float: left", False),
        ("position: absolute", False),
        ("float: left; text-decoration: underline", True),  # by its own style
        ("float: right; float: none", True),
    ],
)
def test_only_text_in_the_flow_of_a_link_is_underlined(style: str, is_underlined: bool) -> None:
    body = f"<a href=h><span style='{style}'>text</span></a>"
    without_lines = "<style>a, span { text-decoration: none !important }</style>"
    assert (picture(render(body)) != picture(render(without_lines + body))) == is_underlined


def test_text_on_the_line_of_a_link_stays_there() -> None:
    body = "<p>before <a href=h>middle<div>block</div>end</a> behind"
    assert placed(render(body)) == near(render(body.replace("href=h", "data-h=h")))
