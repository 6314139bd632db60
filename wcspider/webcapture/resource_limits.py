"""How many resources a page gets, and how large they may be together: a page may refer to any number of them."""

from __future__ import annotations


class Allowance:
    """What one page may have of the resources that it and its style sheets refer to. A limit of 0 is none.

    What it gets depends on the order of references alone, not on which answer comes first, since the identifier of
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

    def admit(self, url: str) -> bool:
        """Tell whether a URL is to be fetched: one of the first, of all that the page refers to."""
        if self._resources and url not in self._admitted and len(self._admitted) >= self._resources:
            return False
        self._admitted.add(url)
        return True

    def exhausted_with(self, size: int) -> bool:
        """Tell whether so many bytes more would be too many, so that nothing behind them is needed."""
        return self._full or 0 < self._size < self._used + size

    def take(self, url: str, size: int) -> bool:
        """Tell whether the page gets what a URL gave; behind the first that is too much it gets nothing more."""
        if url in self._taken:
            return True
        if self.exhausted_with(size):
            self._full = True
            return False
        self._taken.add(url)
        self._used += size
        return True

    def reads(self, sheet: str, depth: int) -> bool:
        """Tell whether a style sheet met at a depth of imports leads to anything that it did not lead to before.

        Sheets that import each other crosswise would otherwise be read once for each way through them.
        """
        if self._read_at.get(sheet, depth + 1) <= depth:
            return False
        self._read_at[sheet] = depth
        return True

    @property
    def too_many(self) -> str:
        """Why a URL was not admitted."""
        return f"behind the first {self._resources} resources of a page (WEBCAPTURE_MAX_RESOURCES)"

    @property
    def too_large(self) -> str:
        """Why the page did not get what a URL gave."""
        return f"behind the first {self._size} bytes of a page's resources (WEBCAPTURE_MAX_RESOURCE_BYTES)"
