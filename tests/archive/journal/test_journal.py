"""The journal: committed changes remain, others are lost, and entries behind the last turn are discarded."""

import re
import sqlite3
from hashlib import md5
from itertools import pairwise

import pytest

from tests.support.faulty_runs import largest_file
from tests.support.paths import ROOT
from wcspider.archive.journal.journal import Checkpoint, Journal, Place, remove
from wcspider.archive.journal.report_entries import ReportEntries
from wcspider.archive.journal.sqlite_connection import FORMAT
from wcspider.exceptions import TargetNotWritableError, TargetUnfinishedError
from wcspider.webcapture.order import Fact, FactKind
from wcspider.webcapture.records import FormCode

REDIRECT = Fact(FactKind.REDIRECT, "http://h/b")


@pytest.fixture
def path(tmp_path):
    """Where a journal is."""
    return tmp_path / "site.pdf.part.db"


def reopened(journal):
    """Close a journal, as a crash does, and open it again."""
    journal.close()
    return Journal(journal.path)


def test_places_are_numbered_by_who_adds_them_and_met_once(path):
    journal = Journal(path)
    first = Place(0, "http://h/", 1, 0)
    second = Place(1, "http://h/a", 2, 1, "koi8-r", FormCode.POST)
    assert journal.add_place(first, -1)
    assert not journal.add_place(Place(1, "http://h/", 2, 0), 0)
    assert journal.add_place(second, 0)
    assert journal.places(0, 10) == [first, second]
    assert journal.places(1, 10) == [second]
    assert journal.places(0, 1) == [first]
    assert journal.next_position == 2
    journal.close()


def test_what_a_key_has_is_found_after_reopening(path):
    journal = Journal(path)
    journal.add_place(Place(0, "http://h/?1", 1, 0), -1)
    journal.keep("http://h/?1", Fact(FactKind.CONTENT), 0)
    journal.keep("http://h/?1", REDIRECT, 1)
    journal.note_stored("http://h/?1", "http://h/?1", b"\x00" * 16)
    journal.note_stored("http://h/?1", "http://h/other", b"\x01" * 16)
    journal.keep("http://h/?2", REDIRECT, 0)
    journal.commit(Checkpoint(100, 5))
    for _ in range(2):
        assert journal.has_place("http://h/?1")
        assert not journal.has_place("http://h/?2")
        assert journal.query_variants("http://h/", 10) == 1
        assert journal.recall("http://h/?1") == Fact(FactKind.CONTENT)
        assert journal.recall("http://h/?2") == REDIRECT
        assert journal.stored("http://h/?1") == ("http://h/other", b"\x01" * 16)
        journal = reopened(journal)
    journal.close()


def test_a_checkpoint_writes_what_is_new_and_no_more(path):
    journal = Journal(path)
    log = path.with_name(path.name + "-wal")
    sizes = []
    for position in range(800):
        key = f"http://h/{md5(b'%d' % position).hexdigest()}"
        journal.add_place(Place(position, key, 1, 0), position - 1)
        journal.keep(key, Fact(FactKind.CONTENT), position)
        journal.note_stored(key, key, b"\x00" * 16)
        if position % 20 == 19:
            journal.commit(Checkpoint(position, position))
            sizes.append(log.stat().st_size)
    grown = [after - before for before, after in pairwise(sizes)]
    assert max(grown[20:]) < 2 * max(grown[:10])
    assert max(grown) < 20 * 1000
    journal.close()


def test_what_was_not_committed_is_gone(path):
    journal = Journal(path)
    journal.add_place(Place(0, "http://h/", 1, 0), -1)
    journal.commit(Checkpoint(100, 0, (7,), "A title", (("pages", 3),)))
    journal.keep("http://h/a", REDIRECT, 0)
    journal.note_stored("http://h/", "http://h/", b"\x00" * 16)
    journal = reopened(journal)
    assert journal.checkpoint == Checkpoint(100, 0, (7,), "A title", (("pages", 3),))
    assert journal.recall("http://h/a") is None
    assert journal.next_position == 1
    journal.close()


def test_rewinding_forgets_what_lies_beyond_the_turn(path):
    journal = Journal(path)
    for position, parent in ((0, -1), (1, 0), (2, 1)):
        journal.add_place(Place(position, f"http://h/{position}", 1, 0), parent)
        journal.keep(f"http://h/{position}", Fact(FactKind.CONTENT), position)
        journal.note_problem(f"http://h/{position}", "damaged")
    journal.commit(Checkpoint(100, 1))
    journal = reopened(journal)
    assert journal.rewind().position == 1
    assert [place.position for place in journal.places(0, 10)] == [0, 1]
    assert [journal.recall(f"http://h/{position}") is not None for position in range(3)] == [True, False, False]
    assert [journal.problem(f"http://h/{position}") for position in range(3)] == ["damaged", None, None]
    journal.close()


