"""The memory and the time that merging takes for growing numbers of files.

    python -m benchmarks.merging --files 5 10 20 --pages 1000

Writes files of made-up pages without a crawl, each with a part of one site, and merges the first of them with
``scrapy webcapture merge`` as a user does. Prints one JSON object. docs/benchmarks.md explains the figures.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.commands import MEGABYTE, measured, write_file


def write_parts(folder: Path, files: int, pages: int) -> list[Path]:
    """Write the parts of a site that do not exist yet; pages link to pages of the parts before and behind."""
    paths = [folder / f"part-{number}-of-{files}-{pages}.pdf" for number in range(files)]
    for number, path in enumerate(paths):
        if not path.exists():
            write_file(path, files * pages, range(number * pages, (number + 1) * pages))
    return paths


def measure(output: Path, parts: list[Path], pages: int) -> dict[str, float]:
    """Return the resources that merging parts into a new file takes."""
    output.unlink(missing_ok=True)
    usage = measured(["merge", str(output), *map(str, parts)])
    return {
        "seconds": usage.seconds,
        "milliseconds_a_page_set": round(usage.seconds * 1000 / (len(parts) * pages), 2),
        "peak_megabytes": usage.megabytes,
        "inputs_megabytes": round(sum(path.stat().st_size for path in parts) / MEGABYTE, 1),
        "output_megabytes": round(output.stat().st_size / MEGABYTE, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measures the memory and the time that merging takes.")
    parser.add_argument("--files", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--pages", type=int, default=1000, help="the number of page sets in each file")
    parser.add_argument("--keep", type=Path, help="a folder for the files, which are not written if they exist")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or Path(name)
        parts = write_parts(folder, max(options.files), options.pages)
        output = folder / "merged.pdf"
        figures = {count: measure(output, parts[:count], options.pages) for count in options.files}
        print(json.dumps({"benchmark": "merging", "page_sets_a_file": options.pages, "files": figures}))


if __name__ == "__main__":
    main()
