"""A server that misbehaves: for each path, a function writes arbitrary bytes to the socket.

    with HostileServer({"/": page("<p>hello"), "/hangs": silence}) as server:
        ...                              # crawl server.url("/")
        server.visits("/hangs")          # when it was asked for

A connection is for one request.
"""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler, ThreadingTCPServer
from types import TracebackType
from typing import ClassVar

HTML = "text/html; charset=utf-8"
PATIENCE_SECONDS = 60.0


@dataclass
class Connection:
    """The connection that an answer writes to."""

    client: socket.socket
    path: str
    """With the query."""

    number: int
    """The how manieth request for its path this is, from 1."""

    ending: threading.Event
    """The server is to end."""

    def send(self, data: bytes) -> None:
        """Write to the client."""
        self.client.sendall(data)

    def pause(self, seconds: float) -> None:
        """Wait for some seconds."""
        self.ending.wait(seconds)


Answer = Callable[[Connection], None]


def head(status: str = "200 OK", content_type: str = HTML, **headers: object) -> bytes:
    """The head of an answer; an underscore in a header's name is a hyphen."""
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def raw(data: bytes) -> Answer:
    """Just these bytes."""
    return lambda connection: connection.send(data)


def body(data: bytes, content_type: str = HTML, status: str = "200 OK", **headers: object) -> Answer:
    """An answer that is as it should be, but for the headers given."""
    return raw(head(status, content_type, **{"Content_Length": len(data), **headers}) + data)


def page(html: str, **headers: object) -> Answer:
    """An HTML page."""
    return body(html.encode(), **headers)


def redirect(target: str) -> Answer:
    """A redirection."""
    return body(b"", status="302 Found", Location=target)


def ever_further(connection: Connection) -> None:
    """A redirection to a URL that was never there before: the same with more of a query."""
    more = "&on" if "?" in connection.path else "?on"
    redirect(connection.path + more)(connection)


def slowly(start: bytes, piece: bytes, seconds: float) -> Answer:
    """Send a piece now and then, for as long as the client listens."""

    def answer(connection: Connection) -> None:
        connection.send(start)
        while not connection.ending.is_set():
            connection.send(piece)
            connection.pause(seconds)

    return answer


def without_end(start: bytes, piece: bytes) -> Answer:
    """Send as fast as the client listens, for as long as it does."""
    return slowly(start, piece, 0)


def silence(connection: Connection) -> None:
    """Accept the request without an answer."""
    with suppress(OSError):
        while connection.client.recv(1024) and not connection.ending.is_set():
            pass


def broken_off(data: bytes) -> Answer:
    """Send these bytes and reset the connection, as a server does whose program dies."""

    def answer(connection: Connection) -> None:
        connection.send(data)
        connection.client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(connection.client.detach())

    return answer


def in_turn(*answers: Answer) -> Answer:
    """Another answer each time; the last for all times that follow."""
    return lambda connection: answers[min(connection.number, len(answers)) - 1](connection)


@dataclass
class HostileServer:
    """Serves answers by path while the context lasts. A path with a query goes before one without."""

    answers: Mapping[str, Answer]
    host: str = "127.0.0.1"
    _visits: list[tuple[str, float]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _ending: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> HostileServer:
        server = self

        class Handler(StreamRequestHandler):
            def handle(self) -> None:
                server._handle(self.connection, self.rfile.readline(65537))
                with suppress(OSError):  # what the client still has to say is of no interest
                    self.connection.shutdown(socket.SHUT_WR)

        self._server = _Server((self.host, 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, path: str = "/") -> str:
        """The absolute URL of a path."""
        return f"http://{self.host}:{self._server.server_address[1]}{path}"

    def visits(self, path: str | None = None) -> list[float]:
        """When a path, or any at all, was asked for: seconds of the clock that HTTP dates are by."""
        with self._changed:
            return [moment for visited, moment in self._visits if path in (visited, None)]

    def wait_for(self, *paths: str) -> None:
        """Return when all of some paths have been asked for; raise TimeoutError after a minute without."""
        with self._changed:
            if not self._changed.wait_for(lambda: set(paths) <= {path for path, _ in self._visits}, PATIENCE_SECONDS):
                raise TimeoutError(f"not all of {', '.join(paths)} were asked for in {PATIENCE_SECONDS:.0f} seconds")

    def paths(self) -> list[str]:
        """All paths that were asked for, in that order."""
        with self._changed:
            return [path for path, _ in self._visits]

    def _handle(self, client: socket.socket, line: bytes) -> None:
        path = line.decode("latin-1").split(" ")[1]
        with self._changed:
            self._visits.append((path, time.time()))
            number = sum(visited == path for visited, _ in self._visits)
            self._changed.notify_all()
        answer = self.answers.get(path) or self.answers.get(path.partition("?")[0], _NOT_FOUND)
        with suppress(OSError):  # the client has had enough
            answer(Connection(client, path, number, self._ending))


_NOT_FOUND = body(b"not found\n", "text/plain", "404 Not Found")


class _Server(ThreadingTCPServer):
    request_queue_size = 128
    daemon_threads: ClassVar[bool] = True
    block_on_close: ClassVar[bool] = False
