"""From source bytes to a fragment, in a worker process: an engine renders, and the rendering is taken apart."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wcspider.archive.pages.fragments import Fragment, extract_pages
from wcspider.archive.pages.packed import PackedFragment
from wcspider.archive.pages.stamping import stamped
from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.overlays.stamp import Stamp
from wcspider.engines.registry import render
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.text.extraction import page_texts
from wcspider.webcapture.identifiers import text_identifier

PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Conversion:
    """A page to convert, and the engine that is to convert it, by its product name."""

    task: RenderTask
    engine: str
    stamp: Stamp | None = None
    """What its pages are to bear; a PDF file's own pages bear none."""


def warm_up(engine: str) -> None:
    """Load the libraries and the fonts that an engine needs, by converting a page with one word."""
    convert(Conversion(RenderTask("about:blank", b"<p>word"), engine))


def convert(conversion: Conversion) -> PackedFragment:
    """Convert a page, an image, a text or a PDF file into a fragment.

    Raises `EngineError`, or whatever an engine raises: the caller then takes the next `Step`.
    """
    task = conversion.task
    return PackedFragment.of(_pdf_pages(task.body) if task.media_type == PDF else _rendered_pages(conversion))


def _rendered_pages(conversion: Conversion) -> Fragment:
    """Have the engine lay a source out, and take its pages apart."""
    task = conversion.task
    rendering = render(conversion.engine, task)
    if conversion.stamp is not None:
        rendering = stamped(rendering, conversion.stamp, task)
    images = {url: asset.body for url, asset in task.assets.items()}
    return extract_pages(rendering, {**images, task.url: task.body})


def _pdf_pages(body: bytes) -> Fragment:
    """Take the pages of a PDF file as they are; their text is identified by clause 9.10."""
    fragment = extract_pages(Rendering(body))
    if not fragment.pages:
        raise SourceUnreadableError("the PDF file has no pages")
    return replace(fragment, text_identifier=text_identifier(page_texts(body)))
