"""Pictures of pages as Chromium prints them and as an engine lays them out, side by side.

    python -m benchmarks.pictures examples/modern docs/images/modern

Writes a PNG file for each HTML file of the folder, with the first page of Chromium's print at the left.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from pathlib import Path

import pypdfium2
from PIL import Image

from benchmarks import chromium
from benchmarks.crawls import choose, served
from benchmarks.workers import record
from wcspider.engines.registry import ENGINES, render

SCALE = 0.75
"""How many pixels a point has."""

GAP = 12
COLORS = 64
"""How many colors a picture has, to keep it small."""

FRAME = (120, 120, 120)


def first_page(pdf: bytes) -> Image.Image:
    """Return the first page of a PDF file as a picture."""
    with pypdfium2.PdfDocument(pdf) as document:
        picture: Image.Image = document[0].render(scale=SCALE).to_pil().convert("RGB")
    return picture


def beside(left: Image.Image, right: Image.Image) -> Image.Image:
    """Return two pictures side by side, without what is empty below both."""
    pages = [left, right]
    height = min(max(map(_content_height, pages)) + 2 * GAP, max(page.height for page in pages))
    joined = Image.new("RGB", (left.width + right.width + 3 * GAP, height + 2 * GAP), FRAME)
    for number, page in enumerate(pages):
        joined.paste(page.crop((0, 0, page.width, height)), (GAP + number * (left.width + GAP), GAP))
    return joined.quantize(COLORS, dither=Image.Dither.NONE)


def _content_height(page: Image.Image) -> int:
    """Return up to where a page has anything but its background."""
    margin = page.crop((0, page.height - 1, page.width, page.height)).tobytes()
    for row in range(page.height - 1, 0, -1):
        if page.crop((0, row, page.width, row + 1)).tobytes() != margin and not _is_edge(page, row):
            return row
    return page.height


def _is_edge(page: Image.Image, row: int) -> bool:
    """Return whether a row is only a margin beside an area of one color."""
    colors = page.crop((0, row, page.width, row + 1)).getcolors(3)
    return colors is not None and len(colors) <= 2


def main() -> None:
    """Write the pictures of a folder."""
    parser = argparse.ArgumentParser(description="Shows pages of Chromium and of an engine side by side.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("pictures", type=Path, help="the folder that the pictures are written to")
    parser.add_argument("--engine", choices=sorted(ENGINES), default="plutobook")
    parser.add_argument("--pages", nargs="*", default=[], help="names of files in the folder; all without")
    parser.add_argument("--chromium", default=chromium.PROGRAM, metavar="PROGRAM")
    options = parser.parse_args()
    options.pictures.mkdir(parents=True, exist_ok=True)
    root, paths = choose([options.folder.resolve()], None)
    paths = [path for path in paths if not options.pages or path in options.pages]
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(root, paths) as url,
        chromium.running(options.chromium) as browser,
    ):
        for task, _ in (pickle.loads(file.read_bytes()) for file in record(url, Path(scratch), 1)):
            name = task.url.removeprefix(url).removesuffix(".html").replace("/", "-")
            if name:
                (printed,) = browser.pdfs(task.url, task.geometry)
                picture = beside(first_page(printed), first_page(render(options.engine, task).pdf))
                picture.save(options.pictures / f"{name}.png", optimize=True)
                print(options.pictures / f"{name}.png")


if __name__ == "__main__":
    main()
