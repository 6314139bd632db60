"""The text of the pages of a file, with what Web Capture says of each, and the pages on which words occur."""

from __future__ import annotations

import gc
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.exceptions import ArgumentError
from wcspider.pdf.objects import Ref
from wcspider.pdf.text.extraction import LINE_END, PdfText
from wcspider.pdf.webcapture.content_sets import PageSet

Opened = Callable[[], ContentDatabase]
"""Opens the database of a file."""

BEFORE, BEHIND = 40, 70
"""How many characters of an excerpt stand before a word, and from it on."""

SOFT_HYPHEN = "\u00ad"


STRETCH = 300
"""How many pages are read before the file is opened anew: the libraries keep what they have read of it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a file, and its text."""

    number: int
    """From 1."""

    urls: tuple[str, ...]
    """Where its page set came from; none for a page that was not captured."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """A page on which words occur."""

    page: Page
    excerpt: str
    """What stands around the first of the words."""


class _Reading:
    """A file that is open."""

    def __init__(self, database: ContentDatabase, text: PdfText) -> None:
        self._database = database
        self._text = text

    def text(self, number: int) -> str:
        return self._text.page(number - 1)

    def page(self, number: int, text: str) -> Page:
        owner = self._owner(number)
        urls = () if owner is None else tuple(dict.fromkeys(source.url for source in owner.sources))
        return Page(number, urls, "" if owner is None else owner.title, text)

    def _owner(self, number: int) -> PageSet | None:
        """Return the page set that a page belongs to: by the ID of the page (14.10.6), or else by all page sets."""
        page, identifier = self._text.identity(number - 1)
        if not identifier:
            return self._owners.get(page)
        return next(
            (found for found in _page_sets(self._database.find_by_identifier(identifier)) if page in found.objects),
            None,
        )

    @cached_property
    def _owners(self) -> dict[Ref, PageSet]:
        return {page: found for found in _page_sets(self._database.content_sets()) for page in found.objects}


def _page_sets(found: Iterable[Stored]) -> Iterator[PageSet]:
    return (stored.content for stored in found if isinstance(stored.content, PageSet))


def _readings(opened: Opened, url: str | None = None) -> Iterator[tuple[_Reading, int]]:
    """Yield the numbers of the pages of a file in order, or of those that came from a URL, with what reads them."""
    with closing(opened()) as database:
        tree = database.catalog.pages
        if url is None:
            numbers: Sequence[int] = range(1, tree.count + 1)
        else:
            held = (page for found in _page_sets(database.find_by_url(url)) for page in found.objects)
            numbers = sorted({number for page in held if (number := tree.page_number(page)) is not None})
    for at in range(0, len(numbers), STRETCH):
        with closing(opened()) as database, PdfText(database.file.path) as text:
            reading = _Reading(database, text)
            yield from ((reading, number) for number in numbers[at : at + STRETCH])
        gc.collect()  # what was read is held by circles of references, and is much


def pages(opened: Opened, url: str | None = None) -> Iterator[Page]:
    """Yield the pages of a file in order, or those that came from a URL; a stretch of them is in memory."""
    for reading, number in _readings(opened, url):
        yield reading.page(number, reading.text(number))


def search(opened: Opened, words: Sequence[str]) -> Iterator[Found]:
    """Yield the pages of a file on which all words occur. Raises `ArgumentError` if there is no word."""
    wanted = folded_words(words)
    for reading, number in _readings(opened):
        text = reading.text(number)
        around = excerpt(text, wanted)
        if around is not None:
            yield Found(reading.page(number, text), around)


# Words


def folded_words(words: Sequence[str]) -> list[str]:
    """Return words as they are compared: whatever their case and compatible form (NFKC)."""
    wanted = [folded for word in words if (folded := _normal(word).casefold())]
    if not wanted:
        raise ArgumentError("there is no word to search for", "give one: scrapy webcapture search FILE WORD")
    return wanted


def excerpt(text: str, words: Sequence[str]) -> str | None:
    """Return what stands around the first of the words, which are folded; None if one of them does not occur.

    A word is found within another, and whole where it is divided at the end of a line.
    """
    readings = [(reading, reading.casefold()) for reading in _spellings(text)]
    if not all(any(word in folded for _, folded in readings) for word in words):
        return None
    reading = next(reading for reading, folded in readings if words[0] in folded)
    return _around(reading, _place(words[0], reading))


def _spellings(text: str) -> Iterator[str]:
    """Yield what a text may say: a hyphen at the end of a line may belong to the word, or to the line."""
    divided = f"-{LINE_END}"
    yield _normal(text)
    if divided in text:
        yield _normal(text.replace(divided, ""))
        yield _normal(text.replace(divided, "-"))


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text.replace(SOFT_HYPHEN, "")).split())


def _place(word: str, text: str) -> int:
    """Return where a folded word stands in a text, on its own if it does anywhere, or else within another."""
    folded = text.casefold()
    alone = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded)
    place = folded.find(word) if alone is None else alone.start()
    if len(folded) == len(text):
        return place
    ends = list(accumulate(len(character.casefold()) for character in text))
    return bisect_right(ends, place)


def _around(text: str, at: int) -> str:
    """Return what stands around a place, without the halves of words at its ends."""
    start, end = max(at - BEFORE, 0), min(at + BEHIND, len(text))
    if start and " " in text[start:at]:
        start = text.index(" ", start) + 1
    if end < len(text) and " " in text[at + 1 : end]:
        end = text.rindex(" ", at + 1, end)
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


# For the reader


def described(page: Page) -> dict[str, Any]:
    """Return what is known of a page, as JSON has it."""
    return {"page": page.number, "urls": list(page.urls), "title": page.title or None}


def heading(page: Page) -> str:
    """Return a line that tells of a page.

    >>> heading(Page(3, ("https://example.com/",), "Home", ""))
    'page 3  https://example.com/  Home'
    """
    return "  ".join(filter(None, [f"page {page.number}", *page.urls, page.title]))
