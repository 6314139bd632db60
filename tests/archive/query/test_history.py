"""A file is given back as each run left it, byte for byte, or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archive.optimize.test_rewrite import run as webcapture
from tests.pdf.file.test_revision import qpdf_check
from tests.support import pdf_samples
from tests.support.archive_samples import COMMAND, NOW, clock, rendered
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query import history
from wcspider.archive.query.history import describe, lines, opened, restore, revisions
from wcspider.archive.query.listing import Listing
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.archive.target.target import Purpose, Target
from wcspider.exceptions import (
    ArgumentError,
    TargetDamagedError,
    TargetError,
    TargetLockedError,
    TargetMissingError,
    TargetNotWritableError,
    TargetRewrittenError,
)
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Name, Ref, write
from wcspider.pdf.webcapture.run_records import CAPTURE, OPTIMIZE, REFRESH, Run

MOD_DATE = datetime(2025, 5, 4, 3, 2, 1, tzinfo=UTC)


def begun(path, pages=(), batch=2):
    """Begin a run that adds pages, or go on with one; return its target and its writer."""
    target = Target.open(path, Purpose("a purpose", "a command"))
    writer = CaptureWriter(
        ContentDatabase(target.file, clock), target.journal, Batch(batch, 10**9), 0, target.checkpoint
    )
    if not target.checkpoint.length:
        writer.begin([COMMAND])
    for page in pages:
        writer.add(rendered(f"/{page}", images=("logo.png",)))
    return target, writer


def add(path, *pages, batch=2):
    """Add pages to a file in one run; return the bytes of the file."""
    target, writer = begun(path, pages, batch)
    writer.finish("", Run(CAPTURE, *target.base))
    writer.close()
    target.finish()
    return path.read_bytes()


def found_pdf(path):
    """Make a file that wcspider has not made."""
    pdf_samples.plain_pdf(2, path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.docinfo.ModDate = pikepdf.String("D:20250504030201Z")
        pdf.save(path)
    return path


def described(database):
    """Return the content of a file in the format of ``list --json``."""
    with closing(database):
        described = Listing(database).describe(database.content_sets())
        return {**described, "content_sets": list(described["content_sets"])}


def told(path):
    """Return the history of a file, as ``history --json`` says it."""
    with closing(ContentDatabase.open(path, clock)) as database:
        return describe(database)["revisions"]


@pytest.fixture
def site(tmp_path):
    """A file that two runs have left."""
    path = tmp_path / "site.pdf"
    add(path, 1, 2, 3)
    add(path, 3, 4)
    return path


# Given back


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=6), min_size=1, max_size=5),
    st.integers(1, 3),
    st.booleans(),
)
def test_every_state_is_given_back_byte_for_byte(tmp_path_factory, runs, batch, is_found):
    folder = tmp_path_factory.mktemp("history")
    path = folder / "site.pdf"
    states = [found_pdf(path).read_bytes()] if is_found else []
    states += [add(path, *run, batch=batch) for run in runs]
    known = revisions(path)
    assert [revision.length for revision in known] == [len(state) for state in states]
    for revision, state in zip(known, states, strict=True):
        copy = folder / "copy.pdf"
        copy.write_bytes(state)
        assert restore(path, revision.number, folder / "old.pdf", force=True) == revision
        assert (folder / "old.pdf").read_bytes() == state
        with closing(opened(path, revision)) as file:
            assert described(ContentDatabase(file, clock)) == described(ContentDatabase.open(copy, clock))
    assert path.read_bytes() == states[-1]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (None, None, (2, 3)),
        (1, None, (1, 3)),
        (None, 2, (1, 2)),
        (3, 1, (3, 1)),
        (2, 2, (2, 2)),
        (None, 1, "there is no revision before 1; see: "),
        (None, 4, "has no revision 4; it has revisions 1 to 3"),
        (0, None, "has no revision 0; it has revisions 1 to 3"),
    ],
)
def test_two_states_are_found_by_their_numbers(site, before, after, found):
    add(site, 5)
    if isinstance(found, str):
        with pytest.raises(ArgumentError, match=found):
            history.find_pair(site, before, after)
    else:
        assert tuple(revision.number for revision in history.find_pair(site, before, after)) == found


def test_what_is_given_back_has_the_history_up_to_then(tmp_path, site):
    restore(site, 1, tmp_path / "old.pdf")
    assert told(tmp_path / "old.pdf") == told(site)[:1]
    third = add(tmp_path / "old.pdf", 5)
    assert [row["added"] for row in told(tmp_path / "old.pdf")] == [3, 1]
    assert not third.startswith(site.read_bytes())
    qpdf_check(tmp_path / "old.pdf")


def test_history_says_what_runs_did(site):
    first, second = told(site)
    assert first == {
        "revision": 1,
        "run": "capture",
        "date": "2026-03-01T12:00:00Z",
        "commands": [{"command": 0, "url": COMMAND.url}],
        "added": 3,
        "changed": 0,
        "returned": 0,
        "gone": 0,
        "dropped": 0,
        "unchanged": 0,
        "length": first["length"],
        "lost": False,
    }
    assert (second["added"], second["unchanged"], second["length"]) == (1, 1, site.stat().st_size)
    assert second["commands"] == [{"command": 0, "url": COMMAND.url}]
    assert list(lines({"revisions": [first]})) == [
        f"revision 1  2026-03-01T12:00:00Z  capture: 3 added, 0 changed, 0 gone, 0 dropped, 0 unchanged"
        f"  ({first['length']} bytes)",
        f"    command 0  {COMMAND.url}",
    ]


def test_a_file_that_was_found_is_the_first_state(tmp_path):
    path = found_pdf(tmp_path / "file.pdf")
    [only] = revisions(path)
    assert (only.number, only.run, only.moment, only.length) == (1, None, MOD_DATE, path.stat().st_size)
    add(path, 1)
    first, second = revisions(path)
    assert (first.run, first.moment, first.length) == (None, MOD_DATE, only.length)
    assert (second.run.kind, second.moment) == (CAPTURE, NOW)
    row = told(path)[0]
    assert (row["run"], row["added"], row["commands"]) == (None, None, [])
    assert next(lines({"revisions": [row]})) == (
        f"revision 1  2025-05-04T03:02:01Z  before the first recorded run  ({only.length} bytes)"
    )


def test_a_file_of_an_older_release_is_the_first_state(tmp_path):
    path = tmp_path / "site.pdf"
    target, writer = begun(path, [1, 2])
    writer.finish()
    writer.close()
    target.finish()
    before = path.read_bytes()
    add(path, 3)
    assert [revision.run and revision.run.added for revision in revisions(path)] == [None, 1]
    restore(path, 1, tmp_path / "old.pdf")
    assert (tmp_path / "old.pdf").read_bytes() == before


def test_the_records_break_no_rule(site):
    assert list(check_file(site)) == []
    qpdf_check(site)


def test_the_same_runs_make_the_same_file(tmp_path, site):
    other = tmp_path / "other.pdf"
    add(other, 1, 2, 3)
    assert add(other, 3, 4) == site.read_bytes()


@pytest.mark.parametrize("arguments", [(), ("-o", "out.pdf")], ids=["in place", "as another file"])
@pytest.mark.parametrize("make", [None, found_pdf], ids=["of wcspider", "of another program"])
def test_optimize_counts_the_earlier_states(tmp_path, monkeypatch, capsys, make, arguments):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "site.pdf"
    if make is not None:
        make(path)
    for number in range(3):
        add(path, number)
    earlier = len(revisions(path)) - 1
    assert earlier == (2 if make is None else 3)
    assert webcapture("optimize", "site.pdf", *arguments) == 0
    ending = f", without {earlier} earlier states\n" if arguments else f", {earlier} earlier states removed\n"
    assert capsys.readouterr().out.endswith(f" kB{ending}")
    if not arguments:
        assert webcapture("optimize", "site.pdf") == 0
        assert capsys.readouterr().out.endswith(" kB\n")


def test_optimize_forgets_the_past(tmp_path, site):
    optimize(site, moment=NOW)
    optimized = site.read_bytes()
    [only] = revisions(site)
    assert (only.run, only.moment) == (Run(OPTIMIZE, moment=NOW), NOW)
    assert list(lines({"revisions": told(site)})) == [
        f"revision 1  2026-03-01T12:00:00Z  optimize: removed the earlier revisions  ({len(optimized)} bytes)"
    ]
    add(site, 9)
    assert [revision.run.kind for revision in revisions(site)] == [OPTIMIZE, CAPTURE]
    restore(site, 1, tmp_path / "old.pdf")
    assert (tmp_path / "old.pdf").read_bytes() == optimized
    optimize(site, moment=NOW)
    assert len(revisions(site)) == 1
    with pikepdf.open(site) as pdf:
        runs = [entry for entry in pdf.objects if isinstance(entry, pikepdf.Dictionary) and "/Run" in entry]
        assert runs == []  # the one that is left stands in the catalog


# Runs that were killed


@pytest.mark.parametrize("is_found", [False, True])
@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_run_that_is_resumed_has_one_record(tmp_path, is_found, is_recorded):
    path = tmp_path / "site.pdf"
    before = add(found_pdf(path), 1) if is_found else b""
    target, writer = begun(path, [2, 3])
    if is_recorded:
        writer.finish("", Run(CAPTURE, *target.base))
    else:
        writer.commit()
    writer.close()
    target.keep()
    add(path, 4)
    *_, last = revisions(path)
    assert (last.run.base, last.run.added) == (len(before), 3)
    assert [row["run"] for row in told(path)] == ([None, "capture", "capture"] if is_found else ["capture"])
    if is_found:
        restore(path, 2, tmp_path / "old.pdf")
        assert (tmp_path / "old.pdf").read_bytes() == before
    assert list(check_file(path)) == []


def test_an_earlier_state_of_a_damaged_file_is_given_back(tmp_path, site):
    whole = site.read_bytes()
    first = whole[: revisions(site)[0].length]
    site.write_bytes(whole[: whole.rindex(b"startxref")] + b"startxref\n1\n%%EOF\n")
    with pytest.raises(TargetDamagedError):
        revisions(site)
    restore(site, 1, tmp_path / "old.pdf")
    assert (tmp_path / "old.pdf").read_bytes() == first


# Not given back


def written_anew(path):
    """Let another program write the file."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path)


