"""A benchmark of the refresh of an unchanged site compared with its capture: time, and growth of the file.

    python -m benchmarks.refresh --folder /usr/share/doc/python3.11/html --pages 500 --workers 2

It prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.crawls import ROOT, Cost, choose, crawl, served, timed

UNCHANGED = "  unchanged "
"""The beginning of the line of the summary with the number of unchanged pages."""


def refresh(pdf: Path, *, force: bool) -> tuple[Cost, str]:
    """Run a refresh from the command line; return its cost and its log."""
    command = [sys.executable, "-m", "scrapy", "crawl", "refresh"]
    command += ["-a", f"pdf={pdf}", "-a", f"force={str(force).lower()}"]
    with timed() as costs:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return costs[0], done.stderr


def unchanged(log: str) -> int:
    """Return the number of unchanged pages in the summary."""
    [line] = [line for line in log.splitlines() if UNCHANGED in line]
    return int(line.split()[-1])


def measure(folders: list[Path], pages: int, workers: int, rounds: int, largest: int) -> dict[str, object]:
    """Capture pages and refresh the file; each page is requested again with a conditional request."""
    root, paths = choose(folders, pages, largest)
    with tempfile.TemporaryDirectory() as folder, served(root, paths) as url:
        pdf = Path(folder) / "site.pdf"
        captured, log = crawl(url, pdf, 2, {"WEBCAPTURE_WORKERS": workers})
        if not pdf.exists():
            raise SystemExit(log)
        size = pdf.stat().st_size
        refreshes = [refresh(pdf, force=True) for _ in range(rounds)]
        added = (pdf.stat().st_size - size) / rounds
    walls, cpus = ([getattr(cost, name) for cost, _ in refreshes] for name in ("wall", "cpu"))
    return {
        "benchmark": "refresh",
        "pages": pages + 1,
        "unchanged": [unchanged(log) for _, log in refreshes],
        "workers": workers,
        "capture_seconds": round(captured.wall, 1),
        "refresh_seconds": [round(wall, 2) for wall in walls],
        "ratio": round(captured.wall / statistics.median(walls), 1),
        "capture_cpu_seconds": round(captured.cpu, 1),
        "refresh_cpu_seconds": [round(cpu, 2) for cpu in cpus],
        "cpu_ratio": round(captured.cpu / statistics.median(cpus), 1),
        "megabytes": round(size / 1e6, 2),
        "kilobytes_added": round(added / 1e3, 1),
        "percent_added": round(100 * added / size, 2),
    }


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures a refresh of an unchanged site against its capture.")
    parser.add_argument("--folder", type=Path, action="append", required=True, help="of HTML pages; may be repeated")
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3, help="how often the file is refreshed")
    parser.add_argument("--largest", type=int, default=0, help="leave out pages of more bytes; 0: none")
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.folder]
    print(json.dumps(measure(folders, options.pages, options.workers, options.rounds, options.largest)))


if __name__ == "__main__":
    main()
