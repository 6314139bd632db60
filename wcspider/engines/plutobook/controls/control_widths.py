"""The widths of form controls that are blocks, and of those in rows and grids."""

from __future__ import annotations

import re
from typing import Any, Final

from wcspider.engines.document.controls import CONTROLS
from wcspider.engines.document.html_trees import CELLS
from wcspider.engines.plutobook.controls.form_controls import USUAL
from wcspider.engines.plutobook.css.element_styles import VALUE, PageStyles
from wcspider.engines.plutobook.grid.boxes import box_around
from wcspider.engines.plutobook.grid.container_width import ContainerWidths
from wcspider.web.numbers import integer

_OF_OWN_SIZE: Final = frozenset({"checkbox", "radio", "image"})
"""The types of INPUT elements whose default width is a length."""

_COLUMNS: Final = {"input": "size", "textarea": "cols"}
"""The attributes with the numbers of letters that are the width of a field (HTML, 15.5.4)."""

_LETTER: Final = 8
"""The width of a letter of a field in CSS pixels."""

_BLOCK: Final = re.compile(r"display:(?!inline|none|contents).*", re.IGNORECASE)
_PERCENTAGE: Final = re.compile(rf"(max-)?width:([\d.]+%|var\({VALUE}.*)", re.IGNORECASE | re.DOTALL)
"""A declaration of a percentage, or of a calculation with percentages."""


def fit(styles: PageStyles, widths: ContainerWidths) -> None:
    """Give form controls the widths that they have in browsers.

    A control that is a block is no wider than one in a line (HTML, 15.5.1). A control in a row, a grid or a cell has no
    least width if its width is a percentage (CSS Sizing 3, 5.2.2). Otherwise a search field of 100% would push the
    button beside it out of the row, and a table with fields would be wider than the page. The other controls of such a
    row keep their widths: PlutoBook would make them narrower by their paddings.
    """
    for wrapper in styles.wrappers_with(_BLOCK, where=_is_box_of_text):
        values = styles.values(wrapper)
        is_block = _BLOCK.fullmatch(f"display:{values.get('display', 'inline')}") is not None
        if is_block and values.get("width", "auto") == "auto" and not box_around(wrapper, styles).is_container:
            styles.add(wrapper, "width: fit-content")
    shares = styles.wrappers_with(_PERCENTAGE, where=lambda element: element.tag in CONTROLS)
    beside: set[Any] = set()
    for wrapper in shares:
        if wrapper.local_name in _COLUMNS and next(wrapper.etree_element.iterancestors(*CELLS), None) is not None:
            if "%" in styles.values(wrapper).get("width", ""):
                _fit_into_cell(wrapper.etree_element, widths.around(wrapper).container)
            continue
        around = box_around(wrapper, styles)
        is_in_line = around.is_row or "grid" in around.values.get("display", "")
        if "min-width" not in styles.values(wrapper) and is_in_line:
            styles.add(wrapper, "min-width: 0")
            beside.update(around.element.iterchildren(*CONTROLS))
    for wrapper in styles.wrappers_of(beside.difference(wrapper.etree_element for wrapper in shares)):
        if "flex-shrink" not in styles.values(wrapper):
            styles.add(wrapper, "flex-shrink: 0")


def _fit_into_cell(field: Any, room: float) -> None:
    """Limit the letters of a field to those for which there is room, in CSS pixels.

    They are the least width of the field in PlutoBook, which has no other least width for it.
    """
    name, letters = _COLUMNS[field.tag], int(room / _LETTER)
    if letters < integer(field.get(name, ""), USUAL):
        field.set(name, str(max(letters, 1)))


def _is_box_of_text(element: Any) -> bool:
    return element.tag in CONTROLS and element.get("type", "").lower() not in _OF_OWN_SIZE
