"""Selector lists without what PlutoBook does not know: other selectors of browsers, and nesting."""

from __future__ import annotations

import re
from typing import Final

import tinycss2

from wcspider.engines.plutobook.css.style_rules import split_list

_UNKNOWN: Final = re.compile(
    r"(?<!\\):(?:host|:slotted|:part|indeterminate|required|optional|invalid|valid|user-|read-|placeholder-shown|default|"
    r"in-range|out-of-range|dir\(|fullscreen|modal|open|popover-open|autofill|defined|:selection|:placeholder|:backdrop|"
    r":file-selector-button|:details-content|:highlight|:cue|:target-text|:?-webkit-)",
    re.IGNORECASE,
)
"""Selectors of browsers that PlutoBook does not know. It ignores all rules with them, also if a list has others."""


def known(selector: str) -> str:
    """Return a selector list without the selectors that PlutoBook does not know; "" if it knows none."""
    if not _UNKNOWN.search(selector):
        return selector
    return ", ".join(part for part in parts(selector) if not _UNKNOWN.search(part))


def nested(outer: str, inner: str) -> str:
    """Return the selector of a rule inside another rule (CSS Nesting 1, 3)."""
    around = f":is({outer})"
    if "&" in inner:
        return inner.replace("&", around)
    return ", ".join(f"{around} {part}" for part in parts(inner))


def parts(selector: str) -> tuple[str, ...]:
    """Return the selectors of a list."""
    return split_list(tinycss2.parse_component_value_list(selector))
