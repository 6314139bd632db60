"""The removal of FILE.part and its journal while another process begins a new FILE.part, whose files must stay."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.archive.target.test_target_files import PURPOSE, filled
from tests.support import pdf_samples
from wcspider.archive.journal.journal import Journal
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.target import part_files
from wcspider.archive.target.part_files import NEW, journal_of, new_version
from wcspider.archive.target.replacement import replacing
from wcspider.archive.target.target import Target
from wcspider.exceptions import TargetError, TargetNotWritableError
from wcspider.pdf.file.part import part_of


class Newcomer:
    """Another process, which begins to capture into the file as soon as it can lock a FILE.part."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target: Target

    def begin(self, *, is_killed: bool) -> None:
        """Begin, and reach a checkpoint."""
        self.target = Target.open(self.path, PURPOSE, fresh=True)
        filled(self.target, 100, 1)
        if is_killed:
            self.target.keep()

    def check(self) -> None:
        """Check that the work of the process can be continued, and continue it."""
        assert journal_of(part_of(self.path)).stat().st_size
        self.target.keep()
        again = Target.open(self.path, PURPOSE)
        assert again.checkpoint.length == again.part.stat().st_size > 100
        again.finish()
        assert list(self.path.parent.iterdir()) == [self.path]


def capture(path: Path) -> None:
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    target.finish()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return pdf_samples.classic_pdf(tmp_path / "site.pdf")


@pytest.mark.parametrize("is_killed", [False, True])
@pytest.mark.parametrize("use", [capture, optimize])
def test_a_process_that_begins_right_after_the_rename_keeps_its_files(
    path: Path, use: Callable[[Path], object], is_killed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    newcomer = Newcomer(path)
    sync = part_files.sync_folder

    def begin(folder: Path) -> None:
        monkeypatch.setattr(part_files, "sync_folder", sync)
        newcomer.begin(is_killed=is_killed)

    monkeypatch.setattr(part_files, "sync_folder", begin)
    use(path)
    newcomer.check()


def discard(path: Path) -> None:
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    target.discard()


def fail_to_replace(path: Path) -> None:
    with pytest.raises(RuntimeError), replacing(path, path):
        raise RuntimeError


@pytest.mark.parametrize("use", [capture, optimize, discard, fail_to_replace])
def test_a_process_that_begins_right_after_the_removal_keeps_its_files(
    path: Path, use: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    newcomer = Newcomer(path)
    unlink = Path.unlink

    def unlink_and_begin(removed: Path, missing_ok: bool = False) -> None:
        unlink(removed, missing_ok)
        if removed == part_of(path):
            monkeypatch.setattr(Path, "unlink", unlink)
            newcomer.begin(is_killed=False)

    monkeypatch.setattr(Path, "unlink", unlink_and_begin)
    use(path)
    newcomer.check()


def dying_at(number: int) -> Callable[[Path, bool], None]:
    """Return a removal that ends the process when it is called again after so many times."""
    left = iter(range(number))
    unlink = Path.unlink

    def dying(file: Path, missing_ok: bool = False) -> None:
        if next(left, None) is None:
            os._exit(1)
        unlink(file, missing_ok)

    return dying


@pytest.mark.parametrize("use", [discard, fail_to_replace])
def test_a_process_that_dies_during_the_removal_hinders_nobody(
    path: Path, use: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FILE.part with content and without a journal would be taken for the file of another program."""
    for number in range(1, 6):
        child = os.fork()
        if not child:
            monkeypatch.setattr(Path, "unlink", dying_at(number))
            use(path)
            os._exit(0)
        os.waitpid(child, 0)
        capture(path)
        assert list(path.parent.iterdir()) == [path]


def test_the_journal_stays_if_no_file_can_be_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run removes it."""

    def remove(part: Path) -> None:
        part.mkdir()  # in the place of the new FILE.part
        original(part)
        part.rmdir()

    original = part_files._remove_journal
    monkeypatch.setattr(part_files, "_remove_journal", remove)
    capture(path)
    assert {entry.name for entry in path.parent.iterdir()} == {"site.pdf", "site.pdf.part.db"}
    monkeypatch.undo()
    capture(path)
    assert list(path.parent.iterdir()) == [path]


def test_a_part_that_another_program_replaces_is_not_put_in_place(path: Path) -> None:
    before = path.read_bytes()
    part = part_of(path)

    def replace() -> None:
        with replacing(path, path):
            part.unlink()
            part.write_bytes(b"a download")

    with pytest.raises(TargetNotWritableError, match="was removed or replaced by another program"):
        replace()
    assert part.read_bytes() == b"a download"
    assert path.read_bytes() == before


@pytest.mark.parametrize("is_there", [True, False])
def test_a_change_of_the_file_is_not_undone(path: Path, is_there: bool) -> None:
    if not is_there:
        path.unlink()
    with pytest.raises(TargetError, match="was changed by another program meanwhile"), replacing(path, path.parent):
        path.write_bytes(b"of another program")
    assert path.read_bytes() == b"of another program"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("use", [capture, optimize])
def test_a_disk_without_room_for_another_file(
    path: Path, use: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "touch", full)
    with pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part\.db: No space left on device; check"):
        use(path)
    assert list(path.parent.iterdir()) == [path]


def test_an_old_journal_is_no_hindrance(path: Path) -> None:
    Journal(journal_of(part_of(path))).close()
    with closing(part_files.locked(path)):
        pass
    optimize(path)
    assert list(path.parent.iterdir()) == [path]


def test_a_new_version_that_another_process_removes_at_once_is_begun_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process opens and locks it just before the lock of this one, and removes it just afterwards."""
    lock, other = fcntl.flock, list[BinaryIO]()

    def lock_later(file: Any, operation: int) -> None:
        if not other:
            other.append(Path(file.name).open("rb"))  # noqa: SIM115 -- closed below
            lock(other[0], operation)
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", lock_later)
    with new_version(path) as file:
        Path(other[0].name).unlink()
        other[0].close()
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("site.pdf")])
def test_what_is_no_abandoned_file_stays(path: Path, make: Callable[[Path], object]) -> None:
    """A FIFO is not opened: that would wait forever."""
    odd = path.with_name(f"{NEW}odd.part")
    make(odd)
    with new_version(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert sorted(path.parent.iterdir()) == [odd, path]
