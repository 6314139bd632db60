"""The user's logins, from a cookie file and a netrc file. Messages name the file but never quote its contents."""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Mapping
from http.cookiejar import Cookie, LoadError, MozillaCookieJar
from netrc import NetrcParseError, netrc
from pathlib import Path

from wcspider.exceptions import ArgumentError, SettingError
from wcspider.user_files import problem_of, refuse_device


def basic_authorization(user: str, password: str) -> str:
    """Return an Authorization header of the Basic scheme (RFC 7617)."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def read_cookies(path: Path) -> tuple[Cookie, ...]:
    """Read a cookie file in Netscape's format, as browsers and curl write it. Raises `ArgumentError`.

    Session cookies are included, expired cookies are not.
    """
    jar = MozillaCookieJar()
    try:
        with warnings.catch_warnings(action="ignore"):  # they quote the line
            refuse_device(path)
            jar.load(str(path), ignore_discard=True, ignore_expires=True)
    except LoadError:
        if _begins_with_mark(path):
            advice = "save it as UTF-8 without a byte order mark (BOM)"
        else:
            advice = "export the cookies in Netscape format; the first line must be: # Netscape HTTP Cookie File"
        raise ArgumentError(f"cookies: {path} is not a cookie file", advice) from None
    except (OSError, ValueError) as error:
        raise ArgumentError(f"cookies: {path}: {problem_of(error)}", "name a file that can be read") from None
    found = tuple(cookie for cookie in map(_for_jar, jar) if not cookie.is_expired())
    if not found:
        raise ArgumentError(f"cookies: {path} has no unexpired cookie", "log in and export them again")
    return found


def _begins_with_mark(path: Path) -> bool:
    """Tell whether a file begins with a byte order mark, as editors of Windows write it. A pipe was read already."""
    # Imported here: only the message of an error needs it, and each command loads this module.
    from wcspider.web.charset import BYTE_ORDER_MARKS

    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(max(map(len, BYTE_ORDER_MARKS))).startswith(BYTE_ORDER_MARKS)


def is_sent_to(cookie: Cookie, host: str) -> bool:
    """Tell whether a cookie is for a host: its own, or one of its domain (RFC 6265, 5.1.3)."""
    name = host if "." in host else f"{host}.local"  # how http.cookiejar names a host without dots
    domain = cookie.domain.removeprefix(".")
    return name == domain or (cookie.domain.startswith(".") and name.endswith(cookie.domain))


def _for_jar(cookie: Cookie) -> Cookie:
    """Adapt a cookie of a file to the conventions of http.cookiejar, and return it."""
    if cookie.expires == 0:  # how browsers write the end of a session
        cookie.expires, cookie.discard = None, True
    if "." not in cookie.domain:  # how http.cookiejar names a host without dots
        cookie.domain += ".local"
    return cookie


def read_netrc(path: str) -> Mapping[str, str]:
    """Read a netrc file: the Authorization header for each of its hosts. Raises `SettingError`.

    The entry ``default`` is ignored, because it would send a login to every host that a page names.
    """
    try:
        file = Path(path).expanduser()
        refuse_device(file)
        hosts = netrc(file).hosts
    except NetrcParseError as error:
        raise SettingError(f"WEBCAPTURE_NETRC: {path}: syntax error in line {error.lineno}") from None
    except RuntimeError:
        raise SettingError(f"WEBCAPTURE_NETRC: {path}: the home folder is not known") from None
    except (OSError, ValueError) as error:
        raise SettingError(f"WEBCAPTURE_NETRC: {path}: {problem_of(error)}") from None
    return {
        host.lower(): basic_authorization(user, password or "")
        for host, (user, _, password) in hosts.items()
        if host != "default"
    }
