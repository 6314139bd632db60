"""USE elements that draw more than can be drawn."""

from __future__ import annotations

import pytest
from lxml import etree

from wcspider.engines.plutobook.svg.copies import FEW, MAX_COPIES, remove_copies
from wcspider.engines.plutobook.svg.drawings import readable


def levels(number: int, uses: int) -> str:
    """Groups that each use the next one several times."""
    groups = "".join(f"<g id='u{n}'>{use(f'u{n + 1}') * uses}</g>" for n in range(number))
    return f"<svg>{groups}<path id='u{number}'/></svg>"


def use(target: str) -> str:
    return f"<use href='#{target}'/>"


MANY = MAX_COPIES // 100
CASES = [
    ("<svg/>", False),
    (levels(8, 3), False),
    (levels(14, 2), False),
    (levels(30, 2), True),
    (levels(5, 20), True),
    (levels(1, MANY), False),
    (levels(200, 2), True),
    (f"<svg><g id='a'>{use('a') * (FEW + 1)}</g></svg>", False),  # PlutoBook stops at circles
    (f"<svg>{'<use/>' * MANY}{use('none') * MANY}</svg>", False),
    (levels(30, 2).replace("href", "xlink:href"), True),
]


@pytest.mark.parametrize(("drawing", "expected"), CASES)
def test_copies(drawing: str, expected: bool) -> None:
    file = drawing.replace(
        "<svg", "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'", 1
    )
    assert (readable(file.encode()) is None) is expected
    page = etree.fromstring(f"<html><body>{drawing}text</body></html>", etree.XMLParser(recover=True))
    assert remove_copies(page) is expected
    assert any(use.keys() for use in page.iter("use")) is ("href" in drawing and not expected)
    assert "".join(page.itertext()) == "text"
