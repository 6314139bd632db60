"""The text of the PDF pages of a file with the URLs and titles of their page sets, and the search for words in it."""

from __future__ import annotations

import gc
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from wcspider.archive.database.content_index import is_page_set
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.plain_text import visible
from wcspider.exceptions import ArgumentError, SourceUnreadableError
from wcspider.pdf.objects import Ref
from wcspider.pdf.text.extraction import LINE_END, PdfText
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.program_names import file_command

EXCERPT_BEFORE, EXCERPT_FROM = 40, 70
"""The number of characters in an excerpt before the word, and from the beginning of the word."""

QUOTED = re.compile(r'(?<!\S)"([^"]*)"(?!\S)')
"""A phrase in quotes that the shell has not removed."""

SOFT_HYPHEN = "\u00ad"

PAGES_BEFORE_REOPENING = 150
"""The number of PDF pages whose text is read before the file is opened again: the libraries keep all objects."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one PDF page, with the URLs and the title of its page set."""

    number: int
    """From 1."""

    urls: tuple[str, ...]
    """The URLs of the page set; none for a page outside all page sets."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A PDF page that contains all words."""

    page: PageText
    excerpt: str
    """The text around the first of the words."""


class _Owners:
    """The page sets of a file, found by their pages."""

    def __init__(self, database: ContentDatabase) -> None:
        self._database = database

    def find(self, page: Ref, identifier: bytes) -> PageSet | None:
        """Return the page set of a page, by the ID of the page (14.10.6) if there is one."""
        if identifier:
            found = filter(is_page_set, self._database.find_by_identifier(identifier))
            return next((stored.content for stored in found if page in stored.content.objects), None)
        reference = self._by_page.get(page)
        stored = None if reference is None else self._database.page_set_at(reference)
        return None if stored is None else stored.content

    @cached_property
    def _by_page(self) -> dict[Ref, Ref]:
        return {page: stored.reference for stored in self._database.page_sets() for page in stored.content.objects}


def _texts(
    database: ContentDatabase, unreadable: list[str] | None, numbers: Sequence[int] | None = None
) -> Iterator[tuple[PdfText, int, str]]:
    """Yield the numbers and texts of the pages of a file, or of some of them, with the open file."""
    file = database.file
    for group in _groups(range(1, _count(database) + 1) if numbers is None else numbers):
        with PdfText(file.path, group[0] - 1, group[-1] - group[0] + 1, file.length) as text:
            for number in group:
                try:
                    found = text.page(number - 1)
                except SourceUnreadableError as error:
                    if unreadable is None:
                        raise
                    unreadable.append(str(error))
                else:
                    yield text, number, found
        gc.collect()  # the objects that were read refer to each other in cycles


def _count(database: ContentDatabase) -> int:
    """Return the number of pages that PDFium finds; it does not open a file without pages."""
    if database.catalog.pages.is_empty:
        return 0
    with PdfText(database.file.path, length=database.file.length) as text:
        return len(text)


