"""Boxes with a preferred ratio of width and height (CSS Sizing 4, 5), which PlutoBook does not know.

Without it, a box with a picture as its background would have no height. The height is computed from the estimated width
of the box. It is the least height, so that a longer text has room.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wcspider.engines.document.html_trees import HAS_TEXT
from wcspider.engines.plutobook.css.element_styles import OUT_OF_FLOW, PageStyles
from wcspider.engines.plutobook.css.lengths import pixels
from wcspider.engines.plutobook.flow.shares_of_heights import most_height
from wcspider.engines.plutobook.flow.window_heights import WINDOW
from wcspider.engines.plutobook.grid.boxes import Box
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.engines.plutobook.grid.grid_rewriting import measured_widths

_DECLARED: Final = re.compile(r"aspect-ratio:(?!\s*auto\s*$).+", re.IGNORECASE | re.DOTALL)
_RATIO: Final = re.compile(r"(?:auto\s+)?(\d*\.?\d+)\s*(?:/\s*(\d*\.?\d+))?(?:\s+auto)?", re.IGNORECASE)
_LEAST: Final = "min-"
"""The beginning of the name of the property that gives a box with text its height."""

_AS_WIDE_AS_TEXT: Final = frozenset({"inline", "inline-block", "inline-flex", "inline-grid", "table"})
"""The values of `display` of boxes that are as wide as their contents."""

_WITHOUT_RATIO: Final = frozenset({"input", "select", "textarea", "button", "svg"})
"""The elements that keep their own shape."""


def keep(styles: PageStyles, viewport_width: float) -> None:
    """Give the boxes with a ratio their height, or their width if the height is declared.

    `viewport_width` is the width of the page area in CSS pixels. A box whose width depends on its contents is as high
    as these; an image that fills it makes room for itself.
    """
    found = [w for w in styles.wrappers_with(_DECLARED) if w.local_name not in _WITHOUT_RATIO]
    if not found:
        return
    widths = measured_widths(styles, viewport_width)
    for wrapper in found:
        values = styles.values(wrapper)
        declared = values.get("aspect-ratio", "")
        ratio = _ratio(declared)
        if not ratio or (wrapper.local_name == "img" and "auto" in declared.lower()):  # an image has its own ratio
            continue
        around = {} if wrapper.parent is None else styles.values(wrapper.parent)
        depends_on_text = _is_as_wide_as_text(wrapper.local_name, values) or _aligns_its_items(around)
        declarations = _sizes(wrapper, values, ratio, widths, depends_on_text=depends_on_text)
        if declarations:
            styles.add(wrapper, declarations)
        for image in (child for child in wrapper.iter_children() if child.local_name == "img"):
            if not declarations:
                styles.add(image, "position:static")
            elif declarations.startswith(_LEAST) and _is_as_high(styles.values(image)):
                styles.add(image, declarations.removeprefix(_LEAST))


def _ratio(value: str) -> float:
    """Return the width of a box as a multiple of its height; 0 if it has no ratio."""
    match = _RATIO.fullmatch(value.strip())
    width, height = (float(match[1]), float(match[2] or 1)) if match else (0.0, 1.0)
    return width / height if height else 0.0


def _sizes(
    wrapper: Any, values: Mapping[str, str], ratio: float, widths: ContainerWidths, *, depends_on_text: bool
) -> str:
    """Return the declarations of the size that a box has because of its ratio; "" if it is unknown.

    `depends_on_text` says whether a box without a declared width is as wide as its contents.
    """
    basis = widths.basis(wrapper if wrapper.parent is None else wrapper.parent)
    width, height = pixels(values.get("width", "auto"), basis), pixels(_height(values), basis)
    if height is not None:
        limit = "" if "max-width" in values else ";max-width:100%"
        return f"width:{height * ratio:.2f}px{limit}" if width is None else ""
    if width is None and depends_on_text:
        return ""
    width = widths.basis(wrapper).container
    if values.get("box-sizing") == "border-box":
        width += sum(Box(wrapper.etree_element, values).sides("padding", basis))
    least = _LEAST if HAS_TEXT(wrapper.etree_element) else ""
    most = most_height(values)
    height = width / ratio if most is None else min(width / ratio, most)
    return f"{least}height:min({height:.2f}px, {WINDOW})"


def _is_as_high(values: Mapping[str, str]) -> bool:
    """Tell whether an image is as high as the box around it. A least height of that box does not count for it."""
    return values.get("height") == "100%" and values.get("position") not in OUT_OF_FLOW


def _height(values: Mapping[str, str]) -> str:
    """Return the declared height, which is a least height on paper (see `sheets.declarations`)."""
    height = values.get("height", "")
    return values.get("min-height", height) if height == "auto" else "" if "%" in height else height


def _is_as_wide_as_text(tag: str, values: Mapping[str, str]) -> bool:
    default = "inline" if tag in ("img", "a", "span") else "block"
    is_between = "left" in values and "right" in values
    return (
        values.get("display", default) in _AS_WIDE_AS_TEXT
        or values.get("float", "none") != "none"
        or (values.get("position") in OUT_OF_FLOW and not is_between)
    )


def _aligns_its_items(values: Mapping[str, str]) -> bool:
    """Tell whether an element with these declared values is a column of items that are as wide as their contents."""
    is_column = "flex" in values.get("display", "") and values.get("flex-direction", "").startswith("column")
    return is_column and values.get("align-items", "normal") not in ("normal", "stretch")
