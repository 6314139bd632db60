"""After several rounds of changes, a refreshed file has the content of a new capture of the site.

WCSPIDER_ROUNDS sets how many rounds there are in all; six of them make a sequence with a seed of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.crawls import Run, tool
from tests.support.http_server import SiteServer
from tests.system.refresh.crawling import Crawls
from tests.system.refresh.documents import DAY, is_image
from tests.system.refresh.site import START, ChangingSite
from tests.system.refresh.state import dangling, differences, state_of, urls_of
from wcspider.archive.check.checker import check_file

ROUNDS = 6
SEQUENCES = -(-int(os.environ.get("WCSPIDER_ROUNDS", "18")) // ROUNDS)
LEVELS: list[object] = ["all", 3, 4]
MOST_CHANGES = 6


@dataclass
class Sequence:
    """A file that is refreshed while its site changes."""

    crawls: Crawls
    site: ChangingSite
    server: SiteServer
    path: Path
    settings: Mapping[str, object]
    arguments: Mapping[str, object]
    """Of the capture."""

    told: list[str] = field(default_factory=list)
    """What was done to the site, for who reads a failure."""

    def run(self, spider: str, path: Path, **arguments: object) -> Run:
        """Run a crawl, which comes to a good end."""
        settings = {**self.settings, "WEBCAPTURE_FIXED_TIME": self.site.moment.isoformat()}
        done = self.crawls.run(spider, settings, pdf=path, **arguments)
        assert done.status == 0, (self.told, done.log)
        assert "Traceback" not in done.log, (self.told, done.log)
        return done

    def capture(self, path: Path) -> None:
        """Capture the current site."""
        self.server.update(self.site.replies())
        self.run("capture", path, **self.arguments)

    def change(self) -> None:
        """Let a day go by."""
        self.told.append(" / ".join(self.site.change(self.site.dice.randrange(1, MOST_CHANGES))))
        self.site.moment += DAY

    def refresh(self, **arguments: object) -> Run:
        """Bring the file up to date, and look whether it keeps the rules."""
        self.server.update(self.site.replies())
        done = self.run("refresh", self.path, gone="drop", **arguments)
        assert [str(finding) for finding in check_file(self.path)] == [], self.told
        assert dangling(self.path) == [], self.told
        return done

    def assert_is_present(self) -> None:
        """Compare the file with a capture of the current site."""
        fresh = self.path.with_name("fresh.pdf")
        fresh.unlink(missing_ok=True)
        self.capture(fresh)
        found = differences(state_of(self.path), state_of(fresh))
        assert found == [], "\n".join([*self.told, *found])


def forced(sequence: Sequence) -> None:
    """Everything is asked for: each round ends with the present state."""
    for _ in range(ROUNDS):
        sequence.change()
        sequence.refresh(force="true")
        sequence.assert_is_present()


def expiring(sequence: Sequence) -> None:
    """Unexpired resources are not requested: the file is up to date when all have expired."""
    for _ in range(ROUNDS - 1):
        sequence.change()
        sequence.refresh()
    sequence.site.moment += 10 * DAY
    sequence.refresh()
    sequence.assert_is_present()


def failing(sequence: Sequence) -> None:
    """Pages that fail are kept unchanged, and are up to date one round later."""
    for _ in range(ROUNDS // 2):
        sequence.change()
        failing = sequence.site.fail()
        before = urls_of(sequence.path)
        sequence.server.forget()
        sequence.refresh(force="true")
        after = urls_of(sequence.path)
        failed = [sequence.server.url(path) for path in set(sequence.server.paths()) & set(failing)]
        kept = {url: identifiers for url, identifiers in before.items() if url in failed and not is_image(url)}
        assert {url: after.get(url) for url in kept} == kept, (failed, sequence.told)
        sequence.site.recover()
        sequence.refresh(force="true")
        sequence.assert_is_present()


def captured_often(sequence: Sequence) -> None:
    """Pages of later captures are refreshed like the others."""
    for _ in range(3):
        sequence.change()
        sequence.capture(sequence.path)
    for _ in range(ROUNDS - 3):
        sequence.refresh(force="true")
        sequence.assert_is_present()
        sequence.change()


KINDS: list[Callable[[Sequence], None]] = [forced, expiring, failing, captured_often]
LIMITS: list[Mapping[str, object]] = [
    {},
    {},
    {"WEBCAPTURE_MAX_RESOURCES": 3},
    {"WEBCAPTURE_MAX_RESOURCE_BYTES": 250},
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_a_refreshed_file_is_that_of_a_fresh_capture(crawls: Crawls, tmp_path: Path, seed: int) -> None:
    kind, limits = KINDS[seed % len(KINDS)], LIMITS[seed // 2 % len(LIMITS)]
    site = ChangingSite(seed)
    starts = [START, site.any_page()] if seed % 3 == 1 else [START]
    with SiteServer({}) as server:
        urls = ",".join(server.url(start) for start in starts)
        arguments = {"url": urls, "levels": LEVELS[seed // 3 % len(LEVELS)]}
        sequence = Sequence(crawls, site, server, tmp_path / "site.pdf", limits, arguments)
        sequence.capture(sequence.path)
        kind(sequence)
    tool("qpdf", "--check", sequence.path)
