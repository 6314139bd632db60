"""The encodings of the parts of a URL that may contain other characters than ASCII: the host and the query."""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final, cast
from urllib.parse import quote, unquote

import idna
import webencodings

# https://url.spec.whatwg.org/commit-snapshots/a46cb9188a48c2c9d80ba32a9b1891652d6b4900/#forbidden-domain-code-point
_FORBIDDEN_HOST_RE: Final = re.compile(r"[\x00-\x20\"#%/:<>?@\[\\\]^`{|}\x7f]")

_QUERY_SAFE: Final = "!$%&()*+,/:;=?@[]|~"
_UNENCODABLE: Final = "wcspider.urls.unencodable"


@lru_cache(maxsize=4096)
def ascii_host(host: str) -> str:
    """Return a host in its ASCII form: https://www.unicode.org/reports/tr46/tr46-33.html, nontransitional."""
    if host.startswith("["):
        if "%" in host:
            raise ValueError("an IPv6 zone is only valid on one machine")
        IPv6Address(host[1:-1])
        return host.lower()
    host = unquote(host, errors="strict")
    if not host.isascii():
        host = _idna(host)
    host = host.lower()
    if not host or _FORBIDDEN_HOST_RE.search(host):
        raise ValueError("it is empty or has a forbidden character")
    return host


def _idna(host: str) -> str:
    """Return a host encoded by IDNA 2008 or, if IDNA 2008 forbids a character (such as emoji), by IDNA 2003."""
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host.encode("idna").decode("ascii")


def encoded_query(query: str, encoding: str) -> str:
    """Return a query percent-encoded in the encoding of its document.

    https://url.spec.whatwg.org/commit-snapshots/a46cb9188a48c2c9d80ba32a9b1891652d6b4900/#query-state
    """
    if query.isascii():
        return query
    found = webencodings.lookup(encoding)
    if found is None:
        raise LookupError(f"unknown encoding {encoding!r}")
    if found.name in ("utf-8", "utf-16le", "utf-16be", "replacement"):  # "get an output encoding"
        return query
    encoded = cast("bytes", found.codec_info.encode(query, _UNENCODABLE)[0])
    return quote(encoded, safe=_QUERY_SAFE)


def _character_reference(error: UnicodeError) -> tuple[str, int]:
    """Return what browsers send for a character that the encoding lacks: ``&#1046;``, percent-encoded."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unencodable = error.object[error.start : error.end]
    return "".join(f"%26%23{ord(character)}%3B" for character in unencodable), error.end


codecs.register_error(_UNENCODABLE, _character_reference)
