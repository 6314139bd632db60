"""Files that cannot be a target are refused in one line, and no temporary files remain."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import signal
import socket
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import pdf_samples
from tests.support.faulty_runs import largest_file
from wcspider.archive.journal.journal import Checkpoint
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.history import restore
from wcspider.archive.target import replacement as replacement_module
from wcspider.archive.target import target as target_module
from wcspider.archive.target.part_files import locked
from wcspider.archive.target.replacement import replacing
from wcspider.archive.target.target import Purpose, Target
from wcspider.exceptions import TargetError, TargetLockedError, TargetNotWritableError, TargetUnfinishedError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.objects import Name, Stream

PURPOSE = Purpose("identity", "scrapy crawl capture")


def capture(path: Path) -> None:
    """Open a target as a crawl does, and remove it."""
    Target.open(path, PURPOSE).discard()


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


KINDS = {
    "a FIFO": make_fifo,
    "a socket": make_socket,
    "a device": make_device,
    "Too many levels of symbolic links": make_loop,
}


@pytest.mark.parametrize("name", ["file.pdf.part", "file.pdf.part.db"])
@pytest.mark.parametrize("make", [make_fifo, make_socket, make_device, make_loop, Path.mkdir])
def test_what_is_in_the_place_of_the_part_stays(make: Callable[[Path], object], name: str, tmp_path: Path) -> None:
    part = tmp_path / name
    make(part)
    with pytest.raises(TargetNotWritableError) as error:
        Target.open(tmp_path / "file.pdf", PURPOSE, fresh=True)
    assert str(error.value) == f"{part}: is not a regular file; move it away, or name another file"
    assert list(tmp_path.iterdir()) == [part]


@pytest.mark.parametrize("content", [b"a download", b"%PDF-1.7\na download"])
@pytest.mark.parametrize("use", [capture, optimize])
def test_another_file_in_the_place_of_the_part_stays(
    content: bytes, use: Callable[[Path], object], tmp_path: Path
) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    part = tmp_path / "site.pdf.part"
    part.write_bytes(content)
    with pytest.raises(TargetNotWritableError) as error:
        use(path)
    reason = "is in the way, and is not unfinished work: there is no site.pdf.part.db"
    assert str(error.value) == f"{part}: {reason}; move it away, or name another file"
    assert {entry.name: entry.read_bytes() for entry in tmp_path.iterdir()} == {
        path.name: path.read_bytes(),
        part.name: content,
    }


@pytest.mark.parametrize("is_there", [True, False])
def test_another_file_beside_an_old_journal_stays(is_there: bool, tmp_path: Path) -> None:
    path, part = tmp_path / "site.pdf", tmp_path / "site.pdf.part"
    if is_there:
        pdf_samples.classic_pdf(path)
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    target.keep()
    download = b"%PDF-1.7\n" + b"a download " * 10_000
    part.write_bytes(download)
    with pytest.raises(TargetNotWritableError) as error:
        capture(path)
    reason = "is in the way, and is not the unfinished work of site.pdf.part.db"
    assert str(error.value) == f"{part}: {reason}; move it away, or name another file"
    assert part.read_bytes() == download
    part.unlink()
    capture(path)
    assert list(tmp_path.iterdir()) == [path][:is_there]


def test_a_part_without_a_page_is_continued(tmp_path: Path) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    path.write_bytes(path.read_bytes() + b"\n" * 500)
    target = Target.open(path, PURPOSE)
    length = target.file.length
    target.journal.commit(Checkpoint(length))
    target.keep()
    again = Target.open(path, PURPOSE)
    assert again.checkpoint.length == length
    again.discard()


@pytest.mark.parametrize("captured", [0, 1])
def test_a_part_of_another_command_is_replaced_if_it_has_no_page(tmp_path: Path, captured: int) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    target = Target.open(path, PURPOSE)
    target.journal.commit(Checkpoint(target.file.length, counts=(("pages", 3), ("known", captured))))
    target.keep()
    other = Purpose("other", "scrapy crawl refresh")
    if captured:
        with pytest.raises(TargetUnfinishedError, match="another command: scrapy crawl capture"):
            Target.open(path, other)
        Target.open(path, PURPOSE).discard()
    else:
        again = Target.open(path, other)
        assert again.checkpoint.length == 0
        again.discard()


@pytest.mark.parametrize("size", [0, 1000])
def test_a_part_that_another_program_cuts_is_not_put_in_place(size: int, tmp_path: Path) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    before = path.read_bytes()
    target = Target.open(path, PURPOSE)
    filled(target, 10_000, 1)
    os.truncate(target.part, size)
    with pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part: was changed by another program; repeat"):
        filled(target, 1, 1)
    target.keep()
    assert path.read_bytes() == before
    capture(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_part_that_is_renamed_at_the_same_moment_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ends, and FILE.part becomes FILE, while this process looks at it."""
    path, part = tmp_path / "site.pdf", tmp_path / "site.pdf.part"
    pdf_samples.classic_pdf(part)
    look = Path.lstat

    def look_too_late(file: Path) -> os.stat_result:
        if file == part:
            part.rename(path)
        return look(file)

    monkeypatch.setattr(Path, "lstat", look_too_late)
    with closing(locked(path)):
        assert part.stat().st_size == 0


