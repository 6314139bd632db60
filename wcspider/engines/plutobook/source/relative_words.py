"""Words that a style sheet positions in their sentences (CSS 2.1, 9.4.3), such as links and marks of footnotes.

PlutoBook draws a box with ``position: relative`` after the text around it (CSS 2.1, Appendix E), and text is extracted
in the order in which it is drawn. So these words would be missing in their sentences, and stand at the end of the page.
They become ordinary words unless absolute boxes refer to them. Those that are raised or lowered, as in normalize.css,
get a vertical alignment in place of the offset.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import tinycss2

from wcspider.engines.document.html_trees import has_own_text
from wcspider.engines.plutobook.css.element_styles import OUTSIDE, PageStyles
from wcspider.web.styles.tokens import single

_RELATIVE: Final = re.compile("position:relative", re.IGNORECASE)
_MARKS: Final = frozenset({"sub", "sup"})
"""The elements that browsers raise or lower."""

_IN_LINES: Final = _MARKS | {"a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "small", "span", "strong", "u"}
"""The elements that are in a line unless a style sheet makes them blocks."""

_LAYER: Final = {"z-index": "auto", "opacity": "1", "transform": "none", "float": "none"}
"""The properties that change the order of drawing, or the line, with the values that do not."""

_STATIC: Final = "position:static!important"
_SIDES: Final = ("top", "bottom", "left", "right")
_NONE: Final = frozenset({"auto", "0", "0px"})


def keep_in_sentences(styles: PageStyles) -> None:
    """Make the words in sentences that have a relative position ordinary ones, as far as this moves nothing."""
    relative = styles.elements_with(_RELATIVE, with_generated=False)
    known: dict[Any, bool] = {}
    words = {element for element in relative if element.tag in _IN_LINES and _is_in_sentence(element, known)}
    if not words:
        return
    around = {box for element in styles.elements_with(OUTSIDE) for box in (element, *element.iterancestors())}
    for wrapper in styles.wrappers_of(words - around):
        declarations = _declarations(wrapper, styles.values(wrapper))
        if declarations:
            styles.append(wrapper.etree_element, declarations)


def _is_in_sentence(element: Any, known: dict[Any, bool]) -> bool:
    """Tell whether a text stands beside an element in its line.

    ``known`` tells for elements whether they have a text of their own. It is extended.
    """
    for around in element.iterancestors():
        if around not in known:
            known[around] = has_own_text(around)
        if around.tag not in _IN_LINES or known[around]:
            return known[around]
    return False


def _declarations(wrapper: Any, values: Mapping[str, str]) -> str:
    """Return the declarations that make a relative box an ordinary one; "" if there are none."""
    if values.get("position") != "relative" or any(values.get(name, none) != none for name, none in _LAYER.items()):
        return ""
    offsets = {side: values[side] for side in _SIDES if values.get(side, "auto") not in _NONE}
    return _raised(wrapper, values, offsets) if offsets else _STATIC


def _raised(wrapper: Any, values: Mapping[str, str], offsets: Mapping[str, str]) -> str:
    """Return the declarations that raise or lower a word in its line; "" if this is not all that its offsets do."""
    alignment = values.get("vertical-align", "" if wrapper.local_name in _MARKS else "baseline")
    if alignment != "baseline" or values.get("display", "inline") != "inline" or {"left", "right"} & offsets.keys():
        return ""
    if any(inner.tag not in _IN_LINES for inner in wrapper.etree_element.iterdescendants()):
        return ""
    side = next(iter(offsets))  # the top, if both are declared
    token = single(tinycss2.parse_component_value_list(offsets[side]))
    if token is None or token.type != "dimension":
        return ""
    height = token.value if side == "bottom" else -token.value
    return f"{_STATIC};vertical-align:{height:g}{token.unit}!important;line-height:0!important"
