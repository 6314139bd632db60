"""A server for the example site on loopback, with the redirects and headers of _rules.json.

    python examples/serve.py [--port 0] [--host 127.0.0.1] [--site FOLDER] [--run COMMAND ...]

The first line of the output is the URL of the site, by default that of the folder ``site`` beside this file. A folder
without _rules.json is served by its file names. With ``--run``, the server runs as long as COMMAND does. ``{url}``
in the arguments of COMMAND is replaced with the URL, and the exit status is that of COMMAND. The server only needs
the standard library.

The keys of the rules file, all of them optional:

``types``      Content-Type by file suffix; others are guessed
``files``      the file for a path with query, if it does not have the same name
``headers``    additional headers by path; they replace default headers of the same name
``statuses``   the status by path, if it is not 200 for a file and 404 without a file
``redirects``  ``path: [status, target]``; ``{n}`` stands for a number, ``{n-1}`` in the target for one less
"""

from __future__ import annotations

import argparse
import json
import mimetypes
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parent / "site"
RULES_NAME = "_rules.json"


@dataclass(frozen=True)
class Answer:
    """The answer to one request."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Site:
    """A folder of files, and the rules for serving them."""

    def __init__(self, folder: Path) -> None:
        file = folder / RULES_NAME
        rules = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        self.folder = folder
        self.types: dict[str, str] = rules.get("types", {})
        self.files: dict[str, str] = rules.get("files", {})
        self.headers: dict[str, dict[str, str]] = rules.get("headers", {})
        self.statuses: dict[str, int] = rules.get("statuses", {})
        self.redirects: dict[str, tuple[int, str]] = rules.get("redirects", {})

    def answer(self, target: str, if_none_match: str | None = None) -> Answer:
        """Return the answer to a GET of `target`, a path with or without a query."""
        path = urlsplit(target).path
        redirect = self._redirect(path)
        if redirect is not None:
            status, location = redirect
            return Answer(status, {"Location": location})
        file = self._file(target, path)
        if file is None:
            status = self.statuses.get(path, HTTPStatus.NOT_FOUND)
            return Answer(status, {"Content-Type": "text/plain"}, f"{status} {path}\n".encode())
        guessed = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        headers = {"Content-Type": self.types.get(file.suffix, guessed)}
        headers |= self.headers.get(path, {})
        if if_none_match is not None and if_none_match == headers.get("ETag"):
            return Answer(HTTPStatus.NOT_MODIFIED, headers)
        return Answer(self.statuses.get(path, HTTPStatus.OK), headers, file.read_bytes())

    def _redirect(self, path: str) -> tuple[int, str] | None:
        """Return the status and the target of a redirect; None if the path does not redirect."""
        if path in self.redirects:
            return self.redirects[path]
        numbered = re.fullmatch(r"(.*/)([1-9]\d*)", path)
        rule = self.redirects.get(numbered[1] + "{n}") if numbered else None
        if numbered is None or rule is None:
            return None
        return rule[0], rule[1].replace("{n-1}", str(int(numbered[2]) - 1))

    def _file(self, target: str, path: str) -> Path | None:
        """Return the file for a path; None if there is none, or if the path leaves the folder."""
        parts = PurePosixPath(self.files.get(target) or unquote(path)).parts
        parts = tuple(part for part in parts if part != "/")
        if ".." in parts or RULES_NAME in parts or any("\0" in part for part in parts):
            return None
        file = self.folder.joinpath(*parts)
        if path.endswith("/"):
            file /= "index.html"
        return file if file.is_file() else None


class Handler(BaseHTTPRequestHandler):
    """A handler for GET and HEAD requests to a `Site`."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args: object, site: Site) -> None:
        self.site = site
        super().__init__(*args)

    def do_GET(self) -> None:
        """Answer a GET request."""
        answer = self.site.answer(self.path, self.headers.get("If-None-Match"))
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def do_HEAD(self) -> None:
        """Answer a HEAD request."""
        self.do_GET()

    def log_message(self, *args: object) -> None:
        """Log nothing; only the URL and the output of COMMAND are printed."""


def main(arguments: list[str] | None = None) -> int:
    """Serve the site, and return the exit status."""
    parser = argparse.ArgumentParser(description="Serves the example site, or the files of another folder.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="0, the default, lets the system choose a free one")
    parser.add_argument("--site", type=Path, default=SITE, metavar="FOLDER", help="the folder to serve")
    parser.add_argument(
        "--run", nargs=argparse.REMAINDER, metavar="COMMAND", help="serve as long as COMMAND runs; {url} is the URL"
    )
    options = parser.parse_args(arguments)
    if not options.site.is_dir():
        parser.error(f"{options.site}: no such folder")

    with ThreadingHTTPServer((options.host, options.port), partial(Handler, site=Site(options.site))) as server:
        url = f"http://{options.host}:{server.server_address[1]}/"
        print(url, flush=True)
        try:
            if not options.run:
                server.serve_forever()
                return 0
            threading.Thread(target=server.serve_forever, daemon=True).start()
            return run([argument.replace("{url}", url) for argument in options.run])
        except KeyboardInterrupt:
            return 130


def run(command: list[str]) -> int:
    """Run `command` to its end, even after Ctrl-C, and return its exit status."""
    with subprocess.Popen(command) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue


if __name__ == "__main__":
    sys.exit(main())
