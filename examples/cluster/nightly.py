"""A nightly run: capture each site of a list with a job of its own, on several Scrapyd daemons, and wait for the files.

    python nightly.py sites.txt /srv/archive/2026-03-01 --daemon http://one:6800/ --daemon http://two:6800/

sites.txt has a name and a URL in each line. The folder is shared by all machines; each site gets a file NAME.pdf in it.
The files are printed in the order of the list, for a command that reads them; sites without a file are reported, and
the exit status is then 1. Logins of the daemons come from ~/.netrc.
"""

from __future__ import annotations

import argparse
import json
import netrc
import sys
import time
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TIMEOUT = 60

MOST_SILENCES = 30
"""The number of questions in a row that a daemon may leave without an answer."""


@dataclass(frozen=True)
class Site:
    """A line of the list."""

    name: str
    url: str


class Daemon:
    """A Scrapyd daemon, and the jobs that it was given."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._jobs: set[str] = set()
        self._absent: set[str] = set()
        """The jobs that neither waited nor ran when the daemon was asked last."""

        self._silences = 0

    def schedule(self, site: Site, file: Path, levels: str) -> None:
        """Give the daemon a job for a site."""
        fields = {"project": "wcspider", "spider": "capture", "url": site.url, "pdf": str(file), "levels": levels}
        try:
            self._jobs.add(self._ask("schedule.json", fields)["jobid"])
        except OSError as error:
            raise SystemExit(f"{self._url}: does not answer ({error}): is Scrapyd running there?") from error

    def unfinished(self) -> int:
        """Return the number of its jobs that wait or run. A daemon that was started again has forgotten those that ran.

        A daemon that does not answer may be starting again; its jobs count as unfinished for a number of questions.
        """
        try:
            listed = self._ask("listjobs.json?project=wcspider")
        except OSError as error:
            self._silences += 1
            if self._silences < MOST_SILENCES:
                return len(self._jobs)
            print(f"{self._url}: does not answer ({error}); its jobs are given up", file=sys.stderr)
            self._jobs.clear()
            return 0
        self._silences = 0
        absent = self._jobs - {job["id"] for job in (*listed["pending"], *listed["running"])}
        self._jobs -= {job["id"] for job in listed["finished"]} | (absent & self._absent)
        self._absent = absent
        return len(self._jobs)

    def _ask(self, service: str, fields: Mapping[str, str] | None = None) -> Any:
        data = urllib.parse.urlencode(fields).encode() if fields else None
        request = urllib.request.Request(f"{self._url}/{service}", data, self._headers())
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            found = json.load(answer)
        if found["status"] != "ok":
            raise SystemExit(f"{self._url}: {found.get('message', found)}")
        return found

    def _headers(self) -> dict[str, str]:
        with suppress(FileNotFoundError):
            login = netrc.netrc().authenticators(urllib.parse.urlsplit(self._url).hostname or "")
            if login is not None:
                return {"Authorization": f"Basic {b64encode(f'{login[0]}:{login[2]}'.encode()).decode()}"}
        return {}


def sites_of(file: Path) -> list[Site]:
    """Return the sites of a list. Raises SystemExit if it cannot be read."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise SystemExit(f"{file}: cannot be read: {error}") from error
    sites = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if len(words) != 2:
            raise SystemExit(f"{file}, line {number}: write a name and a URL, such as: example https://example.com/")
        sites.append(Site(*words))
    return sites


def main() -> int:
    """Capture all sites; return the exit status."""
    parser = argparse.ArgumentParser(description="Captures each site of a list with a job of Scrapyd.")
    parser.add_argument("sites", type=Path, help="a text file with a name and a URL in each line")
    parser.add_argument("folder", type=Path, help="the folder for the files NAME.pdf, shared by all machines")
    parser.add_argument(
        "--daemon", action="append", required=True, metavar="URL", help="a Scrapyd daemon; may be given several times"
    )
    parser.add_argument("--levels", default="all", help="the levels of pages of each site (default: %(default)s)")
    parser.add_argument("--interval", type=float, default=10.0, help="seconds between two questions to the daemons")
    given = parser.parse_args()
    sites = sites_of(given.sites)
    given.folder.mkdir(parents=True, exist_ok=True)
    daemons = [Daemon(url) for url in given.daemon]
    for number, site in enumerate(sites):  # a daemon runs max_proc of its jobs at once, and the others wait
        daemons[number % len(daemons)].schedule(site, given.folder / f"{site.name}.pdf", given.levels)
    while sum(daemon.unfinished() for daemon in daemons):
        time.sleep(given.interval)
    missing = 0
    for site in sites:
        file = given.folder / f"{site.name}.pdf"
        if file.exists():
            print(file)
        else:
            missing += 1
            print(f"{site.name}: no file; see the log of its job", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
