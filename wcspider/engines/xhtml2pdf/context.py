"""The state of one layout by xhtml2pdf: what it may use, which is what the task brought and nothing else."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from reportlab.lib.fonts import addMapping, tt2ps
from reportlab.platypus.flowables import CondPageBreak, UseUpSpace
from xhtml2pdf.config.resources import ResourceAccessPolicy
from xhtml2pdf.context import pisaContext
from xhtml2pdf.files import InlineDataURI, pisaFileObject
from xhtml2pdf.parser import pisaLoop
from xhtml2pdf.xhtml2pdf_reportlab import PmlParagraphAndImage

from wcspider.engines.base import SMALLEST_TEXT, Asset
from wcspider.engines.images.reader import MAX_PIXELS
from wcspider.engines.text import fonts, web_fonts
from wcspider.engines.text.runs import Runs
from wcspider.engines.xhtml2pdf.boxes import side_by_side
from wcspider.engines.xhtml2pdf.markup import Page
from wcspider.engines.xhtml2pdf.styles.cascade import cascade_of, parser
from wcspider.engines.xhtml2pdf.styles.sheets import FontFace
from wcspider.web.urls import split_fragment

POLICY = ResourceAccessPolicy.server(
    None, allow_remote=False, max_image_pixels=MAX_PIXELS, max_render_seconds=None, max_total_bytes=None
)
"""A second lock behind `PageContext.getFile`: xhtml2pdf's own refusal of files and hosts."""

DEEPEST_INDENT = 0.5
"""Which share of the width of the page the margins at the left may take in all, and twice those at the right."""

LOWEST_LINE = 1.0
"""The least height of a line beside an image, in points: the lines there are counted by it."""

_ROWS = frozenset({"tbody", "td", "tfoot", "th", "thead", "tr"})
"""Elements that begin where the table stands, not in a cell of it."""

_FAMILIES = {
    fonts.SANS: ("sans-serif", "sans", "arial", "helvetica", "helvetica neue", "verdana", "tahoma", "geneva", "roboto",
                 "segoe ui", "ui-sans-serif", "system-ui", "-apple-system", "open sans", "trebuchet ms", "lucida sans",
                 "lucida grande", "liberation sans", "ui-rounded", "fantasy", "emoji", "calibri", "noto sans"),
    fonts.SERIF: ("serif", "times", "times new roman", "georgia", "palatino", "garamond", "book antiqua", "cambria",
                  "ui-serif", "liberation serif", "cursive", "math", "fangsong", "noto serif"),
    fonts.MONO: ("monospace", "courier", "courier new", "consolas", "menlo", "monaco", "lucida console",
                 "sfmono-regular", "ui-monospace", "liberation mono", "dejavu sans mono", "andale mono"),
    fonts.SYMBOLS: ("symbol",),
}  # fmt: skip


class AssetFile(pisaFileObject):  # type: ignore[misc]
    """The asset for a reference: bytes, or nothing. It gives no access to files or sockets."""

    def __init__(self, body: bytes | None, media_type: str = "") -> None:
        # xhtml2pdf remembers images by this, in all documents of a process: a URL would not do.
        self.uri = hashlib.md5(body or b"", usedforsecurity=False).hexdigest()
        self.body = body
        self.media_type = media_type

    def getData(self) -> bytes | None:  # noqa: N802
        """Return the bytes, or None."""
        return self.body

    getFileContent = getData  # noqa: N815

    def getMimeType(self) -> str:  # noqa: N802
        """Return the media type."""
        return self.media_type

    def getBytesIO(self) -> io.BytesIO | None:  # noqa: N802
        """Return the bytes as a file."""
        return io.BytesIO(self.body) if self.body else None

    getFile = getBytesIO  # noqa: N815

    def getNamedFile(self) -> None:  # noqa: N802
        """None: there are no files here."""

    def getAbsPath(self) -> str:  # noqa: N802
        """Return a name that is derived from the bytes."""
        return self.uri

    def notFound(self) -> bool:  # noqa: N802
        """Whether there is nothing."""
        return self.body is None


