"""The finished file is also copied to storages of Scrapy's feeds, and is complete even if that fails."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from tests.support.crawls import Run, capture, captured, crawl_arguments, started
from tests.support.faulty_runs import largest_file
from tests.support.http_server import SiteServer, page
from wcspider import settings
from wcspider.archive.check.checker import check_file
from wcspider.archive.target.part_files import NEW, new_version
from wcspider.config import CaptureConfig
from wcspider.crawl.closing.delivery import Delivery, Destination
from wcspider.crawl.closing.local_copies import COPIED_AT_ONCE, replace_copy
from wcspider.exceptions import ArgumentError, SettingError

STORAGES = """
from pathlib import Path

from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import BlockingFeedStorage


class Shelf(BlockingFeedStorage):
    \"\"\"Files by URI, in the folder that a setting names.\"\"\"

    def __init__(self, uri, folder, *, feed_options=None):
        self.uri, self.folder, self.options = uri, Path(folder), feed_options

    @classmethod
    def from_crawler(cls, crawler, uri, *, feed_options=None):
        return cls(uri, crawler.settings["SHELF"], feed_options=feed_options)

    def _store_in_thread(self, file):
        assert self.options["overwrite"]
        file.seek(0)
        (self.folder / self.uri.replace("/", "|")).write_bytes(file.read())


class Burning(Shelf):
    def _store_in_thread(self, file):
        raise OSError("no room for " + self.uri + "\\nat all")


class Impatient(Shelf):
    def open(self, spider):
        raise TimeoutError


class Absent(Shelf):
    def __init__(self, uri, folder, *, feed_options=None):
        raise NotConfigured("missing the library")


class Careless(Shelf):
    def __init__(self, uri, folder, *, feed_options=None):
        raise ValueError("what is " + uri)
