"""Values that wait come back as they were, from memory or from the file that they spilled into."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.archive.journal.spool import Spool
from wcspider.exceptions import TargetNotWritableError

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


def test_a_full_folder_for_temporary_files_is_reported(monkeypatch):
    monkeypatch.setenv("TMPDIR", "/full")
    full = Path("/dev/full").open("r+b", buffering=0)  # noqa: SIM115 -- the spool closes it
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full)
    spool = Spool(10)
    spool.put("small", b"12345", 5)
    problem = "/full: No space left on device; free space in this folder, or set TMPDIR to another one"
    for _ in range(2):
        with pytest.raises(TargetNotWritableError) as error:
            spool.put("large", b"123456", 6)
        assert str(error.value) == problem
    assert spool.pop("small") == b"12345"
    assert "large" not in spool
    spool.close()


def test_so_is_one_that_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(TargetNotWritableError, match="No such file or directory; free space"):
        Spool(10)
