"""Fixtures for tests of the refresh."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.system.refresh.crawling import Crawls


@pytest.fixture(scope="session")
def crawls() -> Iterator[Crawls]:
    """One process for all crawls that need no engine."""
    with Crawls() as running:
        yield running
