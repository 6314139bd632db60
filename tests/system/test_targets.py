"""The target files of captures: new, own and foreign files, and files that must not be changed."""

from __future__ import annotations

import ctypes
import fcntl
import re
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.support import pdf_samples
from tests.support.crawls import STAMP, Archive, capture, captured, crawl_arguments, started, tool, webcapture
from tests.support.http_server import Reply, SiteServer, page
from tests.support.pictures import grey_png
from wcspider.archive.check.checker import check_file

PNG = grey_png(4, 4, 128)
LATER = "2026-03-02T12:00:00Z"
LATER_STAMP = "D:20260302120000Z"
EARLIER = "2026-03-01T12:00:00Z"


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    """A site of two pages that show one picture."""
    pages = {
        "/": page("<title>Start</title><p>start <img src=/dot.png> <a href=/two>two</a> <a href=/later>later</a>"),
        "/two": page("<title>Two</title><p>two <img src=/dot.png> <a href=/>start</a>", etag='"v1"'),
        "/dot.png": Reply(PNG, content_type="image/png"),
    }
    with SiteServer(pages) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the file, which is otherwise empty."""
    made = tmp_path / "folder"
    made.mkdir()
    return made


def _clean(path: Path) -> None:
    assert "No syntax or stream encoding errors found" in tool("qpdf", "--check", path)
    assert list(check_file(path)) == []


# Files that are captured into


def test_our_own_file_again_and_again(site: SiteServer, folder: Path) -> None:
    path = folder / "site.pdf"
    captured(site.url(), path, {"WEBCAPTURE_FIXED_TIME": EARLIER}, levels=2)
    assert list(folder.iterdir()) == [path]
    first = path.read_bytes()
    with Archive(path) as archive:
        before = {found.urls[0]: found for found in archive.page_sets}
        assert archive.links(site.url("/")) == {site.url("/two"): "GoTo", site.url("/later"): "URI"}

    # The same site: nothing but time stamps.
    again = captured(site.url(), path, {"WEBCAPTURE_FIXED_TIME": LATER}, levels=2)
    assert "  new page sets    0 (0 PDF pages)" in again.summary
    assert "  already there    2" in again.summary
    assert path.read_bytes().startswith(first)
    with Archive(path) as archive:
        assert len(archive.commands) == 1
        assert len(archive.pdf.pages) == 2
        assert archive.order(site.url("")) == ["/", "/two"]
        for found in archive.page_sets:
            [source] = found.sources
            assert (source.updated, source.command) == (LATER_STAMP, 0)
            assert found.created == STAMP
            assert found.identifier == before[source.url].identifier
        [image] = archive.image_sets
        assert image.counts == (2,)
        assert [source.updated for source in image.sources] == [LATER_STAMP]
        info = archive.pdf.docinfo
        assert (str(info.CreationDate), str(info.ModDate)) == (STAMP, LATER_STAMP)
    _clean(path)

    # A page more, to which a page of the first time already has a link.
    site.update({"/later": page("<title>Later</title><p>later <img src=/dot.png>")})
    captured(site.url("/later"), path, title="Another title")
    site.update({"/later": None})
    with Archive(path) as archive:
        assert archive.order(site.url("")) == ["/", "/two", "/later"]
        assert archive.links(site.url("/")) == {site.url("/two"): "GoTo", site.url("/later"): "GoTo"}
        assert [found.counts for found in archive.image_sets] == [(3,)]
        assert str(archive.pdf.docinfo.Title) == "Another title"
    _clean(path)


SAMPLES: dict[str, Callable[[Path], Path]] = {
    "plain": lambda path: pdf_samples.plain_pdf(3, path),
    "classic": pdf_samples.classic_pdf,
    "hybrid": pdf_samples.hybrid_pdf,
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_a_file_without_web_capture(site: SiteServer, folder: Path, kind: str) -> None:
    path = SAMPLES[kind](folder / "file.pdf")
    path.chmod(0o640)
    before = path.read_bytes()
    with pikepdf.open(path) as pdf:
        contents = [page.obj.get("/Contents") for page in pdf.pages]
        old = [None if content is None else content.read_bytes() for content in contents]
        title = str(pdf.docinfo.get("/Title", ""))
    captured(site.url("/two"), path)
    assert path.read_bytes().startswith(before)
    assert path.stat().st_mode & 0o777 == 0o640
    with Archive(path) as archive:
        assert archive.page_set(site.url("/two")).pages == (len(old),)
        assert archive.pdf.Root.Version == "/1.7"
        for number, content in enumerate(old):
            kept = archive.pdf.pages[number].obj.get("/Contents")
            assert (None if kept is None else kept.read_bytes()) == content
            assert "/ID" not in archive.pdf.pages[number]
        assert str(archive.pdf.docinfo.Title) == (title or "Two")
    _clean(path)


def test_a_file_of_acrobat(site: SiteServer, folder: Path) -> None:
    path = pdf_samples.acrobat_pdf(folder / "acrobat.pdf")
    before = path.read_bytes()
    captured(site.url("/two"), path)
    assert path.read_bytes().startswith(before)
    tool("qpdf", "--check", path)
    with Archive(path) as archive:
        # What Acrobat wrote stays, and is still found by its identifiers.
        home = archive.identifiers[pdf_samples.md5("acrobat home.\\\0")][0]
        assert (home.title, home.pages) == ("Home", (0,))
        assert archive.identifiers[pdf_samples.md5("photo.jpg")][0].counts == (1,)
        assert [str(command.URL) for command in archive.commands] == ["http://www.example.com/", site.url("/two")]
        assert float(archive.pdf.Root.SpiderInfo.V) == 1.25
        assert archive.page_set(site.url("/two")).pages == (2,)
        [name] = [name for name, _ in archive.destinations if b"top" in name]
        assert name.startswith(home.identifier[:4])
    found = webcapture("find", path, "--md5", pdf_samples.md5("acrobat home.\\\0").hex())
    assert (found.status, found.output.splitlines()[0]) == (0, "page 1  Home")


# Files that are left alone


def _text(path: Path) -> Path:
    path.write_text("not a PDF file, whatever its name says\n")
    return path


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (pdf_samples.encrypted_pdf, "is encrypted; decrypt it first, for instance with: qpdf --decrypt "
                                    "encrypted.pdf plain.pdf"),
        (pdf_samples.locked_pdf, "is encrypted; decrypt it first, for instance with: qpdf --decrypt "
                                 "encrypted.pdf plain.pdf"),
        (pdf_samples.damaged_pdf, "is damaged beyond repair ("),
        (_text, "is not a PDF file; name another file, or move this one away"),
    ],
    ids=["encrypted", "locked", "damaged", "text"],
)  # fmt: skip
def test_unusable_file(site: SiteServer, folder: Path, make: Callable[[Path], Path], said: str) -> None:
    path = make(folder / "file.pdf")
    before = path.read_bytes()
    site.forget()
    done = capture(site.url(), path)
    assert done.status == 1
    assert done.problem.startswith(f"{path}: {said}")
    assert path.read_bytes() == before
    assert list(folder.iterdir()) == [path]
    assert site.paths() == []  # nobody is asked for what cannot be kept


def _bound_by_permissions() -> None:
    """Drop the capability by which root writes anywhere (CAP_DAC_OVERRIDE), before Scrapy starts."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


