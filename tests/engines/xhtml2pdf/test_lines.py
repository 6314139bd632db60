"""The widths of paragraphs, which decide how wide the columns of a table are."""

from __future__ import annotations

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from xhtml2pdf.reportlab_paragraph import Paragraph

from wcspider.engines.xhtml2pdf.elements.lines import min_width

FONT, SIZE = "Courier", 10


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("one three", "three"),
        ("日本語の文章", "日"),  # a line can end between any two of these
        ("日本語 three", "three"),
        ("「日」本", "「日」"),  # brackets stay with the character inside
        ("", ""),
    ],
)
def test_width_of_the_widest_unbreakable_part(text: str, part: str) -> None:
    paragraph = Paragraph(text, ParagraphStyle("text", fontName=FONT, fontSize=SIZE))
    assert min_width(paragraph) == pytest.approx(stringWidth(part, FONT, SIZE))
