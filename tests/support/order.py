"""The order of the tests, of which each process of xdist gets a part (``--dist=worksteal``).

xdist cuts the list into parts with equally many tests. A process that has done its part takes tests from the end of
another. So each part begins with its share of the slow tests, and ends with short ones that may be taken. Tests that
share fixtures stay in one part: a daemon or a captured site is not prepared by each process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from tests.support.paths import ROOT

T = TypeVar("T")

SYSTEM = ROOT / "tests" / "system"
"""The tests that crawl, which take most of the time."""

FOLDER_SECONDS = {"crash": 45, "hostile": 40, "refresh": 100, "scrapyd": 50}
"""The approximate time of large groups on an idle machine; a wrong time costs little, because processes take tests."""

CRAWL_SECONDS = 0.3
"""The time of another test that crawls."""

OTHER_SECONDS = 0.05
"""The time of a slow test that does not crawl."""


def group_of(path: Path, *, is_slow: bool) -> Path | None:
    """Return the folder or module whose tests share fixtures, or None for a short test."""
    if not path.is_relative_to(SYSTEM):
        return path if is_slow else None
    return path if path.parent == SYSTEM else SYSTEM / path.relative_to(SYSTEM).parts[0]


def cost_of(group: Path, count: int) -> float:
    """Return the approximate seconds of a group with so many tests."""
    return FOLDER_SECONDS.get(group.name, count * (CRAWL_SECONDS if group.is_relative_to(SYSTEM) else OTHER_SECONDS))


@dataclass
class _Part(Generic[T]):
    """The slow tests of a process, and the time that they take."""

    tests: list[T] = field(default_factory=list)
    seconds: float = 0


def in_parts(tests: Sequence[T], group_of: Callable[[T], Path | None], processes: int) -> list[T]:
    """Return the tests in the order of the parts of so many processes."""
    groups: dict[Path, list[T]] = defaultdict(list)
    short: list[T] = []
    for test in tests:
        group = group_of(test)
        (short if group is None else groups[group]).append(test)
    costs = {group: cost_of(group, len(found)) for group, found in groups.items()}
    parts: list[_Part[T]] = [_Part() for _ in range(processes)]
    for group in sorted(costs, key=lambda group: (-costs[group], group)):
        part = min(parts, key=lambda part: part.seconds)
        part.tests += groups[group]
        part.seconds += costs[group]
    ordered: list[T] = []
    for number, part in enumerate(parts):
        size = (len(tests) - len(ordered)) // (processes - number)
        room = max(0, size - len(part.tests))
        ordered += part.tests + short[:room]
        del short[:room]
    return ordered + short
