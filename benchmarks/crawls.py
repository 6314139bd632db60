"""Shared parts of the benchmarks: real pages, a server for them, captures and their cost."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from wcspider import settings

ROOT = Path(__file__).parent.parent

ENTRANCE = "/"
"""The path of the page that links to the chosen ones."""

RENDERING = "wcspider.pipelines.render.RenderPipeline"

HTML_SUFFIXES = (".html", ".html.en")
"""The suffixes of HTML pages. In Apache's documentation, the language follows the suffix."""


def choose(folders: Sequence[Path], pages: int | None, largest: int = 0) -> tuple[Path, list[str]]:
    """Return `count` HTML pages, spread evenly over folders: their common parent folder, and their paths in it.

    None is all of them. Pages of more than `largest` bytes are left out, unless that is 0.
    """
    found = [file for folder in folders for file in sorted(folder.rglob("*.html*")) if _is_page(file, largest)]
    pages = len(found) if pages is None else pages
    if len(found) < pages:
        raise SystemExit(f"there are {len(found)} pages that can be taken, not {pages}")
    root = Path(os.path.commonpath(folders))
    return root, [found[index * len(found) // pages].relative_to(root).as_posix() for index in range(pages)]


def _is_page(file: Path, largest: int) -> bool:
    return file.name.endswith(HTML_SUFFIXES) and (not largest or file.stat().st_size <= largest)


class Handler(SimpleHTTPRequestHandler):
    """A handler for requests to the files of a folder, and to a page that links to some of them."""

    protocol_version = "HTTP/1.1"
    entrance = b""
    asked: ClassVar[list[tuple[str, str | None]]] = []
    """The requests so far: each path with its If-Modified-Since header."""

    def do_GET(self) -> None:
        """Answer a GET request."""
        self.asked.append((self.path, self.headers.get("If-Modified-Since")))
        if self.path != ENTRANCE:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.entrance)))
        self.end_headers()
        self.wfile.write(self.entrance)

    def guess_type(self, path: Any) -> str:
        """Return the media type of a file."""
        return "text/html" if str(path).endswith(HTML_SUFFIXES) else super().guess_type(path)

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def served(folder: Path, paths: Sequence[str]) -> Iterator[str]:
    """Serve a folder, and yield the URL of a page that links to the chosen pages."""
    links = "".join(f'<p><a href="/{path}">{path}</a>' for path in paths)
    handler = type("SiteHandler", (Handler,), {"entrance": f"<title>Pages</title>{links}".encode()})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{ENTRANCE}"
        server.shutdown()


@dataclass(frozen=True)
class Cost:
    """A cost in seconds: elapsed time, and processor time of child processes."""

    wall: float
    cpu: float


@contextmanager
def timed() -> Iterator[list[Cost]]:
    """Measure the cost of the block; at its end the list contains the cost."""
    costs: list[Cost] = []
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    yield costs
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    costs.append(Cost(time.perf_counter() - wall, cpu))


def crawl(
    url: str, pdf: Path, levels: int | str, changed: Mapping[str, object], arguments: Mapping[str, str] | None = None
) -> tuple[Cost, str]:
    """Run a capture from the command line with some settings and arguments; return its cost and its log."""
    command = [sys.executable, "-m", "scrapy", "crawl", "capture"]
    command += ["-a", f"url={url}", "-a", f"levels={levels}", "-a", f"pdf={pdf}"]
    for name, value in changed.items():
        command += ["-s", f"{name}={value}"]
    for name, text in (arguments or {}).items():
        command += ["-a", f"{name}={text}"]
    with timed() as costs:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return costs[0], done.stderr


def page_options(description: str, pages: int, rounds: str) -> argparse.ArgumentParser:
    """Return a parser of the options for pages, workers and rounds; `rounds` describes a round."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--folder", type=Path, action="append", required=True, help="of HTML pages; may be repeated")
    parser.add_argument("--pages", type=int, default=pages)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help=rounds)
    parser.add_argument("--largest", type=int, default=0, help="leave out pages of more bytes; 0: none")
    return parser


def rendering_by(pipeline: str) -> str:
    """Return a value for ITEM_PIPELINES with another pipeline instead of the render pipeline."""
    pipelines = dict(settings.ITEM_PIPELINES)
    place = pipelines.pop(RENDERING)
    return json.dumps({**pipelines, pipeline: place})
