"""Tests of the garbage collector's settings during a crawl."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from wcspider.crawl.garbage import ALLOCATIONS, collect_rarely


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
