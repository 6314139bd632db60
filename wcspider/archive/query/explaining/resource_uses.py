"""The pages that use an auxiliary resource: an image, a style sheet or a font."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.run_report import RESOURCE
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import all_runs
from wcspider.units import format_count
from wcspider.web.resources import AuxiliaryKind

UNUSED = "cannot be read as an image, or is not shown"
NAMES = {AuxiliaryKind.IMAGE: "an image", AuxiliaryKind.STYLESHEET: "a style sheet", AuxiliaryKind.FONT: "a font"}


class ResourceUses:
    """The latest record of an auxiliary resource, and the pages that refer to it."""

    def __init__(self, database: ContentDatabase, url: str) -> None:
        self.database = database
        self.url = url
        records = database.auxiliaries
        self.fetched = records.find(url)
        """Its record with bytes; None if it could not be fetched, or is not in the file."""

        self.reference = self.fetched or records.find(url, has_bytes=False)
        self.kind = None if self.reference is None else records.record(self.reference).kind
        self.pages = [] if self.reference is None else sorted(self._pages(self.reference))
        """The number of the first PDF page and the URL of each page that refers to it, in page order."""

    def _pages(self, reference: Ref) -> Iterator[tuple[int, str]]:
        for stored in self.database.page_sets():
            for source in stored.content.sources:
                if stored.content.objects and reference in source.auxiliaries:
                    yield self.database.catalog.pages.page_number(stored.content.objects[0]) or 0, source.url

    def described(self) -> dict[str, Any] | None:
        """Return its kind and its pages as a JSON object; None if no page refers to it."""
        if self.kind is None or not self.pages:
            return None
        return {"kind": str(self.kind), "pages": [{"page": number or None, "url": url} for number, url in self.pages]}

    @property
    def is_held(self) -> bool:
        """True if the file holds it. An image is in the file as an image set, but an SVG image as vector graphics."""
        if self.fetched is None:
            return False
        record = self.database.auxiliaries.record(self.fetched)
        return record.kind is not AuxiliaryKind.IMAGE or "svg" in record.content_type

    def problem(self) -> str | None:
        """Return why it is not in the file, as a predicate of "it"; None if no page tried to fetch it."""
        described = self.described()
        if described is None:
            return None
        runs = all_runs(self.database.catalog.history)
        notes = [note for run in runs for note in run.notes if note.kind == RESOURCE and self.url in note.urls]
        reason = f": {notes[-1].reason}" if notes else ""
        if self.fetched is None:
            return f"it is {use(described)} that could not be fetched{reason}"
        return f"it is {use(described)} that {f'is not shown{reason}' if reason else UNUSED}"


def use(described: dict[str, Any]) -> str:
    """Return the use of a resource in words.

    >>> use({"kind": "image", "pages": [{"page": 4, "url": "https://example.com/"}, {"page": 5, "url": "..."}]})
    'an image of https://example.com/ (page 4) and of 1 other page'
    """
    first, *others = described["pages"]
    more = f" and of {format_count(len(others), 'other page')}" if others else ""
    place = f" (page {first['page']})" if first["page"] is not None else ""
    return f"{NAMES[AuxiliaryKind(described['kind'])]} of {first['url']}{place}{more}"
