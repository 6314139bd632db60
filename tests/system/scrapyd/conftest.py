"""A Scrapyd for the tests of this folder, with the egg of the sources deployed to it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.scrapyd.daemon import (
    CONFIGURATION,
    Scrapyd,
    build_egg,
    copy_sources,
    deploy,
    free_port,
    make_environment,
    outside,
)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has no wcspider, so that it can come from an egg only."""
    folder = tmp_path_factory.mktemp("environment")
    made = make_environment(folder)
    command = [str(made / "python"), "-c", "import wcspider"]
    found = subprocess.run(command, cwd=folder, env=outside(made), capture_output=True, text=True, check=False)
    assert "No module named 'wcspider'" in found.stderr
    return made


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, in which an egg may be built."""
    return copy_sources(tmp_path_factory.mktemp("sources"))


@pytest.fixture(scope="session")
def egg(programs: Path, sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The egg of the sources."""
    return build_egg(programs, sources, tmp_path_factory.mktemp("egg") / "wcspider.egg")


@pytest.fixture(scope="session")
def scrapyd(programs: Path, sources: Path, egg: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A daemon that wcspider is deployed to."""
    folder, port = tmp_path_factory.mktemp("scrapyd"), free_port()
    (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port), "utf-8")
    with Scrapyd(programs, folder, port) as daemon:
        deploy(programs, sources, daemon.url, egg=egg)
        yield daemon
