"""The nightly run of examples/cluster, on two daemons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pypdfium2

from tests.support.http_server import SiteServer, page
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
