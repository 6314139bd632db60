"""Pages that other crawlers lose without a word, in one capture: they are in the file, or `why` states the reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.archive_samples import clock
from tests.support.crawls import Archive, Run
from tests.support.http_server import SiteServer, page, redirect
from tests.system.refresh.crawling import Crawls
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.explaining.why import explain, lines

PAGES = ("/a+b", "/with%20space", "/d..ots", "/x/../up", "/~tilde", "/q?a=1+2&b=%2B", "/deep/1")
"""Links as written, to pages that exist."""

CAPTURED = ("/", "/a+b", "/with%20space", "/d..ots", "/up", "/~tilde", "/q?a=1+2&b=%2B", "/deep/1", "/deep/2")
"""The pages of the file, in order."""


DENIED = "/excluded/|other.invalid"


@dataclass(frozen=True)
class Captured:
    """A capture of three levels, with its site."""

    site: str
    port: int
    run: Run
    path: Path


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Captured]:
    """One capture for all tests."""
    path = tmp_path_factory.mktemp("reasons") / "site.pdf"
    names = [*CAPTURED[1:], "/out"]
    with Crawls() as crawls, SiteServer({}) as server:
        tls = server.url("/tls").replace("http:", "https:")
        out = (tls, "http://nowhere.invalid/page", "/out")
        links = "".join(f'<a href="{link}">link</a>' for link in (*PAGES, "with space", *out))
        server.update({name: page(f"<title>{name}</title><p>{name}") for name in names})
        server.update(
            {
                "/": page(f"<title>home</title>{links}"),
                "/deep/1": page("<a href='http://other.invalid/big.zip'>file</a><a href=/deep/2>on</a>"),
                "/out": redirect("/excluded/page"),
            }
        )
        options = {"same_site": "false", "deny": DENIED}
        done = crawls.run("capture", {"RETRY_TIMES": 1}, pdf=path, url=server.url(), levels=3, **options)
        assert done.status == 0, done.log
        yield Captured(server.url(""), server.port, done, path)


def test_unusual_urls_and_pages_behind_links_to_other_sites_are_captured(captured: Captured) -> None:
    with Archive(captured.path) as archive:
        assert sorted(archive.order(captured.site)) == sorted(CAPTURED)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://127.0.0.1:{port}/tls", "no secure connection: wrong version number"),
        ("http://nowhere.invalid/page", "host not found"),
        ("http://127.0.0.1:{port}/out", f"redirected to a URL that is denied: it matches the pattern {DENIED} (deny)"),
    ],
)
def test_the_last_error_and_the_excluded_redirect_are_explained(captured: Captured, url: str, reason: str) -> None:
    url = url.format(port=captured.port)
    [left_out] = captured.run.left_out[reason]
    assert left_out.partition(" -> ")[0] == url
    database = ContentDatabase.open(captured.path, clock)
    assert reason in "\n".join(lines(explain(database, url)))
    database.close()
