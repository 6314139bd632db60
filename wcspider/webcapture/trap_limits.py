"""Limits against traps: URLs that a site generates without end, such as calendars and nested relative links."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from wcspider.web.urls import location


@dataclass(frozen=True, slots=True)
class TrapLimits:
    """Limits on the URL of a link; a URL beyond them is treated as a trap. 0 means no limit."""

    url_length: int = 0
    """The number of characters of the URL."""

    path_depth: int = 0
    """The number of segments of the path: ``/a/b/c`` has three."""

    segment_repeats: int = 0
    """How often a segment may occur in the path: in ``/en/en/en/``, the segment ``en`` occurs three times."""

    def refusal(self, url: str) -> str:
        """Return why a canonical URL is treated as a trap, in the same words for all such URLs; empty if it is not."""
        if self.url_length and len(url) > self.url_length:
            return f"a URL of more than {self.url_length} characters"
        segments = [segment for segment in location(url).path.split("/") if segment]
        if self.path_depth and len(segments) > self.path_depth:
            return f"a path of more than {self.path_depth} segments"
        if self.segment_repeats and max(Counter(segments).values(), default=0) > self.segment_repeats:
            return f"a path that repeats a segment more than {self.segment_repeats} times"
        return ""
