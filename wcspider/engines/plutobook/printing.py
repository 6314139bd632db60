"""The layout of a prepared page with PlutoBook, which gets no resources except for those of the task."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

import plutoprint
from lxml import etree

from wcspider.engines.base import SMALLEST_TEXT, Asset, PageGeometry, RenderTask
from wcspider.engines.document.absolute_urls import asset_key
from wcspider.engines.document.html_trees import as_html_text
from wcspider.engines.plutobook.controls.form_controls import MARK
from wcspider.engines.plutobook.css.data_urls import is_private, private_url
from wcspider.engines.plutobook.css.element_styles import PageStyles
from wcspider.engines.plutobook.css.gradients import BLANK, EMPTY, with_drawing
from wcspider.engines.plutobook.css.rules import names_on, used
from wcspider.engines.plutobook.flow.fixed_widths import has_frames, page_width, show_whole
from wcspider.engines.plutobook.fonts import font_setup
from wcspider.engines.plutobook.fonts.author_fonts import for_layout, is_font, with_usable_sources
from wcspider.engines.plutobook.fonts.font_names import with_spellings
from wcspider.engines.plutobook.fonts.font_weights import weight_of, with_bold_faces
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.fixed_items import mark_sized
from wcspider.engines.plutobook.pages import left_overflow, memory_file
from wcspider.engines.plutobook.pages.cut_lines import has_cut_lines
from wcspider.engines.plutobook.pages.small_images import Images
from wcspider.engines.plutobook.sheets import page_values
from wcspider.engines.plutobook.sheets.declarations import value_on_page
from wcspider.engines.plutobook.source.image_links import MARK as LINKED
from wcspider.engines.plutobook.source.preparation import Page
from wcspider.engines.plutobook.source.reading_direction import FROM_RIGHT
from wcspider.engines.plutobook.source.words import break_long_words
from wcspider.engines.plutobook.svg.tints import is_tinted, with_tint

LITTLE, MUCH = 0.8, 0.5
"""The smallest scales of a wide page: before its lines may break anywhere, and before its tables are folded."""

HARDLY = 0.95
"""The smallest scale of a page that is probably too wide because of negative margins."""

MOST = 2
"""How many times as many PDF pages a wide page may get because its lines break. Its columns are too narrow then."""

FITTING = ("fitting.css",)
WRAPPING = (*FITTING, "wrapping.css")
FOLDING = (*WRAPPING, "folding.css")

Attempts = Sequence[tuple[Sequence[str], bool]]
"""Attempts to scale a wide page: the style sheets that are added, and whether the scale is reduced."""

_USUAL: Attempts = (((), True), (FITTING, False), (FITTING, True))
_OF_WRAPPED: Attempts = (((), True),) * 3  # they have these style sheets already

NEARLY = 0.99
"""The share of a scaled page that has to fit on the paper; the rest is usually a padding."""

MOST_GROWTH = 0.75
"""The largest part of the width that may grow with the room. A page with a larger one would hardly fit at any scale."""

_EMPTY_CONTENT = re.compile(r"""(?<![\w-])content:\s*(?:""|'')""", re.IGNORECASE)
"""The content of generated boxes without text."""

_STYLES = etree.XPath("//@style", smart_strings=False)
_ENGLISH = re.compile(r"en(?:-|$)", re.IGNORECASE)
"""The language for which fonts have no forms of their own. It saves time to use the fonts as they are."""

_USUAL_TEXT = 16 * 0.75
_WHEN = "2000-01-01T00:00:00Z"
_BASE = "wcspider-page:/"
"""A base URL that leads to nothing. All URLs of the document are absolute."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A finished layout."""

    pdf: bytes
    images: Images
    scale: float
    """The factor by which the contents were scaled; it includes `PageGeometry.scale`."""

    pages: int
    """The number of pages that were laid out."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """One layout of a page."""

    source: str
    """The page as HTML."""

    sheets: tuple[str, ...]
    geometry: PageGeometry
    printed: Printed
    share: float
    """The factor that makes the document as narrow as the paper; 1 if it is not wider."""


def print_page(page: Page, task: RenderTask) -> Printed:
    """Lay out a page, and return it as PDF pages.

    A page that is too wide for the paper because of its columns gets higher ones, or one column. A box around the page
    that cuts its lines shows its overflow, so that the page is too wide as well. A page that its author laid out for a
    certain width gets the scale at which this width fits. Other wide pages get a border, or are scaled. If the text
    would become too small, or the page is still too wide, lines may break anywhere, and then tables are folded, unless
    that makes columns too narrow.
    """
    font_setup.use(system_fonts=task.system_fonts)
    fetcher = _Fetcher(task.assets, keeps_forms=all(map(_ENGLISH.match, page.languages)))
    attributes = " ".join(style for style in _STYLES(page.root) if "font" in style) if page.families else ""
    usable = with_usable_sources(page.sheets, page.families, task.assets)
    own = with_spellings(with_bold_faces(usable), attributes)
    sheets = (_defaults(task.geometry), *own)
    first = _with_other_columns(page, _laid_out(as_html_text(page.root), sheets, task.geometry, fetcher), fetcher)
    styles = PageStyles(page.root, page.sheets)
    if first.share == 1:
        first = _with_whole_lines(styles, first, fetcher)
    # A box in the middle is too wide at both sides, and only the right one counts.
    if first.share < (1 if page.templates else LITTLE):
        first = _with_fixed_width(page, styles, first, fetcher)
    first = _with_border(first, fetcher)
    if first.share == 1:
        return first.printed
    mark_sized(styles)
    sized = replace(first, source=as_html_text(page.root))
    scaled = _scaled(sized, _USUAL, fetcher) if first.share >= LITTLE else None
    if scaled is not None and scaled.share >= NEARLY:
        return scaled.printed
    break_long_words(page.root)
    wrapped = _wrapped(replace(first, source=as_html_text(page.root)), fetcher)
    is_in_vain = scaled is not None and wrapped.share - scaled.share <= 1 - NEARLY
    is_narrow = first.share >= MUCH and wrapped.printed.pages > MOST * first.printed.pages
    if is_in_vain or is_narrow:
        return (scaled or _scaled(sized, _USUAL, fetcher)).printed
    return wrapped.printed


def _wrapped(first: _Layout, fetcher: _Fetcher) -> _Layout:
    """Return the layout of a page whose lines may break anywhere; if that is not enough, tables are folded."""
    found = first
    for extra, least in ((WRAPPING, MUCH), (FOLDING, 0.0)):
        sheets = (*first.sheets, *map(_sheet, extra))
        book = _load(first.source, sheets, first.geometry, fetcher)
        share = _share_of_room(book, first.source, sheets, first.geometry, fetcher)
        if share < least:
            continue
        layout = _scaled(replace(first, sheets=sheets, share=share), _OF_WRAPPED, fetcher)
        if layout.share >= NEARLY:
            return layout
        if found is first:
            found = layout
    return found


def _with_other_columns(page: Page, first: _Layout, fetcher: _Fetcher) -> _Layout:
    """Return the layout of a page with higher columns of text, or with one column, if it is too wide otherwise."""
    best = first
    for name in ("high_columns.css", "one_column.css") if page.has_columns else ():
        if best.share >= NEARLY:
            break
        other = _laid_out(first.source, (*first.sheets, _sheet(name)), first.geometry, fetcher)
        best = other if other.share > best.share else best
    return best


def _with_whole_lines(styles: PageStyles, first: _Layout, fetcher: _Fetcher) -> _Layout:
    """Return the layout of a page without boxes around it that cut lines of its text, or whole columns, if they do."""
    root, geometry = styles.root, first.geometry
    if not has_frames(root):
        return first
    room = geometry.viewport_width
    # Text that is cut off completely is not in the file, such as a column at the end of a page for a certain width.
    is_cut = has_cut_lines(first.printed.pdf, geometry, at_left=_is_from_right(first.source))
    if not is_cut and not page_width(styles, room, room):
        return first
    show_whole(root)
    whole = _laid_out(as_html_text(root), first.sheets, geometry, fetcher)
    return whole if MUCH <= whole.share < 1 else first


def _with_fixed_width(page: Page, styles: PageStyles, first: _Layout, fetcher: _Fetcher) -> _Layout:
    """Return the layout of a page at the scale at which its fixed width fits, if it has one.

    Values that depend on the width, such as ``calc((100% - 980px) / 2)``, are computed again for this width.
    """
    geometry = first.geometry
    width = page_width(styles, geometry.viewport_width, geometry.viewport_width / first.share)
    if width <= geometry.viewport_width:
        return first
    geometry = replace(geometry, scale=geometry.scale * geometry.viewport_width / width)
    if not page.templates:
        return _laid_out(first.source, first.sheets, geometry, fetcher)
    templates = PageStyles(page.root, page.templates)
    widths = ContainerWidths(templates, width)
    page.warnings += page_values.fill_in(templates, value_on_page, widths.around)
    return _laid_out(as_html_text(page.root), first.sheets, geometry, fetcher)


def _with_border(layout: _Layout, fetcher: _Fetcher) -> _Layout:
    """Return the layout of a page that is hardly too wide with a border at its end, if that makes it narrower.

    The last columns of rows often extend out of the page by a negative margin. They would do so at any scale.
    """
    if not HARDLY <= layout.share < 1:
        return layout
    room = layout.geometry.viewport_width
    border = f"{room / layout.share - room:.2f}px solid transparent"
    for side in ("left", "right") if _is_from_right(layout.source) else ("right",):
        sheet = f"html {{ width: auto !important; border-{side}: {border} !important }}"
        bordered = _laid_out(layout.source, (*layout.sheets, sheet), layout.geometry, fetcher)
        if bordered.share > layout.share:
            return bordered
    return layout


def _scaled(first: _Layout, attempts: Attempts, fetcher: _Fetcher) -> _Layout:
    """Lay out a page at smaller scales, and return the layout that fits best.

    More than one attempt may be needed: boxes grow into the room that a smaller scale gives them, up to their own
    width, and a box of 100% and a padding is wider than the paper at any scale.
    """
    geometry, layout, best, growth = first.geometry, first, replace(first, share=0.0), 0.0
    scale, least = geometry.scale, min(geometry.scale, SMALLEST_TEXT / _USUAL_TEXT)
    for more, is_smaller in attempts:
        if is_smaller:
            scale = max(_fitting_scale(layout, growth), least)
        scaled = replace(geometry, scale=scale)
        before, layout = layout, _laid_out(first.source, (*first.sheets, *map(_sheet, more)), scaled, fetcher)
        if is_smaller:
            growth = _growth(before, layout)
        layout = _with_border(layout, fetcher)
        if layout.share - best.share > 1 - NEARLY:
            best = layout
        if best.share >= NEARLY:
            break
    return best


def _fitting_scale(layout: _Layout, growth: float) -> float:
    """Return the scale at which a page fits if a part of its width grows with the room; see `_growth`."""
    return layout.geometry.scale * (1 - growth) / (1 / layout.share - growth)


def _growth(before: _Layout, after: _Layout) -> float:
    """Return how much wider a page becomes for each pixel more that it has, such as by columns in percent."""
    more = after.geometry.viewport_width - before.geometry.viewport_width
    wider = after.geometry.viewport_width / after.share - before.geometry.viewport_width / before.share
    growth = wider / more if more >= 1 else 0.0
    return growth if 0 < growth <= MOST_GROWTH else 0.0


def _laid_out(source: str, sheets: tuple[str, ...], geometry: PageGeometry, fetcher: _Fetcher) -> _Layout:
    """Lay out and draw a document."""
    book = _load(source, sheets, geometry, fetcher)
    printed = _drawn(book, geometry, fetcher.images)  # before its width is asked for
    return _Layout(source, sheets, geometry, printed, _share_of_room(book, source, sheets, geometry, fetcher))


def _drawn(book: plutoprint.Book, geometry: PageGeometry, images: Images) -> Printed:
    """Draw the pages of a document with their scale, and an empty page behind them.

    After a value that cairo cannot draw, it draws nothing more and begins no page, without an error. So the empty page
    is in the file only if all pages are complete.

    A document without any height has no pages, and is drawn as one empty page.

    The pages have to be drawn before anything asks for the width of the document: PlutoBook would lay it out without
    pages and keep its lines, so that floats that move to the next page would cover the text there.
    """

    def draw(canvas: plutoprint.PDFCanvas) -> None:
        canvas.set_metadata(plutoprint.PDF_METADATA_CREATION_DATE, _WHEN)
        for number in range(count):
            canvas.save_state()
            canvas.scale(plutoprint.UNITS_PX * geometry.scale, plutoprint.UNITS_PX * geometry.scale)
            book.render_page(canvas, number)
            canvas.restore_state()
            canvas.show_page()
        for _ in range(pages - count + 1):
            canvas.show_page()

    count = book.get_page_count()
    pages = max(count, 1)
    pdf = memory_file.drawn(plutoprint.PageSize(geometry.width, geometry.height), draw)
    return Printed(pdf, images, geometry.scale, pages)


def _load(source: str, sheets: tuple[str, ...], geometry: PageGeometry, fetcher: _Fetcher) -> plutoprint.Book:
    """Load a document for paper on which it has as much room as it has after its pages are scaled."""
    lengths = (geometry.width, geometry.height, geometry.margin_top, geometry.margin_right, geometry.margin_bottom,
               geometry.margin_left)  # fmt: skip
    width, height, *margins = (length / geometry.scale for length in lengths)
    is_screen = geometry.media == "screen"
    media = plutoprint.MEDIA_TYPE_SCREEN if is_screen else plutoprint.MEDIA_TYPE_PRINT
    book = plutoprint.Book(plutoprint.PageSize(width, height), plutoprint.PageMargins(*margins), media)
    fetcher.images = Images()
    book.custom_resource_fetcher = fetcher
    head, _, body = source.partition("<head>")
    names = names_on(source)
    styles = "".join(f"<style>{_in_element(used(sheet, names))}</style>" for sheet in sheets)
    book.load_html(f"{head}<head>{styles}{body}", user_style=_sheet("user.css"), base_url=_BASE)
    return book


def _in_element(sheet: str) -> str:
    """Return a style sheet without the characters that would end its STYLE element."""
    return sheet.replace("</", "<\\/")


def _share_of_room(
    book: plutoprint.Book, source: str, sheets: tuple[str, ...], geometry: PageGeometry, fetcher: _Fetcher
) -> float:
    """Return the factor that makes a document as narrow as the page; 1 if it is not wider.

    Generated boxes without text, such as lines that extend beyond the window, do not make it wider. The end of the page
    cuts them, as the boxes around them do on a screen.
    """
    share = _share(book, source, geometry)
    if share == 1 or fetcher.has_ornaments is False:
        return share
    without = tuple(_EMPTY_CONTENT.sub("content:none", sheet) for sheet in sheets)
    other = share if without == sheets else _share(_load(source, without, geometry, fetcher), source, geometry)
    fetcher.has_ornaments = fetcher.has_ornaments or other > share
    return max(share, other)


def _share(book: plutoprint.Book, source: str, geometry: PageGeometry) -> float:
    room = geometry.viewport_width
    wide = float(book.get_document_width())
    if _is_from_right(source):
        wide = max(wide, left_overflow.width_of(book, room))
    return room / wide if wide > room + 1 else 1.0


def _is_from_right(source: str) -> bool:
    return FROM_RIGHT in source.partition("<head>")[0]


def _defaults(geometry: PageGeometry) -> str:
    return f"{_sheet('default.css')}\n:where(img, svg) {{ max-height: {geometry.viewport_height - 1:.2f}px }}"


@cache
def _sheet(name: str) -> str:
    return resources.files(f"{__package__}.sheets").joinpath(name).read_text("utf-8")


class _Fetcher(plutoprint.ResourceFetcher):
    """A fetcher that returns the assets of a task. It never reads a file, and never sends a request."""

    def __init__(self, assets: Mapping[str, Asset], *, keeps_forms: bool) -> None:
        super().__init__()
        self.assets = {private_url(key): asset for key, asset in assets.items()}
        self.images = Images()
        """The images that the last layout has asked for."""

        self.keeps_forms = keeps_forms
        self.has_ornaments: bool | None = None
        """Whether generated boxes without text make the page too wide; None as long as no layout was too wide."""

    def fetch_url(self, url: str) -> Any:
        """Return the asset at a URL; an empty resource for any other URL."""
        if url.startswith(MARK):
            return _svg(self.images.mark(int(url.removeprefix(MARK))))
        if url.startswith(EMPTY):
            return _svg(with_drawing(BLANK, url))
        key = url if url in self.assets else asset_key(url, url)
        asset = self.assets.get(key)
        if asset is not None and is_font(asset.body):
            font = for_layout(asset.body, keeps_forms=self.keeps_forms, weight=weight_of(url))
            return _nothing() if font is None else plutoprint.ResourceData(font, asset.content_type, "")
        number = url.rpartition(LINKED)[2] if LINKED in url else None
        areas = None if number is None else int(number)
        named = "" if is_private(key) else key
        image = None if asset is None else self.images.small(asset.body, named, areas, keeps_shapes=is_tinted(url))
        drawn = with_drawing(with_tint(image, url) if image else BLANK, url)
        return _nothing() if drawn == BLANK else _svg(drawn)


def _nothing() -> Any:
    return plutoprint.ResourceData(b"", "text/plain", "utf-8")


def _svg(body: bytes) -> Any:
    return plutoprint.ResourceData(body, "image/svg+xml", "utf-8")