def _groups(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield sorted page numbers in groups. The pages of a group are read from the same open file."""
    start = 0
    while start < len(numbers):
        end = bisect_left(numbers, numbers[start] + PAGES_BEFORE_REOPENING, start)
        yield numbers[start:end]
        start = end


def pages(database: ContentDatabase, url: str | None = None, unreadable: list[str] | None = None) -> Iterator[PageText]:
    """Yield the pages of a file in order, or those of the page sets with a URL.

    A message about each page that PDFium cannot read is appended to `unreadable`; without such a list, the first of
    these pages raises `SourceUnreadableError`.
    """
    owners = _Owners(database)
    numbers = None if url is None else _page_numbers(database, url)
    for opened, number, text in _texts(database, unreadable, numbers):
        yield _page_text(owners, opened, number, text)


def search(
    database: ContentDatabase, words: Sequence[str], unreadable: list[str] | None = None
) -> Iterator[SearchResult]:
    """Yield the pages that contain all words; see `pages` for `unreadable`.

    Raises `ArgumentError` if there is no word.
    """
    folded = folded_words(words)
    owners = _Owners(database)
    for opened, number, text in _texts(database, unreadable):
        found = excerpt(text, folded)
        if found is not None:
            yield SearchResult(_page_text(owners, opened, number, text), found)


def _page_numbers(database: ContentDatabase, url: str) -> list[int]:
    """Return the numbers of the pages of the page sets with a URL."""
    tree = database.catalog.pages
    captured = (page for stored in database.find_page_sets(url) for page in stored.content.objects)
    return sorted({number for page in captured if (number := tree.page_number(page)) is not None})


def _page_text(owners: _Owners, opened: PdfText, number: int, text: str) -> PageText:
    owner = owners.find(*opened.identity(number - 1))
    urls = () if owner is None else tuple(dict.fromkeys(source.url for source in owner.sources))
    return PageText(number, urls, "" if owner is None else owner.title, text)


# Words


def folded_words(words: Sequence[str]) -> list[str]:
    """Return words in the form in which they are compared: case folded, and in the normal form NFKC.

    A word may be a phrase, or contain phrases in double quotes beside other words.

    >>> folded_words(["Open daily", 'the "Library is"', '5"'])
    ['open daily', 'the', 'library is', '5"']
    """
    found = [folded for word in words for part in _parts(word) if (folded := _normal(part).casefold())]
    if not found:
        raise ArgumentError("no word to search for", f"give one: {file_command('search FILE WORD')}")
    return found


def _parts(word: str) -> Iterator[str]:
    """Yield the phrases in double quotes inside a word, and the words between them; the word if it has no quotes."""
    if not QUOTED.search(word):
        yield word
        return
    for index, part in enumerate(QUOTED.split(word)):  # every second part was in quotes
        yield from [part] if index % 2 else part.split()


def excerpt(text: str, words: Sequence[str]) -> str | None:
    """Return the text around the first of the folded words; None if one of the words does not occur.

    A word may be part of another word, and may be hyphenated at the end of a line.
    """
    variants = [(variant, variant.casefold()) for variant in _variants(text)]
    if not all(any(word in folded for _, folded in variants) for word in words):
        return None
    variant = next(variant for variant, folded in variants if words[0] in folded)
    return _around(variant, _position(words[0], variant))


def _variants(text: str) -> Iterator[str]:
    """Yield a text in its possible spellings: a hyphen at the end of a line is or is not part of the word."""
    line_hyphen = f"-{LINE_END}"
    yield _normal(text)
    if line_hyphen in text:
        yield _normal(text.replace(line_hyphen, ""))
        yield _normal(text.replace(line_hyphen, "-"))


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.replace(SOFT_HYPHEN, "")).split())


def _position(word: str, text: str) -> int:
    """Return the index of a folded word in a text: as a whole word if possible, or else as part of another."""
    folded = text.casefold()
    whole = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded)
    position = folded.find(word) if whole is None else whole.start()
    if len(folded) == len(text):
        return position
    ends = list(accumulate(len(character.casefold()) for character in text))
    return bisect_right(ends, position)


def _around(text: str, at: int) -> str:
    """Return the text around an index, without partial words at both ends."""
    start, end = max(at - EXCERPT_BEFORE, 0), min(at + EXCERPT_FROM, len(text))
    if start and " " in text[start:at]:
        start = text.index(" ", start) + 1
    if end < len(text) and " " in text[at + 1 : end]:
        end = text.rindex(" ", at + 1, end)
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


# Output


def described(page: PageText) -> dict[str, Any]:
    """Return the number, the URLs and the title of a page as a JSON object."""
    return {"page": page.number, "urls": list(page.urls), "title": page.title or None}


def heading(page: PageText) -> str:
    """Return the number, the URLs and the title of a page as a line of text.

    >>> heading(PageText(3, ("https://example.com/",), "Home", ""))
    'page 3  https://example.com/  Home'
    """
    return "  ".join(filter(None, [f"page {page.number}", *page.urls, visible(page.title)]))
