"""Which elements may have lines that end inside of words."""

from __future__ import annotations

import pytest
from lxml import html

from tests.support.letter_places import legible
from tests.support.rendered_pages import boxes, task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.grid.flex_lines import CELL
from wcspider.engines.plutobook.source.words import (
    LONG,
    LONG_IN_CELL,
    LONG_IN_HEADING,
    MARK,
    break_long_words,
    divide_code,
    mark_long_words,
)

WORD = "w" * LONG


@pytest.mark.parametrize(
    ("body", "marked"),
    [
        (f"<p>{WORD}</p>", ["p"]),
        (f"<p>short <b>{WORD}</b></p>", ["b"]),
        (f"<p><b>short</b>{WORD}</p>", ["p"]),
        (f"<p>{WORD[1:]}</p>", []),
        (f"<table><tr><td>{WORD[:LONG_IN_CELL]}<td>{WORD[: LONG_IN_CELL - 1]}</table>", ["td"]),
        (f"<table><tr><td><b>a</b>{WORD[:LONG_IN_CELL]}<td><i>{WORD[:LONG_IN_CELL]}</i></table>", ["td", "i"]),
        (f"<h2>{WORD[:LONG_IN_HEADING]}</h2><h2>{WORD[: LONG_IN_HEADING - 1]}</h2>", ["h2"]),
        (f"<h2> <a>a {WORD[:LONG_IN_HEADING]}</a> </h2><h2>a <a>{WORD[:LONG_IN_HEADING]}</a></h2>", ["h2"]),
        (f"<div>{WORD[:LONG_IN_CELL]}</div><div>{WORD[: LONG_IN_CELL - 1]}</div>", ["div"]),
        (f"<div> <b>a {WORD[:LONG_IN_CELL]}</b> </div><div>a <b>{WORD[:LONG_IN_CELL]}</b></div>", ["div"]),
        (f"<p>{'a b ' * LONG}</p>", []),
        (f"<p>{'ไ' * LONG}</p>", []),
    ],
)
def test_elements_with_a_long_word_of_their_own(body: str, marked: list[str]) -> None:
    root = html.document_fromstring(body)
    mark_long_words(root)
    assert [element.tag for element in root.iter() if MARK in element.attrib] == marked


# contents of an item of a grid whose column is wide enough for ten letters, marked elements
CELLS = [
    (WORD[:11], ["div"]),
    (WORD[:10], []),
    ("short words in a narrow column", []),
    (f"<p>short <code>{WORD[:11]}</code></p>", ["code"]),
    ("<p><a>wwwww</a>(<a>wwwww</a>)</p>", ["p"]),
    ("<p><a>wwwww</a> <a>wwwww</a>&nbsp;w</p>", []),
    ("<p>www&nbsp;www&nbsp;www</p>", []),
    (f"<p>www&nbsp;<b>{WORD[:11]}</b></p>", ["b"]),
    (f"<p><i>{WORD[:10]}</i><wbr></wbr>(<a>{WORD[:8]}</a>)", []),
    (f"<p><i>{WORD[:11]}</i><wbr></wbr>(<a>{WORD[:11]}</a>)", ["p", "i"]),
    (f"<p><i>{WORD[:11]} w</i><a>{WORD[:10]}</a>", ["p", "i"]),
]


@pytest.mark.parametrize(("cell", "marked"), CELLS)
def test_words_that_are_longer_than_the_column_of_a_grid(cell: str, marked: list[str]) -> None:
    root = html.document_fromstring(f'<section><div {CELL}="10">{cell}</div><p>{WORD[:11]}</p></section>')
    mark_long_words(root)
    assert [element.tag for element in root.iter() if MARK in element.attrib] == marked


@pytest.mark.parametrize(("words", "is_divided"), [("www&nbsp;wwwwwwww", True), ("www&nbsp;wwwwww www", False)])
def test_lines_in_the_column_of_a_grid_end_at_no_break_spaces_rather_than_inside_of_words(
    words: str, is_divided: bool
) -> None:
    root = html.document_fromstring(f'<section><div {CELL}="10">{words}</div><p>{words}</p></section>')
    mark_long_words(root)
    assert ["\u00a0\u200b" in element.text for element in root.iter("div", "p")] == [is_divided, False]


