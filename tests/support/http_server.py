"""A real HTTP server for tests, in a process of its own, on a loopback port of its own.

    with SiteServer({"/": page("<p>hello"), "/old": redirect("/", 301)}) as server:
        ...                              # fetch server.url("/old")
        server.update({"/": page("<p>changed")})
        assert [request.path for request in server.requests] == ["/old", "/"]

It dies with the process that started it, however that ends. What a test waits for, it waits for by name
(`SiteServer.wait_for`, `Reply.gate`): nothing sleeps but the server.
"""

from __future__ import annotations

import gzip
import mimetypes
import multiprocessing
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit

HTML = "text/html; charset=utf-8"
JITTER_SECONDS = 0.05
PATIENCE_SECONDS = 60.0
CHUNK = 64 * 1024


@dataclass(frozen=True)
class Reply:
    """The answer to requests for a path, with its faults."""

    body: bytes = b""
    status: int = 200
    content_type: str | None = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    etag: str | None = None
    """With its quotes. A request that names it in If-None-Match gets 304."""

    last_modified: str | None = None
    """An HTTP date. A request with just that date in If-Modified-Since gets 304."""

    gzip: bool = False
    """Compress the body for clients that accept it."""

    echo: bool = False
    """Answer with the request's own body and content type."""

    delay: float = 0.0
    """Seconds before the answer starts."""

    gate: str | None = None
    """The answer waits until the test calls `SiteServer.open_gate` with this name."""

    cut_after: int | None = None
    """Close the connection after so many bytes of the body."""

    declared_length: int | None = None
    """What Content-Length says, where that is not the truth."""

    trickle: float | None = None
    """Send the body one byte at a time, with so many seconds between two."""

    endless: bool = False
    """Repeat the body (or a blank) until the client has had enough."""


Site = Mapping[str, Reply]
"""Replies by path. A path with a query goes before one without, ``POST /path`` before ``/path``."""


@dataclass(frozen=True)
class Request:
    """One request as the server got it."""

    method: str
    path: str
    """With the query."""

    headers: Mapping[str, str]
    """Names in lower case."""

    body: bytes


def page(html: str, **options: Any) -> Reply:
    """An HTML page in UTF-8."""
    return Reply(html.encode(), **options)


def redirect(target: str, status: int = 302, **options: Any) -> Reply:
    """A redirect to `target`, which goes into Location as it stands."""
    return Reply(status=status, content_type=None, headers={"Location": target}, **options)


class SiteServer:
    """Serves a site, or a folder of files, while the context lasts.

    `site` is a dictionary of replies, or a folder; a folder's files are found through symbolic links, and its
    replies can be overlaid with `update`. With `jitter`, each path answers after a delay of up to
    `jitter_seconds` that depends on the path and this seed alone, so that answers come in another order for
    another seed. Two servers on 127.0.0.1 and 127.0.0.2 are two hosts.
    """

    def __init__(
        self,
        site: Site | Path,
        *,
        host: str = "127.0.0.1",
        jitter: int | None = None,
        jitter_seconds: float = JITTER_SECONDS,
    ) -> None:
        folder, replies = (site, {}) if isinstance(site, Path) else (None, dict(site))
        self.host = host
        self.port = 0
        self._lock = threading.Lock()
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([__name__])
        self._connection, child = context.Pipe()
        self._child = child
        self._process = context.Process(
            target=_serve, args=(child, host, folder, replies, jitter, jitter_seconds), daemon=True
        )

    def __enter__(self) -> SiteServer:
        self._process.start()
        self._child.close()
        self.port = self._receive()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._process.kill()
        self._process.join()
        self._process.close()

    def kill(self) -> None:
        """Kill the server at once."""
        self._process.kill()
        self._process.join()

    def url(self, path: str = "/") -> str:
        """The absolute URL of `path`."""
        return f"http://{self.host}:{self.port}{path}"

    @property
    def requests(self) -> list[Request]:
        """All requests so far, in the order in which they came in."""
        return self._ask("requests")

    def paths(self) -> list[str]:
        """The paths, with their queries, of all requests so far."""
        return [request.path for request in self.requests]

    def forget(self) -> None:
        """Begin the list of requests anew."""
        self._ask("forget")

    def update(self, replies: Mapping[str, Reply | None]) -> None:
        """Change replies while the server runs; None takes one away."""
        self._ask("update", dict(replies))

    def open_gate(self, name: str) -> None:
        """Let every answer go, now and later, that waits at the gate `name`."""
        self._ask("open_gate", name)

    def wait_for(self, path: str, count: int = 1) -> None:
        """Return when `path` has been asked for `count` times; raise TimeoutError after a minute without."""
        if not self._ask("wait_for", path, count):
            raise TimeoutError(f"{path} was not asked for {count} times in {PATIENCE_SECONDS:.0f} seconds")

    def _ask(self, name: str, *arguments: object) -> Any:
        with self._lock:
            self._connection.send((name, arguments))
            return self._receive()

    def _receive(self) -> Any:
        if not self._connection.poll(2 * PATIENCE_SECONDS):
            raise TimeoutError("the test server does not answer")
        return self._connection.recv()


