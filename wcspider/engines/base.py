"""The interface of a layout engine: source bytes in, PDF pages out.

An engine opens no socket and no file: everything that a page can show is in its `RenderTask`. An engine runs in a
worker process that may be killed at any moment, so it keeps no state that must survive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, SupportsBytes
from urllib.parse import unquote, urlsplit

from wcspider.engines.fields import Field

NO_FONT = "characters that no font has"
"""The start of a warning about characters that could not be shown.

The script of the characters, and the package that provides a font for it, follow in parentheses."""

SVG = "image/svg+xml"
"""The media type of SVG files, which are laid out as HTML pages are."""

SMALLEST_TEXT = 4.5
"""The least size of readable text, in points. No engine sets smaller text, however small the author's is."""


class Step(IntEnum):
    """The fallback steps: how much of the author's design a conversion uses.

    Each step is less likely to fail than the step before.
    """

    FULL = 0
    NO_AUTHOR_FONTS = 1
    NO_AUTHOR_STYLES = 2
    SIMPLER_ENGINE = 3
    """Without the author's styles, laid out by xhtml2pdf, whichever engine was chosen."""

    TEXT_ONLY = 4


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The size and the margins of the PDF pages. All lengths are in points (1/72 inch)."""

    width: float = 595.276
    height: float = 841.89
    margin_top: float = 42.52
    margin_right: float = 42.52
    margin_bottom: float = 42.52
    margin_left: float = 42.52
    media: str = "print"
    """The CSS media type whose styles apply: ``print`` or ``screen``."""

    scale: float = 1.0
    """The factor by which the content is scaled: a CSS pixel becomes ``0.75 * scale`` points."""

    @property
    def inner_width(self) -> float:
        """The width between the margins."""
        return self.width - self.margin_left - self.margin_right

    @property
    def inner_height(self) -> float:
        """The height between the margins."""
        return self.height - self.margin_top - self.margin_bottom

    @property
    def viewport_width(self) -> float:
        """The width of the page area in CSS pixels, for media queries and percentages."""
        return self.inner_width / (0.75 * self.scale)

    @property
    def viewport_height(self) -> float:
        """The height of the page area in CSS pixels, for media queries."""
        return self.inner_height / (0.75 * self.scale)

    @property
    def preferred_zoom(self) -> float:
        """The PZ entry of the pages (14.10.6): the magnification that undoes the scaling.

        At that magnification one unit of default user space is one source pixel.
        """
        return 1 / (0.75 * self.scale)


@dataclass(frozen=True, slots=True)
class Asset:
    """The bytes of one auxiliary resource, with the media type and the charset that the server sent."""

    body: bytes
    content_type: str
    charset: str | None = None
    url: str = ""
    """The URL after redirects, if it differs from the key: references in a style sheet are relative to this URL."""


@dataclass(frozen=True, slots=True)
class RenderTask:
    """One page to convert."""

    url: str
    """The absolute URL of the page; relative references are resolved against it (or its BASE)."""

    body: bytes
    """The bytes to render. They may differ from the bytes from which the identifier was computed."""

    media_type: str = "text/html"
    encoding: str = "utf-8"
    assets: Mapping[str, Asset] = field(default_factory=dict)
    """The auxiliary resources by absolute URL (without a fragment), as referenced by the page or a style sheet."""

    geometry: PageGeometry = field(default_factory=PageGeometry)
    step: Step = Step.FULL
    system_fonts: bool = True
    """Whether fonts of the system are used for characters that neither the author's nor the bundled fonts have."""

    forms: bool = True
    """Whether form controls become fields. If not, they are drawn as text."""

    @property
    def name(self) -> str:
        """The title of a file without a title: the last segment of the URL's path, or the host if the path is empty."""
        parts = urlsplit(self.url)
        return unquote(parts.path.rstrip("/").rpartition("/")[2]) or parts.netloc or self.url


class Anchor(NamedTuple):
    """A named position in a rendering, which links can point to."""

    name: str
    """The ``id`` or ``name`` of the element in the source, decoded."""

    page: int
    """The index of the page, from 0."""

    x: float
    y: float
    """The upper left corner of the element, in default user space of the page."""


class Heading(NamedTuple):
    """A heading of the source, with its position in a rendering."""

    title: str
    """Its text, with white space collapsed."""

    level: int
    """The depth in the outline, from 0: at most one more than the depth of the heading before."""

    page: int
    """The index of the page, from 0."""

    y: float
    """Its upper edge, in default user space of the page."""


@dataclass(frozen=True, slots=True)
class DrawnImage:
    """An image XObject of a rendering and the auxiliary resource that it shows."""

    name: str
    """The name of the XObject in the resources of `Rendering.file`, without the slash; the same on every page."""

    url: str
    """The key of the resource in `RenderTask.assets`; `RenderTask.url` if the task itself is an image."""

    frame: int = 0
    """The number of the frame that it shows, from 0: the later pages of a TIFF file follow each other."""


@dataclass(frozen=True, slots=True)
class PageStructure:
    """The title, the language, the headings and the link targets of a page."""

    title: str = ""
    language: str = ""
    """The language that the source declares (BCP 47)."""

    anchors: tuple[Anchor, ...] = ()
    headings: tuple[Heading, ...] = ()
    """The headings, in the order of the source."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The PDF that an engine made from one page.

    Every hyperlink is a Link annotation with a URI action that holds the absolute URL, including the fragment. This
    also applies to links to the page itself: the archive decides later which links become jumps inside the file.
    """

    file: SupportsBytes
    """The PDF file: its bytes, or an `engines.saving.OpenDocument`, which need not be written and read again."""

    structure: PageStructure = field(default_factory=PageStructure)
    images: tuple[DrawnImage, ...] = ()
    warnings: tuple[str, ...] = ()
    """Parts of the page that could not be rendered, one short line each."""

    unreadable: Mapping[str, str] = field(default_factory=dict)
    """The reasons why images cannot be shown, by the URLs of the images."""

    fields: tuple[Field, ...] = ()
    """The fields of the page's forms, shown by widget annotations (12.5.6.19) in `file`.

    In an annotation, WCSP_Field is the index of the field in this tuple, and WCSP_Option the index of the option that
    a radio button stands for. Appearances are streams; those of check boxes and radio buttons are dictionaries with
    the entries On and Off. A field without an annotation is not shown."""

    @property
    def pdf(self) -> bytes:
        """The bytes of the PDF file."""
        return bytes(self.file)


class Engine(ABC):
    """A layout engine (14.10.5.4). Those for HTML have a product name and a version."""

    product = ""
    version = ""

    @abstractmethod
    def render(self, task: RenderTask) -> Rendering:
        """Lay out `task` and return its PDF pages.

        Raise `EngineError` if the page cannot be converted. The caller treats any other exception, a hang or a crash
        in the same way: it tries the next `Step`.
        """

    def internal_name(self) -> str:
        """Return the internal name of an engine for HTML, ``company:product:version:contentType`` (14.10.5.4)."""
        return f"WCSP:{self.product}:{self.version}:HTML"
