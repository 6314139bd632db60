"""A resource that a page refers to by its URL, and by URLs that redirect to it, is one auxiliary file (14.10.3.3)."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path

from tests.support.crawls import Archive, captured
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import refreshed

PICTURE = grey_png(4, 3, 90)
PAGE = page("<title>t</title><img src=/old.png><img src=/picture.png><img src=/older.png><img src=/other.png>")
SITE = {
    "/": PAGE,
    "/picture.png": Reply(PICTURE, content_type="image/png", etag='"p"'),
    "/old.png": redirect("/picture.png"),
    "/older.png": redirect("/old.png"),
    "/other.png": Reply(PICTURE, content_type="image/png"),
}


def test_its_digest_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    digest = md5(PICTURE).digest()
    with SiteServer(SITE) as site:
        captured(site.url(), path)
        with Archive(path) as archive:
            # Equal bytes at another URL are another file.
            assert archive.page_set(site.url()).identifier == md5(PAGE.body + digest + digest).digest()
        done = refreshed(path)
    assert "  changed          0" in done.summary
