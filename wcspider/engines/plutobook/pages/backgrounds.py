"""The backgrounds of a page: extended to the edges of the paper, and without lines between repeated images."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pikepdf

from wcspider.engines.base import PageGeometry

_NUMBER = rb"[-\d.]+"
_FIRST_FILL = re.compile(
    rb"\A[^BD]{0,400}?(%s %s %s rg /a0 gs)\s+(%s) (%s) (%s) (%s) re (?=f)" % ((_NUMBER,) * 7), re.DOTALL
)
_NEAR = 1.0
"""The largest distance between the edges of the first fill and the margins, in points."""

_OVERLAP = 0.5
"""By how much the tiles of a repeated image overlap, in CSS pixels."""


def join_tiles(streams: Iterable[tuple[Any, Any]]) -> None:
    """Let the tiles of a repeated image overlap: some readers, such as poppler, show a line between tiles that do not.

    `streams` are the content streams of the document with their resources. Images with transparent parts stay as they
    are, because they would be darker where they overlap.
    """
    for stream, resources in streams:
        if isinstance(stream, pikepdf.Stream) and stream.get("/PatternType") == 1 and _shows_opaque_image(resources):
            step = float(stream["/XStep"]), float(stream["/YStep"])
            wide, high = (size + _OVERLAP for size in step)
            stream["/BBox"] = pikepdf.Array([0, 0, wide, high])
            stream.write(b"%.6f 0 0 %.6f 0 0 cm %b" % (wide / step[0], high / step[1], stream.read_bytes()))


def _shows_opaque_image(resources: Any) -> bool:
    """Tell whether a tile consists of a single image without transparent parts."""
    drawn = list(resources.get("/XObject", {}).values())
    while len(drawn) == 1 and drawn[0].get("/Subtype") == "/Form":
        drawn = list(drawn[0].get("/Resources", {}).get("/XObject", {}).values())
    return len(drawn) == 1 and drawn[0].get("/Subtype") == "/Image" and "/SMask" not in drawn[0]


def extend(page: pikepdf.Page, pdf: pikepdf.Pdf, geometry: PageGeometry) -> None:
    """Fill a page with the color of its first fill, if this fills the whole area between the margins.

    PlutoBook does not fill the margins. The fill moves to the whole page, because a half transparent color is darker
    where it is drawn twice.
    """
    contents = page.obj.get("/Contents")
    if not isinstance(contents, pikepdf.Stream):
        return
    written = contents.read_bytes()
    match = _FIRST_FILL.match(written)
    if match is None:
        return
    left, top, width, height = (float(number) for number in match.groups()[1:])
    expected = geometry.margin_left, geometry.margin_top, geometry.inner_width, geometry.inner_height
    if all(abs(a - b) <= _NEAR for a, b in zip((left, top, width, height), expected, strict=True)):
        fill = b"q %s 0 0 %.2f %.2f re f Q\n" % (match[1], geometry.width, geometry.height)
        rest = written[: match.end()] + b"n" + written[match.end() + 1 :]
        page.obj["/Contents"] = pdf.make_stream(fill + rest)
