"""Captures by a Dask cluster of real processes, which lose a worker or the scheduler."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.crawls import FIXED_TIME, Run, captured, crawl_arguments, started
from tests.support.dask_cluster import DaskCluster, page_processes
from tests.support.http_server import Reply, SiteServer, page

pytestmark = pytest.mark.crash

PAGES = 16
SETTINGS = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_BATCH_PAGES": 5, "WEBCAPTURE_SYSTEM_FONTS": False}
STYLES = b"h1 { color: #c00; float: right } p { margin-left: 3em }\n" * 100
LINKS = "".join(f"<a href=/{number}>{number}</a> " for number in range(PAGES))
SITE = {
    "/": page(f"<title>Start</title>{LINKS}"),
    "/style.css": Reply(STYLES, content_type="text/css"),
    **{
        f"/{number}": page(f"<title>{number}</title><link rel=stylesheet href=/style.css><h1>{number}</h1><p>word")
        for number in range(PAGES)
    },
}


@pytest.fixture(scope="module")
def site() -> Iterator[SiteServer]:
    with SiteServer(SITE) as running:
        yield running


@pytest.fixture(scope="module")
def local(site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file that this machine makes alone."""
    path = tmp_path_factory.mktemp("local") / "site.pdf"
    captured(site.url(), path, SETTINGS, levels=2)
    return path.read_bytes()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    folder = tmp_path / "cluster"
    folder.mkdir()
    with DaskCluster(folder) as running:
        yield running


@pytest.mark.parametrize(("workers", "kills"), [(1, 0), (2, 1), (5, 1)])
def test_file_does_not_depend_on_the_cluster(
    site: SiteServer, local: bytes, cluster: DaskCluster, tmp_path: Path, workers: int, kills: int
) -> None:
    cluster.join(workers)
    path = tmp_path / "site.pdf"
    done = _capture(site, path, cluster, kills=kills)
    assert done.status == 0, done.log
    assert path.read_bytes() == local
    [line] = [line for line in done.summary if line.startswith("Cluster: ")]
    assert re.search(rf"; {PAGES + 1} calls, \d+ repeated, \d+\.\d kB of attachments sent; dashboard: http://", line)
    assert f" {kills} lost, 0 refused; " in line
    assert re.search(r"rendering, \d cluster workers?, \d+ in flight, \d+ repeated, \d lost, ", done.log)


def test_crawl_without_its_scheduler_stops_and_is_continued(
    site: SiteServer, local: bytes, cluster: DaskCluster, tmp_path: Path
) -> None:
    cluster.join(1)
    path = tmp_path / "site.pdf"
    done = _capture(site, path, cluster, kills=0, lost="stop")
    assert done.status == 1
    assert "the cluster is lost: the connection to the scheduler ended" in done.log
    assert "Traceback" not in done.log
    assert not path.exists()
    captured(site.url(), path, SETTINGS, levels=2)
    assert path.read_bytes() == local


def test_crawl_without_its_scheduler_goes_on_alone(
    site: SiteServer, local: bytes, cluster: DaskCluster, tmp_path: Path
) -> None:
    cluster.join(1)
    path = tmp_path / "site.pdf"
    done = _capture(site, path, cluster, kills=0, lost="local")
    assert done.status == 0, done.log
    assert path.read_bytes() == local
    assert [line.partition(" (")[0] for line in done.summary if "Cluster" in line][1:] == [
        "Cluster: lost during the crawl"
    ]


def test_crawls_share_a_cluster(site: SiteServer, local: bytes, cluster: DaskCluster, tmp_path: Path) -> None:
    """A crawl that is killed leaves another one unharmed, and is continued. Their pages have different sizes."""
    cluster.join(2)
    letter = {**SETTINGS, "WEBCAPTURE_PAGE_SIZE": "Letter"}
    paths = {"alone": tmp_path / "alone.pdf", "killed": tmp_path / "killed.pdf", "other": tmp_path / "other.pdf"}
    captured(site.url(), paths["alone"], letter, levels=2)
    shared = {"WEBCAPTURE_CLUSTER": cluster.address, "WEBCAPTURE_CLUSTER_LOST": "stop"}
    arguments = crawl_arguments(site.url(), paths["killed"], {**letter, **shared}, levels=2)
    with (
        started(*arguments) as killed,
        started(*crawl_arguments(site.url(), paths["other"], {**SETTINGS, **shared}, levels=2)) as other,
    ):
        while sum(len(page_processes(worker.pid)) for worker in cluster.workers) < 3:
            assert other.process.poll() is None, "both crawls lay out pages at the same time"
            time.sleep(0.02)
        killed.process.kill()
        done = other.end()
    assert done.status == 0, done.log
    assert paths["other"].read_bytes() == local
    with started(*arguments) as continued:
        assert continued.end().status == 0
    assert paths["killed"].read_bytes() == paths["alone"].read_bytes() != local


def test_dask_is_loaded_with_a_cluster_only(site: SiteServer, tmp_path: Path) -> None:
    """A package that cannot be imported changes nothing without the setting."""
    (tmp_path / "distributed.py").write_text("raise SystemExit('loaded')\n")
    environment = {"PYTHONPATH": str(tmp_path)}
    path = tmp_path / "site.pdf"
    done = captured(site.url("/1"), path, SETTINGS, levels=1, environment=environment, is_forked=False)
    assert "Cluster" not in done.log


def _capture(site: SiteServer, path: Path, cluster: DaskCluster, *, kills: int, lost: str = "") -> Run:
    """Capture the site. Kill workers, or the scheduler if the crawl is to lose it, while pages are laid out."""
    victims = [cluster.scheduler] if lost else []
    given = {
        **SETTINGS,
        "WEBCAPTURE_CLUSTER": cluster.address,
        "WEBCAPTURE_CLUSTER_LOST": lost or "stop",
        "LOGSTATS_INTERVAL": 0.3,
    }
    with started(*crawl_arguments(site.url(), path, given, levels=2)) as crawl:
        while (kills or victims) and crawl.process.poll() is None:
            busy = [worker for worker in cluster.workers if worker.poll() is None and page_processes(worker.pid)]
            for process in busy and [*victims, *busy[:kills]]:
                process.kill()
                process.wait()
                kills, victims = max(0, kills - 1) if not victims else 0, []
            with suppress(subprocess.TimeoutExpired):
                crawl.process.wait(0.02)
        return crawl.end()
