"""Some pages of a file as a separate file, which is made without copying them.

To find a page, PDFium reads all pages before it, and keeps them in memory. So it gets the bytes of the file with
another revision (ISO 32000-1, 7.5.6), whose page tree has only a few pages.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import pikepdf

from wcspider.pdf.file.base_file import damage_of
from wcspider.pdf.file.prefix import FilePrefix
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Name, Ref, Stream, Value, write
from wcspider.pdf.text.page_resources import pages_from

TAIL = 2048
"""The number of bytes at the end of a file in which the offset of its cross-reference section is searched."""


def stretch(path: Path, pdf: pikepdf.Pdf, first: int, count: int, length: int | None = None) -> FilePrefix | None:
    """Return a file with `count` pages of a file, from an index on; None if the file or its page tree is damaged.

    `pdf` is the file, or its first `length` bytes, as pikepdf has opened it.
    """
    length = path.stat().st_size if length is None else length
    startxref = _startxref(path, length)
    size: object = pdf.trailer.get("/Size")
    pages = [Ref(*page.objgen) for page in islice(pages_from(pdf, first), count)]
    is_complete = len(pages) == count and all(page.number for page in pages)
    if startxref is None or not isinstance(size, int) or not is_complete or pdf.is_encrypted or damage_of(pdf, path):
        return None
    return FilePrefix(path, length, _revision(pdf, size, pages, length, startxref))


def _startxref(path: Path, length: int) -> int | None:
    """Return the offset of the last cross-reference section; None if bytes before the header move all offsets."""
    with path.open("rb") as file:
        is_at_start = file.read(5) == b"%PDF-"
        file.seek(max(0, length - TAIL))
        found = re.findall(rb"startxref\s+(\d+)", file.read(min(TAIL, length)))
    return int(found[-1]) if found and is_at_start else None


def _revision(pdf: pikepdf.Pdf, size: int, pages: list[Ref], length: int, startxref: int) -> bytes:
    """Return a revision with a catalog whose page tree consists of some pages."""
    catalog: dict[str, Value] = read(pdf.Root.unparse(resolved=True))
    tree, root, xref = Ref(size), Ref(size + 1), Ref(size + 2)
    out = b"\n"
    offsets = []
    for reference, value in (
        (tree, {"Type": Name("Pages"), "Kids": list[Value](pages), "Count": len(pages)}),
        (root, catalog | {"Pages": tree}),
    ):
        offsets.append(length + len(out))
        out += b"%d %d obj\n%s\nendobj\n" % (*reference, write(value))
    offsets.append(length + len(out))
    rows = b"".join(b"\x01" + offset.to_bytes(8, "big") + b"\0\0" for offset in offsets)
    section = Stream.deflated(
        {
            "Type": Name("XRef"),
            "Size": xref.number + 1,
            "Root": root,
            "Prev": startxref,
            "Index": [tree.number, len(offsets)],
            "W": [1, 8, 2],
        },
        rows,
    )
    head = write({**section.dictionary, "Length": len(section.data)})
    out += b"%d %d obj\n%s\nstream\n" % (*xref, head) + section.data
    return out + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % offsets[-1]
