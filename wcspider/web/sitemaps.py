"""Sitemaps (https://www.sitemaps.org/protocol.html): in XML, indexes of them, as text, and those that robots.txt names.

A sitemap comes from the web, so nothing in it is relied on: no entity of its own is expanded, nothing is loaded, and
what is no capturable URL is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import lxml.etree

from wcspider.exceptions import InvalidURLError, SitemapError
from wcspider.web.codings import undo
from wcspider.web.urls import canonical_url

ROBOTS = "/robots.txt"
NONE = "no sitemap"
BROKEN = "a broken sitemap, of which what can be read is taken"

_GZIP = b"\x1f\x8b"
_LISTS = {"urlset": "url", "sitemapindex": "sitemap"}
_FIELDS = ("loc", "lastmod")
CHUNK = 64 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """What a sitemap lists."""

    url: str
    """The canonical URL."""

    changed: str = ""
    """When it changed last, as the sitemap says it."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What a sitemap says."""

    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[Entry, ...] = ()
    problem: str = ""
    """What is wrong with it, where some of it can be read all the same."""


def is_robots(url: str) -> bool:
    """Tell whether a URL is that of a robots.txt (RFC 9309, 2.3), which names sitemaps."""
    return urlsplit(url).path == ROBOTS


def read_sitemap(url: str, body: bytes, limit: int = 0) -> Sitemap:
    """Read the sitemap that a URL gave, compressed or not, up to `limit` bytes; 0 sets none.

    Raises `SitemapError` for what is none, and `ContentCodingError` for what cannot be decompressed.
    """
    plain = undo(body, ("gzip",), limit) if body.startswith(_GZIP) else body
    plain = plain.removeprefix(_BOM).lstrip()
    if is_robots(url):
        return Sitemap(sitemaps=tuple(_entries(_named(plain), url)))
    if plain.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _read_xml(url, plain)
    pages = tuple(_entries((line, "") for line in plain.decode("utf-8", "replace").splitlines()))
    if plain and not pages:
        raise SitemapError(NONE)
    return Sitemap(pages)


def _read_xml(url: str, body: bytes) -> Sitemap:
    target = _Rows()
    parser = lxml.etree.XMLParser(
        target=target, recover=True, resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True
    )
    try:
        for start in range(0, len(body), CHUNK):
            parser.feed(body[start : start + CHUNK])
        parser.close()
    except (lxml.etree.XMLSyntaxError, UnicodeDecodeError):  # the latter for a reference to a surrogate
        if not target.rows:
            raise SitemapError(NONE) from None
        return target.listed(url, BROKEN)
    if target.kind not in _LISTS:
        raise SitemapError(NONE)
    return target.listed(url, BROKEN if len(parser.feed_error_log) else "")


class _Rows:
    """What a parser tells of a sitemap, with no tree of it: a long one takes no more memory than a short one."""

    def __init__(self) -> None:
        self.kind = ""
        """The name of the root."""

        self.rows: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._row: dict[str, str] = {}
        self._text: list[str] = []

    def listed(self, base: str, problem: str) -> Sitemap:
        """Return what is listed, with what is wrong with it."""
        entries = tuple(_entries(self.rows, base))
        return Sitemap(entries, (), problem) if self.kind == "urlset" else Sitemap((), entries, problem)

    def start(self, tag: str, _: Mapping[str, str]) -> None:
        """Take a start tag."""
        name = tag.rpartition("}")[2]
        self.kind = self.kind or name
        if self.kind not in _LISTS:
            raise SitemapError(NONE)
        self._open.append(name)
        self._text.clear()

    def data(self, text: str) -> None:
        """Take text."""
        if self._open and self._open[-1] in _FIELDS:
            self._text.append(text)

    def end(self, _: str) -> None:
        """Take an end tag."""
        name, item = self._open.pop(), _LISTS[self.kind]
        if name == item:
            self.rows.append((self._row.pop("loc", ""), self._row.pop("lastmod", "")))
        elif name in _FIELDS and self._open[-1:] == [item]:
            self._row.setdefault(name, "".join(self._text).strip())
        self._text.clear()

    def close(self) -> None:
        """Take the end."""


def _named(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the sitemaps that a robots.txt names."""
    for line in body.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        if field.strip().lower() == "sitemap":
            yield value.partition("#")[0].strip(), ""


def _entries(rows: Iterator[tuple[str, str]] | list[tuple[str, str]], base: str | None = None) -> Iterator[Entry]:
    seen: set[str] = set()
    for text, changed in rows:
        try:
            found = canonical_url(text, base) if text.strip() else ""
        except InvalidURLError:
            continue
        if found and found not in seen:
            seen.add(found)
            yield Entry(found, changed)
