"""A content database that notifies an observer of changes to its page sets."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any

from wcspider.archive.database.content_index import Clock, Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.steps import Steps


class Event(StrEnum):
    """A change to a page set."""

    CAPTURED = "captured"
    REPLACED = "replaced"
    DROPPED = "dropped"


Observer = Callable[[Event, PageSet], None]


class ObservedDatabase(ContentDatabase):
    """Notifies an observer after a page set was added, replaced or dropped."""

    def __init__(self, file: RevisionFile, clock: Clock, observer: Observer, *, is_new: bool | None = None) -> None:
        super().__init__(file, clock, is_new=is_new)
        self._observer = observer

    def add_page_set(self, *values: Any, **named: Any) -> Steps[Stored[PageSet]]:
        """Add a page set in steps."""
        return self._notify(Event.CAPTURED, (yield from super().add_page_set(*values, **named)))

    def replace_page_set(self, *values: Any, **named: Any) -> Steps[Stored[PageSet]]:
        """Replace the pages of a page set with those of a capture, in steps."""
        return self._notify(Event.REPLACED, (yield from super().replace_page_set(*values, **named)))

    def remove_page_set(self, stored: Stored[PageSet]) -> None:
        """Remove a page set with its pages."""
        super().remove_page_set(stored)
        self._notify(Event.DROPPED, stored)

    def _notify(self, event: Event, stored: Stored[PageSet]) -> Stored[PageSet]:
        self._observer(event, stored.content)
        return stored
