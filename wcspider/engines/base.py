"""The contract of a conversion engine: source bytes in, PDF pages out, nothing else touched.

An engine opens no socket and no file: all that a page may show is in its `RenderTask`. It runs in a worker
process that may be killed at any moment, so it keeps no state that matters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from wcspider.engines.fields import Field

NO_FONT = "characters that no font has"
"""What a warning of a rendering begins with that names characters which could not be shown.

What stands in parentheses behind it says which script they are of, and which package would bring a font."""


class Step(IntEnum):
    """How much of the author's design a conversion uses; each step is safer than the one before."""

    FULL = 0
    NO_AUTHOR_FONTS = 1
    NO_AUTHOR_STYLES = 2
    SIMPLER_ENGINE = 3
    """Without the author's styles, laid out by xhtml2pdf, whichever engine was chosen."""

    TEXT_ONLY = 4


@dataclass(frozen=True, slots=True)
class PageGeometry:
    """The page that is laid out for. All lengths are in points (1/72 inch)."""

    width: float = 595.276
    height: float = 841.89
    margin_top: float = 42.52
    margin_right: float = 42.52
    margin_bottom: float = 42.52
    margin_left: float = 42.52
    media: str = "print"
    """Which CSS media the styles are taken for: ``print`` or ``screen``."""

    scale: float = 1.0
    """The factor by which the contents are scaled; a CSS pixel becomes ``0.75 * scale`` points."""

    @property
    def preferred_zoom(self) -> float:
        """The PZ entry of the pages (14.10.6): the magnification that undoes the scaling.

        At that magnification one unit of default user space is one source pixel.
        """
        return 1 / (0.75 * self.scale)


@dataclass(frozen=True, slots=True)
class Asset:
    """The bytes of one auxiliary resource, with what the server said they are."""

    body: bytes
    content_type: str
    charset: str | None = None
    url: str = ""
    """The URL that gave the bytes, if a redirect led away from the key: what a stylesheet refers to is relative
    to it."""


@dataclass(frozen=True, slots=True)
class RenderTask:
    """One page to convert."""

    url: str
    """The absolute URL of the page; relative references are resolved against it (or its BASE)."""

    body: bytes
    """What is to be rendered. It need not be the bytes that the identifier was computed from."""

    media_type: str = "text/html"
    encoding: str = "utf-8"
    assets: Mapping[str, Asset] = field(default_factory=dict)
    """The auxiliary resources by the absolute URL (no fragment) that the page, or a stylesheet, names."""

    geometry: PageGeometry = field(default_factory=PageGeometry)
    step: Step = Step.FULL
    system_fonts: bool = True
    """Whether the fonts of the system are used, for characters that neither the author's nor ours have."""

    forms: bool = True
    """Whether the elements of forms become fields; else they are drawn as text."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a rendering that a link may name."""

    name: str
    """The ``id`` or ``name`` in the source, decoded."""

    page: int
    """The index of the page, from 0."""

    x: float
    y: float
    """The upper left corner of the place, in the page's default user space."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of the source, where it stands in a rendering."""

    title: str
    """Its text, white space folded."""

    level: int
    """How many headings it stands below, from 0: at most one more than the heading before it."""

    page: int
    """The index of the page, from 0."""

    y: float
    """Its upper edge, in the page's default user space."""


@dataclass(frozen=True, slots=True)
class DrawnImage:
    """An image XObject of a rendering and the auxiliary resource that it shows."""

    name: str
    """The XObject's name in the XObject resources of `Rendering.pdf`, without the slash; it is the same on
    every page."""

    url: str
    """The key of the resource in `RenderTask.assets`, or the task's own URL for an image on its own."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """What an engine made of a page.

    Every hyperlink is a Link annotation whose action is a URI action with the absolute URL, fragment included,
    also where it leads to the page itself: whether it can be a jump inside the file is for the store to say.
    """

    pdf: bytes
    title: str = ""
    anchors: tuple[Anchor, ...] = ()
    images: tuple[DrawnImage, ...] = ()
    warnings: tuple[str, ...] = ()
    """What the engine could not do, one short line each."""

    headings: tuple[Heading, ...] = ()
    """In the order of the source."""

    language: str = ""
    """The language of the source, as it says (BCP 47)."""

    fields: tuple[Field, ...] = ()
    """The fields of its forms. Widget annotations (12.5.6.19) of `pdf` show them: WCSP_Field is the index of a
    field here, WCSP_Option the index of the option that a radio button is. Their appearances are streams, or for
    what is on or off dictionaries of two, On and Off. A field that no annotation shows is not seen."""


class Engine(ABC):
    """A conversion engine (14.10.5.4)."""

    company = "WCSP"
    product = ""
    version = ""

    @abstractmethod
    def render(self, task: RenderTask) -> Rendering:
        """Lay out `task` and return its pages.

        Raises `EngineError` for a page that it cannot convert; any other exception, a hang or a crash is
        treated the same way by the caller, which then tries the next `Step`.
        """

    def internal_name(self, content_type: str = "HTML") -> str:
        """The engine's internal name, ``company:product:version:contentType`` (14.10.5.4)."""
        return f"{self.company}:{self.product}:{self.version}:{content_type}"
