"""After a refresh pages, outline and contents pages are in one order, which is that of the links as they are now."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from tests.support.crawls import Archive
from tests.support.http_server import Reply, SiteServer, page
from tests.system.refresh.crawling import Crawls
from tests.system.refresh.state import dangling
from wcspider.archive.check.checker import check_file

SETTINGS: dict[str, object] = {"WEBCAPTURE_CONTENTS": True}


def index(*names: str) -> Reply:
    """A page that links to others."""
    return page("<title>index</title>" + "".join(f"<a href=/{name}>{name}</a> " for name in names))


def outline(path: Path) -> list[tuple[str, list[str]]]:
    """The items of the page sets with those below them, by pikepdf."""
    with pikepdf.open(path) as pdf, pdf.open_outline() as opened:
        return [(item.title, [kid.title for kid in item.children if "/WCSP_Item" in kid.obj]) for item in opened.root]


def listed(path: Path) -> list[str]:
    """The titles that the contents pages list."""
    with pikepdf.open(path) as pdf:
        return [str(link.Contents) for link in pdf.pages[0].Annots]


def test_a_page_that_is_linked_to_first_now_stands_first_everywhere(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    replies = {f"/p{number}": page(f"<title>p{number}</title><p>page {number}") for number in (1, 2, 3, 4)}
    with SiteServer({**replies, "/": index("p1", "p2", "p3")}) as site:
        assert crawls.run("capture", SETTINGS, pdf=path, url=site.url(), levels=2).status == 0
        assert outline(path) == [("index", ["p1", "p2", "p3"])]
        site.update({"/": index("p4", "p1", "p3"), "/p2": None})
        assert crawls.run("refresh", SETTINGS, pdf=path, gone="drop", force="true").status == 0
        assert outline(path) == [("index", ["p4", "p1", "p3"])]
        assert listed(path) == ["index", "p4", "p1", "p3"]
        assert list(check_file(path)) == dangling(path) == []
        with Archive(path) as archive:
            assert archive.order(site.url()) == ["", "p4", "p1", "p3"]
        site.update({"/": index("p3", "p1")})
        assert crawls.run("refresh", SETTINGS, pdf=path, force="true").status == 0
        with Archive(path) as archive:
            order = archive.order(site.url())
        assert outline(path) == [("index", order[1:])]  # what is marked as gone stays behind what it stood behind
        assert set(order[1:]) == {"p3", "p1", "p4"}
        assert order.index("p3") < order.index("p1")


def test_a_page_without_a_title_is_called_by_the_url_that_it_has_now(crawls: Crawls, tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    replies = {f"/{name}": page(f"<p>page {name}") for name in "abc"}
    with SiteServer({**replies, "/": index("a", "b", "c")}) as site:
        assert crawls.run("capture", SETTINGS, pdf=path, url=site.url(), levels=2).status == 0
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            pdf.Root.Outlines.First.Last.Title = "renamed by a reader"
            pdf.save(path)
        site.update({"/a": replies["/c"], "/b": replies["/a"], "/c": replies["/b"]})
        assert crawls.run("refresh", SETTINGS, pdf=path, force="true").status == 0
        with Archive(path) as archive, archive.pdf.open_outline() as opened:
            homes = {page: found.urls[0] for found in archive.page_sets for page in found.pages}
            items = [item for item in opened.root[0].children if "/WCSP_Item" in item.obj]
            shown = {homes[archive.page_numbers[item.destination[0].objgen]]: item.title for item in items}
        kept = "renamed by a reader"
        assert shown == {site.url("/a"): kept, **{site.url(at): site.url(at) for at in ("/b", "/c")}}
        assert listed(path) == ["index", *(site.url(at) for at in ("/a", "/b", "/c"))]
        assert dangling(path) == []
