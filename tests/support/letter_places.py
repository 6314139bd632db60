"""Pages laid out by PlutoBook, and where their letters stand."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2

from tests.system.conformance import layout
from wcspider.engines.base import Asset, PageGeometry, Rendering, RenderTask
from wcspider.engines.registry import render

URL = "https://example.com/page"
A4 = PageGeometry()


def rendered(html: str, geometry: PageGeometry = A4, **assets: Path) -> bytes:
    """The PDF file of a page; files of assets are at URLs of their names."""
    given = {f"https://example.com/{name}": Asset(path.read_bytes(), "font/woff2") for name, path in assets.items()}
    task = RenderTask(URL, f"<!DOCTYPE html><title>t</title>{html}".encode(), assets=given, geometry=geometry)
    return render("plutobook", task).pdf


def letters(html: str, geometry: PageGeometry = A4) -> dict[str, tuple[float, float]]:
    """The left and the upper edge of each letter on the first page, in points from its upper left corner."""
    with pypdfium2.PdfDocument(rendered(html, geometry)) as document:
        page = document[0]
        text = page.get_textpage()
        height = page.get_height()
        boxes = {text.get_text_range(i, 1): text.get_charbox(i, loose=True) for i in range(text.count_chars())}
        return {c: (round(box[0]), round(height - box[3])) for c, box in boxes.items() if c.isalnum()}


def legible(rendering: Rendering) -> bool:
    """Whether no text is outside of its page, clipped, invisible or under other text."""
    with pypdfium2.PdfDocument(io.BytesIO(rendering.pdf)) as document:
        return not list(layout.findings(document))
