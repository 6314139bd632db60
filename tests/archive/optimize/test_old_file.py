"""What cannot be optimized stays as it is, and so does every file until the new one is complete."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from tests.support import pdf_samples
from tests.support.crawls import run_module
from wcspider.archive.check.checker import check_file
from wcspider.archive.journal.journal import Journal
from wcspider.archive.optimize.rewrite import optimize
from wcspider.exceptions import (
    TargetDamagedError,
    TargetEncryptedError,
    TargetError,
    TargetLockedError,
    TargetMissingError,
    TargetNotPdfError,
    TargetNotWritableError,
    TargetUnfinishedError,
)
from wcspider.pdf.file import base_file

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (pdf_samples.encrypted_pdf, TargetEncryptedError),
        (pdf_samples.locked_pdf, TargetEncryptedError),
        (pdf_samples.damaged_pdf, TargetDamagedError),
        (lambda path: path.write_text("no PDF") and path, TargetNotPdfError),
        (lambda path: path, TargetMissingError),
    ],
)
@pytest.mark.parametrize("output", [None, "out.pdf"])
def test_files_that_cannot_be_relied_on_are_refused(make, error, output, tmp_path):
    path = make(tmp_path / "file.pdf")
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(error):
        optimize(path, output and tmp_path / output)
    assert before is None or path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.pdf"] * (before is not None)


def test_damage_that_shows_late_is_refused(site):
    data = site.read_bytes()
    at = data.index(b" obj\n", len(data) // 2)
    site.write_bytes(data[:at] + b" xyz\n" + data[at + 5 :])
    before = site.read_bytes()
    with pytest.raises(TargetDamagedError):
        optimize(site)
    assert site.read_bytes() == before


def sign_field(pdf):
    """Add a signature field with a signature, below a field that gives its type."""
    parent = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("all")))
    field = pdf.make_indirect(Dictionary(T=String("one"), Parent=parent, V=Dictionary(Type=Name.Sig)))
    parent.Kids = Array([field])
    pdf.Root.AcroForm = Dictionary(Fields=Array([parent]))


def certify(pdf):
    """Add a signature that restricts later changes."""
    pdf.Root.Perms = Dictionary(DocMDP=pdf.make_indirect(Dictionary(Type=Name.Sig)))


@pytest.mark.parametrize("sign", [sign_field, certify])
def test_signed_files_are_refused_unless_forced(sign, site):
    with pikepdf.open(site, allow_overwriting_input=True, inherit_page_attributes=False) as pdf:
        sign(pdf)
        pdf.save(site)
    before = site.read_bytes()
    with pytest.raises(TargetError, match=r"is signed.*--force"):
        optimize(site)
    assert site.read_bytes() == before
    optimize(site, force=True)
    assert list(check_file(site)) == []


@pytest.mark.odd_pdfs
def test_a_field_that_awaits_a_signature_is_no_signature(tmp_path):
    path = pdf_samples.plain_pdf(1, tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        field = pdf.make_indirect(Dictionary(FT=Name.Sig, T=String("sign here")))
        pdf.Root.AcroForm = Dictionary(Fields=Array([field, 5]))
        pdf.save(path)
    optimize(path)


def test_a_file_that_is_captured_into_is_refused(site):
    before = site.read_bytes()
    part = site.with_name("site.pdf.part")
    script = "import fcntl, sys; f = open(sys.argv[1], 'ab'); fcntl.flock(f, fcntl.LOCK_EX); print('go', flush=True)"
    command = [sys.executable, "-c", script + "; sys.stdin.read()", str(part)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        with pytest.raises(TargetLockedError):
            optimize(site)
        assert part.exists()
        process.communicate()
    assert site.read_bytes() == before
    optimize(site)


def test_unfinished_work_is_not_destroyed(site):
    part = site.with_name("site.pdf.part")
    part.write_bytes(site.read_bytes())
    Journal(site.with_name("site.pdf.part.db")).close()
    with pytest.raises(TargetUnfinishedError):
        optimize(site)
    assert part.read_bytes() == site.read_bytes()


def test_unfinished_work_itself_is_not_optimized(site):
    part = site.rename(site.with_name("site.pdf.part"))
    before = part.read_bytes()
    Journal(site.with_name("site.pdf.part.db")).close()
    with pytest.raises(TargetUnfinishedError, match="is the unfinished site"):
        optimize(part)
    assert part.read_bytes() == before
    optimize(part, site.with_name("other.pdf"))
    assert part.read_bytes() == before


def test_what_dead_processes_left_is_no_obstacle(site):
    site.with_name("site.pdf.part").write_bytes(b"%PDF-1.7 half a file")
    site.with_name("site.pdf.part.db").touch()
    optimize(site)
    Journal(site.with_name("site.pdf.part.db")).close()
    optimize(site)
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


def test_a_file_that_is_replaced_meanwhile_is_not_mixed_with_the_new_one(site, tmp_path, monkeypatch):
    monkeypatch.setattr(base_file, "BLOCKS_BEFORE_REOPENING", 1)
    reopen = base_file.BaseFile._reopen

    def replaced(file):
        site.with_name("new.pdf").write_bytes(site.read_bytes() + b"\n")
        site.with_name("new.pdf").replace(site)
        reopen(file)

    monkeypatch.setattr(base_file.BaseFile, "_reopen", replaced)
    with pytest.raises(TargetError, match="was changed while it was read"):
        optimize(site, tmp_path / "out.pdf")
    assert [entry.name for entry in tmp_path.iterdir()] == ["site.pdf"]


@pytest.mark.parametrize("output", ["folder", "missing/out.pdf"])
def test_outputs_that_cannot_be_written_are_refused(output, site, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(TargetNotWritableError):
        optimize(site, tmp_path / output)


def test_the_mode_of_the_file_stays(site, tmp_path):
    site.chmod(0o640)
    optimize(site)
    optimize(site, tmp_path / "out.pdf")
    assert [path.stat().st_mode & 0o777 for path in (site, tmp_path / "out.pdf")] == [0o640, 0o640]


def test_the_lock_is_released(site):
    optimize(site)
    with site.with_name("site.pdf.part").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


# Faults


def test_an_error_of_the_disk_leaves_the_file(site, monkeypatch):
    before = site.read_bytes()

    def fail(descriptor):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(TargetNotWritableError, match="Input/output error"):
        optimize(site)
    assert site.read_bytes() == before
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


FAULTY = "tests.archive.optimize.faulty"


@pytest.mark.parametrize("room", [0, 8, 20_000])
def test_a_full_disk_leaves_the_file(room, site):
    before = site.read_bytes()
    done = run_module(FAULTY, site, "full", room)
    assert "File too large; check the permissions and the free space" in done.output, done.log
    assert site.read_bytes() == before
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]


@pytest.mark.crash
@pytest.mark.parametrize(("step", "times"), [("write", 1), ("write", 200), ("commit", 3), ("sync", 2), ("rename", 1)])
def test_a_killed_rewrite_leaves_the_file_byte_for_byte(step, times, site):
    before = site.read_bytes()
    assert run_module(FAULTY, site, step, times).status == -signal.SIGKILL
    assert site.read_bytes() == before
    optimize(site)
    assert [entry.name for entry in site.parent.iterdir()] == ["site.pdf"]
    assert list(check_file(site)) == []