@pytest.mark.parametrize("read_only", ["file", "folder"])
def test_read_only(site: SiteServer, folder: Path, read_only: str) -> None:
    path = pdf_samples.plain_pdf(1, folder / "file.pdf")
    before = path.read_bytes()
    bound = path if read_only == "file" else folder
    bound.chmod(bound.stat().st_mode & ~0o222)
    try:
        done = capture(site.url(), path, preexec=_bound_by_permissions)
    finally:
        folder.chmod(0o755)
    if read_only == "file":
        assert done.problem == f"{path}: is read-only; make it writable, or name another file"
    else:
        expected = "Permission denied; check the permissions and the free space of the folder"
        assert done.problem == f"{path}.part: {expected}"
    assert done.status == 1
    assert path.read_bytes() == before
    assert list(folder.iterdir()) == [path]


def test_a_folder_that_is_missing_and_one_in_place_of_the_file(site: SiteServer, folder: Path) -> None:
    missing = capture(site.url(), folder / "nowhere" / "file.pdf")
    assert missing.problem == f"{folder}/nowhere: no such folder; create it, or name another folder"
    in_place = capture(site.url(), folder)
    assert in_place.problem == f"{folder}: is a folder; name a file"
    assert missing.status == in_place.status == 1
    assert list(folder.iterdir()) == []


def test_another_process_is_at_it(site: SiteServer, folder: Path) -> None:
    path = pdf_samples.plain_pdf(1, folder / "file.pdf")
    before = path.read_bytes()
    part = folder / "file.pdf.part"
    with part.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b"of the other process")
        other.flush()
        done = capture(site.url(), path)
        assert part.read_bytes() == b"of the other process"
    assert (done.status, path.read_bytes()) == (1, before)
    assert done.problem == (f"{path}: another process captures into it; wait for it to end, or name another file")


