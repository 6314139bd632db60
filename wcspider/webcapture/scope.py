"""The scope of a command: levels, SameSite and SamePath (14.10.5.3), and the user's patterns."""

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

    Neither rule compares a login (``user:password@``), because it does not tell where a page is.
    """

    initial: Location
    """The components of the command's URL."""

    levels: int
    same_site: bool = False
    same_path: bool = False
    patterns: Patterns = NO_PATTERNS

    @classmethod
    def of(cls, command: Command) -> Scope:
        """Return the scope of a command. Raises `InvalidURLError` if its URL cannot be captured."""
        patterns = Patterns(command.allow, command.deny)
        return cls(location(command.url), command.levels, command.same_site, command.same_path, patterns)

    def allows(self, url: str, *, is_first: bool = False) -> bool:
        """Tell whether a page at an absolute URL may be captured (14.10.5.3, Table 358)."""
        return not self.refusal(url, is_first=is_first)

    def refusal(self, url: str, *, is_first: bool = False) -> str:
        """Return why a page at an absolute URL may not be captured; empty if it may.

        With `is_first`, the URL is the destination of a redirect of the first page, to which `allow` does not apply.

        SameSite compares host and port. The default ports of http and https count as equal, so a site that moves to
        https is still the same site. SamePath compares scheme, host, port and the path up to its last slash; only
        the path is case-sensitive.
        """
        try:
            found = location(url)
        except InvalidURLError:
            return "not a URL that can be captured"
        initial = self.initial
        if (self.same_site or self.same_path) and (found.host, found.port) != (initial.host, initial.port):
            return OTHER_SITE
        if self.same_path and not (found.scheme == initial.scheme and found.path.startswith(self._directory)):
            return OTHER_PATH
        patterns = replace(self.patterns, allow="") if is_first else self.patterns
        return "" if patterns == NO_PATTERNS else patterns.refusal(canonical_url(url))

    def follows(self, level: int) -> bool:
        """Tell whether links of a page at ``level`` are followed; the initial URL is at level 1 (Table 357, L)."""
        return level < self.levels

    @property
    def site(self) -> tuple[str, str] | None:
        """The host and port that pages have to be at; None if they may be anywhere."""
        return (self.initial.host, self.initial.port) if self.same_site or self.same_path else None

    @property
    def bounds(self) -> Scope:
        """The scope, with only those components of its URL that are compared."""
        path = self._directory if self.same_path else "/"
        scheme = self.initial.scheme if self.same_path else ""
        host, port = self.site or ("", "")
        return replace(self, initial=Location(scheme, host, port, path))

    @property
    def _directory(self) -> str:
        """The path of the initial URL up to and including its last slash."""
        return self.initial.path[: self.initial.path.rindex("/") + 1]


class Scopes:
    """The scopes of the commands that are executed together, to find the command for a link.

    There may be many scopes, one for each URL of a file. So they are indexed by site, and equal scopes are compared
    only once.
    """

    def __init__(self, scopes: Mapping[int, Scope]) -> None:
        """Index the scopes, given by the index of their command, in order."""
        self._scopes = scopes
        self._levels = max((scope.levels for scope in scopes.values()), default=0)
        self._indices: dict[tuple[str, str] | None, dict[Scope, int]] = {}
        for index, scope in scopes.items():
            self._indices.setdefault(scope.site, {}).setdefault(scope.bounds, index)

    def follows(self, level: int) -> bool:
        """Tell whether a command follows links of a page at `level`."""
        return level < self._levels

    def first(self, url: str, level: int, preferred: int) -> int | None:
        """Return the command whose scope allows a link of a page at `level`: `preferred`, or else the first such."""
        if not self.follows(level):
            return None
        target = location(url)
        found = [*self._indices.get((target.host, target.port), {}).values(), *self._indices.get(None, {}).values()]
        for index in (preferred, *sorted(found)):
            if self._scopes[index].follows(level) and self._scopes[index].allows(url):
                return index
        return None


def may_pull(referrer: str, url: str) -> bool:
    """Tell whether a page at ``referrer`` may redirect to, link to or show a resource at ``url``.

    Only the user may name local files and FTP servers; a page from the web may not.
    """
    scheme = location(url).scheme
    return scheme in ("http", "https") or scheme == location(referrer).scheme