class PageContext(pisaContext):  # type: ignore[misc]
    """The state of one layout."""

    def __init__(self, assets: Mapping[str, Asset], runs: Runs, room: float, height: float) -> None:
        super().__init__("", capacity=-1)
        self.room = room
        """How wide the lines of a page are, in points."""

        self.height = height
        """How high a page is between its margins, in points."""

        self.runs = runs
        self.assets = assets
        self.drawn: dict[str, bytes] = {}
        """The bytes that were handed out, by asset key."""

        self.columns: dict[str, dict[Any, list[float]]] = {}
        """The widths of the columns of long tables, by what their parts have in common."""

        self.inline_boxes = 0
        """How many inline blocks are open."""

        self.list_step = 1
        """By how much the number of a list item is more than that of the one before."""

        self.problems: list[str] = []
        self.fontList = {name: family for family, names in _FAMILIES.items() for name in (family, *names)}
        self.asianFontList: dict[str, str] = {}

    def read(self, page: Page, *, author_fonts: bool) -> None:
        """Turn the document into the story that is laid out."""
        self.lang_tag = page.language
        if author_fonts:
            self._register(page.faces)
        self._set_styles(page)
        self.linkTargets = set(page.anchors)
        self.controls = page.controls
        side_by_side.keep_apart(page.document, self)
        pisaLoop(page.document, self)
        self.problems += self.runs.warnings()
        self.node = None
        with suppress(KeyError):  # minidom's unlink fails on an element with both lang and xml:lang
            page.document.unlink()

    def _set_styles(self, page: Page) -> None:
        cascade, problems = cascade_of(tuple(page.stylesheets))
        cascade.begin_page()
        self.problems += problems
        self.cssParser = parser()
        self.cssBuilder = self.cssParser.cssBuilder
        self.cssCascade = cascade.strategy
        self.css, self.cssDefault = cascade.strategy.user, cascade.strategy.userAgenr
        self.cssCustomNames = frozenset(n for n in self.cssCascade.propertyNames if n.startswith("--"))
        self.cssPositionalTags = cascade  # handed on to cascade.share
        self.cssAttrCache, self.cssPseudoCache = cascade.styles, cascade.pseudo_styles

    def getFile(self, name: Any, relative: Any = None) -> AssetFile | None:  # noqa: N802
        """Return the asset for a reference of the document; nothing else can be reached."""
        if name is None:
            return None
        uri = str(name)
        if uri.startswith("data:"):
            return AssetFile(*_data_url(uri))
        key = split_fragment(uri)[0]
        asset = self.assets.get(key)
        if asset is None:
            return AssetFile(None)
        self.drawn[key] = asset.body
        return AssetFile(asset.body, asset.content_type)

    def getFontNames(self, names: Any) -> list[str]:  # noqa: N802
        """Return the known families of a font-family list, then the fallback families."""
        known = [f for key in self._familyKeys(names) if (f := self.fontList.get(key.strip("'\"")))]
        return list(dict.fromkeys([*known, *([] if known else [fonts.SERIF]), fonts.SANS, fonts.SYMBOLS]))

    def getFontName(self, names: Any, default: str = "", *, warn: bool = True) -> str:  # noqa: N802
        """Return the family to draw with."""
        return self.getFontNames(names)[0]

    def _warn_missing_glyphs(self, text: str, candidates: list[str]) -> None:
        """Do nothing: `Runs` notes what no font has."""

    def addStory(self, data: Any) -> None:  # noqa: N802
        """Add what is laid out next; in a cell or an inline block there are no pages to break."""
        cells = self.tableData.depth - (getattr(self.node, "tagName", "") in _ROWS)
        if not isinstance(data, UseUpSpace | CondPageBreak) or (cells <= 0 and not self.inline_boxes):
            super().addStory(data)
        if isinstance(data, PmlParagraphAndImage) and data.P.style.leading < LOWEST_LINE:
            data.P.style.leading = max(data.P.style.fontSize, SMALLEST_TEXT)

    def toParagraphStyle(self, first: Any) -> Any:  # noqa: N802
        """Return the style of a paragraph, whose indents leave room for a line at any nesting depth."""
        style = super().toParagraphStyle(first)
        left = min(max(style.leftIndent, 0.0), self.room * DEEPEST_INDENT)
        style.bulletIndent += left - style.leftIndent
        style.leftIndent = left
        style.rightIndent = min(max(style.rightIndent, 0.0), self.room * DEEPEST_INDENT / 2)
        style.firstLineIndent = max(style.firstLineIndent, -left)
        for part in first.bulletText if isinstance(first.bulletText, list) else ():
            part.fontSize = max(part.fontSize, SMALLEST_TEXT)
        return style

    def _appendFrag(self, frag: Any) -> None:  # noqa: N802
        """Add text to the paragraph, in a size that can be read."""
        if isinstance(frag.text, str) and frag.text:
            frag.fontSize = max(frag.fontSize, SMALLEST_TEXT)
        super()._appendFrag(frag)

    def _byCoverage(self, frag: Any) -> list[Any]:  # noqa: N802
        """Cut a fragment where its face has no glyph; most have them all, and a set says so at once."""
        text = frag.text
        if not isinstance(text, str) or fonts.covers(frag.fontName, text):
            return [frag]
        bold = bool(frag.bold)
        faces = [tt2ps(family, frag.bold, frag.italic) for family in getattr(frag, "fontFamilies", None) or ()]
        return [_in_face(frag, *run) for run in self.runs.cut(text, faces or [frag.fontName], bold=bold)]

    def _register(self, faces: list[FontFace]) -> None:
        """Make the author's fonts available under the names that the author gave them."""
        registered: dict[str, dict[tuple[int, int], str]] = {}
        for face in faces:
            name = next((n for url in face.sources if (n := self._font(url))), None)
            if name is None:
                self.problems.append(f"the font {face.family} cannot be used")
            else:
                registered.setdefault(face.family, {})[int(face.bold), int(face.italic)] = name
        for family, styles in registered.items():
            self._map_family(family, styles)

    def _font(self, url: str) -> str | None:
        file = self.getFile(url)
        data = file.getData() if file else None
        return web_fonts.register(data) if data else None

    def _map_family(self, family: str, styles: dict[tuple[int, int], str]) -> None:
        """Give each style of a family a face, the nearest where it has none of its own."""
        alias = f"author-{family}"
        for bold in (0, 1):
            for italic in (0, 1):
                wanted = ((bold, italic), (bold, 0), (0, italic), *styles)
                addMapping(alias, bold, italic, next(styles[style] for style in wanted if style in styles))
        self.fontList[family] = alias


def _in_face(frag: Any, text: str, face: str) -> Any:
    part = frag.clone()
    part.text = text
    part.fontName = part.bulletFontName = face
    return part


def _data_url(uri: str) -> tuple[bytes | None, str]:
    """Return the bytes and the media type of a data: URL (RFC 2397)."""
    source = InlineDataURI(uri, None, POLICY)
    try:
        return source.extract_data(), source.mimetype or ""
    except Exception:  # whatever a malformed one raises, there is nothing in it
        return None, ""
