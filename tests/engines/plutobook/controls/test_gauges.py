"""Gauges: PROGRESS and METER elements, drawn as bars."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from tests.support.pictures import BLUE, RED, places_of
from tests.support.rendered_pages import picture, task
from wcspider.engines.plutobook.controls import gauges
from wcspider.engines.plutobook.css.support import known
from wcspider.engines.plutobook.engine import PlutoBookEngine


def drawn(source: str) -> tuple[str, str]:
    """The name and the style of the element that shows the value of a gauge; "" if it shows none."""
    gauge = html.fragment_fromstring(source)
    gauges.draw(gauge)
    assert gauge.text_content() == ""
    (bar,) = gauge
    (value,) = bar if len(bar) else (html.Element("none"),)
    return value.tag, value.get("style", "")


@pytest.mark.parametrize(
    ("gauge", "share"),
    [
        ("<progress value=30 max=100></progress>", "30.00%"),
        ("<progress value=.25>a quarter</progress>", "25.00%"),
        ("<progress value=2></progress>", "100.00%"),
        ("<progress value=-1></progress>", "0.00%"),
        ("<progress value=x></progress>", "0.00%"),
        ("<progress value=1 max=0></progress>", "100.00%"),
        ("<progress value=1 min=3 max=4></progress>", "25.00%"),
        ("<progress value=1e999></progress>", "100.00%"),
        ("<meter></meter>", "0.00%"),
        ("<meter value=6 min=2 max=10></meter>", "50.00%"),
    ],
)
def test_shares(gauge: str, share: str) -> None:
    assert drawn(gauge)[1] == f"width:{share}!important"


def test_a_progress_without_a_value_is_an_empty_bar() -> None:
    assert drawn("<progress>soon</progress>") == ("none", "")


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ("value=5", "wcspider-value"),
        ("value=1 low=3 high=7", "wcspider-middling"),
        ("value=1 low=3 high=7 optimum=1", "wcspider-value"),
        ("value=5 low=3 high=7 optimum=1", "wcspider-middling"),
        ("value=8 low=3 high=7 optimum=1", "wcspider-bad"),
        ("value=2 low=3 high=7 optimum=9", "wcspider-bad"),
        ("value=7 low=3 high=7 optimum=9", "wcspider-value"),
        ("value=10 optimum=10", "wcspider-value"),
    ],
)
def test_parts_of_a_range(attributes: str, name: str) -> None:
    assert drawn(f"<meter min=0 max=10 {attributes}></meter>")[0] == name


@given(
    st.dictionaries(
        st.sampled_from(["value", "min", "max", "low", "high", "optimum"]), st.text("0123456789.-+e x", max_size=8)
    )
)
def test_any_attributes(attributes: dict[str, str]) -> None:
    gauge = html.Element("meter", attributes)
    gauges.draw(gauge)
    (value,) = gauge[0]
    assert 0 <= float(value.get("style", "").removeprefix("width:").removesuffix("%!important")) <= 100


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("progress::-webkit-progress-value", "progress wcspider-value"),
        (".a::-webkit-progress-bar", ".a wcspider-bar"),
        ("meter::-webkit-meter-suboptimum-value", "meter wcspider-middling"),
        ("progress::-webkit-progress-inner-element", ""),
    ],
)
def test_pseudo_elements_of_browsers(selector: str, expected: str) -> None:
    assert known(selector) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "css",
    [
        "progress { appearance: none; width: 200px; height: 40px }",
        "progress { width: 200px; height: 40px; border: 0 } p { text-align: right }",
        "p { width: 200px } progress { width: 100%; height: 40px }",
        "p { display: flex; width: 200px } progress { flex: 1; height: 40px }",
    ],
)
def test_the_author_styles_the_parts_of_a_bar(css: str) -> None:
    css += "::-webkit-progress-bar { background: blue; border-radius: 0 } ::-webkit-progress-value { background: red }"
    page = picture(PlutoBookEngine().render(task(f"<style>{css}</style><p><progress value=1 max=4></progress>")))
    red, blue = (places_of(color, page) for color in (RED, BLUE))
    assert len(red) == pytest.approx(50 * 40 * 0.75**2, rel=0.1)
    assert len(blue) == pytest.approx(150 * 40 * 0.75**2, rel=0.1)
    assert max(x for x, _ in red) < max(x for x, _ in blue) - 100
