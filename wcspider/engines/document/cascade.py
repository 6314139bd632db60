"""The declarations that win for the elements of a page (CSS Cascading and Inheritance 5, 6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import cssselect2

MAX_TESTS: Final = 1_000_000
"""The largest number of selectors that are tested on the elements of a page, in total."""

MAX_SELECTORS: Final = 20_000
"""The number of selectors of the style sheets of a page; further selectors are ignored."""

LONGEST_SELECTOR: Final = 1_000
"""The largest number of characters of a selector. Lists with longer selectors are ignored."""

MAX_SEARCHES: Final = 3
"""The largest number of descendant and sibling combinators in a selector. The time to match it grows exponentially."""

_SEARCH: Final = re.compile(r"(?<![>+~(\s])\s+(?![>+~)\s])|~")
Declared = tuple[str, str, bool]
"""A declaration: the property, the value, and whether it is important."""


@lru_cache(maxsize=MAX_SELECTORS)
def _compiled(selectors: str) -> Sequence[Any] | None:
    """Return a list of selectors for cssselect2; an empty one if it takes too long to match, None if it is invalid."""
    if _is_complex(selectors):
        return ()
    with suppress(cssselect2.SelectorError, RecursionError):
        return cssselect2.compile_selector_list(selectors)  # type: ignore[no-any-return]
    return None


class RuleSet:
    """Style rules, ready to be matched with elements. Invalid selectors are left out, as in browsers."""

    def __init__(self, rules: Iterable[tuple[str, Sequence[Declared]]]) -> None:
        """`rules` are lists of selectors with their declarations."""
        self.is_complete = True
        """False if selectors that take too long to match were left out."""

        self.matcher, left = cssselect2.Matcher(), MAX_SELECTORS
        for text, declarations in rules:
            selectors = _compiled(text)
            if selectors is None:
                continue
            for selector in selectors[:left]:
                if selector.pseudo_element is None:
                    self.matcher.add_selector(selector, declarations)
            self.is_complete = self.is_complete and 0 < len(selectors) <= left
            left = max(left - len(selectors), 0)

    def count_tests(self, wrapper: Any) -> int:
        """Return how many selectors are tested on an element."""
        matcher = self.matcher
        count = len(matcher.other_selectors) + len(matcher.lower_local_name_selectors.get(wrapper.local_name, ()))
        count += len(matcher.id_selectors.get(wrapper.id, ()))
        return count + sum(len(matcher.class_selectors.get(name, ())) for name in wrapper.classes)


def _is_complex(selectors: str) -> bool:
    """Tell whether the time to match a list of selectors may grow exponentially, or with the size of the page."""
    if len(selectors) > LONGEST_SELECTOR or ":has(" in selectors:
        return True
    return any(len(_SEARCH.findall(part.strip())) > MAX_SEARCHES for part in selectors.split(","))


class Cascade:
    """The winning declarations of the elements of one page."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._tests = 0

    @property
    def is_complete(self) -> bool:
        """False if so many selectors would have been tested that rules were ignored for the last elements."""
        return self._tests <= MAX_TESTS

    def winning(self, wrapper: Any, attribute: Iterable[Declared]) -> dict[str, str]:
        """Return the values that win for an element, by property, in order.

        `wrapper` is an element for cssselect2, `attribute` are the declarations of its STYLE attribute.
        """
        self._tests += self._rules.count_tests(wrapper)
        matches = self._rules.matcher.match(wrapper) if self.is_complete else ()
        declared = chain(*(declarations for *_, declarations in matches), attribute)
        winning: dict[str, str] = {}
        # The sort is stable, so the important declarations follow the others in the order of the cascade.
        for name, value, _ in sorted(declared, key=lambda declaration: declaration[2]):
            # A shorthand overrides the longhands before it, so a declaration moves to the end.
            winning.pop(name, None)
            winning[name] = value
        return winning