def a_byte_changed(path):
    """Change a byte that no program cares for: in the comment behind the header."""
    data = bytearray(path.read_bytes())
    data[data.index(b"\xe2\xe3")] ^= 1
    path.write_bytes(data)


def cut_short(path):
    """Let another program write less than there was."""
    pdf = pikepdf.open(path, allow_overwriting_input=True)
    while len(pdf.pages) > 1:
        del pdf.pages[-1]
    del pdf.Root.Names
    pdf.save(path)
    pdf.close()


def digest_lost(path):
    """Change a record."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        del pdf.Root["/WCSP_History"][1]["/Digest"]
        pdf.save(path)


@pytest.mark.parametrize("damage", [written_anew, a_byte_changed, cut_short, digest_lost])
def test_a_past_that_is_broken_is_not_given_back(tmp_path, site, damage):
    damage(site)
    before = site.read_bytes()
    with pytest.raises(TargetRewrittenError) as error:
        restore(site, 1, tmp_path / "old.pdf")
    assert str(error.value).startswith(f"{site}: revision 1 is lost; another program has rewritten ")
    with pytest.raises(TargetRewrittenError):
        opened(site, revisions(site)[0])
    assert [row["lost"] for row in told(site)] == [True, False]
    restore(site, 2, tmp_path / "new.pdf")
    assert (tmp_path / "new.pdf").read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["new.pdf", "site.pdf"]


def test_a_present_state_that_is_damaged_is_not_given_back(tmp_path, site):
    site.write_bytes(site.read_bytes() + bytes(3000))
    with pytest.raises(TargetDamagedError):
        restore(site, 2, tmp_path / "new.pdf")
    assert [entry.name for entry in tmp_path.iterdir()] == ["site.pdf"]


def test_a_run_behind_a_broken_past_begins_a_new_one(tmp_path, site):
    written_anew(site)
    before = site.read_bytes()
    add(site, 7)
    assert [row["added"] for row in told(site)] == [3, 1, 1]
    restore(site, 2, tmp_path / "old.pdf")
    assert (tmp_path / "old.pdf").read_bytes() == before
    with pytest.raises(TargetRewrittenError):
        restore(site, 1, tmp_path / "older.pdf")


@pytest.mark.parametrize(("number", "said"), [(0, "1 to 2"), (3, "1 to 2"), (-1, "1 to 2")])
def test_states_that_there_are_not(tmp_path, site, number, said):
    with pytest.raises(ArgumentError, match=f"has no revision {number}; it has revisions {said}"):
        restore(site, number, tmp_path / "old.pdf")
    assert not (tmp_path / "old.pdf").exists()


def test_a_missing_file(tmp_path):
    with pytest.raises(TargetMissingError):
        restore(tmp_path / "nowhere.pdf", 1, tmp_path / "old.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_replaced_meanwhile_is_not_given_back(tmp_path, site, monkeypatch):
    smaller = tmp_path / "smaller.pdf"
    optimize(site, smaller)
    original = history.copied

    def replaced(path, copy, length):
        smaller.replace(path)
        return original(path, copy, length)

    monkeypatch.setattr(history, "copied", replaced)
    with pytest.raises(TargetError, match="was changed while it was read; try again"):
        restore(site, 2, tmp_path / "old.pdf")
    assert [entry.name for entry in tmp_path.iterdir()] == ["site.pdf"]


# What is written


@pytest.mark.parametrize("link", ["itself", "symbolic", "hard"])
def test_the_file_itself_is_never_written_to(tmp_path, site, link):
    before = site.read_bytes()
    output = site if link == "itself" else tmp_path / "link.pdf"
    if link == "symbolic":
        output.symlink_to(site)
    elif link == "hard":
        output.hardlink_to(site)
    with pytest.raises(TargetError, match="is the file itself"):
        restore(site, 1, output, force=True)
    assert site.read_bytes() == before


def test_what_exists_is_replaced_by_force_alone(tmp_path, site):
    output = tmp_path / "old.pdf"
    output.write_bytes(b"something else")
    with pytest.raises(TargetError, match="exists already; name another file, or give --force"):
        restore(site, 2, output)
    assert output.read_bytes() == b"something else"
    restore(site, 2, output, force=True)
    assert output.read_bytes() == site.read_bytes()


@pytest.mark.parametrize("output", ["folder", "missing/old.pdf"])
def test_outputs_that_cannot_be_written(tmp_path, site, output):
    (tmp_path / "folder").mkdir()
    with pytest.raises(TargetNotWritableError):
        restore(site, 1, tmp_path / output, force=True)


def test_an_output_that_is_captured_into(tmp_path, site):
    output = tmp_path / "old.pdf"
    script = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print('go', flush=True)"
    command = [sys.executable, "-c", script + "; sys.stdin.read()", f"{output}.part"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(TargetLockedError):
            restore(site, 1, output)
        process.communicate()
    restore(site, 1, output)


def test_an_error_of_the_disk_leaves_what_was_there(tmp_path, site, monkeypatch):
    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    output = tmp_path / "old.pdf"
    output.write_bytes(b"something else")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(TargetNotWritableError, match="Input/output error"):
        restore(site, 1, output, force=True)
    assert output.read_bytes() == b"something else"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["old.pdf", "site.pdf"]


# Records

MOMENTS = st.datetimes(min_value=datetime(1970, 1, 1)).map(lambda moment: moment.replace(microsecond=0, tzinfo=UTC))
RUNS = st.builds(
    Run,
    kind=st.sampled_from([CAPTURE, REFRESH, OPTIMIZE, "of a later release"]),
    base=st.integers(0, 2**40),
    digest=st.none() | st.binary(min_size=32, max_size=32),
    moment=st.none()
    | st.datetimes(min_value=datetime(1970, 1, 1)).map(lambda at: at.replace(microsecond=0, tzinfo=UTC)),
    commands=st.lists(st.builds(Ref, st.integers(1, 9999), st.integers(0, 9))).map(tuple),
    added=st.integers(0, 10**6),
    changed=st.integers(0, 10**6),
    gone=st.integers(0, 10**6),
    dropped=st.integers(0, 10**6),
    unchanged=st.integers(0, 10**6),
)


@given(RUNS)
def test_a_record_says_what_it_was_made_of(run):
    assert Run.from_pdf(read(write(run.as_pdf())), lambda value: value) == run


VALUES = st.none() | st.booleans() | st.integers() | st.binary() | st.just(Name("x")) | st.lists(st.integers())


@given(st.dictionaries(st.sampled_from(["D", "Commands", "Base", "Digest", "Added", "Unchanged"]), VALUES))
def test_wrong_entries_of_a_record_are_passed_over(entries):
    run = Run.from_pdf({"Run": Name(CAPTURE), **entries}, lambda value: value)
    assert run.kind == CAPTURE
    assert run.base >= 0
    assert Run.from_pdf(entries, lambda value: value) is None
