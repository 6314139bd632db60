"""Values that wait come back as they were, from memory or from the file that they spilled into."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.journal.spool import Spool

events = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["put", "get", "take"]), st.binary(max_size=30)))


@pytest.mark.parametrize("memory", [0, 40, 10**6])
@given(events)
def test_a_spool_is_a_dictionary(memory, events):
    spool, expected = Spool(memory), {}
    for key, event, value in events:
        if event == "put" and key not in expected:
            spool.put(key, value, len(value))
            expected[key] = value
        elif key in expected:
            assert (spool.get if event == "get" else spool.pop)(key) == expected[key]
            if event != "get":
                del expected[key]
        assert {key for key in range(6) if key in spool} == expected.keys()
    spool.close()


@pytest.mark.parametrize("memory", [0, 10**6])
def test_what_is_not_there_is_missed(memory):
    spool = Spool(memory)
    spool.put("a", 1, 8)
    assert spool.pop("a") == 1
    with pytest.raises(KeyError):
        spool.get("a")
    spool.close()
