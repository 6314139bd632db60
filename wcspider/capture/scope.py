"""Which pages a command retrieves: levels, SameSite and SamePath (14.10.5.3)."""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.capture.records import Command
from wcspider.capture.urls import Location, location
from wcspider.exceptions import InvalidURLError


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

    @classmethod
    def of(cls, command: Command) -> Scope:
        """The scope of a command; raises `InvalidURLError` if its URL cannot be captured."""
        return cls(location(command.url), command.levels, command.same_site, command.same_path)

    def allows(self, url: str) -> bool:
        """Whether a page at an absolute URL may be retrieved (14.10.5.3, Table 358).

        SameSite is a matter of host and port; the default ports of http and https count as the same, so
        that a site that turns to https is not left. SamePath is a matter of scheme, host, port and the path
        up to its last slash, the scheme and host without regard to case, the path with it.
        """
        try:
            place = location(url)
        except InvalidURLError:
            return False
        initial = self.initial
        if (self.same_site or self.same_path) and (place.host, place.port) != (initial.host, initial.port):
            return False
        return not self.same_path or (place.scheme == initial.scheme and place.path.startswith(self._directory))

    def follows(self, level: int) -> bool:
        """Whether links of a page at ``level`` are followed; the initial URL is at level 1 (Table 357, L)."""
        return level < self.levels

    @property
    def _directory(self) -> str:
        """The path of the initial URL up to and including its last slash."""
        return self.initial.path[: self.initial.path.rindex("/") + 1]


def may_pull(referrer: str, url: str) -> bool:
    """Whether what ``referrer`` leads to, links to or shows may be fetched from ``url``.

    Local files and FTP servers are captured where the user names them; a page from the web may not reach them.
    """
    scheme = location(url).scheme
    return scheme in ("http", "https") or scheme == location(referrer).scheme
