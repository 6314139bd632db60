"""The URLs of sitemaps in XML, as text and in robots.txt, and files that are no sitemaps."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.exceptions import ContentCodingError, SitemapError
from wcspider.web.sitemaps import BROKEN, Entry, Sitemap, read_sitemap

URL = "https://example.com/sitemap.xml"
A, B = "https://example.com/a", "https://example.com/b?x=1&y=2"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
LISTED = f"<url><loc>{A}</loc><lastmod>2026-01-02</lastmod></url><url><loc>{B.replace('&', '&amp;')}</loc></url>"
BOTH = (Entry(A, "2026-01-02"), Entry(B))
BOMB = '<!DOCTYPE u [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + at)} "{f"&{chr(97 + at)};" * 10}">' for at in range(9)
)

XML = {
    "plain": (f"<urlset {NAMESPACE}>{LISTED}</urlset>", BOTH),
    "declared": (f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACE}>{LISTED}</urlset>', BOTH),
    "bom": (f"\ufeff<urlset {NAMESPACE}>{LISTED}</urlset>", BOTH),
    "blank-before": (f"\n  <urlset {NAMESPACE}>{LISTED}</urlset>", BOTH),
    "relative-namespace": (f"<urlset xmlns='www.sitemaps.org/schemas/sitemap/0.9'>{LISTED}</urlset>", BOTH),
    "no-namespace": (f"<urlset>{LISTED}</urlset>", BOTH),
    "prefix": (f"<s:urlset xmlns:s='x'>{LISTED.replace('<', '<s:').replace('<s:/', '</s:')}</s:urlset>", BOTH),
    "comments": (f"<urlset><!-- x -->{LISTED}<?pi?></urlset>", BOTH),
    "twice": (f"<urlset>{LISTED}{LISTED}</urlset>", BOTH),
    "spaces": (f"<urlset><url><loc>\n  {A}\n</loc></url></urlset>", (Entry(A),)),
    "cdata": (f"<urlset><url><loc><![CDATA[{B}]]></loc></url></urlset>", (Entry(B),)),
    "relative": ("<urlset><url><loc>/a</loc></url></urlset>", (Entry(A),)),
    "other-schemes": (f"<urlset><url><loc>mailto:me</loc></url><url><loc>{A}</loc></url></urlset>", (Entry(A),)),
    "no-loc": (f"<urlset><url><lastmod>2026</lastmod></url><url><loc>{A}</loc></url></urlset>", (Entry(A),)),
    "images": (f"<urlset><url><loc>{A}</loc><i:image><i:loc>/i.png</i:loc></i:image></url></urlset>", (Entry(A),)),
    "empty": ("<urlset></urlset>", ()),
    "file-entity": (
        f'<!DOCTYPE u [<!ENTITY f SYSTEM "file:///etc/hostname">]><urlset><url><loc>&f;</loc></url>{LISTED}</urlset>',
        BOTH,
    ),
}


@pytest.mark.parametrize(("text", "entries"), XML.values(), ids=XML)
def test_xml(text: str, entries: tuple[Entry, ...]) -> None:
    assert read_sitemap(URL, text.encode()).pages == entries
    assert read_sitemap(URL, gzip.compress(text.encode())).pages == entries
    index = text.replace("urlset", "sitemapindex").replace("<url>", "<sitemap>").replace("</url>", "</sitemap>")
    if "s:url" not in text:
        assert read_sitemap(URL, index.encode()) == Sitemap((), entries, read_sitemap(URL, text.encode()).problem)


def test_a_warning_of_the_parser_is_no_error() -> None:
    assert read_sitemap(URL, XML["relative-namespace"][0].encode()) == Sitemap(BOTH)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_encodings(encoding: str) -> None:
    assert read_sitemap(URL, f"<urlset>{LISTED}</urlset>".encode(encoding)).pages == BOTH


BROKEN_XML = [
    f"<urlset>{LISTED}<url><loc>https",
    f"<urlset>{LISTED}<url></loc></urlset>",
    f"<urlset>{LISTED}& </urlset>",
    f"<urlset>{LISTED}<url><loc>/&#xD800;</loc></url></urlset>",
]


@pytest.mark.parametrize("text", BROKEN_XML)
def test_of_broken_xml_what_can_be_read(text: str) -> None:
    found = read_sitemap(URL, text.encode())
    assert found.pages[:2] == BOTH
    assert found.problem == BROKEN


# One bad entry between two good ones.
BAD_ENTRIES = {
    "less-than": "<url><loc>https://example.com/<x</loc></url>",
    "surrogate": "<url><loc>https://example.com/&#xD800;</loc></url>",
    "entity": "<url><loc>https://example.com/&e;</loc></url>",
    "control": "<url><loc>https://example.com/\x01x</loc></url>",
    "bytes": "<url><loc>https://example.com/\udcff</loc></url>",
    "open-loc": "<url><loc>https://example.com/bad</url>",
    "open-url": "<url><loc>https://example.com/bad",
    "closed": "</urlset>",
    "declaration": "<?xml version='1.0'?>",
}


@pytest.mark.parametrize("bad", BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_one_bad_entry_costs_no_other(bad: str) -> None:
    first, last = (f"<url><loc>{url}</loc><i:image><i:loc>/i.png</i:loc></i:image></url>" for url in (A, B))
    found = read_sitemap(URL, f"<urlset>{first}{bad}{last}</urlset>".encode("utf-8", "surrogateescape"))
    assert found == Sitemap((Entry(A), Entry(B)), (), BROKEN)


def test_a_bare_ampersand_is_part_of_the_url() -> None:
    """As a browser reads it; an XML parser would drop it, and name another page."""
    found = read_sitemap(URL, f"<urlset><url><loc>{A}?x=1&y=2</loc></url></urlset>".encode())
    assert found == Sitemap((Entry(f"{A}?x=1&y=2"),), (), BROKEN)


@pytest.mark.parametrize("repeated", ["<![CDATA[", "<loc>", "<url><loc>x", "&", "<!--"])
def test_broken_sitemaps_take_linear_time(repeated: str) -> None:
    body = f"<urlset><url><loc>{A}</loc></url>{repeated * 300_000}".encode()
    assert read_sitemap(URL, body).pages[0] == Entry(A)


@pytest.mark.parametrize("text", ["<html><body>Not found</body></html>", "<", "<rss/>", "no URL at all", "{}"])
def test_what_is_no_sitemap(text: str) -> None:
    with pytest.raises(SitemapError, match="not a sitemap"):
        read_sitemap(URL, text.encode())


def test_a_bomb_of_entities_is_not_expanded() -> None:
    bomb = f"{BOMB}]><urlset>{LISTED}<url><loc>&j;</loc></url></urlset>"
    assert set(read_sitemap(URL, bomb.encode()).pages) <= set(BOTH)


def test_text() -> None:
    assert read_sitemap("https://example.com/urls.txt", f"{A}\r\n\n{B}\nnonsense\n{A}".encode()).pages == (
        Entry(A),
        Entry(B),
    )


def test_robots() -> None:
    lines = f"User-agent: *\nDisallow: /x\nSITEMAP : {A} # the first\nsitemap:/b\nSitemap:\n{B}\n"
    found = read_sitemap("https://example.com/robots.txt", lines.encode())
    assert found == Sitemap((), (Entry(A), Entry("https://example.com/b")))


def test_what_decompresses_to_too_much() -> None:
    body = gzip.compress(b"<urlset>" + b" " * 1_000_000)
    with pytest.raises(ContentCodingError, match="DOWNLOAD_MAXSIZE"):
        read_sitemap(URL, body, 100_000)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: f"<urlset>{text}".encode()))
@example(b"\x1f\x8b")
@example(b"<!DOCTYPE")
@example(b"<urlset><url><loc>&#xD800;</loc></url></urlset>")
def test_nothing_else_is_raised(body: bytes) -> None:
    for url in (URL, "https://example.com/robots.txt"):
        try:
            found = read_sitemap(url, body)
        except (SitemapError, ContentCodingError):
            continue
        assert all(entry.url.startswith(("http", "ftp:", "file:")) for entry in found.pages + found.sitemaps)