def test_the_part_of_a_file_is_no_file_to_capture_into(site: SiteServer, folder: Path) -> None:
    part = pdf_samples.plain_pdf(1, folder / "file.pdf.part")
    journal = folder / "file.pdf.part.db"
    journal.touch()
    before = part.read_bytes()
    done = capture(site.url(), part)
    assert done.problem == f"{part}: is the unfinished file.pdf; repeat the command that began it"
    assert (done.status, part.read_bytes(), set(folder.iterdir())) == (1, before, {part, journal})


def test_what_a_dead_process_left_is_no_hindrance(site: SiteServer, folder: Path) -> None:
    path = folder / "file.pdf"
    (folder / "file.pdf.part").write_bytes(b"%PDF-1.7 half a capt")
    (folder / "file.pdf.part.db").touch()
    captured(site.url("/two"), path)
    assert list(folder.iterdir()) == [path]
    _clean(path)


# Captures that come to nothing, or to less


@pytest.mark.parametrize("is_there", [False, True])
def test_no_page_at_all(site: SiteServer, folder: Path, is_there: bool) -> None:
    path = folder / "file.pdf"
    if is_there:
        pdf_samples.plain_pdf(1, path)
    before = path.read_bytes() if is_there else b""
    done = capture(site.url("/nowhere"), path)
    assert done.status == 1
    assert done.problem == f"{path}: not written: no page was captured; the summary lists the pages with their reasons"
    assert done.left_out == {"HTTP 404": [site.url("/nowhere")]}
    assert list(folder.iterdir()) == ([path] if is_there else [])
    assert not is_there or path.read_bytes() == before


@pytest.mark.parametrize("other", [None, b"somebody else's"])
def test_work_that_is_taken_away_is_not_put_in_place(folder: Path, other: bytes | None) -> None:
    path, part = folder / "file.pdf", folder / "file.pdf.part"
    pages = {"/": page("<title>Start</title><a href=/last>last</a>"), "/last": page("<title>Last</title>", gate="last")}
    with SiteServer(pages) as server, started(*crawl_arguments(server.url(), path, levels=2)) as command:
        server.wait_for("/last")
        for entry in folder.iterdir():
            entry.unlink()
        if other is not None:
            part.write_bytes(other)
        server.open_gate("last")
        done = command.end()
    assert done.status == 1
    assert done.problem == f"{part}: was removed or replaced by another program; repeat the command"
    assert "Captured 2 pages so far, and none of them is in" in done.log
    assert [entry.read_bytes() for entry in folder.iterdir()] == [other][: other is not None]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_to_a_file_stays_one(site: SiteServer, folder: Path, is_there: bool) -> None:
    path, link = folder / "real" / "file.pdf", folder / "link.pdf"
    path.parent.mkdir()
    link.symlink_to("real/file.pdf")
    if is_there:
        pdf_samples.plain_pdf(1, path)
    captured(site.url(), link)
    captured(site.url("/two"), path)
    assert webcapture("optimize", link).status == 0
    with pikepdf.open(path) as pdf:
        assert len(pdf.pages) == 2 + is_there
    assert (link.is_symlink(), list(path.parent.iterdir()), len(list(folder.iterdir()))) == (True, [path], 2)


def test_a_link_to_a_file_that_another_process_is_at(site: SiteServer, folder: Path) -> None:
    path, link = pdf_samples.plain_pdf(1, folder / "file.pdf"), folder / "link.pdf"
    link.symlink_to(path)
    with (folder / "file.pdf.part").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert "another process captures into it" in capture(site.url(), link).problem


@pytest.mark.parametrize("is_there", [True, False])
def test_a_file_that_is_changed_meanwhile_is_not_overwritten(folder: Path, is_there: bool) -> None:
    path = folder / "file.pdf"
    if is_there:
        pdf_samples.plain_pdf(1, path)
    pages = {"/": page("<title>Start</title><a href=/last>last</a>"), "/last": page("<title>Last</title>", gate="last")}
    with SiteServer(pages) as server:
        with started(*crawl_arguments(server.url(), path, levels=2)) as command:
            server.wait_for("/last")
            changed = pdf_samples.plain_pdf(2, folder / "changed.pdf").replace(path).read_bytes()
            server.open_gate("last")
            done = command.end()
        problem = f"{path}: was changed since the unfinished work in file.pdf.part began"
        assert done.problem == f"{problem}; add -a fresh=true to begin again with the changed file"
        assert (done.status, path.read_bytes()) == (1, changed)
        assert "Captured 2 pages so far, and none of them is in" in done.log
        captured(server.url(), path, levels=2, fresh="true")
    with pikepdf.open(path) as pdf:
        assert len(pdf.pages) == 4


