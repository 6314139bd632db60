"""Tests of the garbage collector's settings during a crawl."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

from wcspider import steps
from wcspider.crawl.processes.garbage import ALLOCATIONS, collect_rarely
from wcspider.steps import Slices, Steps


@pytest.fixture(autouse=True)
def unchanged_collector() -> Iterator[None]:
    """Restore the settings of the collector after each test: `conftest.py` has frozen the list of tests."""
    before = gc.get_threshold()
    gc.unfreeze()
    yield
    gc.freeze()
    gc.set_threshold(*before)


def test_what_is_loaded_is_passed_over() -> None:
    gc.set_threshold(700, 10, 10)
    collect_rarely()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == (ALLOCATIONS, 10, 10)


@pytest.mark.parametrize("threshold", [(0, 10, 10), (50_000, 5, 5)])
def test_another_threshold_of_the_program_stays(threshold: tuple[int, int, int]) -> None:
    gc.set_threshold(*threshold)
    collect_rarely()
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == threshold


def test_garbage_of_an_earlier_crawl_is_not_kept() -> None:
    gc.set_threshold(700, 10, 10)
    gc.freeze()
    before = gc.get_freeze_count()
    collect_rarely()
    assert gc.get_freeze_count() <= before
    assert gc.get_threshold() == (700, 10, 10)


def test_cycles_are_found_during_and_between_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SLICE_SECONDS", 0)
    gc.set_threshold(100, 10, 10)
    later: list[Callable[[], None]] = []
    slices = Slices(later.append)
    cycles: weakref.WeakSet[_Cycle] = weakref.WeakSet()

    def work() -> Steps[None]:
        for _ in range(10):
            cycles.add(_Cycle())
            yield

    most = 0
    for _ in range(100):
        slices.begin(work())
        assert gc.get_threshold() > (100, 10, 10)
        while later:
            later.pop()()
            most = max(most, len(cycles))
        assert gc.get_threshold() == (100, 10, 10)
    assert most < 500
    assert gc.get_freeze_count() == 0


class _Cycle:
    def __init__(self) -> None:
        self.itself = self
