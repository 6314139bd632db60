"""The layout of a prepared page with PlutoBook, which gets no resources except for those of the task."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import plutoprint

from wcspider.engines.base import SMALLEST_TEXT, Asset, PageGeometry, RenderTask
from wcspider.engines.document.absolute_urls import asset_key
from wcspider.engines.document.html_trees import as_html_text
from wcspider.engines.plutobook import font_setup
from wcspider.engines.plutobook.pages.small_images import Images
from wcspider.engines.plutobook.sheets.author_fonts import can_use, with_usable_sources
from wcspider.engines.plutobook.sheets.fading import OF_EMPTY
from wcspider.engines.plutobook.source.form_controls import MARK
from wcspider.engines.plutobook.source.preparation import Page
from wcspider.engines.plutobook.source.words import break_long_words

LITTLE, MUCH = 0.8, 0.5
"""The smallest scales of a wide page: before its lines may break anywhere, and before its tables are folded."""

_USUAL_TEXT = 16 * 0.75
_WHEN = "2000-01-01T00:00:00Z"
_BASE = "wcspider-page:/"
"""A base URL that leads to nothing. All URLs of the document are absolute."""

_OF_WINDOW = re.compile(r"(?<![\w#./-])(\d+\.?\d*|\.\d+)(?=v(?:w|h|min|max)\b)")
"""The number of a length in a unit of the window, such as ``100vw``."""

_FONTS = ("font/", "application/font", "application/x-font", "application/vnd.ms-fontobject")


@dataclass(frozen=True, slots=True)
class Printed:
    """A finished layout."""

    pdf: bytes
    images: Images
    scale: float
    """The factor by which the contents were scaled; it includes `PageGeometry.scale`."""

    pages: int
    """The number of pages that were laid out."""


def print_page(page: Page, task: RenderTask) -> Printed:
    """Lay out a page, and return it as PDF pages.

    A page that is too wide for the paper is scaled. If the text would become too small, lines may break anywhere, and
    then tables are folded.
    """
    font_setup.use(system_fonts=task.system_fonts)
    images = Images()
    fetcher = _Fetcher(task.assets, images)
    source = as_html_text(page.root)
    sheets = (_defaults(task.geometry), *with_usable_sources(page.sheets, page.families, task.assets))
    if any(OF_EMPTY in text for text in (source, *page.sheets)):
        sheets = (_sheet("fading.css"), *sheets)
    geometry = task.geometry
    for extra, least in (((), LITTLE), (("wrapping.css",), MUCH), (("wrapping.css", "folding.css"), 0.0)):
        if extra == ("wrapping.css",):
            break_long_words(page.root)
            source = as_html_text(page.root)
        images = fetcher.images = Images()
        all_sheets = (*sheets, *map(_sheet, extra))
        book = _load(source, all_sheets, _unscaled(geometry), 1.0, fetcher)
        share = _share_of_room(book, geometry)
        if share >= least:
            break
    scale = max(geometry.scale * share, min(geometry.scale, SMALLEST_TEXT / _USUAL_TEXT))
    if scale != 1.0:  # the layout so far was for the measurement
        images = fetcher.images = Images()
        all_sheets = tuple(_of_scaled_window(sheet, scale) for sheet in all_sheets)
        book = _load(source, all_sheets, geometry, scale, fetcher)
    return Printed(_drawn(book), images, scale, book.get_page_count())


def _drawn(book: plutoprint.Book) -> bytes:
    """Draw the pages of a document, and an empty page behind them.

    After a value that cairo cannot draw, it draws nothing more and begins no page, without an error. So the empty page
    is in the file only if all pages are complete.
    """
    out = io.BytesIO()
    canvas = plutoprint.PDFCanvas.create_for_stream(out, book.get_page_size())
    canvas.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, _WHEN)
    for number in range(book.get_page_count()):
        canvas.set_size(book.get_page_size_at(number))
        canvas.save_state()
        canvas.scale(plutoprint.UNITS_PX, plutoprint.UNITS_PX)
        book.render_page(canvas, number)
        canvas.restore_state()
        canvas.show_page()
    canvas.show_page()
    canvas.finish()
    return out.getvalue()


def _load(
    source: str, sheets: tuple[str, ...], geometry: PageGeometry, scale: float, fetcher: _Fetcher
) -> plutoprint.Book:
    size = plutoprint.PageSize(geometry.width, geometry.height)
    margins = plutoprint.PageMargins(
        geometry.margin_top, geometry.margin_right, geometry.margin_bottom, geometry.margin_left
    )
    is_screen = geometry.media == "screen"
    media = plutoprint.MEDIA_TYPE_SCREEN if is_screen else plutoprint.MEDIA_TYPE_PRINT
    book = plutoprint.Book(size, margins, media)
    book.custom_resource_fetcher = fetcher
    head, _, body = source.partition("<head>")
    styles = "".join(f"<style>{_in_element(sheet)}</style>" for sheet in sheets)
    style = f"{_sheet('user.css')}\n@page {{ -pluto-page-scale: {scale:.6f} !important }}"
    book.load_html(f"{head}<head>{styles}{body}", user_style=style, base_url=_BASE)
    return book


def _of_scaled_window(sheet: str, scale: float) -> str:
    """Return a style sheet for a page with a scale, because PlutoBook takes the window for as large as the paper."""
    return _OF_WINDOW.sub(lambda number: f"{float(number[1]) / scale:.4f}", sheet)


def _in_element(sheet: str) -> str:
    """Return a style sheet without the characters that would end its STYLE element."""
    return sheet.replace("</", "<\\/")


def _unscaled(geometry: PageGeometry) -> PageGeometry:
    """Return a page with as much room as the contents have after they are scaled."""
    factor = geometry.scale
    return replace(
        geometry,
        width=geometry.width / factor,
        height=geometry.height / factor,
        margin_top=geometry.margin_top / factor,
        margin_right=geometry.margin_right / factor,
        margin_bottom=geometry.margin_bottom / factor,
        margin_left=geometry.margin_left / factor,
    )


def _share_of_room(book: plutoprint.Book, geometry: PageGeometry) -> float:
    """Return the factor that makes a document as narrow as the page; 1 if it is not wider."""
    room = (geometry.width - geometry.margin_left - geometry.margin_right) / geometry.scale / 0.75
    wide = float(book.get_document_width())
    return room / wide if wide > room + 1 else 1.0


def _defaults(geometry: PageGeometry) -> str:
    height = (geometry.height - geometry.margin_top - geometry.margin_bottom) / 0.75 / geometry.scale
    return f"{_sheet('default.css')}\n:where(img, svg) {{ max-height: {height - 1:.2f}px }}"


@cache
def _sheet(name: str) -> str:
    return resources.files(f"{__package__}.sheets").joinpath(name).read_text("utf-8")


class _Fetcher(plutoprint.ResourceFetcher):
    """A fetcher that returns the assets of a task. It never reads a file, and never sends a request."""

    def __init__(self, assets: Mapping[str, Asset], images: Images) -> None:
        super().__init__()
        self.assets = assets
        self.images = images

    def fetch_url(self, url: str) -> Any:
        """Return the asset at a URL; an empty resource for any other URL."""
        if url.startswith(MARK):
            return _svg(self.images.mark(int(url.removeprefix(MARK))))
        key = asset_key(url, url)
        asset = self.assets.get(key)
        if asset is None:
            return _nothing()
        if asset.content_type.startswith(_FONTS) or _is_font(asset.body):
            if not can_use(asset.body):
                return _nothing()
            return plutoprint.ResourceData(asset.body, asset.content_type, "")
        small = self.images.small(asset.body, key)
        if small is not None:
            return _svg(small)
        return _nothing()


def _nothing() -> Any:
    return plutoprint.ResourceData(b"", "text/plain", "utf-8")


def _svg(body: bytes) -> Any:
    return plutoprint.ResourceData(body, "image/svg+xml", "utf-8")


def _is_font(body: bytes) -> bool:
    return body[:4] in (b"wOFF", b"wOF2", b"OTTO", b"true", b"ttcf", b"\x00\x01\x00\x00")
