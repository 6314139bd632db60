"""The actions of links between captured pages."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import COMMAND, NOW, SITE, new_database, rendered
from tests.support.crawls import Archive
from tests.support.merging import captured_file, jumps


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
