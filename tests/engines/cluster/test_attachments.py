from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import engine_faults
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.cluster.attachments import SMALLEST, RecentlyUsed, packed, unpacked
from wcspider.exceptions import EngineError

LARGE = st.integers(0, 3).map(lambda number: bytes([number]) * SMALLEST)


@given(st.lists(st.one_of(st.binary(max_size=50), LARGE, st.text(max_size=5), st.integers())))
def test_calls_are_the_same_after_the_journey(values: list[object]) -> None:
    call = packed(engine_faults.double, values, {"other": values})
    assert unpacked(call.request, call.attachments) == (engine_faults.double, values, {"other": values})
    assert set(call.attachments.values()) == {part for part in values if isinstance(part, bytes) and len(part) > 50}


def test_resources_are_not_in_the_request() -> None:
    assets = {f"http://a.example/{number}.css": Asset(b"p{}" * 10_000, "text/css") for number in range(5)}
    call = packed(engine_faults.double, (RenderTask("http://a.example/", b"<p>", assets=assets),), {})
    assert len(call.request) < 2_000
    assert call.size == 30_000, "equal resources travel once"


def test_call_that_cannot_be_pickled() -> None:
    with pytest.raises(EngineError, match=r"the conversion cannot be sent to the cluster: .*pickle"):
        packed(lambda: None, (), {})


@given(st.lists(st.integers(0, 20)))
def test_cache_has_a_limit_and_keeps_what_was_used_last(numbers: list[int]) -> None:
    cache = RecentlyUsed[bytes](30, len)
    for number in numbers:
        if not cache.found([bytes([number])]):
            cache.keep({bytes([number]): bytes(10)})
    last = list(dict.fromkeys(reversed(numbers)))
    found = cache.found(bytes([number]) for number in range(21))
    assert set(found) == {bytes([number]) for number in last[:3]}


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 12))))
def test_sizes_of_values_that_are_replaced_and_forgotten(steps: list[tuple[int, int]]) -> None:
    """A size of 12 stands for a value that is forgotten."""
    cache = RecentlyUsed[int](1_000, int)
    present: dict[bytes, int] = {}
    for number, size in steps:
        digest = bytes([number])
        if size == 12:
            cache.forget([digest])
            present.pop(digest, None)
        else:
            cache.keep({digest: size})
            present[digest] = size
    assert cache.found(bytes([number]) for number in range(6)) == present
    assert all((bytes([number]) in cache) == (bytes([number]) in present) for number in range(6))
    cache.keep({b"all": 1_000 - sum(present.values())})
    assert b"all" in cache
    assert set(present) == {digest for digest in present if digest in cache}, "there was room for the rest"
