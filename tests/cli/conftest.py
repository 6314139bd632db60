"""What all tests of the command line need."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _project() -> Iterator[None]:
    """Scrapy notes the settings of a project in the environment, where the commands of later tests would find them."""
    yield
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
