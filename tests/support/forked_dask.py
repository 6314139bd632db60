"""Schedulers and workers of Dask, to be forked with Dask in them (`tests.support.forked`), and nothing of wcspider."""

from __future__ import annotations

import os
import sys
from importlib import import_module

SCHEDULER, WORKER = "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"


def load() -> None:
    """Import the programs of Dask. A test may keep wcspider from being imported, so it is not imported here."""
    for name in (SCHEDULER, WORKER):
        import_module(name)
    assert "wcspider" not in sys.modules


def prepare() -> None:
    """Give the process a session of its own, as `wcspider.engines.cluster.local_cluster` does."""
    os.setsid()
