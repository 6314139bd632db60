"""Commands that a file has already are not added again, unless the file cannot tell that they are equal."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.archive_samples import COMMAND, clock, new_database
from wcspider.archive.database.database import ContentDatabase
from wcspider.webcapture.records import Command

POST = replace(COMMAND, data=b"a=1", keep_data=True)
HEADERS = replace(COMMAND, headers=(("Accept", "text/html"),))
SETTINGS = {**COMMAND.settings, "Scale": 0.35, "SystemFonts": True, "Columns": 3}


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (COMMAND, COMMAND, 1),
        (COMMAND, replace(COMMAND, url=f"{COMMAND.url}other"), 2),
        (COMMAND, replace(COMMAND, levels=3), 2),
        (COMMAND, replace(COMMAND, allow="/guide/"), 2),
        (COMMAND, replace(COMMAND, engine="WCSP:null:2:HTML"), 2),
        (COMMAND, replace(COMMAND, settings=SETTINGS), 2),
        (replace(COMMAND, settings=SETTINGS), replace(COMMAND, settings=SETTINGS), 1),
        (replace(COMMAND, sitemap=True, since="2026"), replace(COMMAND, sitemap=True, since="2026"), 1),
        (replace(COMMAND, content_type="text/xml"), COMMAND, 1),  # without data, the type is not stored
        (POST, POST, 1),
        (replace(POST, data=b"a" * 2000), replace(POST, data=b"a" * 2000), 1),  # in a stream
        (POST, replace(POST, data=b"a=2"), 2),
        (replace(POST, keep_data=False), replace(POST, keep_data=False), 2),  # the file does not hold the data
        (HEADERS, HEADERS, 2),
        (replace(HEADERS, kept_headers=frozenset({"accept"})), replace(HEADERS, kept_headers=frozenset({"accept"})), 1),
        (*(replace(COMMAND, headers=(("X", text),), kept_headers=frozenset({"x"})) for text in "αβ"), 2),
        (COMMAND, replace(COMMAND, withheld=frozenset({"Cookies"})), 2),
    ],
)
def test_an_equal_command_is_added_once(tmp_path: Path, before: Command, after: Command, count: int) -> None:
    path = tmp_path / "site.pdf"
    with closing(new_database(path)) as database:
        [first] = database.add_commands([before])
        database.finish()
    with closing(ContentDatabase.open(path, clock)) as database:
        [second] = database.add_commands([after])
        database.finish()
        assert [reference for reference, _ in database.commands()] == list(dict.fromkeys([first, second]))
        assert len(database.commands()) == count
