"""The text of the PDF pages of a file with the URLs and titles of their page sets, and the search for words in it."""

from __future__ import annotations

import gc
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from wcspider.archive.database.content_index import is_page_set
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.plain_text import visible
from wcspider.archive.query.side_by_side import side_by_side
from wcspider.archive.run.memory import release_memory
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

PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u02bb\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
)
"""The characters of keyboards for typographic quotation marks, apostrophes, hyphens and dashes. Each replaces one
character, so that positions in a text stay the same."""

LINE_HYPHEN = re.compile(f"([-\u2010{SOFT_HYPHEN}]){LINE_END}")
"""A character at the end of a line that may divide a word or belong to it."""

LINE_DASH = re.compile(rf"(?<=\S)([\u2011-\u2015]){LINE_END}")
"""A dash at the end of a line that belongs to the text, and has no space before it."""

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
    """The page, without its text."""

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


@dataclass(frozen=True, slots=True)
class _ReadPage:
    """A PDF page that was read, or that cannot be read."""

    number: int
    identity: tuple[Ref, bytes]
    """The reference and the ID of the page."""

    text: str = ""
    excerpt: str = ""
    problem: str = ""


def _read_pages(
    database: ContentDatabase,
    unreadable: list[str] | None,
    numbers: Sequence[int] | None = None,
    words: Sequence[str] = (),
) -> Iterator[_ReadPage]:
    """Yield the pages of a file, or some of them; with folded words, only pages that contain these."""
    file = database.file
    groups = list(_groups(range(1, _count(database) + 1) if numbers is None else numbers))
    for found in side_by_side(partial(_read_group, file.path, file.length, words), groups):
        for page in found:
            if not page.problem:
                yield page
            elif unreadable is None:
                raise SourceUnreadableError(page.problem)
            else:
                unreadable.append(page.problem)


def _read_group(path: Path, length: int, words: Sequence[str], group: Sequence[int]) -> list[_ReadPage]:
    """Return the pages of a group, which are read from the same open file; with words, only those that contain them."""
    found: list[_ReadPage] = []
    with PdfText(path, group[0] - 1, group[-1] - group[0] + 1, length) as opened:
        for number in group:
            try:
                text = opened.page(number - 1)
            except SourceUnreadableError as error:
                found.append(_ReadPage(number, (Ref(0), b""), problem=str(error)))
                continue
            around = excerpt(text, words) if words else ""
            if around is not None:
                found.append(_ReadPage(number, opened.identity(number - 1), "" if words else text, around))
    gc.collect()  # the objects that were read refer to each other in cycles
    release_memory()
    return found


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
    for page in _read_pages(database, unreadable, numbers):
        yield _page_text(owners, page)


def search(
    database: ContentDatabase, words: Sequence[str], unreadable: list[str] | None = None
) -> Iterator[SearchResult]:
    """Yield the pages that contain all words; see `pages` for `unreadable`.

    Raises `ArgumentError` if there is no word.
    """
    folded = folded_words(words, database.file.path)
    owners = _Owners(database)
    for page in _read_pages(database, unreadable, words=folded):
        yield SearchResult(_page_text(owners, page), page.excerpt)


def _page_numbers(database: ContentDatabase, url: str) -> list[int]:
    """Return the numbers of the pages of the page sets with a URL."""
    tree = database.catalog.pages
    captured = (page for stored in database.find_page_sets(url) for page in stored.content.objects)
    return sorted({number for page in captured if (number := tree.page_number(page)) is not None})


def _page_text(owners: _Owners, page: _ReadPage) -> PageText:
    owner = owners.find(*page.identity)
    urls = () if owner is None else tuple(dict.fromkeys(source.url for source in owner.sources))
    return PageText(page.number, urls, "" if owner is None else owner.title, page.text)


# Words


def folded_words(words: Sequence[str], path: object = "FILE") -> list[str]:
    """Return words in the form in which they are compared: case folded, in the normal form NFKC, and `PLAIN`.

    A word may be a phrase, or contain phrases in double quotes beside other words.

    >>> folded_words(["Open daily", 'the "Library is"', '5"'])
    ['open daily', 'the', 'library is', '5"']
    >>> folded_words(["O\u2019Neill", "1914\u20131918"])
    ["o'neill", '1914-1918']
    """
    found = [folded for word in words for part in _parts(word) if (folded := _folded(_normal(part)))]
    if not found:
        raise ArgumentError("no word to search for", f"give one: {file_command('search', path, 'WORD')}")
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
    variants = [(variant, _folded(variant)) for variant in _variants(text)]
    if not all(any(word in folded for _, folded in variants) for word in words):
        return None
    variant = next(variant for variant, folded in variants if words[0] in folded)
    return _around(variant, _position(words[0], variant))


def _variants(text: str) -> Iterator[str]:
    """Yield a text in its possible spellings: a hyphen at the end of a line is or is not part of the word."""
    yield _normal(text)
    joined = LINE_DASH.sub(r"\1", text)
    if joined != text or LINE_HYPHEN.search(text):
        yield _normal(LINE_HYPHEN.sub("", joined))
        yield _normal(LINE_HYPHEN.sub(r"\1", joined))


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.replace(SOFT_HYPHEN, "")).split())


def _folded(text: str) -> str:
    """Return a normal text in the form in which it is compared."""
    return text.casefold().translate(PLAIN)


def _position(word: str, text: str) -> int:
    """Return the index of a folded word in a text: as a whole word if possible, or else as part of another."""
    folded = _folded(text)
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
