"""Files that cannot be merged are refused in one line, and a failed merge leaves the output unchanged."""

from __future__ import annotations

import errno
import os
import signal

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests.archive.optimize.test_rewrite import run
from tests.support import pdf_samples
from tests.support.archive_samples import rendered
from tests.support.crawls import run_module
from tests.support.merging import captured_file, merged
from wcspider.archive.check.checker import check_file
from wcspider.archive.journal.journal import Journal
from wcspider.archive.merge import merging
from wcspider.exceptions import TargetError, TargetLockedError, TargetNotWritableError, TargetUnfinishedError
from wcspider.subcommands.running import INTERRUPTED

pytestmark = pytest.mark.slow

PAGES = [rendered(f"/{number}", images=("logo.png",)) for number in range(8)]


@pytest.fixture(scope="module")
def _files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    names = {"out.pdf": PAGES[:2], "a.pdf": PAGES[2:5], "b.pdf": PAGES[5:]}
    return {name: captured_file(folder / name, pages).read_bytes() for name, pages in names.items()}


@pytest.fixture
def folder(_files, tmp_path):
    """A folder with an output and two inputs."""
    for name, data in _files.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def signed_pdf(path):
    """A file of Acrobat with a signature."""
    pdf_samples.acrobat_pdf(path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        signature = pdf.make_indirect(Dictionary(Type=Name.Sig, Contents=String("signature")))
        field = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("Signature"), V=signature))
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)
        pdf.save(path)
    return path


def damaged_database(path):
    """A file whose damage shows only when its objects are read."""
    data = pdf_samples.conforming_pdf(path).read_bytes()
    with pikepdf.open(path) as pdf:
        pdf.save(path.with_name("plain.pdf"), object_stream_mode=pikepdf.ObjectStreamMode.disable)
    data = path.with_name("plain.pdf").read_bytes()
    path.with_name("plain.pdf").unlink()
    at = data.index(b"/SPS")
    path.write_bytes(data[:at] + b"<<<<" + data[at + 4 :])
    return path


def text_file(path):
    path.write_bytes(b"not a PDF")
    return path


def missing(path):
    return path


def link_to_unfinished(path):
    unfinished(path.with_name("begun.pdf"))
    path.symlink_to("begun.pdf")
    return path


def unfinished(path):
    captured_file(path, PAGES[:1])
    path.with_name(path.name + ".part").write_bytes(b"%PDF-1.7 begun")
    return path


def part_of_another(path):
    captured_file(path, PAGES[:1])
    part = path.rename(path.with_name("begun.pdf.part"))
    Journal(part.with_name("begun.pdf.part.db")).close()
    return part


def folder_named_as_a_file(path):
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (pdf_samples.encrypted_pdf, "is encrypted; decrypt it first"),
        (pdf_samples.locked_pdf, "is encrypted; decrypt it first"),
        (signed_pdf, "is signed, and "),
        (pdf_samples.damaged_pdf, "is damaged"),
        (damaged_database, "is damaged"),
        (text_file, "is not a PDF file"),
        (missing, "no such file; check the path"),
        (unfinished, "is unfinished, there is a bad.pdf.part; repeat the command"),
        (link_to_unfinished, "is unfinished, there is a begun.pdf.part; repeat the command"),
        (part_of_another, "is the unfinished begun.pdf; repeat the command"),
        (folder_named_as_a_file, "is a folder; name a file"),
        (lambda path: pdf_samples.plain_pdf(2, path), "has no Web Capture content; capture it as a page"),
    ],
)
@pytest.mark.parametrize("is_last", [False, True])
def test_inputs_that_cannot_be_merged_are_refused_in_one_line(make, message, is_last, folder, capsys):
    bad = make(folder / "bad.pdf")
    before = (folder / "out.pdf").read_bytes()
    names = sorted(entry.name for entry in folder.iterdir())
    inputs = [folder / "a.pdf", bad] if is_last else [bad, folder / "a.pdf"]
    assert run("merge", folder / "out.pdf", *inputs) != 0
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith(f"scrapy webcapture: {bad}: {message}")
    assert error.count("\n") == 1
    assert (folder / "out.pdf").read_bytes() == before
    assert sorted(entry.name for entry in folder.iterdir()) == names


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (["a.pdf", "out.pdf"], "is the output and an input"),
        (["a.pdf", "b.pdf", "a.pdf"], "is named twice"),
        (["a.pdf", "link.pdf"], "is named twice"),
        (["hard.pdf"], "is the output and an input"),
    ],
)
def test_a_file_is_read_once(inputs, message, folder, capsys):
    (folder / "link.pdf").symlink_to(folder / "a.pdf")
    (folder / "hard.pdf").hardlink_to(folder / "out.pdf")
    before = (folder / "out.pdf").read_bytes()
    assert run("merge", folder / "out.pdf", *(folder / name for name in inputs)) != 0
    assert message in capsys.readouterr().err
    assert (folder / "out.pdf").read_bytes() == before


@pytest.mark.parametrize("make", [pdf_samples.encrypted_pdf, pdf_samples.damaged_pdf, text_file])
def test_outputs_to_which_nothing_can_be_added_are_refused(make, folder):
    before = make(folder / "bad.pdf").read_bytes()
    with pytest.raises(TargetError, match=r"bad\.pdf: is"):
        merged(folder / "bad.pdf", folder / "a.pdf")
    assert (folder / "bad.pdf").read_bytes() == before


