"""Signatures and time stamps in the report: made with real keys, and read by Poppler as well."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import ExampleCapture
from tests.support.crawls import captured, run
from tests.support.http_server import SiteServer, page
from tests.support.signing import sign, time_stamp
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.file.signatures import Signature, read_signatures
from wcspider.report.making import make_report

pytestmark = pytest.mark.slow

MADE = datetime(2026, 4, 1, tzinfo=UTC)
SIGNED = datetime(2026, 3, 5, 12, tzinfo=UTC)


def signatures(path: Path) -> list[Signature]:
    """Return the signatures of a file."""
    with closing(RevisionFile.open(path)) as file:
        return read_signatures(file)


def rows(path: Path) -> list[str]:
    """Return the rows about signatures in the report of a file."""
    output = path.with_suffix(".html")
    make_report(path, output, MADE, max_thumbnails=0)
    found = re.findall(
        r'<tr class="signature"><td></td><td colspan="11">(.*?)</td></tr>', output.read_text(), re.DOTALL
    )
    return [" ".join(re.sub(r"<[^>]+>|[\u2068\u2069]", "", row).split()) for row in found]


def test_the_runs_show_signatures_and_time_stamps(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    site = server({"/": page("<title>Start</title><form><input name=q value=1></form>")})
    captured(site.url(), path, {"WEBCAPTURE_WORKERS": 1})
    sign(path, "Elin Moerk", "Records of March")
    signed = path.stat().st_size
    assert run("crawl", "refresh", "-a", f"pdf={path}", "-a", "force=true", "-s", "WEBCAPTURE_WORKERS=1").status == 0
    time_stamp(path, tmp_path)
    verified = subprocess.run(["pdfsig", path], capture_output=True, text=True).stdout
    assert verified.count("Signature Validation: Signature is Valid.") == 1, verified
    signature, stamp = signatures(path)
    assert signature == Signature(False, "Elin Moerk", "Records of March", SIGNED, signed)
    assert (stamp.is_time_stamp, stamp.end) == (True, path.stat().st_size)
    assert stamp.moment is not None
    assert abs(datetime.now(UTC) - stamp.moment) < timedelta(hours=1)
    shown = f"{stamp.moment:%Y-%m-%d %H:%M} UTC"
    assert rows(path) == [
        "Signature by Elin Moerk, 2026-03-05 12:00 UTC, reason: Records of March; covers revision 1 completely",
        f"Time stamp, {shown}; covers revision 2 completely",
    ]
    summary = path.with_suffix(".html").read_text()
    assert "1 signature and 1 time stamp</a>. This report does not verify them" in summary


def test_a_signature_stays_when_the_page_that_shows_it_changes(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server({"/": page("<form><input name=q value=1></form>499")})
    captured(site.url(), path, {"WEBCAPTURE_WORKERS": 1})
    sign(path, "Elin Moerk", "Evidence")
    site.update({"/": page("<form><input name=q value=1></form>599")})
    assert run("crawl", "refresh", "-a", f"pdf={path}", "-s", "WEBCAPTURE_WORKERS=1").status == 0
    assert [signature.signer for signature in signatures(path)] == ["Elin Moerk"]
    verified = subprocess.run(["pdfsig", path], capture_output=True, text=True).stdout
    assert "Signature Validation: Signature is Valid." in verified, verified
    assert "is signed" in run("webcapture", "optimize", path).log


def test_bytes_that_were_added_after_a_signature_are_counted(example: ExampleCapture, tmp_path: Path) -> None:
    path = tmp_path / "example.pdf"
    shutil.copy(example.pdf, path)
    assert rows(path) == []
    assert "The file contains no signature and no time stamp." in path.with_suffix(".html").read_text()
    sign(path, "Amos", "<b>closed</b>")
    with closing(RevisionFile.open(path)) as file:
        file.add([])
        added = file.commit()
    [row] = rows(path)
    assert row == (
        "Signature by Amos, 2026-03-05 12:00 UTC, reason: &lt;b&gt;closed&lt;/b&gt;; "
        f"covers revision 1 without {added} bytes that were added later"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"\[0 ", b"[1 "),  # not from the first byte on
        (rb"(\[0 +)\d", rb"\g<1>0"),  # with a gap that is larger than the value
        (rb"/ByteRange", b"/ByteRangf"),
    ],
)
def test_a_signature_that_leaves_bytes_out_covers_no_state(
    example: ExampleCapture, tmp_path: Path, old: bytes, new: bytes
) -> None:
    path = tmp_path / "example.pdf"
    shutil.copy(example.pdf, path)
    sign(path, "Amos", "reason")
    content = path.read_bytes()
    start = content.rindex(b"/ByteRange")
    changed = re.sub(old, new, content[start:], count=1)
    path.write_bytes(content[:start] + changed)
    [found] = signatures(path)
    assert replace(found, end=0) == found
    assert rows(path)[0].endswith("covers no complete state of the file")
