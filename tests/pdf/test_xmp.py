"""The metadata of a file to which pages were added: its claims of conformance do not hold any more."""

from __future__ import annotations

from contextlib import closing

import pikepdf
import pytest

from tests.archive.run.test_writer import new_writer
from tests.support import pdf_samples
from tests.support.archive_samples import NOW, clock, rendered
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Journal
from wcspider.archive.run.run_report import Report
from wcspider.archive.run.summary import summary_lines
from wcspider.pdf.xmp import updated_xmp

# properties, claims
CLAIMS = [
    ({}, ()),
    ({"pdfaid:part": "2", "pdfaid:conformance": "B"}, ("PDF/A-2B",)),
    ({"pdfaid:part": "4"}, ("PDF/A-4",)),  # PDF/A-4 has no conformance level
    ({"pdfaid:part": "1", "pdfaid:conformance": "A", "pdfuaid:part": "1"}, ("PDF/A-1A", "PDF/UA-1")),
    ({"pdfxid:GTS_PDFXVersion": "PDF/X-4"}, ("PDF/X-4",)),
]


def packet_with(properties):
    """Make an XMP packet."""
    with pikepdf.new() as pdf:
        with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
            metadata["dc:description"] = "stays"
            for name, value in properties.items():
                metadata[name] = value
        return pdf.Root.Metadata.read_bytes()


@pytest.mark.parametrize(("properties", "claims"), CLAIMS)
def test_claims_are_removed_and_everything_else_stays(properties, claims):
    packet, found = updated_xmp(packet_with(properties), {"Producer": b"wcspider"}, NOW)
    assert found == claims
    assert b"pdfaid:" not in packet.replace(b"xmlns:pdfaid", b"")
    assert b"stays" in packet
    assert updated_xmp(packet, {}, NOW)[1] == ()


def test_a_pdf_a_file_does_not_claim_to_be_one_after_pages_were_added(tmp_path):
    path = tmp_path / "archive.pdf"
    pdf_samples.plain_pdf(1, path)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        with pdf.open_metadata() as metadata:
            metadata["pdfaid:part"], metadata["pdfaid:conformance"] = "3", "U"
        pdf.save(path)
    with closing(ContentDatabase.open(path, clock)) as database:
        writer = new_writer(database)
        writer.add(rendered("/page"))
        writer.finish()
        assert "  PDF/A-3U: 1" in summary_lines(writer.report, path, 0, 5)
        writer.close()
    with pikepdf.open(path) as pdf, pdf.open_metadata() as metadata:
        assert metadata.pdfa_status == ""


def test_the_summary_names_the_standard(tmp_path):
    report = Report(Journal(), {}, clock)
    report.note_claim("PDF/A-2B")
    report.note_claim("PDF/A-2B")
    lines = list(summary_lines(report, tmp_path / "file.pdf", 10, 5))
    title = "Claims of conformance removed, because the pages that were added do not conform: 1"
    assert lines[-2:] == [title, "  PDF/A-2B: 1"]


def test_a_packet_that_cannot_be_read_is_replaced_in_two_lines(caplog):
    data, claims = updated_xmp(b"<page>not XMP</page>", {}, NOW)
    assert b"xmp:ModifyDate" in data
    assert claims == ()
    assert caplog.text.count("\n") == 2