def test_a_file_that_is_only_touched_meanwhile_takes_the_pages(folder: Path) -> None:
    path = pdf_samples.plain_pdf(1, folder / "file.pdf")
    pages = {"/": page("<title>Start</title>", gate="start")}
    with SiteServer(pages) as server, started(*crawl_arguments(server.url(), path)) as command:
        server.wait_for("/")
        path.touch()
        server.open_gate("start")
        assert command.end().status == 0


def test_a_server_that_dies(folder: Path) -> None:
    path = folder / "file.pdf"
    pages = {
        "/": page("<title>Start</title><a href=/quick>quick</a> <a href=/hangs>hangs</a>"),
        "/quick": page("<title>Quick</title><a href=/next>next</a>"),
        "/hangs": page("<title>Hangs</title>hangs", gate="never"),
        "/next": page("<title>Next</title>next", gate="never"),
    }
    with SiteServer(pages) as server, started(*crawl_arguments(server.url(), path, levels=3)) as command:
        server.wait_for("/next")  # so /quick was read
        server.wait_for("/hangs")
        server.kill()
        done = command.end()
    assert done.status == 0, done.log
    left_out = [url for urls in done.left_out.values() for url in urls]
    assert sorted(left_out) == [server.url("/hangs"), server.url("/next")]
    assert done.left_out.keys() <= {"connection refused", "the connection broke off"}
    with Archive(path) as archive:
        assert archive.order(server.url("")) == ["/", "/quick"]
        assert archive.links(server.url("/quick")) == {server.url("/next"): "URI"}
    _clean(path)


def _on_a_small_disk(size: int) -> dict[str, Any]:
    """The options of a capture during which no file may grow beyond a size, as on a disk that is full.

    The process writes no compiled modules, because Python would leave them truncated.
    """

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return {"preexec": limit, "environment": {"PYTHONDONTWRITEBYTECODE": "1"}}


@pytest.mark.parametrize("is_there", [False, True])
def test_a_disk_that_fills(site: SiteServer, folder: Path, is_there: bool) -> None:
    path = folder / "file.pdf"
    if is_there:
        pdf_samples.plain_pdf(1, path)
    before = path.read_bytes() if is_there else b""
    # A revision for each page, so that the first one fails in the middle of the crawl.
    done = capture(site.url(), path, {"WEBCAPTURE_BATCH_PAGES": 1}, levels="all", **_on_a_small_disk(8_000))
    assert done.status == 1
    # Whichever of the two is written to first: the copy that is worked on, or its journal.
    assert re.fullmatch(
        re.escape(f"{path}.part") + r"(\.db)?: [^;]+; check the permissions and the free space of the folder",
        done.problem,
    )
    assert path.exists() == is_there
    assert not is_there or path.read_bytes() == before
    # What is left is for the same command, once there is room again.
    left = {found.name for found in folder.iterdir()} - {path.name}
    assert all(name.startswith("file.pdf.part") for name in left)
    captured(site.url(), path, levels="all")
    assert list(folder.iterdir()) == [path]
    with Archive(path) as archive:
        assert archive.order(site.url("")) == ["/", "/two"]
    _clean(path)


def test_a_folder_for_temporary_files_that_fills(folder: Path) -> None:
    """The pages whose resources are lost are not kept without them: they are left to the next run."""
    large = [Reply(grey_png(width, 1, 0) + bytes(60_000), content_type="image/png") for width in (1, 2)]
    images = {"/1.png": large[0], "/2.png": large[1]}
    pages = {f"/{width}": page(f"<p>page {width}<img src={width}.png>") for width in (1, 2)}
    path, settings = folder / "file.pdf", {"WEBCAPTURE_WAITING_BYTES": 0}
    with SiteServer({"/": page("<a href=1>1</a><a href=2>2</a>"), **pages, **images}) as server:
        done = capture(server.url(), path, settings, levels=2, **_on_a_small_disk(100_000))
        assert done.status == 1
        assert "Traceback" not in done.log
        [problem] = done.messages("ERROR")
        assert problem.endswith(": No space left on device; free space in this folder, or set TMPDIR to another one")
        assert list(folder.iterdir()) == []  # no page was stored
        captured(server.url(), path, settings, levels=2)
        with Archive(path) as archive:
            assert archive.order(server.url("")) == ["/", "/1", "/2"]
            assert len(archive.image_sets) == 2
    _clean(path)
