"""The time and the memory that merging takes for each of many files.

    python -m benchmarks.merging --files 20 --pages 1000

Writes files of made-up pages without a crawl, each with a part of one site, and merges them. Prints one JSON object.
docs/benchmarks.md explains the figures.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.commands import MEGABYTE, START, write_file
from wcspider.archive.merge.merging import MergeOptions, merge


def write_parts(folder: Path, files: int, pages: int) -> list[Path]:
    """Write the parts of a site that do not exist yet; pages link to pages of the parts before and behind."""
    paths = [folder / f"part-{number}-of-{files}-{pages}.pdf" for number in range(files)]
    for number, path in enumerate(paths):
        if not path.exists():
            write_file(path, files * pages, range(number * pages, (number + 1) * pages))
    return paths


def measure(output: Path, parts: list[Path]) -> dict[str, Any]:
    """Merge parts into a new file; return the processor time for each part, and the peak of the memory so far."""
    output.unlink(missing_ok=True)
    rows: list[dict[str, float]] = []
    begun = time.process_time()

    def note(path: Path, done: int, total: int) -> None:
        nonlocal begun
        if done == total:
            milliseconds = (time.process_time() - begun) * 1000 / total
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE
            rows.append({"milliseconds_a_page_set": round(milliseconds, 2), "peak_megabytes": round(peak, 1)})
            begun = time.process_time()

    report = merge(output, parts, MergeOptions(lambda: START, progress=note))
    return {
        "page_sets": report.added,
        "links_now_jumps": report.jumps,
        "processor_seconds": round(time.process_time(), 1),
        "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE, 1),
        "inputs_megabytes": round(sum(path.stat().st_size for path in parts) / MEGABYTE, 1),
        "output_megabytes": round(report.size / MEGABYTE, 1),
        "files": rows,
    }


def in_new_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a function in a process of its own, so that the memory of one step does not count for the next."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measures the time and the memory that merging takes.")
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--pages", type=int, default=1000, help="the number of page sets in each file")
    parser.add_argument("--keep", type=Path, help="a folder for the files, which are not written if they exist")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        parts = in_new_process(write_parts, folder, options.files, options.pages)
        figures = in_new_process(measure, folder / "merged.pdf", parts)
        print(json.dumps({"benchmark": "merging", "page_sets_a_file": options.pages, **figures}))


if __name__ == "__main__":
    main()
