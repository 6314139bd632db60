"""What tells a page from a trap: URLs that a site makes up without end, such as calendars and links that nest."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from wcspider.web.urls import location


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """How far a URL that a page links to may go before it is taken for a trap. 0 sets no limit."""

    url_length: int = 0
    """Characters of the whole URL."""

    path_depth: int = 0
    """Segments of the path: ``/a/b/c`` has three."""

    segment_repeats: int = 0
    """How often one segment may stand in the path: ``/en/en/en/`` repeats one three times."""

    def refusal(self, url: str) -> str | None:
        """Return why a canonical URL is taken for a trap, in words that are the same for all of its kind."""
        if self.url_length and len(url) > self.url_length:
            return f"a URL of more than {self.url_length} characters"
        segments = [segment for segment in location(url).path.split("/") if segment]
        if self.path_depth and len(segments) > self.path_depth:
            return f"a path of more than {self.path_depth} segments"
        if self.segment_repeats and max(Counter(segments).values(), default=0) > self.segment_repeats:
            return f"a path that repeats a segment more than {self.segment_repeats} times"
        return None
