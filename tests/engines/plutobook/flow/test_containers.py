"""Size queries of containers: which of their rules apply."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.rendered_pages import boxes, task
from wcspider.engines.document.style_sheets import CONTAINER
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.flow import containers

C = ".c { container-type: inline-size; width: 400px }"
MOVED = "p { margin-left: 100px }"
PAGE = "<div class=c><p>A</p></div>"


def left(css: str, body: str = PAGE) -> float:
    """The left edge of the A, in CSS pixels from that of the page area."""
    page = f"<!DOCTYPE html><style>body {{ margin: 0 }} {css}</style>{body}"
    places = {c: box[0] / 0.75 for _, c, box in boxes(PlutoBookEngine().render(task(page)))}
    return round(places["A"] - 56)


@pytest.mark.parametrize(
    ("css", "applies"),
    [
        (f"{C} @container (min-width: 300px) {{ {MOVED} }}", True),
        (f"{C} @container (min-width: 500px) {{ {MOVED} }}", False),
        (f"{C} @container (300px < inline-size <= 400px) {{ {MOVED} }}", True),
        (f"{C} @container not (min-width: 500px) {{ {MOVED} }}", True),
        (f"{C} @container (min-width: 300px) and (max-width: 350px) {{ {MOVED} }}", False),
        (f"{C} @container (min-width: 300px) {{ @container (max-width: 350px) {{ {MOVED} }} }}", False),
        (f"{C} @container style(--a: '1') {{ {MOVED} }}", False),
        (f"{C} @media print {{ @container (width > 9px) {{ {MOVED} }} }}", True),
        (f"{C} p {{ @container (width > 9px) {{ margin-left: 100px }} }}", True),
        (f"{C} @container (width > 9px) {{ .c p {{ margin-left: 100px }} .c {{ margin-left: 9px }} }}", True),
        (f"{C} @container (width > 9px) {{ p::before {{ content: ''; float: left; padding: 9px 50px }} }}", True),
        (f".c {{ container: one two / size }} @container two (width > 9px) {{ {MOVED} }}", True),
        (f".c {{ container: one / size }} @container two (width > 9px) {{ {MOVED} }}", False),
        (f".c {{ container-name: one }} {C} @container one (width > 9px) {{ {MOVED} }}", True),
        (f".c {{ width: 400px }} @container (width > 9px) {{ {MOVED} }}", False),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_which_rules_apply(css: str, applies: bool) -> None:
    assert (left(css) > 90) is applies


@pytest.mark.slow
def test_items_of_a_grid_are_as_wide_as_their_columns() -> None:
    css = ".g { display: grid; grid-template-columns: 1fr 1fr } .c { container-type: inline-size }"
    body = f"<div class=g>{PAGE}<div></div></div>"
    assert left(f"{css} @container (width > 400px) {{ {MOVED} }}", body) < 10
    assert left(f"{css} @container (width < 400px) {{ {MOVED} }}", body) > 90


def test_pages_without_queries_are_not_changed() -> None:
    root = html.document_fromstring(f"<title></title>{PAGE}")
    containers.mark(root, [C], 700)
    assert CONTAINER not in root.find("body/div").attrib


@pytest.mark.slow
def test_boxes_in_containers_are_as_high_as_their_text() -> None:
    css = f"{C} @container (width > 9px) {{ p {{ height: 10px; margin: 0 }} }}"
    page = f"<!DOCTYPE html><style>{css}</style><div class=c><p>A<br>B<br>C</p><p>D</p></div>"
    tops = [box[3] for _, _, box in boxes(PlutoBookEngine().render(task(page)))]
    assert tops == sorted(tops, reverse=True)
