"""Content sets with many sources: a tracking pixel, or the same page at every URL of a site."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import COMMAND, SITE, new_database, rendered
from tests.support.call_counts import counted_calls
from tests.support.crawls import Archive
from wcspider.pdf.webcapture.sources import SourceInformation

PAGES = 400


def test_the_same_page_at_many_urls_costs_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    as_pdf = SourceInformation.as_pdf
    monkeypatch.setattr(SourceInformation, "as_pdf", lambda source: made.append(source.url) or as_pdf(source))
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        database.add_commands([COMMAND])
        writer = new_writer(database, batch=50)
        with counted_calls() as calls:
            for number in range(PAGES):
                writer.add(rendered(f"/{number}", "the same page", images=["pixel"]))
            writer.finish()
        writer.close()
    batches = PAGES // 50
    assert calls.total() < 250 * PAGES * batches  # measured: 170; the sources are written once in each batch
    assert len(made) < PAGES * batches  # each once, and those in the file once again for each batch
    with Archive(path) as archive:
        [page] = archive.page_sets
        assert page.urls == [f"{SITE}/{number}" for number in range(PAGES)]
        assert [found.urls for found in archive.image_sets] == [[f"{SITE}/pixel"]]