"""


@pytest.fixture
def ship(server: Callable[..., SiteServer], tmp_path: Path) -> Callable[..., Run]:
    """Captures a page into site.pdf and ships that; the storages of the project put files into shelf/."""
    (tmp_path / "storages.py").write_text(STORAGES)
    (tmp_path / "shelf").mkdir()
    site = server({"/": page("<title>Start</title><p>hello")})
    names = {"s3": "Shelf", "shelf": "Shelf", "hot": "Burning", "slow": "Impatient", "no": "Absent", "odd": "Careless"}
    given = {
        "FEED_STORAGES": json.dumps({scheme: f"storages.{name}" for scheme, name in names.items()}),
        "SHELF": tmp_path / "shelf",
        "WEBCAPTURE_FIXED_TIME": "2026-03-01",
    }

    def shipped(to: object, name: str = "site.pdf", **arguments: object) -> Run:
        return capture(
            site.url(),
            tmp_path / name,
            {**given, "WEBCAPTURE_SHIP_TO": to},
            environment={"PYTHONPATH": str(tmp_path)},
            **arguments,
        )

    return shipped


def _shelf(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "shelf").iterdir()}


def test_to_a_storage_of_the_project_and_to_s3(ship: Callable[..., Run], tmp_path: Path) -> None:
    done = ship("s3://me:secret@bucket/%(name)s/%(time)s 100%25.pdf, shelf://board,2/%(_job)s", _job=7)
    assert (done.status, done.messages("ERROR")) == (0, [])
    whole = (tmp_path / "site.pdf").read_bytes()
    assert _shelf(tmp_path) == {
        "s3:||me:secret@bucket|capture|2026-03-01T00-00-00+00-00 100%25.pdf": whole,
        "shelf:||board,2|7": whole,
    }
    assert done.messages("INFO", "wcspider.crawl.closing.delivery") == [
        f"Delivered {tmp_path / 'site.pdf'} to s3://bucket/capture/2026-03-01T00-00-00+00-00 100%25.pdf",
        f"Delivered {tmp_path / 'site.pdf'} to shelf://board,2/7",
    ]
    assert "secret" not in done.log
    assert list(check_file(tmp_path / "site.pdf")) == []


def test_to_a_file_that_is_replaced(ship: Callable[..., Run], tmp_path: Path) -> None:
    copy = tmp_path / "new folder" / "copy.pdf"
    for _ in range(2):  # the second is longer, and would be longer still if it were appended
        assert ship(copy.as_uri()).status == 0
        assert copy.read_bytes() == (tmp_path / "site.pdf").read_bytes()
    assert ship(f"{copy}2").status == 0
    assert Path(f"{copy}2").read_bytes() == (tmp_path / "site.pdf").read_bytes()


def delivered(source: Path, to: Path) -> list[str]:
    """Deliver a file to a path, and return the errors."""
    shipment = Delivery.prepare(get_crawler(), str(to), source, datetime.now())
    return [error.problem for error in asyncio.run(shipment.send(source, None))]


def test_an_older_copy_stays_if_the_disk_is_full(tmp_path: Path) -> None:
    source, copy = tmp_path / "site.pdf", tmp_path / "copies" / "copy.pdf"
    source.write_bytes(b"new" * 10_000)
    copy.parent.mkdir()
    for is_there in (False, True):
        if is_there:
            copy.write_bytes(b"older")
        with largest_file(20_000):
            assert delivered(source, copy) == [f"{source}: not delivered to {copy}: File too large"]
        assert [entry.read_bytes() for entry in copy.parent.iterdir()] == [b"older"] * is_there
    copy.chmod(0o640)
    assert delivered(source, copy) == []
    assert (copy.read_bytes(), stat.S_IMODE(copy.stat().st_mode)) == (source.read_bytes(), 0o640)
    assert list(copy.parent.iterdir()) == [copy]


def test_to_a_link_and_to_a_folder(tmp_path: Path) -> None:
    source, link = tmp_path / "site.pdf", tmp_path / "link.pdf"
    source.write_bytes(b"new")
    link.symlink_to("copy.pdf")
    for _ in ("a link without a target", "a link to a copy"):
        assert delivered(source, link) == []
        assert link.is_symlink()
        assert (tmp_path / "copy.pdf").read_bytes() == b"new"
    for folder in (tmp_path, f"{tmp_path}/", (tmp_path / "new").as_uri() + "/"):
        with pytest.raises(SettingError, match=r"this is a folder; name a file in it: .*[^/]/%\(file\)s\.pdf"):
            Delivery.prepare(get_crawler(), str(folder), source, datetime.now())


def test_a_delivery_that_is_killed_leaves_the_older_copy(tmp_path: Path) -> None:
    source, copy = tmp_path / "site.pdf", tmp_path / "copy.pdf"
    source.write_bytes(b"new" * 1_000_000)
    copy.write_bytes(b"older")
    script = (
        "import os, pathlib, signal, sys; from wcspider.archive.target import part_files; "
        "part_files.copy_permissions = lambda *_: os.kill(os.getpid(), signal.SIGKILL); "
        "from wcspider.crawl.closing.local_copies import replace_copy; replace_copy(*map(pathlib.Path, sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", script, source, copy], check=False)
    assert done.returncode == -signal.SIGKILL
    assert copy.read_bytes() == b"older"
    [abandoned] = tmp_path.glob(f"{NEW}*")
    with new_version(tmp_path / "other.pdf") as other:  # which is being written
        replace_copy(source, copy)
        assert (copy.read_bytes(), abandoned.exists()) == (source.read_bytes(), False)
        assert [Path(str(other.name))] == list(tmp_path.glob(f"{NEW}*"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.pdf", "other.pdf", "site.pdf"]


FAILURES = {
    "hot://me:secret@place/": "hot://place/: no room for hot://place/",
    "slow://place/": "slow://place/: no answer in time",
    "ftp://me:secret@127.0.0.1:1/a": "ftp://127.0.0.1:1/a: Connection refused",
    "file:///dev/full": "file:///dev/full: No space left on device",
}


def test_what_fails_is_said_and_costs_nothing_else(ship: Callable[..., Run], tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    done = ship(", ".join([*FAILURES, "shelf://board"]))
    assert done.status == 3
    advice = "the file itself is in place: copy it there, or see docs/usage.md in the sources of wcspider"
    assert done.messages("ERROR") == [f"{path}: not delivered to {said}; {advice}" for said in FAILURES.values()]
    assert "Traceback" not in done.log
    assert "secret" not in done.log
    assert _shelf(tmp_path) == {"shelf:||board": path.read_bytes()}
    assert list(check_file(path)) == []
    assert not (tmp_path / "site.pdf.part").exists()


WRONG = {
    "what://me:secret@place/": "what://place/: no storage for the scheme 'what'; FEED_STORAGES has ",
    "no://me:secret@place/": f"no://place/: missing the library; {SettingError.advice}",
    "odd://me:secret@place/": f"odd://place/: ValueError: what is odd://place/; {SettingError.advice}",
    "ftp:///site.pdf": "ftp:///site.pdf: ValueError: Got a storage URI without a hostname: ftp:///site.pdf;",
    "file:///folder/../folder/site.pdf": "file:///folder/../folder/site.pdf: this is the captured file itself;",
    "/folder/site.pdf": "/folder/site.pdf: this is the captured file itself;",
    "ftp://me:secret@[place/": "ftp://[place/: ValueError: Invalid IPv6 URL;",
    "ftp://me:sec/ret@place/": "ftp://place/: ValueError: Port could not be cast to integer value as '...';",
}


@pytest.mark.parametrize("uri", WRONG)
def test_what_cannot_be(uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "storages.py").write_text(STORAGES)
    monkeypatch.syspath_prepend(tmp_path)
    crawler = get_crawler(settings_dict={"FEED_STORAGES": {"no": "storages.Absent", "odd": "storages.Careless"}})
    with pytest.raises(SettingError) as caught:
        Delivery.prepare(crawler, f"shelf, {uri}", Path("/folder/site.pdf"), datetime.now())
    assert str(caught.value).startswith("WEBCAPTURE_SHIP_TO: " + WRONG[uri])


def test_a_crawl_that_is_stopped_while_it_ships_says_so(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server({"/": page("<p>hello")})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        to = f"ftp://me:secret@127.0.0.1:{silent.getsockname()[1]}/site.pdf"
        command = crawl_arguments(site.url(), tmp_path / "site.pdf", {"WEBCAPTURE_SHIP_TO": to})
        with started(*command) as crawl:
            connection, _ = silent.accept()
            crawl.process.send_signal(signal.SIGINT)
            assert crawl.process.stderr is not None
            log = ""
            while "Received SIGINT" not in log:
                log += crawl.process.stderr.readline()
            connection.close()
            done = crawl.end()
    assert (done.status, "secret" in log + done.log) == (3, False)
    assert list(check_file(tmp_path / "site.pdf")) == []


def test_a_login_beside_a_wrong_parameter_is_not_said() -> None:
    with pytest.raises(ArgumentError, match="the spider has no attribute") as caught:
        Delivery.prepare(get_crawler(), "ftp://me:secret@place/%(lost)s.pdf", Path("/site.pdf"), datetime.now())
    assert "secret" not in str(caught.value)


def test_what_cannot_be_is_said_before_the_first_request(ship: Callable[..., Run], tmp_path: Path) -> None:
    done = ship("no://me:secret@place/")
    assert (done.status, done.problem) == (2, "WEBCAPTURE_SHIP_TO: " + WRONG["no://me:secret@place/"])
    assert "secret" not in done.log
    assert "downloader/request_count" not in done.log
    assert not list(tmp_path.glob("site.pdf*"))


def test_a_list_in_a_file_of_settings(tmp_path: Path) -> None:
    given = {name: value for name, value in vars(settings).items() if name.startswith("WEBCAPTURE_")}
    copies = [tmp_path / "a, b.pdf", (tmp_path / "c.pdf").as_uri()]
    config = CaptureConfig.from_settings({**given, "WEBCAPTURE_SHIP_TO": copies})
    shipment = Delivery.prepare(get_crawler(), config.ship_to, tmp_path / "site.pdf", datetime.now())
    assert [destination.uri for destination in shipment.destinations] == list(map(str, copies))


def test_the_file_is_read_piece_by_piece(tmp_path: Path) -> None:
    written: list[bytes] = []

    class Tape(BytesIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            written.append(bytes(data))
            return len(data)

    class Storage:
        def open(self, spider: object) -> BytesIO:
            return Tape()

        def store(self, file: BytesIO) -> None:
            file.close()

    path = tmp_path / "site.pdf"
    path.write_bytes(bytes(range(256)) * 20_000)
    shipment = Delivery([Destination("tape:", Storage())])  # type: ignore[arg-type]
    assert asyncio.run(shipment.send(path, None)) == []
    assert b"".join(written) == path.read_bytes()
    assert max(map(len, written)) <= COPIED_AT_ONCE < path.stat().st_size


def test_a_parameter_that_the_spider_does_not_have(ship: Callable[..., Run]) -> None:
    assert ship("shelf://%(_job)s").problem.startswith(
        "shelf://%(_job)s: the spider has no attribute _job for %(_job)s;"
    )


def test_a_crawl_that_was_not_finished_ships_nothing(ship: Callable[..., Run], tmp_path: Path) -> None:
    assert ship("shelf://board", engine="none").status == 2
    assert ship("shelf://board", "no folder/site.pdf").status == 1
    assert _shelf(tmp_path) == {}


FTP_SERVER = """
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer

