"""The user's regular expressions for the URLs that a command may capture."""

from __future__ import annotations

import logging
import re
import signal
import threading
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

logger = logging.getLogger(__name__)

DENIED = "denied"
NOT_ALLOWED = "not allowed"
TOO_SLOW = "not matched within a second"
BY_PATTERN = (DENIED, NOT_ALLOWED, TOO_SLOW)

SECONDS = 1.0
"""How long a search in one URL may take: some patterns, such as ``(a+)+$``, would block the crawl for hours."""

MOST_SLOW = 10
"""How many searches for a pattern may take so long. Then it is searched no more: meanwhile, nothing stops the crawl."""

_slow: Counter[str] = Counter()
"""The number of URLs for which a pattern was too slow, by pattern."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Regular expressions of Python's ``re`` that are searched in canonical URLs; an empty one is not used.

    A URL that matches both is denied.
    """

    allow: str = ""
    deny: str = ""

    def refusal(self, url: str) -> str:
        """Return why a canonical URL may not be captured, one of `BY_PATTERN`; empty if it may."""
        denied = _is_found(self.deny, url) if self.deny else False
        if denied is not False:
            return DENIED if denied else TOO_SLOW
        allowed = _is_found(self.allow, url) if self.allow else True
        return TOO_SLOW if allowed is None else "" if allowed else NOT_ALLOWED

    def explained(self, refusal: str) -> str:
        """Return a refusal with the pattern that is its reason; any other text as it is."""
        if refusal == DENIED:
            return f"{DENIED}: it matches the pattern {self.deny} (deny)"
        if refusal == NOT_ALLOWED:
            return f"{NOT_ALLOWED}: it does not match the pattern {self.allow} (allow)"
        return refusal

    def problem(self) -> str:
        """Return the problem of the patterns; empty if they are valid."""
        for name, pattern in (("allow", self.allow), ("deny", self.deny)):
            try:
                _compiled(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                return f"{name} is not a valid regular expression: {error} in {pattern!r}"
        return ""


NO_PATTERNS = Patterns()


def slow_searches(patterns: Iterable[str]) -> Mapping[str, int]:
    """Return for how many URLs each of some patterns was too slow in this process, without those that never were."""
    return {pattern: _slow[pattern] for pattern in dict.fromkeys(patterns) if _slow[pattern]}


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern. Python's warning that a later version may read it differently (``[[``) is not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern)


class _TooSlowError(Exception):
    """An error that ends a search which takes too long."""


@lru_cache(maxsize=4096)
def _is_found(pattern: str, url: str) -> bool | None:
    """Tell whether a pattern is found in a URL; None if the search takes too long, or `MOST_SLOW` searches have.

    Only a signal can interrupt a search, and only the main thread receives signals. Other threads have no limit.
    """
    search = _compiled(pattern).search
    if _slow[pattern] >= MOST_SLOW:
        _slow[pattern] += 1
        return None
    if threading.current_thread() is not threading.main_thread():
        return search(url) is not None
    handler = signal.signal(signal.SIGALRM, _give_up)
    try:
        timer = signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            return search(url) is not None
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
    except _TooSlowError:
        logger.warning("Skipped %s: the search for the pattern %r took more than a second", url, pattern)
        _slow[pattern] += 1
        if _slow[pattern] == MOST_SLOW:
            logger.warning("Skipping all further URLs: the pattern %r is too slow", pattern)
        return None
    finally:
        signal.signal(signal.SIGALRM, handler)


def _give_up(*_: object) -> NoReturn:
    """Handle the signal of the timer."""
    raise _TooSlowError
