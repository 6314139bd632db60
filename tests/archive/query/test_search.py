"""The pages on which words occur, with excerpts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import pdf_samples
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import search as search_module
from wcspider.archive.query.search import EXCERPT_BEFORE, EXCERPT_FROM, excerpt, folded_words, pages, search
from wcspider.exceptions import ArgumentError
from wcspider.pdf.webcapture.content_sets import PageSet

pytestmark = pytest.mark.slow


def excerpts(text: str, *words: str) -> list[str]:
    """The excerpts around words in a page with a given text."""
    found = excerpt(text, folded_words(words))
    return [] if found is None else [found]


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("The lamp of the Lighthouse", ["lighthouse"], True),
        ("The lamp of the Lighthouse", ["LIGHTHOUSE", "lamp"], True),
        ("The lamp of the Lighthouse", ["lighthouse", "keeper"], False),
        ("The lamp of the Lighthouse", ["house"], True),
        ("The lamp\r\n of  the Lighthouse", ["lamp of the"], True),
        ("The lamp of the Lighthouse", ["of lamp"], False),
        ("The lamp of the Lighthouse", ['"lamp of"'], True),
        ("The lamp of the Lighthouse", ['"of lamp"'], False),
        ("The lamp of the Lighthouse", ['lighthouse "the lamp" of'], True),
        ("The lamp of the Lighthouse", ['"lamp of'], False),  # not a pair
        ('a 5" lens, a"b"c', ['5"', 'a"b"c'], True),
        ("the light-\r\nhouse", ["lighthouse"], True),
        ("it is well-\r\nknown", ["well-known"], True),  # nothing says whether the hyphen belongs to the word
        ("it is well-\r\nknown", ["wellknown"], True),
        ("it is well-known", ["well-known"], True),
        ("light\u00adhouse", ["lighthouse"], True),
        ("the o\ufb03ce", ["office"], True),
        ("the office", ["o\ufb03ce"], True),
        ("Stra\u00dfe", ["STRASSE"], True),
        ("cafe\u0301", ["caf\u00e9"], True),
        ("ＦＵＬＬ　ｗｉｄｔｈ", ["full width"], True),
        ("日本語の文", ["本語"], True),
        ("ΟΔΟΣ", ["οδος"], True),
        ("a.b", ["."], True),
        ("", ["a"], False),
        # typographic quotation marks and apostrophes
        ("O\u2019Neill", ["O'Neill"], True),
        ("O'Neill", ["O\u2019Neill"], True),
        ("O\u02bcNeill", ["O\u2018Neill"], True),
        ("O\u2019Neill", ["ONeill"], False),
        ("the \u201coil store\u201d", ['the "oil'], True),
        ("the \u201eoil store\u201c", ["the \u201coil store\u201d"], True),
        ("the \u00aboil\u00bb", ['"oil"'], True),  # a phrase
        ("the oil", ["\u201coil\u201d"], False),  # typographic marks stand for themselves, not around a phrase
        ("the \u2039oil\u203a", ["'oil'"], True),
        ("\u0149", ["'n"], True),  # the case fold of one character has an apostrophe
        # dashes and hyphens
        *((f"1889{dash}1914", ["1889-1914"], True) for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d"),
        ("1889-1914", ["1889\u20131914"], True),
        ("1889\u20131914", ["18891914"], False),
        ("light\u00adhouse", ["light-house"], False),
        ("lighthouse", ["light\u00adhouse"], True),
        ("light\u2010\r\nhouse", ["lighthouse"], True),
        ("light\u00ad\r\nhouse", ["lighthouse"], True),
        ("well\u2010\r\nknown", ["well-known"], True),
        ("1889\u2013\r\n1914", ["1889-1914"], True),
        ("1889\u2013\r\n1914", ["18891914"], False),
        ("the lamp \u2013\r\na lens", ["lamp - a"], True),
        ("1889\u2013\r\n1914 the light-\r\nhouse", ["1889-1914 the lighthouse"], True),
    ],
)
def test_words(text: str, words: list[str], found: bool) -> None:
    assert bool(excerpts(text, *words)) == found


@pytest.mark.parametrize(
    ("text", "word", "around"),
    [
        ("one two", "two", "one two"),
        ("their them the rest", "the", "their them the rest"),
        (f"{'before ' * 20}lamp{' behind' * 20}", "lamp", f"…{'before ' * 5}lamp{' behind' * 9}…"),
        (f"{'their ' * 20}the{' rest' * 20}", "the", f"…{'their ' * 6}the{' rest' * 13}…"),
        ("x" * 200, "x", "x" * EXCERPT_FROM + "…"),
        (f"{'ß' * 100}lamp", "lamp", f"…{'ß' * EXCERPT_BEFORE}lamp"),
        ("the light-\r\nhouse at sea", "lighthouse", "the lighthouse at sea"),
        ("the well-\r\nknown light", "well-known", "the well-known light"),
        ("the \u201cO\u2019Neill\u201d light", "O'Neill", "the \u201cO\u2019Neill\u201d light"),
        ("ß\u2019 " * 50 + "O\u2019Neill\u2014", "o'neill-", "…" + "ß\u2019 " * 13 + "O\u2019Neill\u2014"),
        ("d\u2019or, or", "or", "d\u2019or, or"),
        ("from 1889\u2013\r\n1914 on", "1889-1914", "from 1889\u20131914 on"),
    ],
)
def test_excerpts(text: str, word: str, around: str) -> None:
    assert excerpts(text, word) == [around]


@given(st.text(), st.text(), st.text())
def test_a_word_is_found_wherever_it_stands(before: str, word: str, behind: str) -> None:
    letters = "".join(char for char in word if char.isascii() and char.isalnum())
    if letters:
        [around] = excerpts(f"{before} {letters} {behind}", letters)
        assert len(around) <= EXCERPT_BEFORE + EXCERPT_FROM + 2
        assert letters[:EXCERPT_FROM].casefold() in around.casefold()


@pytest.mark.parametrize("words", [[], [""], [" ", "\u00ad"], ['""', '"" ""']])
def test_no_word_is_refused(words: list[str]) -> None:
    with pytest.raises(ArgumentError, match="no word to search for"):
        folded_words(words)


@pytest.mark.parametrize("make", [pdf_samples.conforming_pdf, pdf_samples.acrobat_pdf])
@pytest.mark.parametrize("stretch", [1000, 2])
def test_pages_have_what_web_capture_says_of_them(
    make: Callable[[Path], Path], stretch: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "PAGES_BEFORE_REOPENING", stretch)
    path = make(tmp_path / "site.pdf")

    with closing(ContentDatabase.open(path, lambda: datetime.now(UTC))) as database:
        check_pages(database)


def check_pages(database: ContentDatabase) -> None:
    """Compare the pages with the page sets of a file."""
    sets = [stored.content for stored in database.content_sets() if isinstance(stored.content, PageSet)]
    wanted = {
        database.catalog.pages.page_number(page): (tuple(source.url for source in content.sources), content.title)
        for content in sets
        for page in content.objects
    }
    count = database.catalog.pages.count
    found = list(pages(database))
    assert [page.number for page in found] == list(range(1, count + 1))
    assert {page.number: (page.urls, page.title) for page in found if page.urls} == wanted
    for urls, _ in wanted.values():
        numbers = [number for number, (others, _) in wanted.items() if set(urls) & set(others)]
        assert [page.number for page in pages(database, urls[0])] == sorted(numbers)
    assert list(pages(database, "http://nowhere.example/")) == []
    assert list(search(database, ["nowhere"])) == []


def test_a_file_without_pages_has_no_text(tmp_path: Path) -> None:
    path = pdf_samples.plain_pdf(0, tmp_path / "empty.pdf")
    with closing(ContentDatabase.open(path, lambda: datetime.now(UTC))) as database:
        assert not list(pages(database))
        assert not list(search(database, ["word"]))
