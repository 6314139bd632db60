"""Boxes around the children of crowded elements."""

from __future__ import annotations

import pypdfium2
import pytest
from lxml import html

from tests.support.rendered_pages import task, text
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.source import sibling_groups
from wcspider.engines.plutobook.source.sibling_groups import MANY, group

COUNT = MANY + 300


def grouped(source: str, *sheets: str) -> html.HtmlElement:
    root = html.document_fromstring(source)
    group(PageStyles(root, sheets), sheets)
    return root


def has_groups(root: html.HtmlElement) -> bool:
    return next(root.iter("wcspider-group"), None) is not None


def paragraphs(count: int = COUNT, start: str = "<div class=parent>") -> str:
    return start + "".join(f"<p class=text id=p{number}>{number}</p>" for number in range(count))


@pytest.mark.parametrize("count", [MANY + 1, COUNT, 60 * MANY])
def test_the_order_stays(count: int) -> None:
    root = grouped(paragraphs(count))
    assert [p.text for p in root.iter("p")] == list(map(str, range(count)))
    assert max(map(len, root.iter())) <= MANY
    assert len(list(root.iter("wcspider-group"))) < count / 40


def test_few_children_stay_where_they_are() -> None:
    assert not has_groups(grouped(paragraphs(MANY)))


def test_headings_stay_beside_the_next_element() -> None:
    pairs = "".join(f"<dt>{number}<dd>{number}<dd>more" for number in range(MANY))
    root = grouped(f"<dl>{pairs}</dl>")
    assert has_groups(root)
    assert all(term.getnext() is not None for term in root.iter("dt"))


@pytest.mark.parametrize(
    "selector",
    [
        "p", ".text", "#p7", ".parent p", "* p", "div.parent", "p > a", ".parent > ul", "nav > p", "h2 + p", "p + h2",
        "p ~ ul", "li:first-child", "p a", "tr:nth-child(2n + 1) td", "p:hover", "a:not(.text)", "p[id='a > b']",
        "body > *", "p::before",
    ],
)  # fmt: skip
def test_selectors_that_tell_nothing_apart(selector: str) -> None:
    assert has_groups(grouped(paragraphs(), f"{selector}{{color:red}}"))


@pytest.mark.parametrize(
    "selector",
    [
        ".parent > p", "div>.text", "body .parent > *", "* > p", ".parent > #p3 a", "p + p", "p+#p3", ".text ~ p",
        "* + *", "p:first-child", "p:not(:last-child)", ":nth-child(2n + 1)", ".text:nth-of-type(odd) a",
        "P:only-child", ":is(div > p)", ".parent:has(> p)", "a, .parent > p", ":hover > p", "div:not(.a)>p:not(.b)",
    ],
)  # fmt: skip
def test_selectors_that_tell_children_apart(selector: str) -> None:
    assert not has_groups(grouped(paragraphs(), f"{selector}{{color:red}}"))


@pytest.mark.parametrize(
    "rule",
    [
        ".parent{display:flex}", ".parent{display:grid}", ".text{display:inline-block}", "#p8{float:left}",
        "#p8{position:absolute}", ".parent{columns:2}", ".text{column-span:all}", "a{float:right}",
        ".text{counter-increment:n}", "#p8{counter-reset:n}", ".text::before{counter-increment:n}",
    ],
)  # fmt: skip
def test_boxes_that_depend_on_each_other(rule: str) -> None:
    root = grouped(f"{paragraphs()}<p><a>float</a></div>", f"{rule}\n")
    assert not has_groups(root)


@pytest.mark.parametrize("end", ["<p style='display: none'>", "<div style='display: block'>", "<!-- comment -->", " "])
def test_children_that_change_nothing(end: str) -> None:
    assert has_groups(grouped(f"{paragraphs()}{end}"))


@pytest.mark.parametrize("end", ["text", "<span>inline</span>", "<table><tr><td>1</table>", "<p><img align=left>"])
def test_other_children(end: str) -> None:
    assert not has_groups(grouped(f"{paragraphs()}{end}"))


def test_items_outside_of_lists_count_themselves() -> None:
    items = "<li>item</li>" * COUNT
    assert has_groups(grouped(f"<ul>{items}</ul>"))
    assert not has_groups(grouped(f"<div>{items}</div>"))


def test_numbered_paragraphs() -> None:
    css = "h2 { counter-reset: part } p { counter-increment: part } p::before { content: counter(part) ' ' }"
    numbers = (f"{'<h2>Chapter</h2>' * (number % 700 == 0)}<p>is {number % 700 + 1}" for number in range(COUNT))
    rendering = PlutoBookEngine().render(task(f"<style>{css}</style>{''.join(numbers)}"))
    shown = [line.split(" is ") for line in text(rendering).replace("\r", "").splitlines() if " is " in line]
    assert len(shown) == COUNT
    assert all(counted == number for counted, number in shown)


@pytest.mark.parametrize("kind", ["div", "dl", "ol"])
def test_the_pages_stay(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tag = {"div": "p", "dl": "dd", "ol": "li"}[kind]
    items = "".join(f"<{tag}>{number} {'words of a text ' * (number % 13)}" for number in range(COUNT))
    every = "border: 1px solid; margin-left: 5px; padding: 1px; width: 95%; font-size: 0.99em; break-inside: avoid"
    page = task(f"<style>p {{ margin: 9px 0 }} * {{ {every} }}</style><{kind}>{items}")
    found = lines(PlutoBookEngine().render(page).pdf)
    monkeypatch.setattr(sibling_groups, "MANY", 10 * COUNT)
    assert found == lines(PlutoBookEngine().render(page).pdf)
    assert len(found) > 10


def lines(pdf: bytes) -> list[tuple[str, list[tuple[int, ...]]]]:
    """Return the text and the places of the lines on each page, in points."""
    found = []
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            shown = page.get_textpage()
            boxes = (shown.get_rect(number) for number in range(shown.count_rects()))
            found.append((shown.get_text_range(), [tuple(map(round, box)) for box in boxes]))
    return found
