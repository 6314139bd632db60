"""The catalog of a file, and the streams of damaged files."""

from __future__ import annotations

import pytest

from wcspider.archive.database.catalog import decoded
from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.objects import Name, Stream


def test_a_stream_that_cannot_be_decoded_is_damage_of_the_file() -> None:
    with pytest.raises(TargetDamagedError, match="a stream of the file cannot be decoded"):
        decoded(Stream({"Filter": Name("FlateDecode")}, b"not compressed"))