def test_an_output_with_unfinished_work_of_a_crawl_is_refused(folder):
    (folder / "out.pdf.part").write_bytes(b"begun")
    Journal(folder / "out.pdf.part.db").close()
    with pytest.raises(TargetUnfinishedError, match="holds the unfinished work of a capture"):
        merged(folder / "out.pdf", folder / "a.pdf")
    assert (folder / "out.pdf.part").read_bytes() == b"begun"


def test_two_merges_into_one_file_are_refused(folder, monkeypatch):
    original = merging.copied

    def copied(path, part):
        with pytest.raises(TargetLockedError):
            merged(folder / "out.pdf", folder / "b.pdf")
        return original(path, part)

    monkeypatch.setattr(merging, "copied", copied)
    merged(folder / "out.pdf", folder / "a.pdf")
    assert list(check_file(folder / "out.pdf")) == []


@pytest.mark.parametrize("name", ["out.pdf", "a.pdf"])
def test_a_file_that_is_changed_meanwhile_is_noticed(name, folder, monkeypatch):
    original = merging.FileTransfer.run

    def changed(transfer, limit):
        (folder / name).write_bytes((folder / name).read_bytes() + b"\n")
        return original(transfer, limit)

    monkeypatch.setattr(merging.FileTransfer, "run", changed)
    with pytest.raises(TargetError, match=f"{name}: was changed"):
        merged(folder / "out.pdf", folder / "a.pdf", folder / "b.pdf")
    assert not (folder / "out.pdf.part").exists()


def test_a_symbolic_link_stays_a_link(folder):
    (folder / "link.pdf").symlink_to("out.pdf")
    merged(folder / "link.pdf", folder / "a.pdf")
    assert (folder / "link.pdf").is_symlink()
    assert list(check_file(folder / "out.pdf")) == []


def test_an_error_of_the_disk_leaves_the_output(folder, monkeypatch):
    before = (folder / "out.pdf").read_bytes()

    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(TargetNotWritableError, match="Input/output error"):
        merged(folder / "out.pdf", folder / "a.pdf")
    assert (folder / "out.pdf").read_bytes() == before
    assert not (folder / "out.pdf.part").exists()


def faulty(folder, step, times):
    """Merge with a fault (`tests.archive.merge.faulty`)."""
    return run_module("tests.archive.merge.faulty", folder, step, times)


@pytest.mark.parametrize("room", [0, 4_000, 9_000])
def test_a_full_disk_leaves_the_output(room, folder):
    before = (folder / "out.pdf").read_bytes()
    done = faulty(folder, "full", room)
    assert "File too large; check the permissions and the free space" in done.output, done.log
    assert (folder / "out.pdf").read_bytes() == before
    assert sorted(entry.name for entry in folder.iterdir()) == ["a.pdf", "b.pdf", "out.pdf"]


@pytest.mark.crash
@pytest.mark.parametrize(("step", "times"), [("copy", 1), ("add", 4), ("commit", 2), ("sync", 3), ("rename", 1)])
def test_a_killed_merge_leaves_the_output_and_can_be_repeated(step, times, folder):
    before = (folder / "out.pdf").read_bytes()
    assert faulty(folder, step, times).status == -signal.SIGKILL
    assert (folder / "out.pdf").read_bytes() == before
    report = merged(folder / "out.pdf", folder / "a.pdf", folder / "b.pdf")
    again = "Started again: the unfinished out.pdf.part of a command that was killed was discarded"
    assert again in report.lines(folder / "out.pdf")
    assert sorted(entry.name for entry in folder.iterdir()) == ["a.pdf", "b.pdf", "out.pdf"]
    assert list(check_file(folder / "out.pdf")) == []


def test_an_interrupted_merge_says_that_the_output_is_unchanged(folder, capsys, monkeypatch):
    before = (folder / "out.pdf").read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(merging.FileTransfer, "run", interrupted)
    assert run("merge", folder / "out.pdf", folder / "a.pdf") == INTERRUPTED
    line = f"interrupted; {folder / 'out.pdf'} is as it was, and the same command starts again"
    assert capsys.readouterr().err == f"scrapy webcapture: {line}\n"
    assert (folder / "out.pdf").read_bytes() == before
    assert sorted(entry.name for entry in folder.iterdir()) == ["a.pdf", "b.pdf", "out.pdf"]


def test_the_command_prints_a_summary(folder, capsys):
    assert run("merge", folder / "new.pdf", folder / "a.pdf", folder / "b.pdf") == 0
    out, error = capsys.readouterr()
    assert out.startswith(f"Merged 2 files into {folder / 'new.pdf'} (")
    assert "  new page sets    6 (6 PDF pages)\n" in out
    assert error == ""


def test_the_command_uses_settings_and_a_title(folder):
    for name in ("one.pdf", "two.pdf"):
        inputs = (folder / "a.pdf", folder / "b.pdf")
        given = ("--title", "All of it", "-s", "WEBCAPTURE_FIXED_TIME=2026-03-01T12:00:00Z")
        assert run("merge", folder / name, *inputs, *given) == 0
    assert (folder / "one.pdf").read_bytes() == (folder / "two.pdf").read_bytes()
    with pikepdf.open(folder / "one.pdf") as pdf:
        assert (str(pdf.docinfo.Title), str(pdf.docinfo.ModDate)) == ("All of it", "D:20260301120000Z")


def test_a_wrong_setting_is_refused(folder, capsys):
    assert run("merge", folder / "new.pdf", folder / "a.pdf", "-s", "WEBCAPTURE_MAX_OMITTED=many") == 2
    assert "WEBCAPTURE_MAX_OMITTED" in capsys.readouterr().err
    assert not (folder / "new.pdf").exists()
