"""The memory and time that each subcommand of ``scrapy webcapture`` takes for files of different sizes.

    python -m benchmarks.commands --pages 1000 20000

Writes files of made-up pages without a crawl, and runs every subcommand on them as a user does. Prints one JSON object.
docs/benchmarks.md explains the figures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from benchmarks.crawls import ROOT
from benchmarks.generated import STRIDES, image, page, path_of
from benchmarks.plain import plain_fragment
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.engines.base import Asset, RenderTask
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.webcapture.run_records import CAPTURE, Run
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Link, Resource
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Capture, Command

SITE = "http://example.com"
IMAGES = 24
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAGE_SETS_IN_BATCH = 200
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Usage:
    """The resources that one process used."""

    seconds: float
    megabytes: float
    """The peak of its resident memory."""


@cache
def shared_image(number: int) -> Resource:
    """Return one of the images that the pages show."""
    return Resource(f"{SITE}/images/{number}.png", image(number), "image/png", fetched=START)


def rendered(number: int, pages: int) -> Rendered:
    """Return one page of the site as the pipelines hand it to the writer."""
    url, body, shown = SITE + path_of(number), page(number, pages), shared_image(number % IMAGES)
    auxiliary = Auxiliary(shown.url, AuxiliaryKind.IMAGE, shown)
    task = RenderTask(url, body, assets={shown.url: Asset(shown.body, shown.content_type)})
    capture = Capture(
        Resource(url, body, "text/html", fetched=START + timedelta(seconds=number)),
        "utf-8",
        page_set_identifier(body, [(shown.url, shown.digest)]),
        hashlib.md5(body, usedforsecurity=False).digest(),
        f"Page {number}",
        (auxiliary,),
        tuple(Link(SITE + path_of(number + stride), "a") for stride in STRIDES if number + stride < pages),
    )
    return Rendered(capture, plain_fragment(task), zoom=1.0)


def write_file(path: Path, pages: int, numbers: range | None = None) -> None:
    """Write a file with so many page sets, or only those with some numbers."""
    path.touch()
    command = Command(SITE + path_of(0), levels=2**31 - 1)
    with closing(ContentDatabase(RevisionFile.create(path), lambda: START)) as database:
        batch = Batch(PAGE_SETS_IN_BATCH, 64 * MEGABYTE)
        writer = CaptureWriter(database, Journal(), batch, 64 * MEGABYTE, Checkpoint())
        writer.begin([command])
        for number in numbers or range(pages):
            writer.add(rendered(number, pages))
        writer.finish("A site", Run(CAPTURE))
        writer.close()


def subcommands(path: Path) -> dict[str, list[str]]:
    """Return the subcommands that are measured, with their arguments."""
    output = path.with_suffix(".out.pdf")
    return {
        "list": ["list", str(path)],
        "list --json": ["list", str(path), "--json"],
        "find": ["find", str(path), "--url", SITE + path_of(1)],
        "why": ["why", str(path), SITE + "/nowhere.html"],
        "check": ["check", str(path)],
        "text": ["text", str(path)],
        "search": ["search", str(path), "lighthouse"],
        "history": ["history", str(path)],
        "diff": ["diff", str(path), "--to", "1", "--from", "1"],
        "versions": ["versions", str(path), SITE + path_of(1)],
        "report": ["report", str(path), "--output", str(path.with_suffix(".html"))],
        "optimize": ["optimize", str(path), "--output", str(output)],
    }


def measured(arguments: list[str]) -> Usage:
    """Run a subcommand; return the resources that it used. Exit status 1 means that it has found nothing."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "scrapy", "webcapture", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    return Usage(round(time.perf_counter() - start, 2), round(usage.ru_maxrss * 1024 / MEGABYTE, 1))


def measure(path: Path, only: list[str]) -> dict[str, dict[str, float]]:
    """Return the resources that each subcommand used for a file."""
    chosen = {name: arguments for name, arguments in subcommands(path).items() if not only or name in only}
    usage = {name: measured(arguments) for name, arguments in chosen.items()}
    return {name: {"megabytes": used.megabytes, "seconds": used.seconds} for name, used in usage.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measures the memory that the subcommands take.")
    parser.add_argument("--pages", type=int, nargs="+", default=[1000, 20_000])
    parser.add_argument("--only", action="append", default=[], help="a subcommand to measure; may be repeated")
    parser.add_argument("--keep", type=Path, help="a folder for the files, which are not written if they exist")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        figures = {}
        for pages in options.pages:
            path = (options.keep or Path(name)) / f"{pages}.pdf"
            if not path.exists():
                write_file(path, pages)
            figures[pages] = {"megabytes": round(path.stat().st_size / MEGABYTE, 1), **measure(path, options.only)}
        print(json.dumps({"benchmark": "commands", "page_sets": figures}))


if __name__ == "__main__":
    main()
