"""Fixtures that tests of every part use."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.server import Site, SiteServer

ROOT = Path(__file__).parent.parent


@pytest.fixture
def server() -> Iterator[Callable[..., SiteServer]]:
    """Starts servers: ``server({"/": page("<p>hello")}, jitter=1)``. They end with the test."""
    with ExitStack() as stack:

        def start(site: Site | Path, **options: object) -> SiteServer:
            return stack.enter_context(SiteServer(site, **options))

        yield start


@pytest.fixture(scope="session")
def example_site() -> Iterator[str]:
    """The URL of examples/site, served as ``make capture`` serves it."""
    command = [sys.executable, str(ROOT / "examples" / "serve.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()
