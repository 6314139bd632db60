"""Sites that make up pages without end: each limit stops them, and each page that it costs is counted by reason."""

from __future__ import annotations

from pathlib import Path

from tests.support.crawls import captured
from tests.support.http_server import SiteServer, page

LIMITS = {
    "WEBCAPTURE_MAX_URL_LENGTH": 80,
    "WEBCAPTURE_MAX_PATH_DEPTH": 6,
    "WEBCAPTURE_MAX_SEGMENT_REPEATS": 2,
    "WEBCAPTURE_MAX_QUERY_VARIANTS": 3,
}
LONG = "/" + "x" * 80


def days(*numbers: int) -> str:
    """Links to days of a calendar."""
    return "".join(f'<a href="/calendar?day={number}">{number}</a>' for number in numbers)


SITE = {
    "/": page(f'{days(1)}<a href="/en/">en</a><a href="/a/b/c/d/e/f/g">deep</a><a href="{LONG}">long</a>'),
    **{f"/calendar?day={number}": page(days(number + 1, number + 2)) for number in range(9)},
    "/en/": page('<a href="/en/en/">en</a>'),
    "/en/en/": page('<a href="/en/en/en/">en</a>'),
}


def test_limits_stop_what_has_no_end_and_count_it(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        done = captured(server.url(), tmp_path / "site.pdf", LIMITS, levels="all")
        assert sorted(set(server.paths()) - {"/robots.txt"}) == sorted(
            ["/", "/en/", "/en/en/", *(f"/calendar?day={number}" for number in (1, 2, 3))]
        )
        assert done.left_out == {
            "a URL of more than 80 characters": [server.url(LONG)],
            "a page with more than 3 queries (WEBCAPTURE_MAX_QUERY_VARIANTS)": [
                server.url(f"/calendar?day={number}") for number in (4, 5)
            ],
            "a path of more than 6 segments": [server.url("/a/b/c/d/e/f/g")],
            "a path that repeats a segment more than 2 times": [server.url("/en/en/en/")],
        }


def test_a_crawl_ends_at_its_number_of_pages(tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        done = captured(server.url(), tmp_path / "site.pdf", {"WEBCAPTURE_MAX_PAGES": 3}, levels="all")
        assert len(set(server.paths()) - {"/robots.txt"}) == 3
        [reason] = done.left_out
        assert reason == "behind the first 3 pages (WEBCAPTURE_MAX_PAGES)"
