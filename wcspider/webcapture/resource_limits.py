"""Limits on the number and the total size of the auxiliary resources of one page."""

from __future__ import annotations

from typing import Final

LISTED: Final = 5000
"""The number of URLs behind the limit of a page that are listed. Further references are only counted."""


def most_references(resources: int) -> int:
    """Return how many URLs are read of a page, or of a style sheet, if a page may have so many resources.

    0 means no limit.
    """
    return resources + LISTED if resources else 0


def note_of_unlisted(resources: int) -> str:
    """Return a line for the summary about a page with so many references that the last are only counted."""
    return (
        f"only its first {resources} resources are stored, and only {LISTED} of the others are listed "
        "(WEBCAPTURE_MAX_RESOURCES)"
    )


class Allowance:
    """The resources that one page may have, of those that it and its style sheets refer to. 0 means no limit.

    The choice depends only on the order of references, not on the order of the answers, because the identifier of
    the page set (14.10.3.3) depends on it.
    """

    def __init__(self, resources: int = 0, size: int = 0) -> None:
        self._resources = resources
        self._size = size
        self._admitted: set[str] = set()
        self._taken: set[str] = set()
        self._used = 0
        self._full = False
        self._read_at: dict[str, int] = {}
        self._listed: set[str] = set()
        self.unlisted = 0
        """The number of references behind the limit that are not listed."""

    def admit(self, url: str) -> bool:
        """Tell whether a URL may be fetched: whether it is one of the first URLs that the page refers to."""
        if self._resources and url not in self._admitted and len(self._admitted) >= self._resources:
            return False
        self._admitted.add(url)
        return True

    @property
    def most_references(self) -> int:
        """The number of URLs that are read of each style sheet; 0 means no limit."""
        return most_references(self._resources)

    def lists(self, url: str) -> bool:
        """Tell whether a URL that was not admitted is listed: whether it is one of the first; count it if not."""
        if len(self._listed) < LISTED:
            self._listed.add(url)
        if url in self._listed:
            return True
        self.unlisted += 1
        return False

    def exhausted_with(self, size: int) -> bool:
        """Tell whether `size` more bytes would exceed the limit, so that the page gets no later resources."""
        return self._full or 0 < self._size < self._used + size

    def take(self, url: str, size: int) -> bool:
        """Tell whether the page gets the resource of a URL; after the first that exceeds the limit it gets no more."""
        if url in self._taken:
            return True
        if self.exhausted_with(size):
            self._full = True
            return False
        self._taken.add(url)
        self._used += size
        return True

    def reads(self, sheet: str, depth: int) -> bool:
        """Tell whether a style sheet, imported at a depth, has to be read: not if it was read at a smaller depth.

        Otherwise style sheets that import each other would be read once for each path through them.
        """
        if self._read_at.get(sheet, depth + 1) <= depth:
            return False
        self._read_at[sheet] = depth
        return True

    @property
    def too_many(self) -> str:
        """The reason for a URL that was not admitted."""
        return f"behind the first {self._resources} resources of a page (WEBCAPTURE_MAX_RESOURCES)"

    @property
    def too_large(self) -> str:
        """The reason for a resource that the page did not get."""
        return f"behind the first {self._size} bytes of a page's resources (WEBCAPTURE_MAX_RESOURCE_BYTES)"
