"""The pages of a PDF file that a site serves as a page."""

from __future__ import annotations

from dataclasses import replace

from wcspider.archive.pages.fragments import Fragment, extract_pages
from wcspider.engines.base import Rendering
from wcspider.exceptions import SourceUnreadableError
from wcspider.pdf.text.extraction import page_texts
from wcspider.webcapture.identifiers import text_identifier


def pdf_source_pages(body: bytes, *, keeps_active: bool) -> Fragment:
    """Extract the pages of a PDF file; its text is extracted as in clause 9.10.

    Raise `SourceUnreadableError` if the file has no pages.
    """
    fragment = extract_pages(Rendering(body), keeps_active=keeps_active)
    if not fragment.pages:
        raise SourceUnreadableError("the PDF file has no pages")
    return replace(fragment, text_identifier=text_identifier(page_texts(body)))
