"""The documents of a site that changes, and how their server lets them be cached."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import format_datetime

import pikepdf
from PIL import Image

from tests.support.http_server import HTML

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Page:
    """An HTML page."""

    title: str
    words: tuple[str, ...]
    links: tuple[str, ...] = ()
    """Paths, some with fragments."""

    images: tuple[str, ...] = ()
    """Relative references too: equal pages in two folders show images at two URLs."""

    sheets: tuple[str, ...] = ()
    markup: int = 0
    """A part of the page that nobody reads."""

    @property
    def body(self) -> bytes:
        sheets = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in self.sheets)
        images = "".join(f'<img src="{image}">' for image in self.images)
        links = "".join(f'<a href="{link}">to</a>\n' for link in self.links)
        text = "".join(f'<p id="{word}">{word}</p>\n' for word in self.words)
        head = f'<!DOCTYPE html><meta charset="utf-8"><title>{self.title}</title>{sheets}'
        return f"{head}<body data-markup={self.markup}>\n{images}{text}{links}".encode()

    kind = HTML


@dataclass(frozen=True)
class Plain:
    """Anything but a page with links: a text, a style sheet, an image, a PDF file, something else."""

    body: bytes
    kind: str


@dataclass(frozen=True)
class Way:
    """A redirection."""

    to: str
    status: int
    """0 for one by a META element."""

    @property
    def body(self) -> bytes:
        return f'<meta http-equiv="refresh" content="0; url={self.to}">'.encode() if not self.status else b""

    kind = HTML


Document = Page | Plain | Way


@dataclass(frozen=True)
class Habits:
    """The caching headers that the server sends for a path, independent of the content."""

    etag: bool
    last_modified: bool
    max_age: timedelta | None
    expires: bool
    """It says so by Expires, not by max-age."""

    @classmethod
    def of(cls, path: str, seed: int) -> Habits:
        """Return the headers that the server of a seed sends for a path."""
        dice = random.Random(f"{seed} {path}")
        ages = [None, None, timedelta(hours=1), 1.5 * DAY, 3.5 * DAY]
        return cls(dice.random() < 0.5, dice.random() < 0.5, dice.choice(ages), dice.random() < 0.5)

    def freshness(self, moment: datetime) -> Mapping[str, str]:
        """Return the header that tells when a reply of `moment` expires, if there is one."""
        if self.max_age is None:
            return {}
        if self.expires:
            return {"Expires": format_datetime(moment + self.max_age, usegmt=True)}
        return {"Cache-Control": f"public, max-age={int(self.max_age.total_seconds())}"}


def is_image(path: str) -> bool:
    """Tell whether a path is that of an image, which pages show and others link to."""
    return path.endswith((".png", ".gif"))


def picture(seed: int) -> bytes:
    """Return an image file: a PNG of one colour, or every fifth an animation."""
    dice = random.Random(seed)
    colours = [tuple(dice.randbytes(3)) for _ in range(3)]
    frames = [Image.new("RGB", (1 + seed % 7, 3), colour) for colour in colours]
    out = io.BytesIO()
    if seed % 5:
        frames[0].save(out, "PNG")
    else:
        frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


def pdf_file(pages: int) -> bytes:
    """Return a PDF file of so many pages."""
    out = io.BytesIO()
    with pikepdf.new() as pdf:
        for _ in range(pages):
            pdf.add_blank_page(page_size=(100, 100))
        pdf.save(out, deterministic_id=True)
    return out.getvalue()
