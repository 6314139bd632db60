"""Pages with too many links and resources: those beyond the limits are counted, and the memory stays bounded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.crawls import Archive, Run
from tests.support.pictures import grey_png
from tests.system.hostile.hostile_server import Answer, Connection, HostileServer, body, page
from tests.system.hostile.measuring import measured

LINKS = 15_000
PAGES = 10
IMAGES = 3000
RESOURCES = 100
SIZE = 100_000
SHEETS = 12
SETTINGS = {
    "WEBCAPTURE_MAX_PAGES": PAGES,
    "WEBCAPTURE_MAX_LINKS": 0,
    "WEBCAPTURE_MAX_RESOURCES": RESOURCES,
    "WEBCAPTURE_MAX_RESOURCE_BYTES": 10 * SIZE,
    "WEBCAPTURE_WAITING_BYTES": 0,
    "WEBCAPTURE_REPORT_LIMIT": IMAGES,
}
BEHIND = f"behind the first {PAGES} pages (WEBCAPTURE_MAX_PAGES)"
TOO_MANY = f"behind the first {RESOURCES} resources of a page (WEBCAPTURE_MAX_RESOURCES)"
TOO_LARGE = f"behind the first {10 * SIZE} bytes of a page's resources (WEBCAPTURE_MAX_RESOURCE_BYTES)"


def large(connection: Connection) -> None:
    """An image of `SIZE` bytes, another one at each URL."""
    start = grey_png(6, 4, 50) + connection.path.encode()
    body(start.ljust(SIZE, b"\0"), "image/png")(connection)


def sheet(connection: Connection) -> None:
    """A style sheet that imports all of them, itself too, and has an image of its own."""
    imports = "".join(f"@import url(/sheet/{number});" for number in range(SHEETS))
    image = f"p {{ background: url({connection.path}.png) }}"
    body(f"{imports}{image}".encode(), "text/css")(connection)


SITE: dict[str, Answer] = {
    "/": page(
        "<title>start</title><a href=/album></a><a href=/heavy></a><a href=/woven></a>"
        + "".join(f"<a href=/{number}></a>" for number in range(LINKS))
    ),
    "/album": page("<title>album</title>" + "".join(f"<img src=/image/{number}.png>" for number in range(IMAGES))),
    "/heavy": page("<title>heavy</title>" + "".join(f"<img src=/large/{number}.png>" for number in range(30))),
    "/woven": page('<title>woven</title><link rel="stylesheet" href="/sheet/0">'),
    **{f"/large/{number}.png": large for number in range(30)},
    **{f"/sheet/{number}": sheet for number in range(SHEETS)},
}


@dataclass(frozen=True)
class Crawl:
    """A capture of a site that exceeds all limits, with an engine that draws nothing."""

    site: str
    visits: Counter[str]
    run: Run
    peak: float
    pdf: Path

    def resources(self) -> dict[str, list[str]]:
        """The resources that were left out, by reason."""
        found = self.run.section("Resources skipped")
        return {reason: [url.removeprefix(self.site) for url in urls] for reason, urls in found.items()}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """One crawl for all tests."""
    pdf = tmp_path_factory.mktemp("many") / "site.pdf"
    with HostileServer(SITE) as server:
        done, peak = measured(server.url(), pdf, SETTINGS, levels=2, engine="null")
        assert done.status == 0
        return Crawl(server.url(""), Counter(server.paths()), done, peak, pdf)


def test_links_beyond_the_limit_are_counted(crawl: Crawl) -> None:
    fetched = PAGES - 4
    urls = [f"{crawl.site}/{number}" for number in range(LINKS)]
    behind = urls[fetched:]
    assert crawl.run.left_out == {
        "HTTP 404": urls[:fetched],
        BEHIND: [
            *behind[:IMAGES],
            f"and {len(behind) - IMAGES} more; see scrapy webcapture omitted {crawl.pdf}",
        ],
    }


def test_resources_beyond_the_number_of_a_page_are_not_fetched(crawl: Crawl) -> None:
    images = [f"/image/{number}.png" for number in range(IMAGES)]
    assert [path for path in images if crawl.visits[path]] == images[:RESOURCES]
    assert crawl.resources()[TOO_MANY] == images[RESOURCES:]


def test_resources_beyond_the_size_of_a_page_are_left_out(crawl: Crawl) -> None:
    images = [f"/large/{number}.png" for number in range(30)]
    assert crawl.resources()[TOO_LARGE] == images[10:]
    assert sum(crawl.visits[path] for path in images) < 30


def test_sheets_that_import_each_other_are_fetched_once(crawl: Crawl) -> None:
    sheets = [f"/sheet/{number}" for number in range(SHEETS)]
    assert [crawl.visits[path] for path in sheets] == [1] * SHEETS
    lost = set(crawl.resources()["HTTP 404"])
    assert {f"{path}.png" for path in sheets} <= lost


def test_every_page_is_in_the_file_once(crawl: Crawl) -> None:
    with Archive(crawl.pdf) as archive:
        assert archive.order(crawl.site) == ["/", "/album", "/heavy", "/woven"]
    assert max(crawl.visits.values()) == 1


def test_memory_is_bounded(crawl: Crawl) -> None:
    """A process without captures needs about 120 MB; the site with its 15,000 links adds less than 30 MB."""
    assert crawl.peak < 165