def test_what_earlier_runs_have_met(path):
    journal = Journal(path)
    assert not journal.has_place_or_fact_before("a", 5)
    for position, key in enumerate("abc"):
        journal.add_place(Place(position, key, 1, 0), -1)
    journal.keep("b", Fact(FactKind.REDIRECT, "r"), 1)
    journal.keep("r", Fact(FactKind.CONTENT), 1)
    journal.keep("c", Fact(FactKind.CONTENT), 2)
    before = {key: [at for at in range(4) if journal.has_place_or_fact_before(key, at)] for key in "abcrx"}
    assert before == {"a": [1, 2, 3], "b": [2, 3], "c": [3], "r": [2, 3], "x": []}
    journal.close()


def test_a_new_journal_has_nothing_to_go_on_with(path):
    journal = Journal(path)
    assert journal.checkpoint == Checkpoint()
    assert journal.next_position == 0
    journal.close()


def test_report_entries_are_counted_by_reason_and_once():
    entries = ReportEntries(Journal())
    noted = [
        entries.add("page", reason, url)
        for reason, url in (("HTTP 404", "b"), ("HTTP 404", "a"), ("timed out", "a"), ("HTTP 404", "b"))
    ]
    assert noted == [True, True, True, False]
    assert entries.counts("page") == [("HTTP 404", 2), ("timed out", 1)]
    assert entries.counts("resource") == []
    assert list(entries.urls("page", "HTTP 404", 1)) == ["b"]


def test_a_file_that_is_no_journal_is_one_line(path):
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(TargetUnfinishedError) as caught:
        Journal(path)
    assert str(caught.value) == f"{path}: is damaged (file is not a database); add -a fresh=true to start over"


@pytest.mark.parametrize("damage", [lambda data: data[:6000], lambda data: data[:1024] + bytes(3000) + data[4024:]])
def test_a_damaged_journal_is_one_line(path, damage):
    journal = Journal(path)
    for number in range(100):
        journal.note_problem(f"http://h/{number}", "HTTP 404")
    journal.commit(Checkpoint())
    journal.close()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(TargetUnfinishedError, match=r"is damaged .*; add -a fresh=true to start over"):
        Journal(path).rewind()


@pytest.mark.parametrize("value", ['{"position": 1, "cou\0\0\0', "[1, 2]", '{"counts": 5}', '{"unknown": 1}', b"\0"])
def test_a_damaged_value_is_one_line(path, value):
    """A crash of the machine may leave zero bytes in the place of a page of the database."""
    journal = Journal(path)
    journal.commit(Checkpoint())
    journal.close()
    db = sqlite3.connect(path)
    db.execute("UPDATE state SET value = ?", (value,))
    db.commit()
    db.close()
    with pytest.raises(TargetUnfinishedError, match=r"is damaged \(.*\); add -a fresh=true to start over"):
        Journal(path).rewind()


def test_a_journal_without_its_tables_is_damaged(path):
    db = sqlite3.connect(path)
    db.executescript(f"CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT); PRAGMA user_version = {FORMAT};")
    db.close()
    with pytest.raises(TargetUnfinishedError, match=r"is damaged \(no such table: .*\); add -a fresh=true"):
        Journal(path)


def test_removing_leaves_nothing(path, tmp_path):
    journal = Journal(path)
    journal.commit(Checkpoint())
    journal.close()
    remove(path)
    remove(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", range(4))
def test_a_journal_of_another_version_is_refused_in_one_line(path, version):
    """That of version 3 has a state and a count with the name `removed`."""
    db = sqlite3.connect(path)
    db.executescript(
        f"PRAGMA user_version = {version};"
        "CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
        "CREATE TABLE omission (what TEXT, reason TEXT, url TEXT, PRIMARY KEY (what, reason, url));"
    )
    db.close()
    with pytest.raises(TargetUnfinishedError) as caught:
        Journal(path)
    assert str(caught.value) == (
        f"{path}: another version of wcspider began this work, and this version cannot resume it; "
        "add -a fresh=true to begin anew, or finish it with the version that began it"
    )


def test_only_the_journal_package_uses_sqlite():
    package = ROOT / "wcspider" / "archive" / "journal"
    others = [path for path in (ROOT / "wcspider").rglob("*.py") if not path.is_relative_to(package)]
    assert [path for path in others if re.search(r"sqlite3|\bSELECT .* FROM\b", path.read_text())] == []


def fill(journal):
    """Note more problems than fit in SQLite's memory, so that it writes them before they are committed."""
    for number in range(10_000):
        journal.note_problem(f"http://h/{number}", "reason " * 50)


def test_nothing_is_changed_after_an_error(path):
    """SQLite undoes the transaction when the disk is full, and would make each later change permanent at once."""
    journal = Journal(path)
    journal.note_problem("http://h/committed", "HTTP 500")
    journal.commit(Checkpoint(100, 1))
    with largest_file(400_000), pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part\.db: "):
        fill(journal)
    with pytest.raises(TargetNotWritableError):
        journal.note_problem("http://h/later", "HTTP 500")
    with pytest.raises(TargetNotWritableError):
        journal.commit(Checkpoint(200, 2))
    journal = reopened(journal)
    assert journal.checkpoint == Checkpoint(100, 1)
    assert [journal.problem(f"http://h/{name}") for name in ("committed", "0", "later")] == ["HTTP 500", None, None]
    journal.close()
