"""The nightly run of examples/cluster, on two daemons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pypdfium2
import pytest

from tests.support.http_server import Reply, SiteServer, page
from tests.support.paths import ROOT
from tests.system.scrapyd.daemon import CONFIGURATION, Scrapyd, free_port


def test_each_site_gets_a_file(scrapyd: Scrapyd, programs: Path, tmp_path: Path) -> None:
    names = ("first", "second")
    port, folder = free_port(), tmp_path / "scrapyd"
    folder.mkdir()
    eggs = f"eggs_dir = {scrapyd.folder / 'eggs'}\n"  # wcspider need not be deployed again
    (folder / "scrapyd.conf").write_text(CONFIGURATION.format(port=port) + eggs, "utf-8")
    pages = {f"/{name}": page(f"<title>{name}</title><p>the {name} site") for name in names}
    with SiteServer(pages) as site, Scrapyd(programs, folder, port) as other:
        lines = [f"{name} {site.url(f'/{name}')}" for name in (*names, "missing")]
        (tmp_path / "sites.txt").write_text("# name and URL\n\n" + "\n".join(lines) + "\n")
        command = [sys.executable, ROOT / "examples" / "cluster" / "nightly.py", tmp_path / "sites.txt"]
        options = [tmp_path / "night", "--levels", "1", "--interval", "0.2"]
        daemons = ["--daemon", scrapyd.url, "--daemon", other.url]
        done = subprocess.run(
            [*map(str, [*command, *options]), *daemons], capture_output=True, text=True, timeout=180, check=False
        )
        assert len(other.jobs()["finished"]) == 1, done.stderr
    files = [tmp_path / "night" / f"{name}.pdf" for name in names]
    assert done.stdout.split() == [str(file) for file in files]
    assert (done.returncode, done.stderr) == (1, "missing: no file; see the log of its job\n")
    for name, file in zip(names, files, strict=True):
        with pypdfium2.PdfDocument(file) as pdf:
            assert f"the {name} site" in pdf[0].get_textpage().get_text_range()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Reply(b'{"status": "ok", "pending": [], "running": [], "finished": []}'), ""),  # it was started again
        (Reply(b"busy", status=503), "does not answer (HTTP Error 503: Service Unavailable); its jobs are given up\n"),
    ],
    ids=["forgotten", "silent"],
)
def test_a_daemon_that_knows_no_job_any_more_is_not_waited_for(tmp_path: Path, answer: Reply, told: str) -> None:
    (tmp_path / "sites.txt").write_text("one http://h/")
    replies = {"POST /schedule.json": Reply(b'{"status": "ok", "jobid": "1"}'), "/listjobs.json": answer}
    command = [sys.executable, ROOT / "examples" / "cluster" / "nightly.py", tmp_path / "sites.txt", tmp_path / "night"]
    with SiteServer(replies) as daemon:
        options = ["--daemon", daemon.url(""), "--interval", "0.01"]
        done = subprocess.run([*map(str, command), *options], capture_output=True, text=True, timeout=60, check=False)
    expected = f"{daemon.url('')}: {told}" if told else ""
    assert (done.returncode, done.stderr) == (1, f"{expected}one: no file; see the log of its job\n")
