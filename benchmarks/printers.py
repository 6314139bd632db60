"""A benchmark of a capture compared with programs that print the same pages: Chromium and wkhtmltopdf.

    python -m benchmarks.printers --folder /usr/share/doc/python3.11/html --folder /usr/share/doc/sqlite3 --pages 200

Each program runs in two processes that share the pages, and qpdf joins the printed files. The time of a capture
includes the start and the end of its process. The benchmark prints one JSON object; docs/benchmarks.md describes the
measurements.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import chromium
from benchmarks.crawls import Cost, choose, crawl, served, timed
from wcspider.engines.base import PageGeometry

PROCESSES = 2

Printer = Callable[[Sequence[str], Path], int]
"""A function that prints URLs to PDF files in a folder, and returns the number of printed pages."""


def by_chromium(urls: Sequence[str], folder: Path) -> int:
    """Print pages with two browsers, each of which runs until its last page is printed."""
    shares = [(urls[share::PROCESSES], folder, share) for share in range(PROCESSES)]
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        return sum(pool.starmap(_print_share, shares))


def _print_share(urls: Sequence[str], folder: Path, share: int) -> int:
    with chromium.running() as browser:
        for number, url in enumerate(urls):
            (pdf,) = browser.pdfs(url, PageGeometry())
            (folder / f"{number:05}-{share}.pdf").write_bytes(pdf)
    return len(urls)


def by_wkhtmltopdf(urls: Sequence[str], folder: Path) -> int:
    """Print each page in a process of wkhtmltopdf, two at once."""

    def pdf(numbered: tuple[int, str]) -> int:
        number, url = numbered
        command = ["wkhtmltopdf", "--quiet", "--disable-javascript", "--print-media-type", url]
        file = folder / f"{number:05}.pdf"
        subprocess.run([*command, str(file)], capture_output=True, check=False)
        return file.exists()

    with ThreadPoolExecutor(PROCESSES) as threads:
        return sum(threads.map(pdf, enumerate(urls)))


PRINTERS: dict[str, Printer] = {"chromium": by_chromium, "wkhtmltopdf": by_wkhtmltopdf}


def print_pages(printer: Printer, urls: Sequence[str]) -> tuple[Cost, int]:
    """Print pages and join the files; return the cost and the number of printed pages."""
    with tempfile.TemporaryDirectory() as name, timed() as costs:
        folder = Path(name)
        printed = printer(urls, folder)
        files = map(str, sorted(folder.glob("*.pdf")))
        subprocess.run(["qpdf", "--empty", "--pages", *files, "--", str(folder / "all.pdf")], check=False)
    return costs[0], printed


def capture(url: str, pages: int) -> Cost:
    """Capture the site with two workers; return the cost of the process."""
    with tempfile.TemporaryDirectory() as name:
        cost, log = crawl(url, Path(name) / "site.pdf", 2, {"WEBCAPTURE_WORKERS": PROCESSES})
    if f"'webcapture/page_sets': {pages + 1}" not in log:
        raise SystemExit(f"the capture did not make {pages + 1} page sets:\n{log}")
    return cost


def measure(folders: Sequence[Path], pages: int, rounds: int) -> dict[str, object]:
    """Measure the capture and each installed program in turn, `rounds` times, on the same pages."""
    root, paths = choose(folders, pages)
    programs = {name: printer for name, printer in PRINTERS.items() if shutil.which(name)}
    results: dict[str, list[float]] = {"capture": [], **{name: [] for name in programs}}
    processor: dict[str, list[float]] = {name: [] for name in results}
    printed = {"capture": pages}
    with served(root, paths) as url:
        urls = [f"{url.rstrip('/')}/{path}" for path in paths]
        for _ in range(rounds):
            costs = {"capture": capture(url, pages)}
            for name, printer in programs.items():
                costs[name], printed[name] = print_pages(printer, urls)
            for name, cost in costs.items():
                results[name].append(round(cost.wall, 2))
                processor[name].append(round(cost.cpu, 2))
    best = min(min(results[name]) for name in programs) if programs else None
    return {
        "benchmark": "printers",
        "pages": pages,
        "source_bytes": sum((root / path).stat().st_size for path in paths),
        "seconds": results,
        "cpu_seconds": processor,
        "printed": printed,
        "times_as_fast": best and round(best / min(results["capture"]), 2),
    }


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures a capture against programs that print the same pages.")
    parser.add_argument("--folder", type=Path, action="append", required=True, help="a folder of HTML pages")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print(json.dumps(measure(options.folder, options.pages, options.rounds)))


if __name__ == "__main__":
    main()
