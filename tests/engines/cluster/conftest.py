"""Clusters of real processes on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dask_cluster import DaskCluster


@pytest.fixture(scope="package")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler with two workers that no test ends."""
    with DaskCluster(tmp_path_factory.mktemp("cluster")) as started:
        started.join(2)
        yield started


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """A scheduler without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with DaskCluster(folder) as started:
        yield started
