"""The rule on names of fields, which the check states in its own code."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.archive.check.rules.form_rules import unique_name
from wcspider.webcapture.names import field_name


@given(st.binary(max_size=40), st.binary(min_size=16, max_size=16))
@example(b"name", b"\\\0.\\p\\0\\\\..\0\0ab.")
def test_writer_and_check_agree_on_names(original: bytes, identifier: bytes) -> None:
    assert unique_name(original, identifier) == field_name(original, identifier)
