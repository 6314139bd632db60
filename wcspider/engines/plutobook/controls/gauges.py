"""PROGRESS and METER elements as bars (HTML, 4.10.13 and 4.10.14).

The elements inside have the names to which `css.support` changes the pseudo-elements of style sheets, such as
``::-webkit-progress-value``. Browsers do not show the text in a gauge.
"""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from wcspider.engines.document.html_trees import empty
from wcspider.engines.plutobook.css.support import BARS
from wcspider.web.numbers import NUMBER

_LARGEST: Final = 1e9
"""The largest number that is read."""


def draw(element: Any) -> None:
    """Let a PROGRESS or METER element show a bar. Without a value, the bar is empty."""
    empty(element)
    bar = etree.SubElement(element, BARS["progress-bar"])
    if "value" not in element.attrib and element.tag == "progress":
        return
    least = _number(element, "min", 0.0) if element.tag == "meter" else 0.0
    most = _number(element, "max", 1.0)
    if most <= least:
        most = least + 1
    value = min(max(_number(element, "value", 0.0), least), most)
    name = _state(element, least, value, most) if element.tag == "meter" else "progress-value"
    share = (value - least) / (most - least)
    etree.SubElement(bar, BARS[name], {"style": f"width:{share:.2%}!important"})


def _state(element: Any, least: float, value: float, most: float) -> str:
    """Return whether the value of a METER element is in the best, in the second or in the third part of its range."""
    low = min(max(_number(element, "low", least), least), most)
    high = min(max(_number(element, "high", most), low), most)
    best = min(max(_number(element, "optimum", (least + most) / 2), least), most)
    part, best_part = ((number > low) + (number >= high and high < most) for number in (value, best))
    return ("meter-optimum-value", "meter-suboptimum-value", "meter-even-less-good-value")[abs(part - best_part)]


def _number(element: Any, attribute: str, otherwise: float) -> float:
    found = NUMBER.match(element.get(attribute, ""))
    return min(max(float(found[1]), -_LARGEST), _LARGEST) if found else otherwise