@pytest.mark.parametrize("begin", [capture, optimize, Path.touch])
@pytest.mark.parametrize("use", [capture, optimize])
def test_the_part_of_a_process_that_was_killed_at_its_start_is_replaced(
    begin: Callable[[Path], object], use: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is empty, or the beginning of a copy beside an empty journal."""
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    if begin is Path.touch:
        (tmp_path / "site.pdf.part").touch()
    elif not os.fork():
        for function in ("copied", "copy_permissions"):
            for module in (target_module, replacement_module):
                monkeypatch.setattr(module, function, killed_while_writing, raising=False)
        begin(path)
        os._exit(1)
    else:
        assert os.waitstatus_to_exitcode(os.wait()[1]) == -signal.SIGKILL
        assert (tmp_path / "site.pdf.part").stat().st_size
    use(path)
    assert list(tmp_path.iterdir()) == [path]


def killed_while_writing(_: Path, part: Path) -> None:
    """Write the beginning of a PDF file into FILE.part and die."""
    part.write_bytes(b"%PDF-1.7\n")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("use", [capture, optimize, BaseFile])
@pytest.mark.parametrize(("problem", "make"), KINDS.items(), ids=KINDS)
def test_what_is_not_a_regular_file_is_refused(
    tmp_path: Path, use: Callable[[Path], object], problem: str, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "site.pdf"
    make(path)
    with pytest.raises(TargetError, match=problem):
        use(path)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize("make", [make_fifo, make_socket, make_device, Path.mkdir])
def test_what_another_program_puts_in_the_place_of_the_file_stays(
    make: Callable[[Path], object], is_there: bool, tmp_path: Path
) -> None:
    """It is not opened: a FIFO would be read forever."""
    path = tmp_path / "site.pdf"
    if is_there:
        pdf_samples.classic_pdf(path)
    target = Target.open(path, PURPOSE)
    path.unlink(missing_ok=True)
    make(path)
    with pytest.raises(TargetUnfinishedError, match=r"site\.pdf: was changed since the unfinished work in"):
        target.finish()
    target.discard()
    assert list(tmp_path.iterdir()) == [path]
    assert not path.is_file()


@pytest.mark.parametrize("length", [300, 251, 245])
def test_a_name_that_is_too_long_is_refused(tmp_path: Path, length: int) -> None:
    """A name of 245 bytes is too long for the journal of SQLite, which adds a suffix to FILE.part.db."""
    path = tmp_path / f"{'n' * (length - 4)}.pdf"
    with pytest.raises(TargetNotWritableError, match="File name too long; "):
        capture(path)
    with pytest.raises(TargetNotWritableError, match="File name too long; "):
        optimize(pdf_samples.classic_pdf(tmp_path / "site.pdf"), path)
    with pytest.raises(TargetNotWritableError, match="File name too long; "):
        restore(tmp_path / "site.pdf", 1, path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["site.pdf"]


@pytest.mark.parametrize("size", [0, 100])
@pytest.mark.parametrize("is_there", [False, True])
def test_a_disk_that_is_full_at_creation(tmp_path: Path, size: int, is_there: bool) -> None:
    """Either the header of FILE.part, the copy of FILE or the journal cannot be written."""
    path = tmp_path / "site.pdf"
    if is_there:
        pdf_samples.classic_pdf(path)
    before = path.read_bytes() if is_there else None
    with (
        largest_file(size),
        pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part(\.db)?: .*; check the permissions"),
    ):
        capture(path)
    assert list(tmp_path.iterdir()) == [path][:is_there]
    assert (path.read_bytes() if is_there else None) == before


@pytest.mark.parametrize("is_there", [False, True])
def test_unfinished_work_is_finished_once(tmp_path: Path, is_there: bool) -> None:
    """A copy of unfinished work, from a backup for example, does not replace the finished file."""
    path, backup = tmp_path / "site.pdf", tmp_path / "backup"
    if is_there:
        pdf_samples.classic_pdf(path)
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    target.keep()
    backup.mkdir()
    for file in tmp_path.glob("site.pdf.part*"):
        shutil.copy2(file, backup)
    again = Target.open(path, PURPOSE)
    filled(again, 1000, 1)
    again.finish()
    finished = path.read_bytes()
    for file in backup.iterdir():
        shutil.copy2(file, tmp_path)
    with pytest.raises(TargetUnfinishedError, match=r"site\.pdf: was changed since the unfinished work in"):
        capture(path)
    assert path.read_bytes() == finished
    Target.open(path, PURPOSE, fresh=True).discard()
    assert {entry.name for entry in tmp_path.iterdir()} == {"site.pdf", "backup"}


def test_two_commands_on_one_file_at_once(tmp_path: Path) -> None:
    path, other = (pdf_samples.classic_pdf(tmp_path / name) for name in ("site.pdf", "other.pdf"))
    before = path.read_bytes()
    uses: list[Callable[[], object]] = [
        lambda: capture(path),
        lambda: optimize(path),
        lambda: optimize(other, path, force=True),
        lambda: restore(other, 1, path, force=True),
    ]
    target = Target.open(path, PURPOSE)
    for use in uses:
        with pytest.raises(TargetLockedError, match="another process captures into it"):
            use()
    with closing(BaseFile(path)):  # it can be read
        target.discard()
    with replacing(path, path):
        for use in uses:
            with pytest.raises(TargetLockedError):
                use()
    assert path.read_bytes() == b""
    path.write_bytes(before)
    capture(path)


def filled(target: Target, size: int, rows: int) -> None:
    """Put a stream into FILE.part and rows into the journal, and commit both."""
    pages = target.file.add({"Type": Name("Pages"), "Kids": [], "Count": 0})
    target.file.root = target.file.add({"Type": Name("Catalog"), "Pages": pages})
    target.file.add(Stream({}, b"x" * size))
    for number in range(rows):
        target.journal.note_problem(f"http://h/{number}", "reason " * 50)
    target.file.commit()
    target.journal.commit(Checkpoint(target.file.length))


def full(*_: object) -> None:
    """Fail as a rename on a full disk does."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize(
    ("size", "rows", "what"), [(600_000, 1, "part"), (1, 3_000, "part.db")], ids=["part", "journal"]
)
def test_a_disk_that_is_full_for_one_of_the_files(
    tmp_path: Path, size: int, rows: int, what: str, is_there: bool
) -> None:
    """FILE stays as it was, and the same command continues from the last checkpoint when there is room."""
    path = tmp_path / "site.pdf"
    if is_there:
        pdf_samples.classic_pdf(path)
    before = path.read_bytes() if is_there else None
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    with largest_file(400_000), pytest.raises(TargetNotWritableError, match=rf"site\.pdf\.{re.escape(what)}: "):
        filled(target, size, rows)
    target.keep()
    assert (path.read_bytes() if path.exists() else None) == before
    again = Target.open(path, PURPOSE)
    assert again.checkpoint.length == again.file.length == again.part.stat().st_size
    filled(again, size, rows)
    again.finish()
    assert list(tmp_path.iterdir()) == [path]
    BaseFile(path).close()


