"""Trees that would take PlutoBook too long: their texts stay, in the same order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from wcspider.engines.document.html_trees import MAX_DEPTH
from wcspider.engines.plutobook.source.page_limits import MAX_RUN, apply


def nested(depth: int, inner: str = "<img src='a.png'/>last") -> Any:
    """Return a document with an element of that depth, and text before and behind each element around it."""
    root = etree.Element("html")
    element = root
    for level in range(depth):
        element.text = f"before {level} "
        element = etree.SubElement(element, "div")
        element.tail = f" behind {level}"
    element.append(etree.fromstring(f"<body>{inner}</body>"))
    return root


def parsed(source: str) -> Any:
    return etree.fromstring(source, etree.XMLParser(huge_tree=True))


def words(root: Any) -> str:
    return "".join(root.itertext())


def depth_of(root: Any) -> int:
    level, depth = [root], 0
    while level:
        level = [child for element in level for child in element]
        depth += 1
    return depth


@pytest.mark.parametrize("depth", [MAX_DEPTH - 10, MAX_DEPTH, MAX_DEPTH + 1, 3 * MAX_DEPTH])
def test_elements_that_are_nested_too_deep_stand_side_by_side(depth: int) -> None:
    root = nested(depth)
    before = words(root)
    apply(root)
    assert words(root) == before
    assert depth_of(root) <= MAX_DEPTH + 2
    assert [image.get("src") for image in root.iter("img")] == ["a.png"]


LONG = "a word " * MAX_RUN
UNBROKEN = "x" * (3 * MAX_RUN)


@pytest.mark.parametrize("text", [LONG, UNBROKEN, UNBROKEN + LONG], ids=["words", "one word", "both"])
@pytest.mark.parametrize("tag", ["p", "pre"])
def test_long_texts_are_cut(tag: str, text: str) -> None:
    root = parsed(f"<html><{tag}>{text}<b>bold</b>{text}</{tag}>{text}<i/></html>")
    before = words(root)
    apply(root)
    assert words(root) == before
    assert max(map(len, root.itertext())) <= MAX_RUN
    assert [element.tag for element in root.iter("b", "i")] == ["b", "i"]


@pytest.mark.parametrize("tag", ["style", "textarea", "title", "option"])
def test_texts_that_are_not_paragraphs_stay_whole(tag: str) -> None:
    root = parsed(f"<html><{tag}>{LONG}</{tag}></html>")
    apply(root)
    assert root[0].text == LONG
    assert len(root[0]) == 0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<td colspan="+9999" rowspan="9999"/>', {"colspan": "400", "rowspan": "1000"}),
        ('<th colspan=" 401 " rowspan="1000"/>', {"colspan": "400", "rowspan": "1000"}),
        ('<col span="400"/>', {"span": "400"}),
        ('<colgroup span="99999999999999999999"/>', {"span": "400"}),
        ('<textarea rows="201" cols="-201"/>', {"rows": "200", "cols": "-201"}),
        ('<input size="500" value="500"/>', {"size": "200", "value": "500"}),
        ('<select size="500"/>', {"size": "200"}),
        ('<font size="500"/>', {"size": "200"}),
        ('<hr size="500"/>', {"size": "200"}),
    ],
)
def test_large_numbers_in_attributes_are_lowered(source: str, expected: dict[str, str]) -> None:
    root = parsed(f"<html><body>{source}</body></html>")
    apply(root)
    assert dict(root[0][0].attrib) == expected


@settings(max_examples=25)
@given(st.lists(st.sampled_from(["<b>", "</b>", "text ", "<br/>"]), max_size=30))
def test_leaves_keep_their_order(parts: list[str]) -> None:
    """Whatever is below the deepest level permitted."""
    inner, opened = "", 0
    for part in parts:
        if part != "</b>" or opened:
            inner += part
            opened += (part == "<b>") - (part == "</b>")
    root = nested(MAX_DEPTH + 5, f"<div>{inner}{'</b>' * opened}</div>")
    before, breaks = words(root), inner.count("<br/>")
    apply(root)
    assert words(root) == before
    assert len(list(root.iter("br"))) == breaks
