"""The conversion of source bytes into a fragment, in a worker process: render with an engine, extract the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.packed import PackedFragment
from wcspider.archive.pages.page_extraction import extract_pages
from wcspider.archive.pages.stamping import stamped
from wcspider.engines.base import RenderTask, Step
from wcspider.engines.overlays.stamp import Stamp
from wcspider.engines.registry import render
from wcspider.engines.workers.standard_error import captured_messages
from wcspider.exceptions import EngineError
from wcspider.image_files import TIFF_BYTE_ORDERS

PDF = "application/pdf"
_UNREADABLE = re.compile(r"WARNING: Unable to load image '((?:https?|file):[^']*)'")
LESS_DESIGN: Mapping[Step, str] = {
    Step.NO_AUTHOR_FONTS: "laid out without the author's fonts",
    Step.NO_AUTHOR_STYLES: "laid out without the author's styles",
    Step.SIMPLER_ENGINE: "laid out by a simpler engine, without the author's styles",
    Step.TEXT_ONLY: "kept as text only",
}

LOCAL = "file:"
"""The scheme of local files."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """A page to convert, and the product name of the engine that converts it."""

    task: RenderTask
    engine: str
    stamp: Stamp | None = None
    """The stamp on its pages; the pages of a PDF source get none."""

    keeps_active: bool = False
    """Whether the pages of a PDF source keep their active content."""


def convert(conversion: Conversion) -> PackedFragment:
    """Convert a page, an image, a text or a PDF file into a fragment.

    Raises `EngineError`, or any exception of an engine: the caller then continues with the next `Step`.
    """
    task = conversion.task
    with captured_messages(task.url, partial(_is_about_skipped, task)) as messages:
        fragment = _pdf_pages(conversion) if task.media_type == PDF else _rendered_pages(conversion)
    told = (*fragment.notes.messages, *messages)
    notes = replace(fragment.notes, less_design=LESS_DESIGN.get(task.step, ""), messages=told)
    return PackedFragment.of(replace(fragment, notes=notes))


def _is_about_skipped(task: RenderTask, message: str) -> bool:
    """Tell whether a message is about an image that was not fetched. The summary lists these images."""
    match = _UNREADABLE.match(message)
    return match is not None and match[1] not in task.assets


def _rendered_pages(conversion: Conversion) -> Fragment:
    """Render a source with its engine, and extract the pages."""
    task = conversion.task
    rendering = render(conversion.engine, task)
    if conversion.stamp is not None:
        rendering = stamped(rendering, conversion.stamp, task)
    images = {url: asset.body for url, asset in task.assets.items()}
    if task.body[:2] not in TIFF_BYTE_ORDERS:  # all pages of a TIFF file are drawn
        images[task.url] = task.body
    # No page from the web may open a file of the reader's computer.
    is_local = task.url.startswith(LOCAL)
    fragment = extract_pages(rendering, images, keeps_local_links=is_local)
    if not fragment.pages:  # for instance if a style sheet hides every element
        raise EngineError("the layout has no pages")
    return fragment


def _pdf_pages(conversion: Conversion) -> Fragment:
    # Imported here: PDFium and pdfminer load slowly, and only PDF sources need them.
    from wcspider.archive.pages.pdf_source import pdf_source_pages

    fragment = pdf_source_pages(conversion.task.body, keeps_active=conversion.keeps_active)
    title = fragment.structure.title or conversion.task.name
    return replace(fragment, structure=replace(fragment.structure, title=title))
