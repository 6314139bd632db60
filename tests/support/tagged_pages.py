"""Pages with content that has an ActualText (ISO 32000-1, 14.9.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from tests.support.pdf_samples import grey_image
from tests.support.sample_fonts import Content


def in_properties(**texts: str) -> Content:
    def make(pdf: Pdf, page: Object) -> bytes:
        page.Resources.Properties = Dictionary(
            {f"/{name}": pdf.make_indirect(Dictionary(ActualText=String(text))) for name, text in texts.items()}
        )
        return b"BT /F 12 Tf 20 100 Td (a) Tj /Span /P0 BDC (xyz) Tj EMC (b) Tj ET"

    return make


@dataclass(frozen=True)
class Element:
    """A structure element (14.7.2) with its ActualText and its children: elements, or marked content by MCID."""

    holds: Sequence[Element | int]
    text: str | None = None


def tagged(content: bytes, *elements: Element) -> Content:
    """A page of a tagged file; on the second page, each MCID is another."""

    def make(pdf: Pdf, page: Object) -> bytes:
        parents: dict[int, Object] = {}
        number = pdf.pages.index(pikepdf.Page(page))
        if number == 0:
            root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, ParentTree=Dictionary(Nums=Array([]))))
            root.K = Array([_element(pdf, element, root, parents) for element in elements])
            pdf.Root.StructTreeRoot = root
            pdf.Root.MarkInfo = Dictionary(Marked=True)
            for at, held in enumerate(pdf.pages):
                held.obj.StructParents = at
                found = {mcid - 100 * at: parent for mcid, parent in parents.items() if mcid // 100 == at}
                root.ParentTree.Nums.append(at)
                root.ParentTree.Nums.append(
                    pdf.make_indirect(Array([found.get(mcid) for mcid in range(max(found, default=-1) + 1)]))
                )
        return content

    return make


def _element(pdf: Pdf, element: Element, parent: Object, parents: dict[int, Object]) -> Object:
    """A structure element; MCIDs from 100 on are those of the second page, less 100."""
    made = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Span, P=parent))
    if element.text is not None:
        made.ActualText = String(element.text)
    kids = Array([])
    for held in element.holds:
        if isinstance(held, Element):
            kids.append(_element(pdf, held, made, parents))
        else:
            kids.append(Dictionary(Type=Name.MCR, Pg=pdf.pages[held // 100].obj, MCID=held % 100))
            parents[held] = made
    made.K = kids
    return made


def _form(pdf: Pdf, page: Object, content: bytes, box: Sequence[int]) -> Object:
    """A form XObject with the font of a page."""
    return pdf.make_stream(
        content,
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array(box),
        Resources=Dictionary(Font=page.Resources.Font),
    )


def in_form(pdf: Pdf, page: Object) -> bytes:
    """A form XObject with a marked-content sequence in it, shown twice."""
    content = b"BT /F 12 Tf 0 0 Td (a) Tj /Span <</ActualText (1)>> BDC (xyz) Tj EMC (b) Tj ET"
    page.Resources.XObject = Dictionary(X=_form(pdf, page, content, (0, -20, 100, 20)))
    return b"q 1 0 0 1 20 100 cm /X Do Q q 1 0 0 1 20 60 cm /X Do Q"


def around_form(pdf: Pdf, page: Object) -> bytes:
    """A marked-content sequence with a form XObject in it."""
    page.Resources.XObject = Dictionary(X=_form(pdf, page, b"BT /F 12 Tf 0 0 Td (xyz) Tj ET", (0, -3, 18, 9)))
    return (
        b"BT /F 12 Tf 20 100 Td (a) Tj ET /Span <</ActualText (1)>> BDC q 1 0 0 1 26 100 cm /X Do Q EMC "
        b"BT /F 12 Tf 44 100 Td (b) Tj ET"
    )


def around_image(pdf: Pdf, page: Object) -> bytes:
    """An initial that is a picture."""
    page.Resources.XObject = Dictionary(X=grey_image(pdf, 0))
    return b"/Span <</ActualText (O)>> BDC q 12 0 0 12 20 100 cm /X Do Q EMC BT /F 12 Tf 32 100 Td (nce) Tj ET"
