"""The pages of a PDF file that a site serves as a page."""

from __future__ import annotations

from dataclasses import replace

from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.page_extraction import extract_pages
from wcspider.engines.base import Rendering
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.text.extraction import page_texts
from wcspider.webcapture.identifiers import text_identifier


def pdf_source_pages(body: bytes, *, keeps_active: bool) -> Fragment:
    """Extract the pages of a PDF file; its text is extracted as in clause 9.10.

    Pages whose text cannot be read have no text identifier, and a message.
    Raises `SourceUnreadableError` if the file cannot be read or has no pages.
    """
    fragment = extract_pages(Rendering(body), is_source=True, keeps_active=keeps_active)
    if not fragment.pages:
        raise SourceUnreadableError("the PDF file has no pages")
    try:
        return replace(fragment, text_identifier=text_identifier(page_texts(body)))
    except SourceUnreadableError as error:
        return replace(fragment, notes=replace(fragment.notes, messages=(error.problem,)))
