"""A mapping of limited size, which removes the least recently used entries."""

from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.pdf.lru import LruCache

LIMIT = 8

uses = st.tuples(st.sampled_from(["put", "get", "forget"]), st.integers(0, 20))


@given(st.lists(uses))
@example([*(("put", key) for key in (0, 2, 3, 5, 1, 3, 4, 0, 2)), ("forget", 0), ("forget", 1)])
def test_what_was_used_last_is_kept(steps):
    recent = LruCache(LIMIT)
    expected: dict[int, int | None] = {}  # in the order of use; None for what was forgotten, which keeps its place
    for number, (step, key) in enumerate(steps):
        if step == "put":
            expected.pop(key, None)
            expected[key] = recent.put(key, number)
        elif step == "forget" and key in expected:
            recent.forget(key)
            expected[key] = None
        elif recent.get(key) is not None:
            expected[key] = expected.pop(key)
    last = list(expected)[-LIMIT // 2 :]
    assert [recent.get(key) for key in last] == [expected[key] for key in last]


@given(st.lists(st.integers()))
def test_no_more_is_kept_than_the_limit(keys):
    recent = LruCache(LIMIT)
    for key in keys:
        recent.put(key, key)
    kept = [key for key in set(keys) if recent.get(key) is not None]
    assert len(kept) <= LIMIT
    assert len(kept) >= min(len(set(keys)), LIMIT // 2)
