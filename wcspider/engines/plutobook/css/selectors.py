"""Selector lists without the selectors of browsers that PlutoBook does not know."""

from __future__ import annotations

import re
from typing import Final

from wcspider.web.styles.tokens import split_list

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
    return ", ".join(part for part in split_list(selector) if not _UNKNOWN.search(part))