authorizer = DummyAuthorizer()
authorizer.add_user("me", "secret", sys.argv[1], perm="elradfmw")
FTPHandler.authorizer = authorizer
server = FTPServer(("127.0.0.1", 0), FTPHandler)
print(server.address[1], flush=True)
server.serve_forever()
"""


@contextmanager
def _ftp_server(folder: Path) -> Iterator[str]:
    command = [sys.executable, "-c", FTP_SERVER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        yield f"127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()


def test_to_an_ftp_server(ship: Callable[..., Run], tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    with _ftp_server(kept) as address:
        done = ship(f"ftp://me:secret@{address}/sites/%(name)s.pdf")
        assert (done.status, done.messages("ERROR")) == (0, [])
        assert (kept / "sites" / "capture.pdf").read_bytes() == (tmp_path / "site.pdf").read_bytes()
        assert "secret" not in done.log
        denied = ship(f"ftp://me:wrong@{address}/sites/%(name)s.pdf")
        assert "error_perm: 530 Authentication failed" in denied.problem
        assert denied.status == 3


LISTENER = """
from pathlib import Path
from wcspider import signals


class Listening:
    @classmethod
    def from_crawler(cls, crawler):
        listening = cls()
        listening.shelf = Path(crawler.settings["SHELF"])
        crawler.signals.connect(listening.finished, signals.file_finished)
        return listening

    def finished(self, path):
        print("finished", path.exists(), len(list(self.shelf.iterdir())))
"""


def test_the_signal_comes_before(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    (tmp_path / "storages.py").write_text(STORAGES + LISTENER)
    (tmp_path / "shelf").mkdir()
    given = {
        "FEED_STORAGES": json.dumps({"shelf": "storages.Shelf"}),
        "EXTENSIONS": json.dumps({"wcspider.crawl.session.CaptureSession": 100, "storages.Listening": 200}),
        "SHELF": tmp_path / "shelf",
        "WEBCAPTURE_SHIP_TO": "shelf://board",
    }
    site = server({"/": page("<p>hello")})
    done = captured(site.url(), tmp_path / "site.pdf", given, environment={"PYTHONPATH": str(tmp_path)})
    assert done.output == "finished True 0\n"
    assert list(_shelf(tmp_path)) == ["shelf:||board"]
