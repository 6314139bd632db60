"""Caches with a total size."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.images.sized_cache import SizedCache


@given(st.lists(st.integers(0, 9), max_size=60), st.lists(st.integers(0, 50), min_size=10, max_size=10))
def test_the_values_used_last_are_kept(used: Sequence[int], sizes: Sequence[int]) -> None:
    cache = SizedCache[int](limit=100)
    for value in used:
        key = bytes((value,))
        found = cache.get(key)
        assert (cache.put(key, value, sizes[value]) if found is None else found) == value
    last = list(dict.fromkeys(reversed(used)))
    kept = {value for value in range(10) if cache.get(bytes((value,))) is not None}
    assert kept == set(last[: len(kept)])
    assert sum(sizes[value] for value in kept) <= 100
    assert len(kept) == len(last) or sum(sizes[value] for value in last[: len(kept) + 1]) > 100


def test_a_value_above_the_limit_is_returned_only() -> None:
    cache = SizedCache[str](limit=100)
    assert [cache.put(b"a", "small", 60), cache.put(b"b", "large", 101)] == ["small", "large"]
    assert [cache.get(b"a"), cache.get(b"b")] == ["small", None]
    cache.clear()
    assert cache.get(b"a") is None
