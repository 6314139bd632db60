"""The headers, cookies and logins with which a file was captured, and which a refresh of the file needs again.

They are secrets, so a command in the file only records that they were used (`Command.withheld`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from http.cookiejar import Cookie
from urllib.parse import urlsplit

from wcspider.pdf.webcapture.commands import AUTHORIZATION
from wcspider.program_names import argument, setting
from wcspider.web.logins import is_sent_to
from wcspider.webcapture.records import COOKIES, HEADERS, LOGIN, Command

_NAMES = {HEADERS: "headers", COOKIES: "cookies", LOGIN: "a login"}
"""The credentials in words, in the order of messages."""


def credentials_for(url: str, cookies: Iterable[Cookie], logins: Mapping[str, str]) -> frozenset[str]:
    """Return which of `COOKIES` and `LOGIN` the user gave for the host of a URL; `logins` has the host names."""
    host = urlsplit(url).hostname or ""
    has_cookies = any(is_sent_to(cookie, host) for cookie in cookies)
    return frozenset([COOKIES] * has_cookies + [LOGIN] * (host in logins))


def missing_credentials(
    commands: Iterable[Command],
    headers: Collection[tuple[str, str]],
    cookies: Collection[Cookie],
    logins: Mapping[str, str],
) -> frozenset[str]:
    """Return the kinds of credentials that commands were executed with, and that the user has not given again."""
    missing: set[str] = set()
    in_headers = {LOGIN if name.lower() == AUTHORIZATION else HEADERS for name, _ in headers}
    for command in commands:
        given = credentials_for(command.url, cookies, logins) | in_headers
        missing |= command.withheld & _NAMES.keys() - given
    return frozenset(missing)


def warning_of_missing(path: object, missing: Collection[str]) -> str:
    """Return the line that tells the user which credentials are missing."""
    advice = {
        HEADERS: argument("headers", "JSON"),
        COOKIES: argument("cookies", "FILE"),
        LOGIN: setting("WEBCAPTURE_NETRC", "FILE"),
    }
    names = [name for kind, name in _NAMES.items() if kind in missing]
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    options = " and ".join(option for kind, option in advice.items() if kind in missing)
    return (
        f"{path}: was captured with {listed}, which the file does not contain. The server may answer with other pages "
        f"now: add {options}"
    )
