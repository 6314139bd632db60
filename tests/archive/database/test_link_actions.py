"""The actions of links between captured pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pikepdf

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import COMMAND, NOW, SITE, clock, new_database, rendered
from tests.support.crawls import Archive, tree
from tests.support.merging import captured_file, jumps
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.pages.packed import Rendered
from wcspider.steps import completed
from wcspider.webcapture.names import destination_name


def test_a_link_to_a_page_set_without_pages_leads_to_the_web(tmp_path: Path) -> None:
    """Files of other programs, and of older versions, have such page sets; a jump to them needs a page."""
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        database.add_commands([COMMAND])
        writer = new_writer(database)
        writer.add(rendered("/", links=[f"{SITE}/empty"]))
        writer.add(rendered("/empty", pages=0))
        writer.add(rendered("/after", links=[f"{SITE}/empty", f"{SITE}/"]))
        assert writer.report.captured == 3
        writer.finish()
        writer.close()
    with Archive(path) as archive:
        actions = [[str(entry.A.get("/URI", entry.A.S)) for entry in page.Annots] for page in archive.pdf.pages]
        assert set(archive.urls) == {f"{SITE}/", f"{SITE}/empty", f"{SITE}/after"}
    assert actions == [[f"{SITE}/empty"], [f"{SITE}/empty", "/GoTo"]]


def test_a_link_leads_to_the_version_that_was_captured_last(tmp_path: Path) -> None:
    """A page that is as it was before a change has a page set already, which is the latest one again."""
    path = tmp_path / "site.pdf"
    home, first, second = rendered("/", links=[f"{SITE}/a"]), rendered("/a", "first"), rendered("/a", "second")
    for day, version in enumerate([first, second, first]):
        resource = replace(version.capture.resource, fetched=NOW + timedelta(days=day))
        captured_file(path, [home, replace(version, capture=replace(version.capture, resource=resource))])
    assert jumps(path)[0] == [(1, "/XYZ", None, None)]


def test_a_program_that_merges_equal_objects_does_not_bind_links_together(tmp_path: Path) -> None:
    """Two URLs have one page set, so their jumps lead to one destination, until one of the URLs gets another page."""
    path = tmp_path / "site.pdf"
    home = rendered("/", links=[f"{SITE}/a", f"{SITE}/b"])
    captured_file(path, [home, rendered("/a", "same"), rendered("/b", "same")])
    assert jumps(path)[0] == [(1, "/XYZ", None, None)] * 2
    merge_equal_actions(path)
    resource = replace((changed := rendered("/b", "changed")).capture.resource, fetched=NOW + timedelta(days=1))
    captured_file(path, [replace(changed, capture=replace(changed.capture, resource=resource))])
    assert jumps(path)[0] == [(1, "/XYZ", None, None), (2, "/XYZ", None, None)]


def test_a_replaced_page_that_links_to_itself_leaves_no_old_destination(tmp_path: Path) -> None:
    """Its links are written before the index finds the new page."""
    path = tmp_path / "site.pdf"
    captured_file(path, [rendered("/"), version_of_a(1)])
    for number in (2, 3):
        with closing(ContentDatabase.open(path, clock)) as database:
            [stored] = database.find_page_sets(f"{SITE}/a")
            page = version_of_a(number)
            completed(database.replace_page_set(stored, page.capture, page.fragment, (), None, None))
            database.finish()
        with Archive(path) as archive:
            [identifier] = [found.identifier for found in archive.page_sets if found.sources[0].url == f"{SITE}/a"]
            names = {name for name, _ in archive.destinations}
            assert names == {destination_name(part, identifier) for part in (b"", b"part%d" % number)}
        assert jumps(path)[1] == [(1, "/XYZ", None, None), (1, "/XYZ", 10, 90)]


def version_of_a(number: int) -> Rendered:
    """Make a page with links to its top and to a heading, whose names differ in each version."""
    links = [f"{SITE}/a", f"{SITE}/a#part{number}"]
    return rendered("/a", f"version {number}", links=links, anchors=[(f"part{number}", 0)])


def test_destinations_that_another_program_has_put_in_another_order_are_found(tmp_path: Path) -> None:
    """The program qpdf compares names as text: bytes from 128 on are other characters there, in another order."""
    path = tmp_path / "site.pdf"
    names = [f"/{number}" for number in range(60)]
    captured_file(path, [rendered("/", links=[SITE + name for name in names]), *map(rendered, names)])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pairs = sorted(tree(pdf.Root.Names.Dests), key=lambda pair: str(pikepdf.String(pair[0])).encode())
        leaves = [
            pikepdf.Dictionary(
                Limits=[pikepdf.String(part[0][0]), pikepdf.String(part[-1][0])],
                Names=[entry for name, place in part for entry in (pikepdf.String(name), place)],
            )
            for part in (pairs[start : start + 16] for start in range(0, len(pairs), 16))
        ]
        pdf.Root.Names.Dests = pdf.make_indirect(pikepdf.Dictionary(Kids=list(map(pdf.make_indirect, leaves))))
        pdf.save()
    assert [name for name, _ in pairs] != sorted(name for name, _ in pairs)
    captured_file(path, [rendered("/new", links=[SITE + name + "#none" for name in names])])
    with Archive(path) as archive:
        assert [name for name, _ in archive.destinations] == sorted(name for name, _ in pairs)
    assert jumps(path)[-1] == jumps(path)[0]


def merge_equal_actions(path: Path) -> None:
    """Replace equal actions by one of them, as ``mutool clean -ggg`` does."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        first: dict[bytes, pikepdf.Object] = {}
        for page in pdf.pages:
            for link in page.get("/Annots", []):
                link.A = first.setdefault(link.A.unparse(resolved=True), link.A)
        names = pdf.Root.Names.WCSP_Links.Names
        for index in range(1, len(names), 2):
            names[index] = first[names[index].unparse(resolved=True)]
        pdf.save()
