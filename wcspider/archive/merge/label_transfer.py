"""The page labels (ISO 32000-1, 12.4.2) of the pages that a merge takes over from an input.

A page that has its page number as its label, not counting contents pages, gets its new number in the merged file. So
the pages of merged captures are numbered like those of one capture.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.database import ContentDatabase
from wcspider.pdf.file.page_labels import DECIMAL, Range, decimal_from
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import read_text, text_string


@dataclass(frozen=True, slots=True)
class _Label:
    """The label of a page: the numbering style, empty for none, the prefix, and the number."""

    style: str
    prefix: str
    number: int

    def follows(self, other: _Label) -> bool:
        """Tell whether both labels can be in one range, this one directly behind the other."""
        is_next = not self.style or self.number == other.number + 1
        return is_next and (self.style, self.prefix) == (other.style, other.prefix)

    def as_pdf(self) -> dict[str, Value]:
        """Return the page label dictionary (Table 159) of a range that begins with this label."""
        entries: dict[str, Value] = {"S": Name(self.style)} if self.style else {}
        if self.prefix:
            entries["P"] = text_string(self.prefix)
        return entries if self.number == 1 or not self.style else {**entries, "St": self.number}


class _Labels:
    """The page labels of a file."""

    def __init__(self, catalog: Catalog) -> None:
        self._resolve = catalog.file.resolve
        self.ranges = catalog.page_labels
        self._starts = [start for start, _ in self.ranges]
        contents = catalog.contents
        self.front = 0 if contents is None else len(catalog.pages.kids(contents))
        """The number of contents pages."""

    def plain(self, index: int) -> _Label:
        """Return the label that a page with an index has in a file without page labels."""
        return _Label(DECIMAL, "", index - self.front + 1)

    def at(self, index: int) -> _Label:
        """Return the label of the page with an index, from 0."""
        at = bisect_right(self._starts, index) - 1
        if at < 0:
            return _Label(DECIMAL, "", index + 1)
        start, value = self.ranges[at]
        content = self._resolve(value)
        first = self._resolve(content.get("St"))
        style, prefix = self._resolve(content.get("S")), read_text(self._resolve(content.get("P")))
        return _Label(str(style or ""), prefix, index - start + (first if type(first) is int and first > 0 else 1))


class LabelTransfer:
    """Takes over the page labels of a file. Create it before the pages of the file are added."""

    def __init__(self, database: ContentDatabase, source: ContentDatabase) -> None:
        self._catalog = database.catalog
        self._source = source.catalog
        self._first = database.catalog.pages.count
        self._before = _Labels(database.catalog)

    def run(self, added: Collection[Ref]) -> None:
        """Label the last pages of the merged file, which were added; `added` has the pages of the input for them."""
        labels = self._labels(added)
        is_plain = all(label == self._before.plain(index) for index, label in enumerate(labels, self._first))
        if not labels or (is_plain and not self._before.ranges):
            return
        ranges: list[Range] = list(self._before.ranges)
        if not ranges and self._first:
            ranges.append((0, decimal_from(1)))
        elif not ranges:
            ranges.append((0, labels[0].as_pdf()))
        last = labels[0] if not self._first else self._before.at(self._first - 1)
        for index, (before, label) in enumerate(pairwise([last, *labels]), self._first):
            if index and not label.follows(before):
                ranges.append((index, label.as_pdf()))
        self._catalog.page_labels = ranges

    def _labels(self, added: Collection[Ref]) -> Sequence[_Label]:
        """Return the labels of added pages in the merged file, in their order there."""
        theirs = _Labels(self._source)
        places = enumerate(added, self._first)
        if not theirs.ranges:
            return [self._before.plain(index) for index, _ in places]
        numbers = self._source.pages.page_numbers(added)
        found = []
        for index, page in places:
            number = numbers.get(page, 1) - 1
            label = theirs.at(number)
            found.append(self._before.plain(index) if label == theirs.plain(number) else label)
        return found
