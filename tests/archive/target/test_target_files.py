"""Files that cannot be a target are refused in one line, and no temporary files remain."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import pdf_samples
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.history import restore
from wcspider.archive.target.replacement import replacing
from wcspider.archive.target.target import Purpose, Target
from wcspider.exceptions import TargetError, TargetNotWritableError
from wcspider.pdf.file.base_file import BaseFile

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


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let every write beyond a size fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 100])
def test_a_disk_that_is_full_at_creation(tmp_path: Path, size: int) -> None:
    """Either the header of FILE.part or the journal cannot be written."""
    with (
        largest_file(size),
        pytest.raises(TargetNotWritableError, match=r"site\.pdf\.part(\.db)?: .*; check the permissions"),
    ):
        capture(tmp_path / "site.pdf")
    assert list(tmp_path.iterdir()) == []


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