class _State:
    """The state that the threads of the server process share; tests call its public methods."""

    def __init__(self, folder: Path | None, replies: dict[str, Reply], jitter: int | None, seconds: float) -> None:
        self._folder = folder
        self._replies: dict[str, Reply | None] = {**replies}
        self._jitter = jitter
        self._jitter_seconds = seconds
        self._log: list[Request] = []
        self._open: set[str] = set()
        self._changed = threading.Condition()

    def requests(self) -> list[Request]:
        with self._changed:
            return list(self._log)

    def forget(self) -> None:
        with self._changed:
            self._log.clear()

    def update(self, replies: dict[str, Reply | None]) -> None:
        with self._changed:
            self._replies |= replies

    def open_gate(self, name: str) -> None:
        with self._changed:
            self._open.add(name)
            self._changed.notify_all()

    def wait_for(self, path: str, count: int) -> bool:
        def asked() -> bool:
            return sum(request.path == path for request in self._log) >= count

        with self._changed:
            return self._changed.wait_for(asked, PATIENCE_SECONDS)

    def enter(self, request: Request) -> None:
        with self._changed:
            self._log.append(request)
            self._changed.notify_all()

    def pass_gate(self, name: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: name in self._open, PATIENCE_SECONDS)

    def jitter(self, path: str) -> float:
        if self._jitter is None:
            return 0.0
        return random.Random(f"{self._jitter} {path}").random() * self._jitter_seconds

    def reply(self, method: str, target: str) -> Reply:
        path = urlsplit(target).path
        with self._changed:
            for key in (f"{method} {target}", f"{method} {path}", target, path):
                if key in self._replies:
                    return self._replies[key] or _NOT_FOUND
        return self._from_folder(path) if self._folder else _NOT_FOUND

    def _from_folder(self, path: str) -> Reply:
        parts = PurePosixPath(unquote(path)).parts[1:]
        if ".." in parts:
            return _NOT_FOUND
        file = self._folder.joinpath(*parts)
        if file.is_dir():
            if not path.endswith("/"):
                return redirect(f"{path}/", HTTPStatus.MOVED_PERMANENTLY)
            file /= "index.html"
        if not file.is_file():
            return _NOT_FOUND
        content_type, _ = mimetypes.guess_type(file.name)
        return Reply(file.read_bytes(), content_type=content_type or "application/octet-stream")


_NOT_FOUND = Reply(b"not found\n", status=404, content_type="text/plain")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, *args: Any, state: _State) -> None:
        self.state = state
        super().__init__(*args)

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        request = Request(
            self.command,
            self.path,
            {name.lower(): value for name, value in self.headers.items()},
            self.rfile.read(length),
        )
        reply = self.state.reply(self.command, self.path)
        self.state.enter(request)
        time.sleep(reply.delay + self.state.jitter(self.path))
        if reply.gate is not None:
            self.state.pass_gate(reply.gate)
        try:
            self._answer(request, reply)
        except ConnectionError:
            self.close_connection = True

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def _answer(self, request: Request, reply: Reply) -> None:
        body, headers = self._content(request, reply)
        if self._unchanged(reply):
            self._send_head(HTTPStatus.NOT_MODIFIED, headers)
            return
        if reply.endless:
            self.close_connection = True
            self._send_head(reply.status, {**headers, "Connection": "close"})
            self._send_forever(body or b" ")
        length = len(body) if reply.declared_length is None else reply.declared_length
        self._send_head(reply.status, {**headers, "Content-Length": str(length)})
        if request.method == "HEAD":
            return
        self._send_body(body if reply.cut_after is None else body[: reply.cut_after], reply.trickle)
        if reply.cut_after is not None or length != len(body):
            self.close_connection = True

    def _content(self, request: Request, reply: Reply) -> tuple[bytes, dict[str, str]]:
        """The body as it goes over the wire, and the headers that describe it."""
        body, content_type = reply.body, reply.content_type
        if reply.echo:
            body, content_type = request.body, request.headers.get("content-type")
        headers = {} if content_type is None else {"Content-Type": content_type}
        if reply.etag is not None:
            headers["ETag"] = reply.etag
        if reply.last_modified is not None:
            headers["Last-Modified"] = reply.last_modified
        if reply.gzip and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(body, mtime=0)
            headers["Content-Encoding"] = "gzip"
        return body, headers | dict(reply.headers)

    def _unchanged(self, reply: Reply) -> bool:
        """If-None-Match goes before If-Modified-Since (RFC 9110, 13.1.3)."""
        if "If-None-Match" in self.headers:
            tags = [tag.strip() for tag in self.headers["If-None-Match"].split(",")]
            return reply.etag is not None and reply.etag in tags
        return reply.last_modified is not None and self.headers.get("If-Modified-Since") == reply.last_modified

    def _send_head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_body(self, body: bytes, trickle: float | None) -> None:
        if trickle is None:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes([byte]))
            time.sleep(trickle)

    def _send_forever(self, body: bytes) -> None:
        chunk = body * (CHUNK // len(body) + 1)
        while True:
            self.wfile.write(chunk)

    def log_message(self, *args: object) -> None:
        """The log is `SiteServer.requests`."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect: some tests need that."""


def _serve(
    connection: Connection,
    host: str,
    folder: Path | None,
    replies: dict[str, Reply],
    jitter: int | None,
    jitter_seconds: float,
) -> None:
    """The server process: serve in threads, and answer what the test asks until the test is gone."""
    state = _State(folder, replies, jitter, jitter_seconds)
    server = _Server((host, 0), partial(_Handler, state=state))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    connection.send(server.server_address[1])
    while True:
        try:
            name, arguments = connection.recv()
        except EOFError:
            return
        connection.send(getattr(state, name)(*arguments))
