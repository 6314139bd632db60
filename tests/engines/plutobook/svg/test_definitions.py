"""Gradients, masks and clipping paths that a page keeps in hidden SVG elements."""

from __future__ import annotations

import pytest

from tests.support.pictures import RED, places_of
from tests.support.rendered_pages import picture, task
from wcspider.engines.plutobook.engine import PlutoBookEngine

pytestmark = pytest.mark.slow

SQUARE = "<rect width='100' height='100' fill='{}' {}/>"
FILLED = SQUARE.format("url(#d)", "")
CIRCLE = "<circle cx='50' cy='50' r='50' fill='white'/>"
UNIT = "<mask id='d' maskContentUnits='objectBoundingBox'><circle cx='.5' cy='.5' r='.5' fill='white'/></mask>"
DEFINITIONS = {
    "gradient": ("<linearGradient id='d'><stop stop-color='red'/></linearGradient>", FILLED),
    "pattern": (f"<pattern id='d' width='1' height='1'>{SQUARE.format('red', '')}</pattern>", FILLED),
    "path": (f"<clipPath id='d'>{CIRCLE}</clipPath>", SQUARE.format("red", "clip-path='url(#d)'")),
    "mask": (f"<mask id='d'>{CIRCLE}</mask>", SQUARE.format("red", "mask='url(#d)'")),
    "unit": (UNIT, SQUARE.format("red", "mask='url(#d)'")),
}
"""Definitions, each with a shape that uses it."""

ROUND = {"path", "mask", "unit"}

PLACES = [
    "<svg style='position: absolute; width: 0; height: 0'><defs>{}</defs></svg>",
    "<svg class=none>{}</svg>",
    "<svg style='position: fixed; left: -1000px; height: -1000px'>{}</svg>",
    "<div style='position: absolute; left: -9999px'>Symbols<svg>{}</svg></div>",
]
"""Hidden elements."""

STYLE = "<style>body { margin: 0 } .none { position: absolute; width: 0; height: 0; overflow: hidden }</style>"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", DEFINITIONS)
@pytest.mark.parametrize("is_first", [True, False])
def test_definitions_in_hidden_drawings_are_used(place: str, kind: str, *, is_first: bool) -> None:
    definition, shape = DEFINITIONS[kind]
    parts = [place.format(definition), f"<svg width='100' height='100'>{shape}</svg>"]
    page = picture(PlutoBookEngine().render(task(STYLE + "".join(parts if is_first else parts[::-1]))))
    red = len(places_of(RED, page))
    expected = 75 * 75 * (3.14 / 4 if kind in ROUND else 1)
    assert 0.9 * expected < red < 1.1 * expected
