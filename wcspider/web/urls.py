"""URLs in canonical form (14.10.3.2), and the resolution of references (RFC 1808, section 4).

The canonical form is the key of a content set in the URLS name tree. Therefore two spellings of one URL have the
same canonical form, an ASCII string, and a canonical URL is its own canonical form. The clause leaves some cases
open; they are decided here:

- An empty path of an http, https or ftp URL becomes ``/``, because servers cannot distinguish the two.
- Leading zeros of a port are removed, and so are an empty port, an empty login and an empty query. RFC 1808 does
  not distinguish an empty query from a missing one, and Scrapy does not send it.
- A host is percent-decoded and mapped to its ASCII form as browsers do (UTS 46, nontransitional).
- Segments ``..`` that would lead above the root are removed as in browsers (RFC 3986, 5.2.4), because many servers
  refuse a URL with them. RFC 1808 keeps them (5.2).
- ``file:/x`` and ``file:///x`` are one URL. A backslash before the query is a slash, as in browsers.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import quote

from w3lib.url import safe_url_string

from wcspider.exceptions import InvalidURLError
from wcspider.web.addresses import question_with_scheme
from wcspider.web.numbers import at_most
from wcspider.web.url_encoding import ascii_host, encoded_query

DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21, "file": None}
"""The schemes that can be captured, each with the default port that step f) removes."""

# https://www.rfc-editor.org/rfc/rfc3986#appendix-B, with the scheme of RFC 1808, 2.4.2. The one difference
# from RFC 1808, 2.4.3: a "?" ends the network location as well, as it does in every client.
_URL_RE: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):)?"
    r"(?://(?P<netloc>[^/?#]*))?"
    r"(?P<path>[^?#]*)"
    r"(?:\?(?P<query>[^#]*))?"
    r"(?:\#(?P<fragment>.*))?",
    re.DOTALL,
)
_NETLOC_RE: Final = re.compile(r"(?:(?P<login>.*)@)?(?P<host>\[[^\]@]*\]|[^:@]*)(?::(?P<port>[0-9]*))?", re.DOTALL)

# https://url.spec.whatwg.org/commit-snapshots/a46cb9188a48c2c9d80ba32a9b1891652d6b4900/#url-parsing:
# "C0 control or space" is stripped from both ends, "ASCII tab or newline" removed everywhere.
_C0_OR_SPACE: Final = "".join(map(chr, range(0x21)))
_TAB_OR_NEWLINE: Final = str.maketrans("", "", "\t\n\r")

_LOGIN_AND_MORE: Final = re.compile(r"(?<=//)[^\s?#]+")
QUOTED_LENGTH: Final = 200
"""How many characters of a string messages quote."""


LOGIN_LINK: Final = "a link with a login, which is not sent (to log in, see WEBCAPTURE_NETRC)"
"""The reason of a page whose link contains a user name or a password."""


class _Parts(NamedTuple):
    """The components of a URL; None for a missing component (RFC 1808, 2.1)."""

    scheme: str
    netloc: str | None
    path: str
    query: str | None
    fragment: str | None


@lru_cache(maxsize=8192)
def canonical_url(url: str, base: str | None = None, *, encoding: str = "utf-8") -> str:
    """Return the canonical form of a URL (14.10.3.2): a pure ASCII string without fragment.

    ``base`` is the absolute URL that a relative ``url`` is relative to. ``encoding`` is the encoding of the document
    that contains ``url``; browsers encode the query with it. The canonical form of a canonical URL is the same URL.
    Raises `InvalidURLError` if the result is not an absolute http, https, ftp or file URL.
    """
    return split_fragment(_absolute(_split(_clean(url)), url, base, encoding))[0]


def resolve(base: str, reference: str, encoding: str = "utf-8") -> str:
    """Return the absolute URL of a reference in the document at ``base`` (RFC 1808, section 4).

    The fragment is kept. A reference with a scheme other than http, https, ftp and file
    (``mailto:``, ``data:``) is returned as it is, but characters outside ASCII in one for messages are encoded, because
    a URI action has none (ISO 32000-1, Table 206). Raises `InvalidURLError` like `canonical_url`.
    """
    if len(reference) > _LONGEST_REMEMBERED:
        return _resolved.__wrapped__(base, reference, encoding)
    plain = _PLAIN_REFERENCE_RE.fullmatch(reference)
    if plain is None:
        return _resolved(base, reference, encoding)
    document, fragment = plain.groups()
    return f"{_resolved(base, document, encoding)}#{fragment}"


_OF_MESSAGES: Final = frozenset({"mailto", "sms", "tel"})
_OUTSIDE_ASCII: Final = re.compile(r"[^\x21-\x7e]+")


@lru_cache(maxsize=8192)
def _resolved(base: str, reference: str, encoding: str) -> str:
    cleaned = _clean(reference)
    parts = _split(cleaned)
    if parts.scheme in _OF_MESSAGES:
        return _OUTSIDE_ASCII.sub(lambda match: quote(match[0]), cleaned)
    if parts.scheme and parts.scheme not in DEFAULT_PORTS:
        return cleaned
    return _absolute(parts, reference, base, encoding)


def split_fragment(url: str) -> tuple[str, str]:
    """Split a URL at its first number sign into the URL without fragment, and the fragment (14.10.3.2, step b)."""
    url, _, fragment = url.partition("#")
    return url, fragment


def without_login(url: str) -> str:
    """Return a canonical URL without its login (``user:password@``), as it is stored in the file."""
    scheme, slashes, rest = url.partition("//")
    netloc, slash, path = rest.partition("/")
    return scheme + slashes + netloc.rpartition("@")[2] + slash + path


def has_login(url: str) -> bool:
    """Tell whether a canonical URL contains a login: a user name, and perhaps a password."""
    return without_login(url) != url


def is_capturable(url: str) -> bool:
    """Tell whether an absolute URL has a canonical form (14.10.3.2) and so can be captured."""
    try:
        canonical_url(url)
    except InvalidURLError:
        return False
    return True


class Location(NamedTuple):
    """The components of a canonical URL that the scope of a command compares (14.10.5.3)."""

    scheme: str
    host: str
    """In ASCII and lower case, without login."""

    port: str
    """The port as a string, or "" for the default port of the scheme."""

    path: str


@lru_cache(maxsize=8192)
def location(url: str) -> Location:
    """Return the components of the canonical form of a URL. Raises `InvalidURLError`."""
    parts = _split(canonical_url(url))
    match = _NETLOC_RE.fullmatch(parts.netloc or "")
    assert match is not None, "a canonical URL has a well-formed network location"
    return Location(parts.scheme, match["host"], match["port"] or "", parts.path)


def remove_dot_segments(path: str) -> str:
    """Return a path without its "." and "<segment>/.." subsequences (RFC 1808, section 4, step 6 a to d).

    A ".." without a segment before it stays (RFC 1808, 5.2). Parameters of the last segment are not part of the
    path in RFC 1808, so they are kept.

    >>> remove_dot_segments("/a/./b/../../../c/.")
    '/../c/'
    """
    path, parameters = _split_parameters(path)
    root, rest = ("/", path[1:]) if path.startswith("/") else ("", path)
    kept: list[str] = []
    directory = False
    for segment in rest.split("/"):
        removes_last = segment == ".." and bool(kept) and kept[-1] != ".."
        directory = removes_last or segment == "."
        if removes_last:
            kept.pop()
        elif not directory:
            kept.append(segment)
    if directory:  # steps b) and d) keep the slash before the removed segment
        kept.append("")
    return root + "/".join(kept) + parameters


_LONGEST_REMEMBERED: Final = 2_000
"""The length up to which references are remembered: a data: URL may have megabytes."""

_PERCENT_ENCODED: Final = {code: f"%{code:02X}" for code in range(0x21)}

_PLAIN_REFERENCE_RE: Final = re.compile(r"([\w/.~-]*#)([\w.~-]+)", re.ASCII)
"""A reference to a fragment without characters that are ever encoded. A page has many links into one document."""

_ABOVE_ROOT_RE: Final = re.compile(r"\A(?:/\.\.)+(?:/|\Z)")
"""Segments ".." that would lead above the root."""

_PLAIN_RE: Final = re.compile(r"/[\w/.~-]*(?:#[\w.~-]*)?", re.ASCII)
"""A path, and perhaps a fragment, without characters that are ever encoded: those of most links."""


def _absolute(parts: _Parts, url: str, base: str | None, encoding: str) -> str:
    """Return a URL resolved, normalised and encoded: steps a) and c) to g), then the one encoding pass.

    `parts` are the components of `url`, which messages quote.
    """
    if not parts.scheme and base is not None:
        parts = _join(_base_parts(base), parts)
    parts = _checked(parts, url)
    netloc = _canonical_netloc(parts.scheme, parts.netloc or "", url)
    # safe_url_string would remove a space or control character at the end of the path, as if it ended the URL.
    path = _ABOVE_ROOT_RE.sub("/", remove_dot_segments(parts.path or "/")).translate(_PERCENT_ENCODED)
    query = f"?{encoded_query(parts.query, encoding)}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    rest = f"{path}{query}{fragment}"
    try:
        if _PLAIN_RE.fullmatch(rest):
            return _encoded_root(parts.scheme, netloc) + rest[1:]
        return safe_url_string(f"{parts.scheme}://{netloc}{rest}")
    except ValueError as error:  # w3lib's own limits on hosts and ports
        raise InvalidURLError(f"{_quoted(url)} is not a URL: {error}") from error


@lru_cache(maxsize=1024)
def _encoded_root(scheme: str, netloc: str) -> str:
    """Return the URL of the root folder of a host, encoded."""
    return safe_url_string(f"{scheme}://{netloc}/")


@lru_cache(maxsize=64)
def _base_parts(url: str) -> _Parts:
    """Return the components of an absolute URL that references are relative to."""
    return _checked(_split(_clean(url)), url)


def _quoted(url: str) -> str:
    """Return a string as messages quote it: shortened, and without a login."""
    shown = _LOGIN_AND_MORE.sub(lambda match: match[0].rpartition("@")[2], url)
    return repr(shown if len(shown) <= QUOTED_LENGTH else f"{shown[:QUOTED_LENGTH]}...")


def _clean(url: str) -> str:
    """Return a URL without the characters that browsers remove before parsing."""
    scalar = url.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return scalar.strip(_C0_OR_SPACE).translate(_TAB_OR_NEWLINE)


def _split(url: str) -> _Parts:
    """Split a cleaned URL, absolute or relative, into its components (RFC 1808, 2.4)."""
    slashed = url
    if "\\" in url:
        head = re.match(r"[^?#]*", url)
        assert head is not None, "the pattern matches any string"
        slashed = head[0].replace("\\", "/") + url[head.end() :]
    match = _URL_RE.fullmatch(slashed)
    assert match is not None, "the pattern matches any string"
    return _Parts((match["scheme"] or "").lower(), *match.group("netloc", "path", "query", "fragment"))


def _checked(parts: _Parts, url: str) -> _Parts:
    """Return the components of an absolute URL; raise `InvalidURLError` if it cannot be captured."""
    if not parts.scheme:
        raise InvalidURLError(f"{_quoted(url)} is not an absolute URL", question_with_scheme(url))
    if parts.scheme not in DEFAULT_PORTS:
        raise InvalidURLError(f"{_quoted(url)} has the unsupported scheme {parts.scheme!r}", question_with_scheme(url))
    if parts.scheme != "file" and not parts.netloc:
        raise InvalidURLError(f"{_quoted(url)} has no host")
    if parts.netloc is None and not parts.path.startswith("/"):
        raise InvalidURLError(f"{_quoted(url)} has no absolute path")
    return parts


def _join(base: _Parts, reference: _Parts) -> _Parts:
    """Resolve a reference (RFC 1808, section 4, steps 2 to 6)."""
    if reference == _Parts("", None, "", None, None):
        return base
    if reference.netloc is not None:
        return reference._replace(scheme=base.scheme)
    path, query = reference.path, reference.query
    if not path:
        path, query = base.path, query or base.query
    elif path.startswith(";"):
        path = (_split_parameters(base.path)[0] or "/") + path
    elif not path.startswith("/"):
        directory = _split_parameters(base.path)[0].rpartition("/")[0]
        path = f"{directory}/{path}"
    return _Parts(base.scheme, base.netloc, path, query, reference.fragment)


def _split_parameters(path: str) -> tuple[str, str]:
    """Split a path into the path proper and its parameters with their semicolon (RFC 1808, 2.4.5).

    In RFC 1808, parameters begin at the first semicolon of the whole path. Servers use them in any segment
    (RFC 2396, 3.3), so only those of the last segment are split off. The examples of RFC 1808 allow both readings.
    """
    start = path.find(";", path.rfind("/") + 1)
    return (path, "") if start < 0 else (path[:start], path[start:])


def _canonical_netloc(scheme: str, netloc: str, url: str) -> str:
    """Return the network location with its host, port and login in canonical form (steps d to f)."""
    match = _NETLOC_RE.fullmatch(netloc)
    if match is None:
        raise InvalidURLError(f"{_quoted(url)} has a malformed host or port")
    login, host, port = match["login"], match["host"], match["port"]
    if scheme == "file":
        if login or port:
            raise InvalidURLError(f"{_quoted(url)} is a file URL with a login or port")
        return "" if host.lower() in ("", "localhost") else _checked_host(host, url)
    number = at_most(port, 0x10000) if port else None
    if number is not None and number > 0xFFFF:
        raise InvalidURLError(f"{_quoted(url)} has a port above 65535")
    login = f"{login}@" if login and login != ":" else ""
    suffix = "" if number is None or number == DEFAULT_PORTS[scheme] else f":{number}"
    return f"{login}{_checked_host(host, url)}{suffix}"


def _checked_host(host: str, url: str) -> str:
    """Return a host in its ASCII form. Raises `InvalidURLError`."""
    try:
        return ascii_host(host)
    except ValueError as error:  # includes UnicodeError and the errors of idna
        raise InvalidURLError(f"{_quoted(url)} has an invalid host: {error}") from error
