"""Sitemaps (https://www.sitemaps.org/protocol.html): in XML, as text, sitemap indexes, and the sitemaps of robots.txt.

A sitemap is untrusted input: no entity is expanded, nothing is loaded, and entries that are not URLs which can be
captured are skipped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import lxml.etree

from wcspider.exceptions import InvalidURLError, SitemapError
from wcspider.web.charset import decide, decode
from wcspider.web.codings import GZIP_MAGIC, undo
from wcspider.web.urls import canonical_url

ROBOTS = "/robots.txt"
NOT_A_SITEMAP = "the file is not a sitemap"
BROKEN = "a broken sitemap; its readable entries are used"

_LISTS = {"urlset": "url", "sitemapindex": "sitemap"}
_FIELDS = ("loc", "lastmod")
CHUNK = 64 * 1024
_TAG_RE = re.compile(r"</?(?:[\w.-]+:)?(loc|lastmod|url|sitemap)\b[^<>]*>([^<]*)(</(?:[\w.-]+:)?(?:loc|lastmod)\s*>)?")
_CDATA_RE = re.compile(r"<!\[CDATA\[([^\]<]*)\]\]>")
_BAD_RE = re.compile(r"[\x00-\x20\x7f\ufffd]|&[A-Za-z]\w*;")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a sitemap: a page, or another sitemap."""

    url: str
    """The canonical URL."""

    changed: str = ""
    """The date of the last change, as written in the sitemap."""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The entries of a sitemap."""

    pages: tuple[Entry, ...] = ()
    sitemaps: tuple[Entry, ...] = ()
    problem: str = ""
    """The problem of a sitemap that is readable in part; empty if there is none."""


def is_robots(url: str) -> bool:
    """Tell whether a URL is that of a robots.txt (RFC 9309, 2.3), which can name sitemaps."""
    return urlsplit(url).path == ROBOTS


def read_sitemap(url: str, body: bytes, limit: int = 0) -> Sitemap:
    """Read the sitemap from a URL, compressed or not. `limit` is its greatest size in bytes; 0 means no limit.

    Raises `SitemapError` if the body is not a sitemap, and `ContentCodingError` if it cannot be decompressed.
    """
    plain = undo(body, ("gzip",), limit) if body.startswith(GZIP_MAGIC) else body
    plain = plain.removeprefix(_BOM).lstrip()
    if is_robots(url):
        return Sitemap(sitemaps=tuple(_entries(_named(plain), url)))
    if plain.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _read_xml(url, plain)
    pages = tuple(_entries((line, "") for line in plain.decode("utf-8", "replace").splitlines()))
    if plain and not pages:
        raise SitemapError(NOT_A_SITEMAP)
    return Sitemap(pages)


def _read_xml(url: str, body: bytes) -> Sitemap:
    """Read an XML sitemap or sitemap index; of a broken one, all entries that can be read."""
    target = _Rows()
    parser = lxml.etree.XMLParser(
        target=target, recover=True, resolve_entities=False, load_dtd=False, no_network=True, remove_comments=True
    )
    try:
        for start in range(0, len(body), CHUNK):
            parser.feed(body[start : start + CHUNK])
        parser.close()
    except (lxml.etree.XMLSyntaxError, UnicodeDecodeError):  # the latter for a reference to a surrogate
        is_broken = True
    else:
        # Warnings do not make a sitemap broken; libxml2 warns of a relative namespace, for example.
        is_broken = any(entry.level > lxml.etree.ErrorLevels.WARNING for entry in parser.feed_error_log)
    if target.kind not in _LISTS:
        raise SitemapError(NOT_A_SITEMAP)
    if is_broken:
        target.rows = list(_found_rows(body))
        if not any(loc for loc, _ in target.rows):
            raise SitemapError(NOT_A_SITEMAP)
    return target.listed(url, BROKEN if is_broken else "")


def _found_rows(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the URLs and dates in a broken sitemap, without those that are broken themselves.

    An XML parser may lose everything after the first error, and it may repair a URL to another one.
    """
    decision = decide(body, None, media_type="application/xml", default="utf-8")
    text = _CDATA_RE.sub(lambda match: html.escape(match[1]), decode(body, decision))
    row: dict[str, str] = {}
    for tag in _TAG_RE.finditer(f"{text}<url>"):
        name, value = tag[1], html.unescape(tag[2]).strip()
        if name in _FIELDS:
            is_whole = bool(tag[3]) and not _BAD_RE.search(value)
            row.setdefault(name, value if is_whole else "")  # an image of the page has a loc of its own
        else:
            yield row.get("loc", ""), row.get("lastmod", "")
            row = {}


class _Rows:
    """A parser target that collects the entries of a sitemap without building a tree, to save memory."""

    def __init__(self) -> None:
        self.kind = ""
        """The name of the root element."""

        self.rows: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._row: dict[str, str] = {}
        self._text: list[str] = []

    def listed(self, base: str, problem: str) -> Sitemap:
        """Return the sitemap with the entries found so far, and what is wrong with it."""
        entries = tuple(_entries(self.rows, base))
        return Sitemap(entries, (), problem) if self.kind == "urlset" else Sitemap((), entries, problem)

    def start(self, tag: str, _: Mapping[str, str]) -> None:
        """Handle a start tag."""
        name = tag.rpartition("}")[2]
        self.kind = self.kind or name
        if self.kind not in _LISTS:
            raise SitemapError(NOT_A_SITEMAP)
        self._open.append(name)
        self._text.clear()

    def data(self, text: str) -> None:
        """Handle text."""
        if self._open and self._open[-1] in _FIELDS:
            self._text.append(text)

    def end(self, _: str) -> None:
        """Handle an end tag."""
        name, item = self._open.pop(), _LISTS[self.kind]
        if name == item:
            self.rows.append((self._row.pop("loc", ""), self._row.pop("lastmod", "")))
        elif name in _FIELDS and self._open[-1:] == [item]:
            self._row.setdefault(name, "".join(self._text).strip())

    def close(self) -> None:
        """Handle the end of the document."""


def _named(body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the URLs of the sitemaps that a robots.txt names, each with an empty date."""
    for line in body.decode("utf-8", "replace").splitlines():
        field, _, value = line.partition(":")
        if field.strip().lower() == "sitemap":
            yield value.partition("#")[0].strip(), ""


def _entries(rows: Iterator[tuple[str, str]] | list[tuple[str, str]], base: str | None = None) -> Iterator[Entry]:
    """Yield the rows whose URLs can be captured, each URL once."""
    seen: set[str] = set()
    for text, changed in rows:
        try:
            found = canonical_url(text, base) if text.strip() else ""
        except InvalidURLError:
            continue
        if found and found not in seen:
            seen.add(found)
            yield Entry(found, changed)
