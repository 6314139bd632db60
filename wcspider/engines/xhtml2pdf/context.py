"""The context of one layout by xhtml2pdf, which gives access to the resources of the task only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from reportlab.lib.fonts import tt2ps
from xhtml2pdf.config.resources import ResourceAccessPolicy
from xhtml2pdf.context import pisaContext
from xhtml2pdf.files import InlineDataURI
from xhtml2pdf.parser import pisaLoop

from wcspider.engines.base import Asset, PageGeometry
from wcspider.engines.images.reader import MAX_PIXELS
from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.xhtml2pdf.elements.image_tags import DEEPEST_INDENT
from wcspider.engines.xhtml2pdf.source.prepared_page import Page

POLICY = ResourceAccessPolicy.server(
    None, allow_remote=False, max_image_pixels=MAX_PIXELS, max_render_seconds=None, max_total_bytes=None
)
"""The policy with which xhtml2pdf itself refuses files and hosts, as a second barrier behind `PageContext.getFile`."""

_FAMILIES = (fonts.SERIF, fonts.SANS, fonts.MONO, fonts.SYMBOLS)


class PageContext(pisaContext):  # type: ignore[misc]
    """A context of xhtml2pdf with the resources of one page."""

    def __init__(self, page: Page, assets: Mapping[str, Asset], runs: Runs, geometry: PageGeometry) -> None:
        super().__init__("", capacity=-1)
        self.room = (geometry.width - geometry.margin_left - geometry.margin_right) / geometry.scale
        """The width of a page between its margins, in units of the layout."""

        self.height = (geometry.height - geometry.margin_top - geometry.margin_bottom) / geometry.scale
        """The height of a page between its margins, in units of the layout."""

        self.page, self.assets, self.runs = page, assets, runs
        self.fields, self.controls = page.fields, page.controls
        self.drawn: dict[str, bytes] = {}
        """The bytes of the images that were read, by asset key."""

        self.problems: list[str] = list(page.warnings)
        self.fontList = {family: family for family in _FAMILIES}
        self.asianFontList: dict[str, str] = {}

    def read(self) -> None:
        """Convert the document into a story, the list of flowables to be laid out."""
        self.lang_tag = self.page.language
        self.linkTargets = set(self.page.anchors)
        self.addCSS(_style_sheet())
        self.parseCSS()
        pisaLoop(self.page.document, self)
        self.problems += self.runs.warnings()
        self.node = None
        self.cssAttrCache.clear()  # its keys keep the document in memory
        self.page.document.unlink()

    def image_file(self, url: str) -> bytes | None:
        """Return the bytes of an image from the task or from a data: URL; None if there are none."""
        if url.startswith("data:"):
            return _data_url(url)
        if url not in self.assets:
            return None
        self.drawn[url] = self.assets[url].body
        return self.drawn[url]

    def getFile(self, name: Any, relative: Any = None) -> None:  # noqa: N802
        """Return None: xhtml2pdf itself reads no files."""

    def getFontNames(self, names: Any) -> list[str]:  # noqa: N802
        """Return the bundled families in a font-family list, followed by the fallback families."""
        known = [key for key in self._familyKeys(names) if key in _FAMILIES]
        return list(dict.fromkeys([*known, fonts.SANS, fonts.SYMBOLS]))

    def getFontName(self, names: Any, default: str = "", *, warn: bool = True) -> str:  # noqa: N802
        """Return the first family of `getFontNames`."""
        return self.getFontNames(names)[0]

    def _warn_missing_glyphs(self, text: str, candidates: list[str]) -> None:
        """Do nothing: `Runs` records the characters that no font has."""

    def toParagraphStyle(self, first: Any) -> Any:  # noqa: N802
        """Return the style of a paragraph, with indents that leave room for text at any depth of nesting."""
        style = super().toParagraphStyle(first)
        style.leftIndent = min(max(style.leftIndent, 0.0), self.room * DEEPEST_INDENT)
        style.rightIndent = min(max(style.rightIndent, 0.0), self.room * DEEPEST_INDENT / 2)
        return style

    def _byCoverage(self, frag: Any) -> list[Any]:  # noqa: N802
        """Divide a fragment into runs of one face each. Nearly all fragments need a single face."""
        text = frag.text
        if not isinstance(text, str) or fonts.covers(frag.fontName, text):
            return [frag]
        bold = bool(frag.bold)
        faces = [tt2ps(family, frag.bold, frag.italic) for family in getattr(frag, "fontFamilies", None) or ()]
        return [_in_face(frag, *run) for run in self.runs.cut(text, faces or [frag.fontName], bold=bold)]


@cache
def _style_sheet() -> str:
    """Return the only style sheet of this engine."""
    return resources.files("wcspider.engines.xhtml2pdf").joinpath("default.css").read_text("utf-8")


def _in_face(frag: Any, text: str, face: str) -> Any:
    part = frag.clone()
    part.text = text
    part.fontName = part.bulletFontName = face
    return part


def _data_url(url: str) -> bytes | None:
    """Return the bytes of a data: URL (RFC 2397)."""
    try:
        return InlineDataURI(url, None, POLICY).extract_data()  # type: ignore[no-any-return]
    except Exception:  # a malformed URL raises exceptions of many kinds
        return None