def test_a_disk_that_is_full_at_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No disk can be filled so that only the rename fails, so the call itself fails here."""
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    before = path.read_bytes()
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(TargetNotWritableError, match=r"site\.pdf: No space left on device; check the permissions"):
            target.finish()
    target.keep()
    assert path.read_bytes() == before
    assert target.is_kept
    again = Target.open(path, PURPOSE)
    assert again.checkpoint.length
    again.finish()
    assert path.read_bytes().startswith(before)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
@pytest.mark.parametrize("use", [capture, optimize])
def test_a_share_without_locks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, use: Callable[[Path], object]
) -> None:
    """As some network file systems do, which no test can mount."""

    def unsupported(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    before = path.read_bytes()
    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part: cannot be locked: .*; use a folder on another"):
        use(path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_a_share_that_can_neither_sync_folders_nor_set_modes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As SMB and 9p shares do: the file is written all the same."""
    sync = os.fsync

    def sync_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        sync(descriptor)

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", sync_files)
    monkeypatch.setattr(os, "chmod", forbidden)
    monkeypatch.setattr(os, "chown", forbidden)
    target = Target.open(path, PURPOSE)
    filled(target, 1, 1)
    target.finish()
    assert path.read_bytes().startswith(before)
    assert len(path.read_bytes()) > len(before)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change the owner of a file")
def test_a_capture_by_root_keeps_the_owner(tmp_path: Path) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")
    path.chmod(0o640)
    os.chown(path, 12345, 54321)
    target = Target.open(path, PURPOSE)
    for part in (target.part, target.part.with_name("site.pdf.part.db")):
        assert (part.stat().st_uid, part.stat().st_gid) == (12345, 54321)
    target.finish()
    optimize(path)
    status = path.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 54321, 0o640)


def test_a_process_that_is_terminated_removes_the_part(tmp_path: Path) -> None:
    path = pdf_samples.classic_pdf(tmp_path / "site.pdf")

    def replace_until_terminated() -> None:
        with replacing(path, path) as part:
            assert part.exists()
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()

    with pytest.raises(SystemExit) as caught:
        replace_until_terminated()
    assert caught.value.code == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == [path]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
