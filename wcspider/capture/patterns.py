"""Which URLs a command takes by their looks: the regular expressions that the user gives."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

DENIED = "denied"
NOT_ALLOWED = "not allowed"


@dataclass(frozen=True, slots=True)
class Patterns:
    """Regular expressions that are searched for in canonical URLs, as Python's ``re`` has them. Empty: none is set.

    What both match is denied.
    """

    allow: str = ""
    deny: str = ""

    def refusal(self, url: str) -> str:
        """Return why a canonical URL is not taken: `DENIED`, `NOT_ALLOWED`, or nothing if it is."""
        if self.deny and _compiled(self.deny).search(url):
            return DENIED
        return NOT_ALLOWED if self.allow and not _compiled(self.allow).search(url) else ""

    def problem(self) -> str:
        """Return what is wrong with a pattern; empty if they can be used."""
        for name, pattern in (("allow", self.allow), ("deny", self.deny)):
            try:
                _compiled(pattern)
            except re.error as error:
                return f"{name} is no regular expression: {error} in {pattern!r}"
        return ""


NO_PATTERNS = Patterns()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
