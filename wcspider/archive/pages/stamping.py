"""Stamps on the pages of a rendering, as artifacts (ISO 32000-1, 14.8.2.2)."""

from __future__ import annotations

import io
from dataclasses import replace

import pikepdf

from wcspider.engines.base import Rendering, RenderTask
from wcspider.engines.overlays.stamp import HEADER, Stamp
from wcspider.engines.saving import opened, saved_bytes

_NAME = "/WCSPStamp"
_ARTIFACT = b"Q\n/Artifact <</Type /Pagination /Subtype /%s /Attached [/%s]>> BDC\nq %s Do Q\nEMC\n"


def stamped(rendering: Rendering, stamp: Stamp, task: RenderTask) -> Rendering:
    """Return a rendering with a stamp on each page, on top of other content in that margin.

    Each stamp is a form XObject, so it does not depend on the graphics state at the end of the page.
    """
    from wcspider.engines.overlays.stamp_pages import (
        draw_stamps,  # here, so that its libraries are loaded in the workers only
    )

    with opened(rendering.file) as pdf:
        sheets = draw_stamps(
            stamp,
            task.geometry,
            pages=len(pdf.pages),
            title=rendering.structure.title,
            language=rendering.structure.language,
            system_fonts=task.system_fonts,
        )
        words = (b"Header", b"Top") if stamp.place == HEADER else (b"Footer", b"Bottom")
        with pikepdf.open(io.BytesIO(sheets)) as source:
            for page, sheet in zip(pdf.pages, source.pages, strict=True):
                form = pdf.copy_foreign(sheet.as_form_xobject())
                name = page.add_resource(form, pikepdf.Name.XObject, pikepdf.Name(_NAME))
                page.contents_add(b"q\n", prepend=True)
                page.contents_add(_ARTIFACT % (*words, str(name).encode()))
            return replace(rendering, file=saved_bytes(pdf))
