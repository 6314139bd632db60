"""Local files without an end, and FTP servers that stall or never stop."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from tests.support.crawls import Archive, capture

PAGE = b"<title>Good</title><p>text"
SETTINGS = {"DOWNLOAD_TIMEOUT": 2, "DOWNLOAD_MAXSIZE": 100_000, "RETRY_TIMES": 0, "ROBOTSTXT_OBEY": False}


class FtpServer:
    """A server that sends the same data for every file; its data connections stay open if `stalls` is set."""

    def __init__(self, pieces: Callable[[], Iterator[bytes]], *, stalls: bool = False, greets: bool = True) -> None:
        self._pieces, self._stalls, self._greets = pieces, stalls, greets
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._ending = threading.Event()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve while the context lasts; yield the URL of a file."""
        thread = threading.Thread(target=self._serve)
        thread.start()
        try:
            yield f"ftp://127.0.0.1:{self._socket.getsockname()[1]}/page.html"
        finally:
            self._ending.set()
            self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            thread.join()

    def _serve(self) -> None:
        with suppress(OSError), ExitStack() as connections:
            while True:
                connection = connections.enter_context(self._socket.accept()[0])
                threading.Thread(target=self._answer, args=(connection,)).start()

    def _answer(self, connection: socket.socket) -> None:
        with (
            suppress(OSError),
            closing(socket.create_server(("127.0.0.1", 0))) as data,
            connection.makefile("rb") as lines,
        ):
            if self._greets:
                connection.sendall(b"220 ready\r\n")
            for line in lines:
                command = line[:4].upper()
                if command == b"PASV":
                    high, low = divmod(data.getsockname()[1], 256)
                    connection.sendall(b"227 Passive (127,0,0,1,%d,%d)\r\n" % (high, low))
                elif command == b"RETR" and b"robots.txt" in line:
                    connection.sendall(b"550 no such file\r\n")
                elif command == b"RETR":
                    self._send(connection, data)
                elif self._greets:
                    connection.sendall(b"230 ok\r\n")

    def _send(self, connection: socket.socket, data: socket.socket) -> None:
        connection.sendall(b"150 here it comes\r\n")
        with data.accept()[0] as receiver:
            for piece in self._pieces():
                receiver.sendall(piece)
            if self._stalls:
                self._ending.wait()
        connection.sendall(b"226 done\r\n")


def endless() -> Iterator[bytes]:
    """Yield data without an end."""
    while True:
        yield b"x" * 10_000


def test_what_never_ends_is_skipped_with_a_reason(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    (tmp_path / "large.html").write_bytes(b"x" * 100_001)
    (tmp_path / "good.html").write_bytes(PAGE)
    with (
        FtpServer(lambda: iter([PAGE])).running() as good,
        FtpServer(endless).running() as long,
        FtpServer(lambda: iter([PAGE]), stalls=True).running() as stalling,
        FtpServer(lambda: iter(()), greets=False).running() as silent,
    ):
        local = [path.as_uri() for path in (tmp_path / "good.html", pipe, tmp_path / "large.html", tmp_path)]
        urls = [good, long, stalling, silent, *local, "file:///dev/zero"]
        done = capture(",".join(urls), tmp_path / "site.pdf", SETTINGS)
    assert done.status == 0, done.log
    assert done.left_out == {
        "a device, a pipe or a socket, not a file": [pipe.as_uri(), "file:///dev/zero"],
        "a folder, not a file": [tmp_path.as_uri()],
        "larger than DOWNLOAD_MAXSIZE": [long, (tmp_path / "large.html").as_uri()],
        "timed out": [stalling, silent],
    }
    assert "Traceback" not in done.log
    with Archive(tmp_path / "site.pdf") as archive:
        assert set(archive.urls) == {good, (tmp_path / "good.html").as_uri()}
