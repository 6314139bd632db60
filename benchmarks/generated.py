"""A generated site of small pages, each with links, a style sheet and an image."""

from __future__ import annotations

import io
import multiprocessing
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from typing import Any

from PIL import Image

IMAGES = 24
TOPICS = 97
STRIDES = (1, 2, 3, 200)
"""The distances of the pages that a page links to; each page adds about one new page to the crawl."""

WORDS = [f"{first}{middle}{last}" for first in "bdklmst" for middle in "aeiou" for last in ("", "n", "ra", "vel")]
STYLE = b"body { font: 11pt/1.4 serif } img { width: 24pt } h1 { font-size: 16pt }"

_PAGE = re.compile(r"/topic-\d+/\w+-(\d+)\.html")
_IMAGE = re.compile(r"/images/(\d+)\.png")


def path_of(number: int) -> str:
    """Return the path of a page. The URLs of consecutive pages are far apart in alphabetical order."""
    return f"/topic-{number * 31 % TOPICS}/{WORDS[number * 17 % len(WORDS)]}-{number}.html"


def page(number: int, pages: int) -> bytes:
    """Return a page of about 4 kB."""
    dice = random.Random(number)
    linked = [number + stride for stride in STRIDES] + [number - stride for stride in (1, 10, 100)] + [0]
    links = "".join(f'<li><a href="{path_of(to)}">Page {to}</a>' for to in linked if 0 <= to < pages)
    text = "".join(f"<p>{' '.join(dice.choices(WORDS, k=100)).capitalize()}." for _ in range(6))
    image = f'<img src="/images/{dice.randrange(IMAGES)}.png" alt="">'
    head = f'<!DOCTYPE html><title>Page {number}</title><link rel="stylesheet" href="/style.css">'
    return f"{head}<h1>Page {number}</h1>{image}{text}<ul>{links}</ul>".encode()


def image(number: int) -> bytes:
    """Return a small PNG image."""
    out = io.BytesIO()
    Image.frombytes("RGB", (32, 32), random.Random(number).randbytes(32 * 32 * 3)).save(out, "PNG")
    return out.getvalue()


class Handler(BaseHTTPRequestHandler):
    """A handler for requests to the pages, the images and the style sheet."""

    protocol_version = "HTTP/1.1"
    pages = 0

    def do_GET(self) -> None:
        """Answer a GET request."""
        found = self._found()
        self.send_response(404 if found is None else 200)
        body, kind = found or (b"", "text/plain")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _found(self) -> tuple[bytes, str] | None:
        if (match := _PAGE.fullmatch(self.path)) and int(match[1]) < self.pages:
            return page(int(match[1]), self.pages), "text/html"
        if match := _IMAGE.fullmatch(self.path):
            return image(int(match[1])), "image/png"
        return (STYLE, "text/css") if self.path == "/style.css" else None

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


def _serve(pages: int, ports: Connection) -> None:
    handler = type("SiteHandler", (Handler,), {"pages": pages})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        ports.send(server.server_address[1])
        server.serve_forever()


@contextmanager
def generated(pages: int) -> Iterator[str]:
    """Serve a site of `pages` pages in another process, and yield the URL of its first page."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(pages, theirs), daemon=True)
    server.start()
    try:
        yield f"http://127.0.0.1:{ours.recv()}{path_of(0)}"
    finally:
        server.kill()
        server.join()
