"""Documents with declarations in their DOCTYPE: no engine draws the declarations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import captured, tool
from tests.support.http_server import Reply, SiteServer

DECLARED = b"""<?xml version="1.0"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd" [
<!ENTITY declared "value of > it"> <!-- it's ]> --> <!ATTLIST html declared CDATA #IMPLIED>
]>
<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>words of the page</p></body></html>"""


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "text/html"])
@pytest.mark.parametrize("settings", [{"WEBCAPTURE_ENGINE": "xhtml2pdf"}, {"WEBCAPTURE_ENGINE": "plutobook"},
                                      {"WEBCAPTURE_MAX_LAYOUT_BYTES": 10}], ids=str)  # fmt: skip
def test_declarations_are_not_drawn(
    settings: dict[str, object], content_type: str, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server({"/": Reply(DECLARED, content_type=content_type)})
    pdf = tmp_path / "site.pdf"
    captured(site.url(), pdf, settings)
    text = " ".join(tool("pdftotext", pdf, "-").split())
    assert text.endswith("words of the page")
    assert not any(word in text for word in ("declared", "value", "ATTLIST", "]", "x.dtd"))
