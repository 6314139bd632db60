"""The XMP metadata of a document (ISO 32000-1, 14.3.2) after content was added."""

from __future__ import annotations

import logging
from datetime import datetime

import pikepdf
from pikepdf.models import PdfMetadata

from wcspider.pdf.objects import Value
from wcspider.pdf.values import read_text

_CLAIMS = {
    "PDF/A": ("http://www.aiim.org/pdfa/ns/id/", ("part", "conformance", "rev", "amd", "corr")),
    "PDF/UA": ("http://www.aiim.org/pdfua/ns/id/", ("part", "rev", "amd", "corr")),
    "PDF/X": ("http://www.npes.org/pdfx/ns/id/", ("GTS_PDFXVersion",)),
    "PDF/X-1": ("http://ns.adobe.com/pdfx/1.3/", ("GTS_PDFXVersion", "GTS_PDFXConformance")),
    "PDF/VT": ("http://www.npes.org/pdfvt/ns/id/", ("GTS_PDFVTVersion", "GTS_PDFVTModDate")),
    "PDF/E": ("http://www.aiim.org/pdfe/ns/id/", ("ISO_PDFEVersion",)),
}
"""The properties by which a file claims to conform to a standard. Added pages do not conform to it."""


def _without_traceback(record: logging.LogRecord) -> bool:
    record.exc_info = None
    return True


logging.getLogger("pikepdf.models.metadata._xmp").addFilter(_without_traceback)


def updated_xmp(packet: bytes, info: dict[str, Value], moment: datetime) -> tuple[bytes, tuple[str, ...]]:
    """Return an XMP packet with the values of the information dictionary, and the removed claims of conformance.

    Everything else in `packet` stays.
    """
    with pikepdf.new() as scratch:
        if packet:
            scratch.Root.Metadata = scratch.make_stream(packet)
        with scratch.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
            claims = tuple(_removed_claims(metadata))
            if info.get("Title"):
                metadata["dc:title"] = read_text(info["Title"])
            metadata["pdf:Producer"] = read_text(info.get("Producer"))
            metadata["xmp:ModifyDate"] = metadata["xmp:MetadataDate"] = moment.isoformat(timespec="seconds")
            if "xmp:CreateDate" not in metadata:
                metadata["xmp:CreateDate"] = moment.isoformat(timespec="seconds")
        data: bytes = scratch.Root.Metadata.read_bytes()
        return data, claims


def _removed_claims(metadata: PdfMetadata) -> list[str]:
    """Remove the claims of conformance from metadata; return them, such as ``PDF/A-2B``."""
    found = []
    for standard, (namespace, names) in _CLAIMS.items():
        values = {name: str(metadata[key]) for name in names if (key := f"{{{namespace}}}{name}") in metadata}
        for name in values:
            del metadata[f"{{{namespace}}}{name}"]
        claim = f"{values.get('part', '')}{values.get('conformance', '')}"
        if values:
            found.append(f"{standard}-{claim}" if claim else next(filter(None, values.values()), standard))
    return found
