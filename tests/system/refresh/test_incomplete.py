"""Pages whose content is missing: reported in a capture, and never put in the place of a good page by a refresh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import Archive, captured, run, webcapture
from tests.support.http_server import Reply, Site, SiteServer, page
from tests.system.refresh.crawling import Crawls
from wcspider.web.styles.css_pieces import PIECE, READ

APPLICATION = page("<title>Shop</title><div id=root></div><script src=/main.js></script>")
CHALLENGE = page("<title>Just a moment...</title><h1>example.com</h1><script src=/challenge.js></script>")
EMPTY = Reply(b"")
ERROR = page("<title>503 Service Unavailable</title><h1>Sorry</h1>")
SITE: Site = {
    "/": page("<title>home</title><a href=/good>good</a> <a href=/shop>shop</a>"),
    "/good": page("<title>good</title><p>The lighthouse is open from noon."),
    "/shop": APPLICATION,
}
INCOMPLETE = "Pages that may be incomplete"
KEPT = "Pages that could not be fetched and are unchanged"


@pytest.fixture
def site(server: Callable[..., SiteServer]) -> SiteServer:
    return server(SITE)


@pytest.fixture
def path(crawls: Crawls, site: SiteServer, tmp_path: Path) -> Path:
    path = tmp_path / "site.pdf"
    done = crawls.run("capture", pdf=path, url=site.url(), levels=2)
    assert done.status == 0, done.log
    reason = "an empty application: the content needs scripts"
    assert done.section(INCOMPLETE) == {reason: [site.url("/shop")]}
    assert f"    it may be incomplete: {reason}\n" in webcapture("why", path, site.url("/shop")).output
    assert "incomplete" not in webcapture("why", path, site.url("/good")).output
    return path


def titles(path: Path) -> list[str]:
    with Archive(path) as archive:
        return [found.title for found in archive.page_sets]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (CHALLENGE, "a bot challenge, in the place of the page"),
        (ERROR, "an error page with status 200"),
        (EMPTY, "empty answer"),
    ],
)
def test_a_good_page_is_not_replaced(crawls: Crawls, site: SiteServer, path: Path, answer: object, reason: str) -> None:
    site.update({"/good": answer})
    done = crawls.run("refresh", pdf=path)
    assert (done.status, done.section(KEPT)) == (0, {reason: [site.url("/good")]})
    assert titles(path) == ["home", "good", "Shop"]
    forced = crawls.run("refresh", pdf=path, force="true")
    assert (forced.status, forced.section(INCOMPLETE)) == (0, {reason: [site.url("/good")]} | forced_shop(site))
    assert titles(path)[1] != "good"


def test_a_page_that_was_empty_before_is_unchanged(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    path, url = tmp_path / "site.pdf", site.url("/shop")
    site.update({"/shop": EMPTY})
    for spider, arguments in (("capture", {"url": url}), ("refresh", {})):
        done = crawls.run(spider, pdf=path, **arguments)
        assert (done.status, done.section(INCOMPLETE), done.section(KEPT)) == (0, {"empty answer": [url]}, {})
    site.update({"/shop": page("<title>Shop</title><p>Oil and wicks")})
    done = crawls.run("refresh", pdf=path)
    assert (done.status, done.section(INCOMPLETE), titles(path)) == (0, {}, ["Shop"])


def forced_shop(site: SiteServer) -> dict[str, list[str]]:
    """The page that was incomplete from the start; it is the same page, so it is reported again."""
    return {"an empty application: the content needs scripts": [site.url("/shop")]}


def test_a_page_that_becomes_complete_loses_its_notice(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/shop": page("<title>Shop</title><p>Oil and wicks")})
    assert crawls.run("refresh", pdf=path).status == 0
    assert "incomplete" not in webcapture("why", path, site.url("/shop")).output


def test_a_refresh_reports_characters_without_a_font(site: SiteServer, tmp_path: Path) -> None:
    """It reports them once for each page set, however often the page set is laid out."""
    path = tmp_path / "runes.pdf"
    captured(site.url(), path, {"WEBCAPTURE_SYSTEM_FONTS": False}, levels=2)
    runes = page("<title>runes</title><p>ᚠᚢᚦ")
    site.update({"/good": runes, "/": page("<a href=/good>good</a> <a href=/twin>twin</a>"), "/twin": runes})
    done = run("crawl", "refresh", "-a", f"pdf={path}", "-s", "WEBCAPTURE_SYSTEM_FONTS=False")
    [(reason, urls)] = done.section("Pages with a simpler layout").items()
    assert "Runic" in reason
    assert urls == [site.url("/good")]


def test_links_behind_the_limit_are_not_followed(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    path = tmp_path / "links.pdf"
    links = "".join(f"<a href=/{number}>link</a> <a href=/{number}#again>again</a>" for number in range(9))
    site.update({"/": page(links), **{f"/{number}": page(f"<p>page {number}") for number in range(9)}})
    done = crawls.run("capture", {"WEBCAPTURE_MAX_LINKS": 4}, pdf=path, url=site.url(), levels=2)
    reason = "only its first 4 links are stored and followed (WEBCAPTURE_MAX_LINKS)"
    assert (done.status, done.section(INCOMPLETE)) == (0, {reason: [site.url()]})
    with Archive(path) as archive:
        assert archive.order(site.url()) == ["", "0", "1", "2", "3"]
    why = webcapture("why", path, site.url("/7"))
    assert why.output.splitlines()[0] == (
        f"{site.url('/7')} is not in the file: no page in the file links to it, but pages with more links than "
        f"WEBCAPTURE_MAX_LINKS may do so behind the links that are stored: {site.url()}"
    )


def test_style_sheets_that_were_read_in_part_are_listed(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    rule = f"p {{ background: url(/none.png) }} /*{'x' * PIECE}*/\n"  # long comments are read quickly
    large = rule * (READ // PIECE + 2)
    site.update(
        {
            "/": page("<link rel=stylesheet href=/large.css><p>text<a href=/inside>inside</a>"),
            "/inside": page(f"<style>{large}</style><p>inside"),
            "/large.css": Reply(large.encode(), content_type="text/css"),
        }
    )
    done = crawls.run("capture", pdf=tmp_path / "site.pdf", url=site.url(), levels=2)
    assert done.status == 0
    [(reason, found)] = done.section("Style sheets that were read in part").items()
    assert reason == "only the first 4,194,304 characters were read: later images and fonts are not fetched"
    # A worker reads the large sheet, while the page with the STYLE element is read: either may be first.
    assert sorted(found) == [site.url("/inside"), site.url("/large.css")]


def test_a_page_with_many_links_is_queued_in_steps(crawls: Crawls, site: SiteServer, tmp_path: Path) -> None:
    """More links than a step takes, and the links of the pages behind it: the reading order stays."""
    path = tmp_path / "links.pdf"
    names = [f"{number}" for number in range(600)]
    links = "".join(f"<a href=/missing/{name}>link</a>" for name in names[:-2]) + "<a href=/598>a</a><a href=/599>b</a>"
    site.update(
        {"/": page(links), "/598": page("<p>a<a href=/below>on</a>"), "/599": page("<p>b"), "/below": page("c")}
    )
    done = crawls.run("capture", pdf=path, url=site.url(), levels=3)
    assert (done.status, {reason: len(urls) for reason, urls in done.left_out.items()}) == (0, {"HTTP 404": 598})
    with Archive(path) as archive:
        assert archive.order(site.url()) == ["", "598", "599", "below"]
