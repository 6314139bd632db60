"""The declarative refresh of a page: a META refresh, or the header Refresh."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from wcspider.web.numbers import at_most

# https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps
_REFRESH_RE: Final = re.compile(
    r"""
    [\t\n\f\r\ ]* (?:(?P<seconds>[0-9]+)|(?=\.)) [0-9.]*
    (?:
        (?:[\t\n\f\r\ ]+ [;,]? | [;,]) [\t\n\f\r\ ]*
        (?:url [\t\n\f\r\ ]* = [\t\n\f\r\ ]*)?
        (?P<quote>["']?) (?P<reference>.*)
    )?
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_LONGEST: Final = 1_000_000_000
"""The longest delay in seconds; a longer one is read as this one."""


class Refresh(NamedTuple):
    """A refresh that a page declares."""

    seconds: int
    """The delay, without fractions."""

    reference: str
    """The URL of the page to show, absolute or relative; empty if the page reloads itself."""


def parse_refresh(value: str) -> Refresh | None:
    """Return the refresh that a value declares; None if browsers ignore the value."""
    match = _REFRESH_RE.match(value)
    if match is None or (match["reference"] is None and match.end() < len(value)):
        return None
    reference, quote = match["reference"] or "", match["quote"]
    if quote:
        reference = reference.partition(quote)[0]
    return Refresh(at_most(match["seconds"] or "0", _LONGEST), reference)
