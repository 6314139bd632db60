"""The lines of text fields, in the middle of the room between their paddings (HTML, 15.5.3)."""

from __future__ import annotations

from typing import Any

from wcspider.engines.plutobook.css.element_styles import PageStyles, content_height
from wcspider.engines.plutobook.css.lengths import declared_length


def center(styles: PageStyles) -> None:
    """Make the line of a field with a height as high as the room between its paddings.

    PlutoBook begins the line at the upper padding, so the text of a small field would be at its lower edge.
    """
    for wrapper in styles.wrappers_of(filter(_is_field, styles.root.iter("input"))):
        values = styles.values(wrapper)
        height = declared_length(values, "height")
        if height is not None:
            styles.add(wrapper, f"line-height: {max(content_height(height, values), 1):g}px")


def _is_field(element: Any) -> bool:
    """Tell whether an INPUT element has a line of text: `form_controls` gives these the type ``text``."""
    return str(element.get("type", "text")) == "text"
