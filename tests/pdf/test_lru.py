"""A mapping of limited size, which removes the least recently used entries."""

from hypothesis import given
from hypothesis import strategies as st

from wcspider.pdf.lru import LruCache

LIMIT = 8

uses = st.tuples(st.sampled_from(["put", "get", "forget"]), st.integers(0, 20))


@given(st.lists(uses))
def test_what_was_used_last_is_kept(steps):
    recent = LruCache(LIMIT)
    present: dict[int, int] = {}
    for number, (step, key) in enumerate(steps):
        if step == "forget":
            recent.forget(key)
            present.pop(key, None)
        elif step == "put" or recent.get(key) is not None:
            value = number if step == "put" else present.pop(key)
            present.pop(key, None)
            present[key] = recent.put(key, value) if step == "put" else value
    last = list(present)[-LIMIT // 2 :]
    assert [recent.get(key) for key in last] == [present[key] for key in last]


@given(st.lists(st.integers()))
def test_no_more_is_kept_than_the_limit(keys):
    recent = LruCache(LIMIT)
    for key in keys:
        recent.put(key, key)
    kept = [key for key in set(keys) if recent.get(key) is not None]
    assert len(kept) <= LIMIT
    assert len(kept) >= min(len(set(keys)), LIMIT // 2)
