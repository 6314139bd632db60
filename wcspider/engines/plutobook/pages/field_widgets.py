"""Fields on the pages: widget annotations (ISO 32000-1, 12.5.6.19) with PlutoBook's drawings of the controls.

Each control is laid out as a transparency group, which becomes a form XObject, with a mark as its background. The mark
tells the number and the position of the control. The group becomes the appearance of the annotation, so that a PDF
reader replaces it when the field is filled in. A button never changes: it remains a part of the page, and its
annotation shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pikepdf

from wcspider.engines.base import SMALLEST_TEXT
from wcspider.engines.document.forms import Control
from wcspider.engines.fields import FIELD, OPTION, FieldKind
from wcspider.engines.plutobook.pages.drawn_xobjects import Drawn, drawn, has_any
from wcspider.engines.plutobook.pages.small_images import NOTHING, Images, form_xobject, number_of

ARROW = 5.0
"""The largest width of the arrow of a combo box, in points of the layout."""

LARGEST_TEXT = 24.0
_NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)"
_TEXT = re.compile(rb"BT\s+(%s) %s %s (%s) %s %s Tm" % (_NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER, _NUMBER))
_LINE = re.compile(rb"%s 0 0 -(%s) %s (%s) Tm" % (_NUMBER, _NUMBER, _NUMBER, _NUMBER))
_COLOR = re.compile(rb"(%s %s %s) rg" % (_NUMBER, _NUMBER, _NUMBER))
_PAINTING = frozenset({"f", "F", "f*", "B", "B*", "b", "b*", "S", "s"})
_CAPITALS = 0.7
"""The height of capital letters as a share of the font size."""

_GREY = [0.463, 0.463, 0.463]
_KAPPA = 0.5523


@dataclass(frozen=True, slots=True)
class _Found:
    """A control on a page."""

    control: int
    group: Drawn
    holder: pikepdf.Object
    """The page or the form XObject that draws the group."""

    mark: pikepdf.Matrix
    """From the unit square to the box of the control, in the space of the group."""


def put_in_place(pdf: pikepdf.Pdf, controls: Sequence[Control], images: Images, scale: float) -> None:
    """Add a widget annotation for each control on the pages. The contents of the pages were scaled by `scale`."""
    if not controls:
        return
    for sheet in pdf.pages:
        for found in list(_below(sheet.obj, pikepdf.Matrix(), images)):
            _place(pdf, sheet, found, controls[found.control], scale)


def _below(holder: pikepdf.Object, matrix: pikepdf.Matrix, images: Images, depth: int = 0) -> Iterator[_Found]:
    """Yield the controls that a page or a form XObject draws; only content streams on the way to a mark are read."""
    for group in drawn(holder, matrix) if has_any(holder, images.marks, depth) else ():
        if not group.is_form or not has_any(group.xobject, images.marks, depth + 1):
            continue
        inside = ((number_of(one.xobject), one.matrix) for one in drawn(group.xobject, pikepdf.Matrix()))
        marks = (_Found(images.marks[number], group, holder, own) for number, own in inside if number in images.marks)
        mark = next(marks, None)
        if mark is not None:
            yield mark
        else:
            yield from _below(group.xobject, group.matrix, images, depth + 1)


def _box(matrix: pikepdf.Matrix) -> tuple[float, float, float, float]:
    """Return the box that a matrix makes of the unit square."""
    box = matrix.transform(pikepdf.Rectangle(0, 0, 1, 1))
    return box.llx, box.lly, box.urx, box.ury


def _place(pdf: pikepdf.Pdf, sheet: pikepdf.Page, found: _Found, control: Control, scale: float) -> None:
    left, bottom, right, top = _box(found.mark @ found.group.matrix)
    is_button = control.kind is FieldKind.BUTTON
    entries: dict[str, Any] = {"/F": 4, f"/{FIELD}": control.field, f"/{OPTION}": control.option}
    width, height = right - left, top - bottom
    if control.kind in (FieldKind.CHECKBOX, FieldKind.RADIO):
        _erase(pdf, found)
        side = min(width, height)
        left, bottom = left + (width - side) / 2, bottom + (height - side) / 2
        right, top = left + side, bottom + side
        states = {f"/{name}": _toggle(pdf, side, control.kind, is_on=name == "On") for name in ("Off", "On")}
        normal: Any = pikepdf.Dictionary(states)
    elif is_button:
        normal = form_xobject(pdf, NOTHING, [0, 0, width, height])
    else:
        entries["/DA"] = _looks(found, scale)
        normal = _appearance(pdf, found, control)
        group = found.group.xobject
        group.write(_without_text(group))
    annotation = pikepdf.Dictionary(
        {
            "/Type": pikepdf.Name.Annot,
            "/Subtype": pikepdf.Name.Widget,
            "/Rect": [round(edge, 2) for edge in (left, bottom, right, top)],
            "/AP": pikepdf.Dictionary({"/N": normal}),
            **entries,
        }
    )
    annotations = list(sheet.obj.get("/Annots", ()))
    sheet.obj["/Annots"] = pikepdf.Array([*annotations, pdf.make_indirect(annotation)])


def _erase(pdf: pikepdf.Pdf, found: _Found) -> None:
    """Remove a group from the contents of its page."""
    pattern = re.compile(rb"%s Do\b" % re.escape(found.group.name.encode()))
    if found.holder.get("/Type") == "/Page":
        contents = found.holder["/Contents"]
        found.holder["/Contents"] = pdf.make_stream(pattern.sub(b"", contents.read_bytes()))
    else:
        found.holder.write(pattern.sub(b"", found.holder.read_bytes()))


def _appearance(pdf: pikepdf.Pdf, found: _Found, control: Control) -> pikepdf.Object:
    """Return the text of the group as the appearance of an annotation (12.5.5): its box is that of the control.

    The page may show more text in the box, such as a label that moves away when the field is filled in.
    """
    group, (left, bottom, right, top) = found.group.xobject, _box(found.mark)
    middle = (bottom + top) / 2
    arrow = _arrow(right, middle, min(top - bottom, ARROW)) if control.has_arrow else b""
    text = _text_of(group)
    form = pdf.make_stream((_lowered(text, middle) if control.is_line else text) + arrow)
    for key in ("/Type", "/Subtype", "/Group"):
        if key in group:
            form[key] = group[key]
    resources = dict(group["/Resources"].items())
    # The group, which has no text any more, loses its fonts later.
    form["/Resources"] = {**resources, "/Font": pikepdf.Dictionary(dict(resources.get("/Font", {}).items()))}
    a, b, c, d, _, _ = found.group.matrix.shorthand
    form["/BBox"] = pikepdf.Array([round(edge, 3) for edge in (left, bottom, right, top)])
    form["/Matrix"] = pikepdf.Array([round(number, 6) for number in (a, b, c, d)] + [0, 0])
    return form


def _text_of(group: pikepdf.Object) -> bytes:
    """Return a content stream without what it paints besides text (8.5.3)."""
    nothing = pikepdf.ContentStreamInstruction([], pikepdf.Operator("n"))
    instructions = (i for i in pikepdf.parse_content_stream(group) if str(i.operator) not in ("Do", "sh"))
    return pikepdf.unparse_content_stream([nothing if str(i.operator) in _PAINTING else i for i in instructions])


def _lowered(text: bytes, middle: float) -> bytes:
    """Return a content stream with its line in the middle of a control that is much higher, where browsers place it.

    The clips around the line move with it. y grows downwards. A line below the middle has its place from a padding, so
    it stays there.
    """
    lines = {(float(size), float(baseline)) for size, baseline in _LINE.findall(text)}
    if len(lines) != 1:
        return text
    ((size, baseline),) = lines
    down = middle - (baseline - size * _CAPITALS / 2)
    if down < size / 2:
        return text
    return b"q 1 0 0 1 0 %.3f cm\n%b\nQ" % (down, text)


def _without_text(group: pikepdf.Object) -> bytes:
    """Return a content stream without its text objects (9.4)."""
    kept, is_text = list[Any](), False
    for instruction in pikepdf.parse_content_stream(group):
        is_text = is_text or str(instruction.operator) == "BT"
        if not is_text:
            kept.append(instruction)
        is_text = is_text and str(instruction.operator) != "ET"
    return pikepdf.unparse_content_stream(kept)


def _arrow(right: float, middle: float, side: float) -> bytes:
    """Return the arrow of a combo box, in the space of a group, where y grows downwards."""
    half, x = side / 2, right - side * 1.6
    upper, lower = middle - half / 2, middle + half / 2
    path = f"{x:.2f} {upper:.2f} m {x + side:.2f} {upper:.2f} l {x + half:.2f} {lower:.2f} l"
    return f"\nq 0 0 0 rg {path} f Q\n".encode()


def _looks(found: _Found, scale: float) -> pikepdf.String:
    """Return the operators with which a PDF reader draws the text of a field after it was filled in (12.7.3.3)."""
    content, matrix = found.group.xobject.read_bytes(), found.group.matrix
    text = _TEXT.search(content)
    size = abs(float(text[2])) * abs(matrix.a or matrix.b) if text else 10.0 * scale
    size = min(max(size, SMALLEST_TEXT), LARGEST_TEXT)
    colors = _COLOR.findall(content[: text.start()] if text else b"")
    color = colors[-1].decode() if colors else "0 0 0"
    return pikepdf.String(f"/Helv {size:.3g} Tf {color} rg")


def _toggle(pdf: pikepdf.Pdf, side: float, kind: FieldKind, *, is_on: bool) -> pikepdf.Object:
    """Return the appearance of a check box or a radio button."""
    edge = side / 24
    colors = f"{side / 12:.3f} w {' '.join(map(str, _GREY))} RG 1 1 1 rg"
    if kind is FieldKind.RADIO:
        drawing = f"{colors} {_circle(side / 2, side / 2 - edge)} B"
        dot = f"0 0 0 rg {_circle(side / 2, side / 4)} f"
    else:
        drawing = f"{colors} {edge:.3f} {edge:.3f} {side - 2 * edge:.3f} {side - 2 * edge:.3f} re B"
        points = [round(part * side, 3) for part in (0.22, 0.52, 0.42, 0.28, 0.78, 0.76)]
        dot = (
            f"{side / 8:.3f} w 0 0 0 RG {points[0]} {points[1]} m {points[2]} {points[3]} l {points[4]} {points[5]} l S"
        )
    return form_xobject(pdf, f"{drawing} {dot if is_on else ''}".encode(), [0, 0, side, side])


def _circle(center: float, radius: float) -> str:
    """Return a circle as a path of four curves."""
    c, r, k = center, radius, radius * _KAPPA
    curves = (
        (c + r, c + k, c + k, c + r, c, c + r),
        (c - k, c + r, c - r, c + k, c - r, c),
        (c - r, c - k, c - k, c - r, c, c - r),
        (c + k, c - r, c + r, c - k, c + r, c),
    )
    written = " ".join(" ".join(f"{number:.3f}" for number in curve) + " c" for curve in curves)
    return f"{c + r:.3f} {c:.3f} m {written}"
