"""Properties of pages for the tests of the engines, read by other programs."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
from PIL import Image

from wcspider.engines.base import Asset, PageGeometry, Rendering, RenderTask, Step
from wcspider.engines.xhtml2pdf.engine import Xhtml2PdfEngine

URL = "https://example.com/dir/page.html"


def task(body: str | bytes, assets: dict[str, Asset] | None = None, **options: object) -> RenderTask:
    """An HTML page at `URL`."""
    source = body.encode() if isinstance(body, str) else body
    return RenderTask(URL, source, assets=assets or {}, **options)  # type: ignore[arg-type]


def render(body: str | bytes, assets: dict[str, Asset] | None = None, **options: object) -> Rendering:
    """An HTML page at `URL`, laid out."""
    return Xhtml2PdfEngine().render(task(body, assets, **options))


def text(rendering: Rendering) -> str:
    """The text of all pages, by pdfium."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def sizes(rendering: Rendering) -> list[tuple[float, float]]:
    """Width and height of each page."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        return [page.get_size() for page in document]


def boxes(rendering: Rendering) -> list[tuple[int, str, tuple[float, float, float, float]]]:
    """Each visible character: its page, itself, its left, bottom, right and top."""
    found = []
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        for number, page in enumerate(document):
            content = page.get_textpage()
            characters = content.get_text_range()
            for index in range(content.count_chars()):
                character = characters[index : index + 1]
                if character.strip():
                    found.append((number, character, content.get_charbox(index)))
    return found


def font_names(rendering: Rendering) -> list[str]:
    """The names of the fonts of each page, without tags."""
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        found = [font for page in pdf.pages for font in page.Resources.get("/Font", {}).values()]
        return sorted(str(font.BaseFont).partition("+")[2] for font in found)


def picture(rendering: Rendering) -> Image.Image:
    """The first page in RGB with one pixel for a point, by pdfium."""
    with pypdfium2.PdfDocument(rendering.pdf) as document:
        return document[0].render().to_pil().convert("RGB")


def links(rendering: Rendering) -> list[str]:
    """The URIs of the Link annotations, in order."""
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return [str(a.A.URI) for page in pdf.pages for a in page.get("/Annots", []) if a.Subtype == "/Link"]


__all__ = ["Asset", "PageGeometry", "Step", "boxes", "links", "picture", "render", "sizes", "task", "text"]
