"""Which URLs a command takes by their looks: the regular expressions that the user gives."""

from __future__ import annotations

import logging
import re
import signal
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

logger = logging.getLogger(__name__)

DENIED = "denied"
NOT_ALLOWED = "not allowed"
TOO_SLOW = "not matched within a second"
BY_PATTERN = (DENIED, NOT_ALLOWED, TOO_SLOW)

SECONDS = 1.0
"""How long a pattern may take on one URL: some take longer than a crawl lasts (``(a+)+$``), and hold up all of it."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Regular expressions that are searched for in canonical URLs, as Python's ``re`` has them. Empty: none is set.

    What both match is denied.
    """

    allow: str = ""
    deny: str = ""

    def refusal(self, url: str) -> str:
        """Return why a canonical URL is not taken: one of `BY_PATTERN`, or nothing if it is."""
        denied = _is_found(self.deny, url) if self.deny else False
        if denied is not False:
            return DENIED if denied else TOO_SLOW
        allowed = _is_found(self.allow, url) if self.allow else True
        return TOO_SLOW if allowed is None else "" if allowed else NOT_ALLOWED

    def problem(self) -> str:
        """Return what is wrong with a pattern; empty if they can be used."""
        for name, pattern in (("allow", self.allow), ("deny", self.deny)):
            try:
                _compiled(pattern)
            except (re.error, OverflowError, RecursionError) as error:
                return f"{name} is no regular expression: {error} in {pattern!r}"
        return ""


NO_PATTERNS = Patterns()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class _TooSlowError(Exception):
    """A search takes too long."""


@lru_cache(maxsize=4096)
def _is_found(pattern: str, url: str) -> bool | None:
    """Tell whether a pattern is found in a URL; None if that takes too long.

    Nothing but a signal interrupts a search, and signals come to the main thread: in others there is no limit.
    """
    search = _compiled(pattern).search
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
        logger.warning("%s is left out: a search for %r in it takes more than a second", url, pattern)
        return None
    finally:
        signal.signal(signal.SIGALRM, handler)


def _give_up(*_: object) -> NoReturn:
    raise _TooSlowError
