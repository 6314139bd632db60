"""A benchmark of `find` in a large file compared with a small file.

    python -m benchmarks.find --pages 1000 20000

It captures two generated sites, searches both files in turn, and prints one JSON object. docs/benchmarks.md describes
the measurements.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.crawls import ROOT, Cost, timed
from benchmarks.large import Site, capture
from wcspider.archive.database.database import ContentDatabase
from wcspider.pdf.webcapture.content_sets import PageSet

Question = tuple[str, str]
"""An option of `find`, and its value."""


def questions(path: Path, rounds: int) -> tuple[int, list[list[Question]]]:
    """Return the number of page sets in a file, and for each round the URL and the identifier of one of them."""
    database = ContentDatabase.open(path, lambda: datetime.now(UTC))
    found = [stored.content for stored in database.content_sets() if isinstance(stored.content, PageSet)]
    chosen = random.Random(len(found)).sample(found, rounds)
    database.close()
    return len(found), [[("--url", held.sources[0].url), ("--md5", held.identifier.hex())] for held in chosen]


def find(path: Path, question: Question) -> Cost:
    """Run `find` from the command line, and return the elapsed time."""
    with timed() as costs:
        command = [sys.executable, "-m", "scrapy", "webcapture", "find", str(path), *question]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return costs[0]


def measure(small: Path, large: Path, rounds: int) -> dict[str, object]:
    """Search both files in turn."""
    asked = {path: questions(path, rounds) for path in (small, large)}
    costs: dict[tuple[Path, str], list[Cost]] = {(path, way): [] for path in asked for way in ("--url", "--md5")}
    for number in range(rounds):
        for path, (_, rows) in asked.items():
            for question in rows[number]:
                costs[path, question[0]].append(find(path, question))

    def compared(way: str, figure: Callable[[Cost], float]) -> dict[str, float]:
        one, other = (statistics.median(map(figure, costs[path, way])) for path in (small, large))
        return {"small": round(one, 3), "large": round(other, 3), "ratio": round(other / one, 3)}

    return {
        "benchmark": "find",
        "page_sets": [count for count, _ in asked.values()],
        "megabytes": [round(path.stat().st_size / 1e6, 1) for path in asked],
        "rounds": rounds,
        "url_seconds": compared("--url", lambda cost: cost.wall),
        "url_cpu_seconds": compared("--url", lambda cost: cost.cpu),
        "md5_seconds": compared("--md5", lambda cost: cost.wall),
        "md5_cpu_seconds": compared("--md5", lambda cost: cost.cpu),
    }


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures `find` in a large file against a small one.")
    parser.add_argument("--pages", type=int, nargs=2, default=[1000, 20_000], metavar=("SMALL", "LARGE"))
    parser.add_argument("--rounds", type=int, default=9, help="how often each is asked; the figures are the medians")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        small, large = (Path(name) / f"{pages}.pdf" for pages in options.pages)
        for pages, path in zip(options.pages, (small, large), strict=True):
            capture(Site(pages, ()), pages, path, workers=2)
        print(json.dumps(measure(small, large, options.rounds)))


if __name__ == "__main__":
    main()
