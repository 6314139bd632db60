"""The features and selectors that PlutoBook knows (CSS Conditional Rules 3, 4 and 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from wcspider.engines.document.controls import PLACEHOLDER
from wcspider.web.styles.responsive import condition_holds
from wcspider.web.styles.tokens import significant, split_list

_UNKNOWN: Final = frozenset(
    {"anchor-name", "animation-timeline", "backdrop-filter", "border-image", "border-image-source", "clip-path",
     "filter", "mask", "mask-image", "position-anchor", "shape-outside"}
)  # fmt: skip
"""The properties that PlutoBook does not know, and without which authors write other rules.

For all others the answer is that they are known: most are rewritten, or do not matter on paper.
"""

_PREFIX: Final = "-webkit-"
_OTHER_BROWSERS: Final = re.compile(r"-(?!-|webkit-)\w+-|-webkit-(hyphens|overflow-scrolling|touch-callout)$")
"""Properties of other browsers than Chromium. Authors ask for them to write rules for one browser only."""

_UNKNOWN_SELECTOR: Final = re.compile(
    r"(?<!\\):(?:host|:slotted|:part|indeterminate|invalid|valid|user-|default|in-range|out-of-range|fullscreen|modal|open|"
    r"popover-open|autofill|defined|:selection|:backdrop|:file-selector-button|"
    r":details-content|:highlight|:cue|:target-text|:?-webkit-)",
    re.IGNORECASE,
)
"""Selectors of browsers that PlutoBook does not know. It ignores all rules with them, also if a list has others."""

BARS: Final = {
    "progress-bar": "wcspider-bar",
    "progress-value": "wcspider-value",
    "meter-bar": "wcspider-bar",
    "meter-optimum-value": "wcspider-value",
    "meter-suboptimum-value": "wcspider-middling",
    "meter-even-less-good-value": "wcspider-bad",
}
"""The elements in PROGRESS and METER elements (`controls.gauges`), by the pseudo-elements that stand for them."""

OF_PLACEHOLDER: Final = f'[{PLACEHOLDER}=""]'
"""What takes the place of ``::placeholder``. Only some declarations of such a rule apply to the control."""

_DIRECTIONS: Final = {"rtl": ":is([dir=rtl],[dir=rtl] *)", "ltr": ":not([dir=rtl],[dir=rtl] *)"}
"""Selectors with nearly the same elements as ``:dir()`` and with its specificity, by its argument."""

_LANGUAGE: Final = re.compile(r"(?<!\\):lang\(([\w\s,\"'-]+)\)", re.IGNORECASE)
_QUOTES: Final = "\"'"
_CONTROLS: Final = ":where(button,input,select,textarea,optgroup,option,fieldset)"
_FIELDS: Final = ":where(input,select,textarea)"
_DISABLED: Final = ":is([disabled],:where(fieldset[disabled] *))"
_EDITABLE: Final = f":where(input,textarea):not([readonly],{_DISABLED})"
_STATES: Final = {
    "disabled": f"{_CONTROLS}{_DISABLED}",
    "enabled": f"{_CONTROLS}:not({_DISABLED})",
    "required": f"{_FIELDS}[required]",
    "optional": f"{_FIELDS}:not([required])",
    "read-write": _EDITABLE,
    "read-only": f":not({_EDITABLE})",
    "placeholder-shown": f"[{PLACEHOLDER}]",
    ":placeholder": OF_PLACEHOLDER,
    ":-webkit-input-placeholder": OF_PLACEHOLDER,
    **{f":-webkit-{name}": f" {element}" for name, element in BARS.items()},
}
"""Selectors with the elements of pseudo-classes for controls (HTML, 4.16.3), and with their specificity.

The parts of gauges are elements inside of them.
"""

_STATE: Final = re.compile(rf"(?<!\\):({'|'.join(_STATES)})(?![\w-])", re.IGNORECASE)
_DIRECTION: Final = re.compile(r"(?<!\\):dir\(\s*(rtl|ltr)\s*\)", re.IGNORECASE)


def is_met(condition: Sequence[Any]) -> bool:
    """Tell whether PlutoBook meets the condition of an @supports rule.

    Functions such as ``selector()`` count as met.
    """
    return condition_holds(significant(condition), _is_known) is not False


def _is_known(group: Any) -> bool:
    tokens = significant(group.content) if group.type == "() block" else []
    if len(tokens) > 1 and tokens[0].type == "ident" and tokens[1] == ":":
        name = tokens[0].lower_value
        return not _OTHER_BROWSERS.match(name) and name.removeprefix(_PREFIX) not in _UNKNOWN
    return True


def _in_language(language: str) -> str:
    """Return a selector with nearly the same elements as ``:lang()``, and with its specificity.

    These elements declare the language or inherit it. PlutoBook does not let elements inherit their language.
    """
    own = f'[lang|="{language.strip(_QUOTES)}"]'
    return f"{own},:where({own}) :not([lang],:where({own} [lang]:not({own}) *))"


def known(selector: str) -> str:
    """Return a selector list without the selectors that PlutoBook does not know; "" if it knows none."""
    selector = _DIRECTION.sub(lambda found: _DIRECTIONS[found[1].lower()], selector)
    selector = _LANGUAGE.sub(lambda found: f":is({','.join(map(_in_language, split_list(found[1])))})", selector)
    selector = _STATE.sub(lambda found: _STATES[found[1].lower()], selector)
    if not _UNKNOWN_SELECTOR.search(selector):
        return selector
    return ", ".join(part for part in split_list(selector) if not _UNKNOWN_SELECTOR.search(part))
