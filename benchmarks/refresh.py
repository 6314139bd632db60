"""A benchmark of the refresh of an unchanged site: time and growth of the file.

It is compared with the capture of the site, and with a bare Scrapy spider that sends the same conditional requests.

    python -m benchmarks.refresh --folder /usr/share/doc/python3.11/html --pages 500 --workers 2

It prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urljoin

from benchmarks.crawls import ROOT, Cost, Handler, choose, crawl, page_options, rendering_by, served, timed

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


def repeat(url: str, folder: Path, requests: list[tuple[str, str | None]]) -> Cost:
    """Send the requests of a refresh with a bare Scrapy spider; return its cost."""
    file = folder / "requests.json"
    file.write_text(json.dumps([(urljoin(url, path), since) for path, since in requests]), encoding="utf-8")
    command = [sys.executable, "-m", "scrapy", "runspider", str(ROOT / "benchmarks/conditional.py")]
    with timed() as costs:
        done = subprocess.run(
            [*command, "-a", f"requests={file}"], cwd=folder, capture_output=True, text=True, check=False
        )
    if f"'downloader/response_count': {len(requests)}" not in done.stderr:
        raise SystemExit(f"the bare spider did not get {len(requests)} answers:\n{done.stderr}")
    return costs[0]


def unchanged(log: str) -> int:
    """Return the number of unchanged pages in the summary."""
    [line] = [line for line in log.splitlines() if UNCHANGED in line]
    return int(line.split()[-1])


def measure(
    folders: list[Path], pages: int, workers: int, rounds: int, largest: int, changed: dict[str, str]
) -> dict[str, object]:
    """Capture pages and refresh the file; each page is requested again with a conditional request."""
    root, paths = choose(folders, pages, largest)
    with tempfile.TemporaryDirectory() as folder, served(root, paths) as url:
        pdf = Path(folder) / "site.pdf"
        captured, log = crawl(url, pdf, 2, {"WEBCAPTURE_WORKERS": workers, **changed})
        if not pdf.exists():
            raise SystemExit(log)
        size = pdf.stat().st_size
        refreshes, bare = [], []
        for _ in range(rounds):
            Handler.asked.clear()
            refreshes.append(refresh(pdf, force=True))
            requests = list(Handler.asked)
            bare.append(repeat(url, Path(folder), requests))
        added = (pdf.stat().st_size - size) / rounds
    paired = list(zip(refreshes, bare, strict=True))
    walls, cpus = ([getattr(cost, name) for cost, _ in refreshes] for name in ("wall", "cpu"))
    return {
        "benchmark": "refresh",
        "pages": pages + 1,
        "unchanged": [unchanged(log) for _, log in refreshes],
        "workers": workers,
        "capture_seconds": round(captured.wall, 1),
        "refresh_seconds": [round(wall, 2) for wall in walls],
        "requests": len(requests),
        "bare_seconds": [round(cost.wall, 2) for cost in bare],
        "bare_cpu_seconds": [round(cost.cpu, 2) for cost in bare],
        "bare_ratio": round(statistics.median(cost.wall / own.wall for (cost, _), own in paired), 2),
        "bare_cpu_ratio": round(statistics.median(cost.cpu / own.cpu for (cost, _), own in paired), 2),
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
    parser = page_options(
        "Measures a refresh of an unchanged site against its capture.", 500, "how often the file is refreshed"
    )
    parser.add_argument("--plain", action="store_true", help="capture without an engine, which a refresh does not need")
    options = parser.parse_args()
    changed = {"ITEM_PIPELINES": rendering_by("benchmarks.plain.PlainPipeline")} if options.plain else {}
    folders = [folder.resolve() for folder in options.folder]
    found = measure(folders, options.pages, options.workers, options.rounds, options.largest, changed)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
