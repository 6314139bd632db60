"""Areas of a page that cairo has drawn as images, such as SVG elements with a mask, which it cannot write as PDF.

cairo puts such a page and its images into a knockout group (11.4.6): an image replaces the part of the page below it.
Poppler draws the text of a knockout group without smooth edges. So the areas are cut out of the page by a clip, and the
group is dissolved.
"""

from __future__ import annotations

import re
from typing import Any

import pikepdf

from wcspider.engines.plutobook.pages.drawn_xobjects import xobjects_of

_DRAWN = re.compile(rb"(/\S+) Do\b")
_AREA = re.compile(rb"q\s+Q\s+q\s+([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+) re W n\n")
"""The area of an image: the clip at the beginning of its form XObject."""

_OVERLAP = 0.5
"""By how much an image overlaps the rest of the page, in points: otherwise, a thin line would be between them."""


def dissolve_groups(pdf: pikepdf.Pdf) -> None:
    """Move the contents of knockout groups into their pages."""
    for page in pdf.pages:
        group = _knockout_group(page)
        if group is not None:
            _dissolve(pdf, page, group)


def _knockout_group(page: pikepdf.Page) -> Any:
    """Return the knockout group that is the only content of a page; None if there is none."""
    resources = page.obj.get("/Resources", pikepdf.Dictionary())
    xobjects = list(resources.get("/XObject", {}).values())
    if len(xobjects) != 1 or len(resources) != 1:
        return None
    return xobjects[0] if "/K" in xobjects[0].get("/Group", {}) else None


def _dissolve(pdf: pikepdf.Pdf, page: pikepdf.Page, group: Any) -> None:
    xobjects = xobjects_of(group)
    names = [name.decode() for name in _DRAWN.findall(group.read_bytes())]
    areas = [match for name in names[1:] if (match := _AREA.match(xobjects[name].read_bytes())) is not None]
    if not areas or len(areas) < len(names[1:]):
        return
    contents, images = xobjects[names[0]], {name: xobjects[name] for name in names[1:]}
    left, top, right, bottom = map(float, group.BBox)
    cut_out = b"".join(_smaller(*map(float, area.groups())) for area in areas)
    clip = b"%b%bW* n\n" % (_rectangle(left, top, right - left, bottom - top), cut_out)
    drawn = b"".join(b"%b Do\n" % name.encode() for name in images)
    matrix, _, _ = page.obj["/Contents"].read_bytes().partition(b"\n")
    page.obj["/Contents"] = pdf.make_stream(b"%b\nq\n%b%b\nQ\n%b" % (matrix, clip, contents.read_bytes(), drawn))
    page.obj["/Resources"] = resources = contents.get("/Resources", pikepdf.Dictionary())
    resources["/XObject"] = pikepdf.Dictionary({**dict(xobjects_of(page.obj).items()), **images})


def _smaller(left: float, top: float, width: float, height: float) -> bytes:
    """Return the path of an area without its edges; empty for a narrow area."""
    room = width - 2 * _OVERLAP, height - 2 * _OVERLAP
    return _rectangle(left + _OVERLAP, top + _OVERLAP, *room) if min(room) > 0 else b""


def _rectangle(left: float, top: float, width: float, height: float) -> bytes:
    return b"%.3f %.3f %.3f %.3f re\n" % (left, top, width, height)
