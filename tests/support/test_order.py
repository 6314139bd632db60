"""The order of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.order import FOLDER_SECONDS, SYSTEM, group_of, in_parts

SHORT = [f"short {number}" for number in range(40)]
SLOW = [f"{group} {number}" for group in "abcd" for number in range(4)]


def group(test: str) -> Path | None:
    name = test.partition(" ")[0]
    return None if name == "short" else Path(name)


@pytest.mark.parametrize("processes", range(1, 6))
def test_each_process_begins_with_its_share_of_the_slow_tests(processes: int) -> None:
    given = SHORT + SLOW
    ordered = in_parts(given, group, processes)
    assert sorted(ordered) == sorted(given)
    begun, shares = 0, []
    for number in range(processes):  # as xdist cuts the list
        size = (len(given) - begun) // (processes - number)
        part = [group(test) for test in ordered[begun : begun + size]]
        begun += size
        slow = [found for found in part if found is not None]
        assert part[: len(slow)] == slow
        shares.append(set(slow))
    assert sum(map(len, shares)) == 4  # no group is in two parts
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_group_may_be_larger_than_a_part() -> None:
    given = [*SLOW[:4] * 5, *SHORT[:3]]
    assert sorted(in_parts(given, group, 3)) == sorted(given)


@pytest.mark.parametrize(
    ("path", "is_slow", "expected"),
    [
        (SYSTEM / "test_a.py", False, SYSTEM / "test_a.py"),
        (SYSTEM / "scrapyd" / "test_a.py", True, SYSTEM / "scrapyd"),
        (Path("tests/web/test_a.py"), True, Path("tests/web/test_a.py")),
        (Path("tests/web/test_a.py"), False, None),
    ],
)
def test_tests_that_share_fixtures_are_a_group(path: Path, is_slow: bool, expected: Path | None) -> None:
    assert group_of(path, is_slow=is_slow) == expected


def test_the_folders_exist() -> None:
    assert {name for name in FOLDER_SECONDS if not (SYSTEM / name).is_dir()} == set()
