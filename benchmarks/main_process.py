"""A benchmark of the main process of a capture: its processor time for each page, without the worker processes.

    python -m benchmarks.main_process --folder /usr/share/doc/python3.11/html --pages 200

It prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import atexit
import json
import resource
import statistics
import tempfile
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler

from benchmarks.crawls import choose, crawl, page_options, served
from wcspider import settings

EXTENSION = "benchmarks.main_process.ProcessorTime"
"""The path of the extension, for the setting EXTENSIONS."""


def processor_seconds() -> float:
    """Return the processor time of this process, without its children."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class ProcessorTime:
    """An extension of Scrapy that writes the processor time of the main process to a file at the end of the process."""

    def __init__(self, crawler: Crawler) -> None:
        """Note the time when the spider opens, and when the process ends."""
        self._file = Path(crawler.settings["BENCHMARK_FILE"])
        crawler.signals.connect(self._opened, signals.spider_opened)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProcessorTime:
        """Return the extension of a crawl."""
        return cls(crawler)

    def _opened(self) -> None:
        atexit.register(self._ended, processor_seconds())

    def _ended(self, opened: float) -> None:
        self._file.write_text(json.dumps({"start": opened, "total": processor_seconds()}), encoding="utf-8")


def capture(url: str, folder: Path, workers: int, pages: int) -> dict[str, float]:
    """Capture the pages; return the processor time of the main process at its start and in total."""
    pdf, file = folder / "site.pdf", folder / "times.json"
    changed: dict[str, Any] = {
        "WEBCAPTURE_WORKERS": workers,
        "EXTENSIONS": json.dumps({**settings.EXTENSIONS, EXTENSION: 0}),
        "BENCHMARK_FILE": file,
    }
    cost, log = crawl(url, pdf, 2, changed)
    if f"'webcapture/page_sets': {pages}" not in log:
        raise SystemExit(f"the capture did not make {pages} page sets:\n{log}")
    pdf.unlink()
    times: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))
    return {**times, "whole": cost.cpu}


def measure(folders: list[Path], pages: int, workers: int, rounds: int, largest: int) -> dict[str, object]:
    """Capture the same pages some times."""
    root, paths = choose(folders, pages, largest)
    with tempfile.TemporaryDirectory() as name, served(root, paths) as url:
        runs = [capture(url, Path(name), workers, pages + 1) for _ in range(rounds)]
    mains = [1000 * (run["total"] - run["start"]) / (pages + 1) for run in runs]
    return {
        "benchmark": "main_process",
        "pages": pages + 1,
        "source_bytes": sum((root / path).stat().st_size for path in paths),
        "workers": workers,
        "start_seconds": [round(run["start"], 2) for run in runs],
        "main_seconds": [round(run["total"], 2) for run in runs],
        "capture_cpu_seconds": [round(run["whole"], 2) for run in runs],
        "milliseconds_per_page": [round(figure, 2) for figure in mains],
        "median": round(statistics.median(mains), 2),
    }


def main() -> None:
    """Run the benchmark and print the result."""
    parser = page_options(
        "Measures the processor time of the main process of a capture.", 200, "how often the pages are captured"
    )
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.folder]
    print(json.dumps(measure(folders, options.pages, options.workers, options.rounds, options.largest)))


if __name__ == "__main__":
    main()
