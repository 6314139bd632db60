"""The list of the content sets of a file, and the number of the pages that are not in it."""

from __future__ import annotations

import json
import random
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.archive.run.test_writer import new_writer
from tests.support import pdf_samples
from tests.support.archive_samples import NOW, SITE, clock, new_database, rendered
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.explaining import why
from wcspider.archive.query.listing import Listing
from wcspider.pdf.file import base_file
from wcspider.pdf.webcapture.skipped import SKIPPED, SkippedRecord
from wcspider.subcommands.display import json_pieces


def site(path: Path, pages: int) -> Path:
    """Write a file with pages that have 1 to 3 PDF pages each, and images."""
    with closing(new_database(path)) as database:
        writer = new_writer(database)
        for number in range(pages):
            writer.add(rendered(f"/{number}", pages=number % 3 + 1, images=(f"{number % 5}.png",)))
        writer.finish()
        writer.close()
    return path


def test_pages_that_another_program_has_removed_have_no_numbers(tmp_path: Path) -> None:
    with closing(ContentDatabase.open(site(tmp_path / "site.pdf", 1), clock)) as database:
        [stored] = database.page_sets()
        database.catalog.pages.remove(stored.content.objects)
        [content] = Listing(database).describe([stored])["content_sets"]
        explained = next(why.lines(why.explain(database, f"{SITE}/0")))
    assert content["pages"] == [None]
    assert explained.startswith(f"{SITE}/0 is in the file, without pages, as of ")


@pytest.mark.parametrize("blocks", [base_file.BLOCKS_BEFORE_REOPENING, 1])
def test_content_sets_are_listed_in_page_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int) -> None:
    """The order and the values do not depend on how often the file is opened again."""
    monkeypatch.setattr(base_file, "BLOCKS_BEFORE_REOPENING", blocks)
    with closing(ContentDatabase.open(site(tmp_path / "site.pdf", 60), clock)) as database:
        found = list(database.content_sets())
        random.Random(1).shuffle(found)
        rows = list(Listing(database).describe(found)["content_sets"])
    kinds = [row["subtype"] for row in rows]
    assert kinds == ["SPS"] * 60 + ["SIS"] * 5
    assert [row["sources"][0]["url"] for row in rows[:60]] == [f"{SITE}/{number}" for number in range(60)]
    assert [page for row in rows for page in row["pages"]] == list(range(1, 121))


def test_files_of_other_programs_are_listed(tmp_path: Path) -> None:
    with closing(ContentDatabase.open(pdf_samples.acrobat_pdf(tmp_path / "acrobat.pdf"), clock)) as database:
        rows = list(Listing(database).describe(database.content_sets())["content_sets"])
    assert rows
    assert all(row["sources"] for row in rows)


def test_only_pages_that_are_not_in_the_file_count_as_skipped(tmp_path: Path) -> None:
    """A page that was removed from the site may still be in the file, with a record of the last answer."""
    with closing(ContentDatabase.open(site(tmp_path / "site.pdf", 3), clock)) as database:
        [removed] = database.find_by_url(f"{SITE}/1")
        [source] = removed.content.sources
        database.update(removed, replace(removed.content, sources=(replace(source, gone=NOW),)))
        tree = database.catalog.tree_to_change(SKIPPED)
        for url in (f"{SITE}/1", f"{SITE}/nowhere"):
            tree[url.encode()] = SkippedRecord("HTTP 404").as_pdf()
        records = SkippedRecords(database)
        assert len(list(records.items())) == 2
        assert records.count() == 1


@pytest.mark.parametrize("page", ["/0", "/nowhere"])
def test_a_redirect_to_itself_that_was_not_followed_is_compared_by_its_time(tmp_path: Path, page: str) -> None:
    """Its record has no redirects. An older page of the URL stays in the file, with the record."""
    record = SkippedRecord("redirected to a URL that is not allowed", moment=NOW + timedelta(days=1))
    with closing(ContentDatabase.open(site(tmp_path / "site.pdf", 1), clock)) as database:
        records = SkippedRecords(database)
        assert records.take_over([(SITE + page, record)], 10) == 0
        assert records.take_over([], 10) == 0
        assert dict(records.items()) == {SITE + page: record}


@pytest.mark.parametrize("rows", [[], [1], [{"a": [1, 2], "b": "two\nlines"}, {}], [[], None]])
def test_json_is_the_same_piece_by_piece(rows: list[object]) -> None:
    others = {"version": 1.0, "commands": [{"url": "x"}], "none": []}
    for description in ({"rows": rows, **others}, {**others, "rows": rows}):
        pieces = json_pieces({**description, "rows": iter(rows)})
        assert "".join(pieces) == json.dumps(description, indent=2, ensure_ascii=False)
