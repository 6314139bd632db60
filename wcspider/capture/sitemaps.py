"""Sitemaps (https://www.sitemaps.org/protocol.html): in XML, indexes of them, as text, and those that robots.txt names.

A sitemap comes from the web, so nothing in it is relied on: no entity of its own is expanded, nothing is loaded, and
what is no capturable URL is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from urllib.parse import urlsplit

import lxml.etree

from wcspider.capture.codings import undo
from wcspider.capture.urls import canonical_url
from wcspider.exceptions import InvalidURLError, SitemapError

ROBOTS = "/robots.txt"
NONE = "no sitemap"
BROKEN = "a broken sitemap, of which what can be read is taken"

_GZIP = b"\x1f\x8b"
_LISTS = {"urlset": "url", "sitemapindex": "sitemap"}
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
    events = lxml.etree.iterparse(
        BytesIO(body),
        events=("start", "end"),
        recover=True,
        resolve_entities=False,
        load_dtd=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    rows: list[tuple[str, str]] = []
    kind = ""
    try:
        for event, element in events:
            name = _name(element)
            if not kind:
                kind = name
            if kind not in _LISTS:
                raise SitemapError(NONE)
            if event == "end" and name == _LISTS[kind]:
                rows.append(_row(element))
                _forget(element)
    except lxml.etree.XMLSyntaxError as error:
        if not rows:
            raise SitemapError(NONE) from error
    if not kind:
        raise SitemapError(NONE)
    entries = tuple(_entries(rows, url))
    problem = BROKEN if len(events.error_log) else ""
    return Sitemap(entries, (), problem) if kind == "urlset" else Sitemap((), entries, problem)


def _name(element: lxml.etree._Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _row(element: lxml.etree._Element) -> tuple[str, str]:
    found = {_name(child): (child.text or "").strip() for child in reversed(element)}
    return found.get("loc", ""), found.get("lastmod", "")


def _forget(element: lxml.etree._Element) -> None:
    """Let go of what was read, so that a long sitemap takes no more memory than a short one."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


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
