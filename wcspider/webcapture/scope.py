"""Which pages a command retrieves: levels, SameSite and SamePath (14.10.5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from wcspider.exceptions import InvalidURLError
from wcspider.web.urls import Location, canonical_url, location
from wcspider.webcapture.patterns import NO_PATTERNS, Patterns
from wcspider.webcapture.records import Command

OTHER_SITE = "another site (same_site)"
OTHER_PATH = "another path (same_path)"


@dataclass(frozen=True, slots=True)
class Scope:
    """The bounds of a command (14.10.5.3, Tables 357 and 358).

    A login (``user:password@``) is compared in neither rule: it says who asks, not where the page is.
    """

    initial: Location
    """The components of the command's URL."""

    levels: int
    same_site: bool = False
    same_path: bool = False
    patterns: Patterns = NO_PATTERNS

    @classmethod
    def of(cls, command: Command) -> Scope:
        """The scope of a command; raises `InvalidURLError` if its URL cannot be captured."""
        patterns = Patterns(command.allow, command.deny)
        return cls(location(command.url), command.levels, command.same_site, command.same_path, patterns)

    def allows(self, url: str) -> bool:
        """Whether a page at an absolute URL may be retrieved (14.10.5.3, Table 358)."""
        return not self.refusal(url)

    def refusal(self, url: str) -> str:
        """Return why a page at an absolute URL may not be retrieved; empty if it may.

        SameSite is a matter of host and port; the default ports of http and https count as the same, so
        that a site that turns to https is not left. SamePath is a matter of scheme, host, port and the path
        up to its last slash, the scheme and host without regard to case, the path with it.
        """
        try:
            place = location(url)
        except InvalidURLError:
            return "no URL that can be captured"
        initial = self.initial
        if (self.same_site or self.same_path) and (place.host, place.port) != (initial.host, initial.port):
            return OTHER_SITE
        if self.same_path and not (place.scheme == initial.scheme and place.path.startswith(self._directory)):
            return OTHER_PATH
        return "" if self.patterns == NO_PATTERNS else self.patterns.refusal(canonical_url(url))

    def follows(self, level: int) -> bool:
        """Whether links of a page at ``level`` are followed; the initial URL is at level 1 (Table 357, L)."""
        return level < self.levels

    @property
    def site(self) -> tuple[str, str] | None:
        """The host and port that it is bound to; None if it is bound to none."""
        return (self.initial.host, self.initial.port) if self.same_site or self.same_path else None

    @property
    def bounds(self) -> Scope:
        """The scope with no more of its URL than what it compares."""
        path = self._directory if self.same_path else "/"
        scheme = self.initial.scheme if self.same_path else ""
        host, port = self.site or ("", "")
        return replace(self, initial=Location(scheme, host, port, path))

    @property
    def _directory(self) -> str:
        """The path of the initial URL up to and including its last slash."""
        return self.initial.path[: self.initial.path.rindex("/") + 1]


class Scopes:
    """The scopes of commands that are executed together: which of them takes a page that another page links to.

    They may be many, one for each URL of a file. So those are looked at that may take the page, each bound once.
    """

    def __init__(self, scopes: Mapping[int, Scope]) -> None:
        """Take the scopes by the index of their command, in order."""
        self._scopes = scopes
        self._levels = max((scope.levels for scope in scopes.values()), default=0)
        self._indices: dict[tuple[str, str] | None, dict[Scope, int]] = {}
        for index, scope in scopes.items():
            self._indices.setdefault(scope.site, {}).setdefault(scope.bounds, index)

    def first(self, url: str, level: int, preferred: int) -> int | None:
        """Return the command that takes a page to which one at `level` links: `preferred`, or else the first."""
        if level >= self._levels:
            return None
        place = location(url)
        found = [*self._indices.get((place.host, place.port), {}).values(), *self._indices.get(None, {}).values()]
        for index in (preferred, *sorted(found)):
            if self._scopes[index].follows(level) and self._scopes[index].allows(url):
                return index
        return None


def may_pull(referrer: str, url: str) -> bool:
    """Whether what ``referrer`` leads to, links to or shows may be fetched from ``url``.

    Local files and FTP servers are captured where the user names them; a page from the web may not reach them.
    """
    scheme = location(url).scheme
    return scheme in ("http", "https") or scheme == location(referrer).scheme
