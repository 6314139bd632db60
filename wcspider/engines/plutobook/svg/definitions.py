"""Gradients, patterns, masks, clipping paths and markers in SVG elements that are hidden on paper.

Pages keep the definitions that several drawings share (SVG 2, 5.4) in an SVG element without a size, or beside the
window. Such an element is left out on paper, and PlutoBook does not draw shapes whose definitions are left out.
"""

from __future__ import annotations

from typing import Any, Final

from lxml import etree

from wcspider.engines.plutobook.css.element_styles import PageStyles

_DEFINITIONS: Final = ("lineargradient", "radialgradient", "pattern", "mask", "clippath", "marker")
_WITHOUT_ROOM: Final = "display:block!important;position:absolute!important;width:0!important;height:0!important"


def show(styles: PageStyles) -> None:
    """Move the definitions in hidden elements into a new SVG element at the end of the page."""
    found = [element for element in styles.root.iter(*_DEFINITIONS) if "id" in element.attrib]
    hidden = [wrapper.etree_element for wrapper in styles.wrappers_of(found) if _is_hidden(styles, wrapper)]
    if not hidden:
        return
    drawing = etree.SubElement(styles.root.find("body"), "svg", {"style": _WITHOUT_ROOM})
    for element in hidden:
        element.tail = None
        drawing.append(element)
    styles.changed()


def _is_hidden(styles: PageStyles, wrapper: Any) -> bool:
    """Tell whether an element or an element around it has no box."""
    return any(styles.values(box).get("display") == "none" for box in (wrapper, *wrapper.ancestors))
