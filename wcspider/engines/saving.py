"""Documents of pikepdf that engines make: how they are opened and saved, and the links on their pages."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, SupportsBytes

import pikepdf


class LinkAnnotation(NamedTuple):
    """A Link annotation (ISO 32000-1, 12.5.6.5) with a URI action.

    Pages have hundreds, so it is stored as PDF syntax, and it is a tuple, which is pickled in a fraction of the time.
    """

    uri: bytes
    entries: bytes
    """The syntax of its dictionary without A and without the closing brackets; it contains no reference."""

    def leading_to(self, action: bytes) -> bytes:
        """Return the syntax of the annotation with an action; `action` is the syntax of the action."""
        return b"%b/A %b>>" % (self.entries, action)


class OpenDocument:
    """A document that an engine has made, in place of the bytes of a file.

    It is saved only if it is compared, pickled or asked for its bytes.
    """

    def __init__(self, pdf: pikepdf.Pdf, links: Sequence[Sequence[LinkAnnotation]] = ()) -> None:
        """`links` are the Link annotations of each page that are not in the document, where they would take time."""
        self.pdf = pdf
        self._links = links

    def take_links(self) -> Sequence[Sequence[LinkAnnotation]]:
        """Return the Link annotations of each page that are not in the document; it remains without them."""
        links, self._links = self._links, ()
        return links

    def add_links(self) -> None:
        """Put all Link annotations into the document, in front of the other annotations."""
        all_links = self.take_links()
        for page, links in zip(self.pdf.pages, all_links, strict=bool(all_links)):
            if links:
                others = page.obj.get("/Annots", ())
                page.obj["/Annots"] = [*map(_parsed, links), *others]

    def __bytes__(self) -> bytes:
        self.add_links()
        return saved_bytes(self.pdf, uses_object_streams=False)

    def __eq__(self, other: object) -> bool:
        return bytes(self) == bytes(other) if isinstance(other, OpenDocument | bytes) else NotImplemented

    def __hash__(self) -> int:
        return hash(bytes(self))

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        return bytes, (bytes(self),)


def _parsed(link: LinkAnnotation) -> pikepdf.Object:
    action = b"<</S/URI/URI %b>>" % pikepdf.String(link.uri).unparse()
    return pikepdf.Object.parse(link.leading_to(action))


@contextmanager
def opened(file: SupportsBytes) -> Iterator[pikepdf.Pdf]:
    """Open a PDF file. Raise what `pikepdf.open` raises if it cannot be read."""
    if isinstance(file, OpenDocument):
        file.add_links()
        yield file.pdf
    else:
        with pikepdf.open(io.BytesIO(bytes(file))) as pdf:
            yield pdf


def saved_bytes(pdf: pikepdf.Pdf, *, uses_object_streams: bool = True) -> bytes:
    """Return a document as the bytes of a file; equal documents give equal bytes.

    Its widgets may belong to no field: they become fields when the pages are put into another file.
    """
    mode = pikepdf.ObjectStreamMode.preserve if uses_object_streams else pikepdf.ObjectStreamMode.disable
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)  # pikepdf warns of such widgets
        pdf.save(out, static_id=True, object_stream_mode=mode)
    return out.getvalue()
