"""A project of one's own in a real Scrapyd: wcspider is installed beside the daemon, the project is deployed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.crawls import Archive
from tests.support.http_server import SiteServer, page
from tests.system.scrapyd.daemon import (
    CONFIGURATION,
    Scrapyd,
    copy_sources,
    deploy,
    free_port,
    make_environment,
    outside,
)

pytestmark = pytest.mark.slow

PROJECT = {
    "scrapy.cfg": "[settings]\ndefault = own.settings\n[deploy]\nurl = http://localhost:6800/\nproject = own\n",
    "own/__init__.py": "",
    "own/settings.py": """
SPIDER_MODULES = ["own.spiders"]
ADDONS = {"wcspider.addon.WebCaptureAddon": 500}
WEBCAPTURE_PDF = "%(name)s.pdf"
""",
    "own/spiders/__init__.py": "",
    "own/spiders/pages.py": """
from scrapy import Spider
from wcspider.items import CaptureItem


class PagesSpider(Spider):
    name = "pages"

    def __init__(self, url, **kwargs):
        super().__init__(start_urls=[url], **kwargs)

    def parse(self, response):
        yield CaptureItem.from_response(response)
        yield from response.follow_all(css="a")
""",
}


def install(programs: Path, sources: Path) -> None:
    """Install wcspider in place: its metadata, and a path file. Nothing has to be built for that."""
    command = [programs / "python", "setup.py", "--quiet", "egg_info"]
    done = subprocess.run(command, cwd=sources, env=outside(programs), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [packages] = programs.parent.glob("lib/python*/site-packages")
    (packages / "wcspider.pth").write_text(f"{sources}\n", "utf-8")


@pytest.fixture(scope="module")
def scrapyd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    """A daemon with wcspider installed in its environment, as docs/scrapyd.md describes it."""
    programs = make_environment(tmp_path_factory.mktemp("environment"))
    install(programs, copy_sources(tmp_path_factory.mktemp("sources")))
    project = tmp_path_factory.mktemp("project")
    for name, text in PROJECT.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, "utf-8")
    folder, port = tmp_path_factory.mktemp("scrapyd"), free_port()
    (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port), "utf-8")
    with Scrapyd(programs, folder, port) as daemon:
        daemon.project = "own"
        deploy(programs, project, daemon.url, spiders=1)
        yield daemon


def test_a_project_captures_and_its_failures_do_not_look_like_success(
    scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server(
        {"/": page("<title>Start</title><a href=/next>1</a>"), "/next": page("<title>Next</title>", gate="next")}
    )
    site.open_gate("next")
    path = tmp_path / "site.pdf"
    done = scrapyd.end(scrapyd.schedule("pages", {"WEBCAPTURE_PDF": path}, url=site.url()))
    assert (done.status, done.messages("ERROR")) == (0, [])
    with Archive(path) as archive:
        assert sorted(found.title for found in archive.page_sets) == ["Next", "Start"]

    unusable = {"WEBCAPTURE_PDF": tmp_path / "nowhere" / "site.pdf"}
    assert scrapyd.end(scrapyd.schedule("pages", unusable, url=site.url())).status == 1


def test_a_stopped_job_of_a_project_does_not_look_like_success(
    scrapyd: Scrapyd, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server(
        {"/": page("<title>Start</title><a href=/next>1</a>"), "/next": page("<title>Next</title>", gate="next")}
    )
    job = scrapyd.schedule("pages", {"WEBCAPTURE_PDF": tmp_path / "site.pdf"}, url=site.url())
    site.wait_for("/next")
    assert scrapyd.cancel(job) == "running"
    scrapyd.wait_for_log(job, "shutting down gracefully")
    site.open_gate("next")
    done = scrapyd.end(job)
    assert done.status == 1
    assert "run the spider again to continue" in done.problem