# contents of a PRE, contents with a line where lines may end
EXPRESSIONS = [
    ("loop.call(" + "x" * 14, "loop.|call(|" + "x" * 14),
    ("loop.call(" + "x" * 13, "loop.call(" + "x" * 13),
    ("a.b " + "y.z" * 14 + " c/d", "a.b " + "y.|z" * 14 + " c/d"),
    ("<b>loop</b>.<i>call</i>(" + "x" * 30, "<b>loop</b>.|<i>call</i>(|" + "x" * 30),
    ("<b>a.b </b><i>" + "x." * 20 + "</i>", "<b>a.b </b><i>" + "x.|" * 19 + "x.</i>"),
    ("<!-- a.b -->" + "x." * 20 + "<br>", "<!-- a.b -->" + "x.|" * 19 + "x.<br>"),
]


@pytest.mark.parametrize(("code", "expected"), EXPRESSIONS)
def test_lines_of_code_may_end_behind_punctuation(code: str, expected: str) -> None:
    root = html.document_fromstring(f"<pre>{code}</pre>")
    divide_code(root)
    written = html.tostring(root.find("body/pre"), encoding="unicode")
    assert written.replace("\u200b", "|") == f"<pre>{expected}</pre>"


@pytest.mark.parametrize(
    ("body", "broken"),
    [
        (f"<p>short {WORD} short</p>", True),
        (f"<p><b>short</b>{WORD}</p>", True),
        (f"<p>{WORD[1:]}</p>", False),
        (f"<table><tr><td><b>{WORD[:LONG_IN_CELL]}</b></table>", True),
        (f"<table><tr><td>{WORD[: LONG_IN_CELL - 1]} {WORD[: LONG_IN_CELL - 1]}</table>", False),
    ],
)
def test_lines_may_end_inside_of_long_words_only(body: str, broken: bool) -> None:
    root = html.document_fromstring(body)
    before = root.text_content()
    break_long_words(root)
    after = root.text_content()
    assert after.replace("\u200b", "") == before
    assert ("\u200b".join(WORD[:LONG_IN_CELL]) in after) is broken
    assert after.count("\u200b") in (0, LONG - 1, LONG_IN_CELL - 1)


def test_lines_of_a_wide_page_may_end_at_no_break_spaces() -> None:
    root = html.document_fromstring("<p>a&nbsp;<b>&nbsp;</b>b&nbsp;c</p>")
    break_long_words(root)
    assert root.text_content() == "a\u00a0\u200b\u00a0\u200bb\u00a0\u200bc"


@pytest.mark.parametrize(
    "style",
    [
        "a { display: inline-block; width: 48px; height: 48px; background: #eee }",
        "a { float: left; width: 32px; margin-right: 4px }",
        "p { display: flex } a { width: 40px; background: #ddd }",
        "a { display: inline-block; max-width: 3em; background: #eee }",
    ],
)
def test_texts_of_missing_images_do_not_cover_each_other(style: str) -> None:
    links = "".join(
        f"<a href={name}><img src={name}.png alt='Share on {name}'></a>" for name in ("Facebook", "LinkedIn")
    )
    rendering = PlutoBookEngine().render(task(f"<style>{style}</style><p>{links}<a href=c>All</a>"))
    assert legible(rendering)
    assert "".join(text(rendering).split()) == "ShareonFacebookShareonLinkedInAll"


def test_the_text_of_a_missing_image_in_a_sentence_is_whole() -> None:
    image = "<img src=a.png alt='description of the administration'>"
    sizes = "".join(f"<p style='width: {size}px'>{'word ' * 12}see {image} and so on." for size in range(500, 620, 7))
    assert text(PlutoBookEngine().render(task(sizes))).split().count("administration") == len(range(500, 620, 7))


@pytest.mark.slow
def test_a_long_address_that_a_style_shows_does_not_make_the_page_wider() -> None:
    address = f"https://b.example/query?url={'%D9%88' * 40}"
    css = "a[href^='https://']::after { content: attr(href) }"
    rendering = PlutoBookEngine().render(task(f"<style>{css}</style><p>shown <a href='{address}'></a>"))
    assert "".join(text(rendering).split()) == f"shown{address}"
    shown = next(box for _, letter, box in boxes(rendering) if letter == "h")
    assert shown[3] - shown[1] > 7  # the text has its usual size


@pytest.mark.slow
@pytest.mark.parametrize("address", ["https://b.example/a/b/c/d/e/f/g", "mailto:someone@long.example", "/" + "x" * 45])
def test_an_address_that_a_style_shows_stays_in_its_column(address: str) -> None:
    css = "body { margin: 0 } div { float: left; width: 20% } a::after { content: ' (' attr(href) ')' }"
    rendering = PlutoBookEngine().render(task(f"<style>{css}</style><div>Text <a href='{address}'></a></div>"))
    assert "".join(text(rendering).split()) == f"Text({address})"
    assert max(box[2] for _, _, box in boxes(rendering)) < 43 + 0.2 * 510 + 5
