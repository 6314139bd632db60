"""A file in the shape that Acrobat's Web Capture writes is brought up to date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests.support import pdf_samples
from tests.support.crawls import Archive, tool
from tests.support.http_server import Reply, SiteServer, page
from tests.support.pdf_samples import md5
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls
from wcspider.archive.check.checker import check_file

SECOND = b"the second page"
PICTURE = Reply(grey_png(3, 3, 99), content_type="image/png")
LONG = page(f"<title>Now</title><p>{'word ' * 30}<img src=/photo.jpg>")
SHORT = page("<title>Now</title><p>word")


def acrobat_file(path: Path, site: str) -> Path:
    """A file like those of Acrobat: two captured pages with bookmarks, and one page that was not captured."""
    pdf_samples.acrobat_pdf(path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.SpiderInfo.C[0].URL = String(f"{site}/")
        sets = list(pdf.Root.Names.IDS.Names)[1::2]
        for found in sets:
            found.SI.AU = String(str(found.SI.AU).replace(pdf_samples.SITE, site))
        [home] = [found for found in sets if found.S == Name.SPS]
        second = Dictionary(Type=Name.Page, MediaBox=[0, 0, 300, 200], Resources=Dictionary())
        pdf.pages.insert(1, pikepdf.Page(pdf.make_indirect(second)))
        home.O.append(pdf.pages[1].obj)
        _lead_to(pdf, home.O)
        pdf.save(path, min_version="1.6", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path


def _lead_to(pdf: pikepdf.Pdf, pages: pikepdf.Array) -> None:
    """Bookmarks and named destinations that lead to pages; a page that was not captured links to the first."""
    names = pdf.Root.Names.Dests.Names
    [first, _] = names
    pdf.Root.Names.Dests.Names = Array([first, names[1], String(SECOND), Array([pages[1], Name.Fit])])
    with pdf.open_outline() as outline:
        outline.root += [pikepdf.OutlineItem("first", 0), pikepdf.OutlineItem("second", 1)]
    action = Dictionary(S=Name.GoTo, D=first)
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], A=action)
    pdf.pages[-1].Annots = Array([pdf.make_indirect(link)])


@pytest.fixture
def site() -> Iterator[SiteServer]:
    """The server of the site."""
    with SiteServer({"/photo.jpg": PICTURE, "/other": page("<p>other")}) as running:
        yield running


@pytest.fixture
def path(site: SiteServer, tmp_path: Path) -> Path:
    """The file that Acrobat captured of the site."""
    return acrobat_file(tmp_path / "acrobat.pdf", site.url("").removesuffix("/"))


def refreshed(crawls: Crawls, path: Path) -> None:
    done = crawls.run("refresh", pdf=path)
    assert done.status == 0, done.log
    tool("qpdf", "--check", path)


def bookmarks(archive: Archive) -> dict[str, int]:
    """The index of the page that each bookmark leads to."""
    with archive.pdf.open_outline() as outline:
        return {item.title: archive.page_numbers[item.destination[0].objgen] for item in outline.root}


def named(archive: Archive) -> dict[bytes, int]:
    """The index of the page that each named destination leads to."""
    found = {}
    for name, target in archive.destinations:
        place = target.D if isinstance(target, pikepdf.Dictionary) else target
        found[name] = archive.page_numbers[place[0].objgen]
    return found


def test_captured_pages_are_replaced_in_place_and_the_others_stay(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update({"/": LONG})
    with Archive(path) as archive:
        [first, second, other] = [page.obj.objgen for page in archive.pdf.pages]
        names = named(archive)
    refreshed(crawls, path)
    with Archive(path) as archive:
        assert [page.obj.objgen for page in archive.pdf.pages][:2] == [first, second]
        assert [page.obj.objgen for page in archive.pdf.pages][3:] == [other]
        found = archive.page_set(site.url())
        assert (found.title, found.pages, found.sources[0].command) == ("Now", (0, 1, 2), 0)
        assert pikepdf.Object.parse(b"1.25") == archive.pdf.Root.SpiderInfo.V
        assert bookmarks(archive) == {"first": 0, "second": 1}
        assert named(archive) | names == names == {**names, SECOND: 1}


def test_what_led_to_a_page_that_is_no_more_leads_to_what_took_its_place(
    crawls: Crawls, site: SiteServer, path: Path
) -> None:
    site.update({"/": SHORT})
    refreshed(crawls, path)
    with Archive(path) as archive:
        assert (len(archive.pdf.pages), archive.page_set(site.url()).pages) == (2, (0,))
        assert bookmarks(archive) == {"first": 0, "second": 0}
        assert set(named(archive).values()) == {0}


def test_images_that_no_page_shows_any_more_leave_and_what_was_never_shown_stays(
    crawls: Crawls, site: SiteServer, path: Path
) -> None:
    site.update({"/": LONG})
    refreshed(crawls, path)
    with Archive(path) as archive:
        [picture] = [md5(PICTURE.body)]
        assert {found.identifier for found in archive.image_sets} == {picture, md5("gone.jpg")}
        assert archive.image_set(site.url("/photo.jpg")).counts == (3,)


def test_the_rules_that_the_file_keeps_are_kept(crawls: Crawls, site: SiteServer, path: Path) -> None:
    before = Counter(finding.rule for finding in check_file(path))
    site.update({"/": LONG})
    refreshed(crawls, path)
    assert Counter(finding.rule for finding in check_file(path)) <= before


def test_a_page_of_the_same_identifier_only_gets_a_command_and_a_date(
    crawls: Crawls, site: SiteServer, path: Path
) -> None:
    site.update({"/": SHORT})
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        sets = list(pdf.Root.Names.IDS.Names)[1::2]
        [home] = [found for found in sets if found.S == Name.SPS]
        home.ID = String(md5(SHORT.body))
        pairs = sorted((bytes(found.ID), found) for found in sets)
        pdf.Root.Names.IDS.Names = Array([part for name, found in pairs for part in (String(name), found)])
        pdf.save(path)
    with Archive(path) as archive:
        pages = [page.obj.unparse() for page in archive.pdf.pages]
    refreshed(crawls, path)
    with Archive(path) as archive:
        assert [page.obj.unparse() for page in archive.pdf.pages] == pages
        assert archive.page_set(site.url()).sources[0].command == 0
