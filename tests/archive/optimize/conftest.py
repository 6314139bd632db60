"""Fixtures for tests of optimizing."""

from __future__ import annotations

import pytest

from tests.archive.optimize.grown_file import COUNT, capture


@pytest.fixture(scope="package")
def _captured(tmp_path_factory):
    return capture(tmp_path_factory.mktemp("optimize") / "site.pdf", range(COUNT)).read_bytes()


@pytest.fixture
def site(_captured, tmp_path):
    """A file that has grown by many revisions."""
    path = tmp_path / "site.pdf"
    path.write_bytes(_captured)
    return path
