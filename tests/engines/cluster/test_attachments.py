from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import engine_faults
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.cluster.attachments import SMALLEST, packed, recently_used, unpacked
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
    assert [*map(len, call.attachments.values())] == [30_000], "equal resources travel once"


def test_call_that_cannot_be_pickled() -> None:
    with pytest.raises(EngineError, match=r"the conversion cannot be sent to the cluster: .*pickle"):
        packed(lambda: None, (), {})


@given(st.lists(st.integers(0, 20)))
def test_cache_has_a_limit_and_keeps_what_was_used_last(numbers: list[int]) -> None:
    cache = recently_used(30, len)
    for number in numbers:
        digest = bytes([number])
        cache[digest] = cache.get(digest, bytes(10))
    last = list(dict.fromkeys(reversed(numbers)))
    assert set(cache) == {bytes([number]) for number in last[:3]}
