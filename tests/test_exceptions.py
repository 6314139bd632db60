"""Messages of the exceptions."""

from __future__ import annotations

import io

import pytest

from wcspider.exceptions import one_line


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("bad value\nsecond line"), "ValueError: bad value"),
        (ValueError(), "ValueError"),
        (ValueError("x" * 300), f"ValueError: {'x' * 200}"),
        (OSError(f"cannot identify {io.BytesIO()!r}"), "OSError: cannot identify an object"),
        (OSError(f"cannot call {one_line!r}"), "OSError: cannot call an object"),
        (OSError("a < b at 0x10"), "OSError: a < b at 0x10"),  # not the description of an object
    ],
)
def test_one_line(error: Exception, expected: str) -> None:
    assert one_line(error) == expected
