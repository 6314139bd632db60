"""The rules for the keys of URLS: URLs in canonical form (14.10.3.2).

The algorithm leaves many details of URLs open, and programs differ in them. A key is an error only if one of the
steps would change it. If wcspider would write the key differently, that is a note, because a lookup would miss it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.name_trees import NameTree
from wcspider.exceptions import InvalidURLError
from wcspider.web.urls import canonical_url, remove_dot_segments

_WHERE = "name tree URLS"
_URL = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):)?(?://(?:[^/?#]*@)?(?P<host>\[[^\]]*\]|[^/?#:]*)(?::(?P<port>\d*))?)?"
    r"(?P<path>[^?#]*)(?:\?[^#]*)?(?P<fragment>#.*)?",
    re.DOTALL,
)
_SCHEMES = frozenset({"http", "https", "ftp", "file"})
"""The schemes to which the algorithm applies. https is younger than the algorithm."""

_DEFAULT_PORTS = {"http": "80", "ftp": "21"}


def check_url_keys(urls: NameTree) -> Iterator[Finding]:
    """Check the keys of URLS."""
    for key, _ in urls.entries:
        text = key.decode("latin-1")
        steps = list(broken_steps(text))
        for step in steps:
            yield Rule.URLS_CANONICAL.broken(_WHERE, f"the key {text!r} is not in canonical form: {step}")
        wanted = lookup_key(key)
        if not steps and wanted not in (key, None):
            yield Rule.URLS_FORM.broken(_WHERE, f"the key {text!r} is looked up as {wanted!r}")


def broken_steps(url: str) -> Iterator[str]:
    """Yield the steps of the algorithm (14.10.3.2) that would change a URL, in words."""
    parts = _URL.fullmatch(url)
    if parts is None or not parts["scheme"]:
        yield "it is a relative URL (step a)"
        return
    scheme, host = parts["scheme"].lower(), parts["host"] or ""
    if scheme not in _SCHEMES:
        return
    if parts["fragment"] is not None:
        yield "it has a number sign (step b)"
    if parts["scheme"] != scheme:
        yield "its scheme has uppercase letters (step c)"
    if re.search("[A-Z]", host):
        yield "its host has uppercase letters (step d)"
    if scheme == "file" and host.lower() == "localhost":
        yield "it names localhost as the host of a file (step e)"
    if parts["port"] and parts["port"] == _DEFAULT_PORTS.get(scheme):
        yield "it names the default port (step f)"
    if remove_dot_segments(parts["path"]) != parts["path"]:
        yield "its path has dot segments (step g)"


def lookup_key(url: bytes) -> bytes | None:
    """Return the key with which wcspider looks up a URL; None if the URL has no canonical form."""
    try:
        return canonical_url(url.decode("ascii")).encode("ascii")
    except (InvalidURLError, UnicodeError):
        return None
