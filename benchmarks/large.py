"""A benchmark of the cost per page in a large capture: time, memory, and bytes written.

    python -m benchmarks.large --pages 20000
    python -m benchmarks.large --pages 2000 --folder /usr/share/doc/sqlite3 --folder /usr/share/doc/git-doc

The first command captures a generated site without an engine, to measure everything else. The second command captures
real pages with the real engine. Both print one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from benchmarks.crawls import choose, crawl, rendering_by, served
from benchmarks.generated import generated
from benchmarks.progress import FILE, Sample, read_samples
from wcspider import settings

EARLY = 1000
"""The page around which the first measurement is made."""

WIDEST = 1000
STRETCHES = 20
MEGABYTE = 1_000_000
LEAST = 0.98
"""The share of real pages that has to be captured; a few of them cannot be."""


@dataclass(frozen=True)
class Site:
    """The site to capture: a number of pages of folders, or of generated pages without folders."""

    pages: int
    folders: Sequence[Path]
    skipped: int = 0
    """The number of pages that are skipped at the beginning."""

    @contextmanager
    def served(self) -> Iterator[tuple[str, int | str]]:
        """Serve the site; yield the first URL and the levels. Real pages are in mixed order."""
        if not self.folders:
            with generated(self.pages) as url:
                yield url, "all"
            return
        root, paths = choose(self.folders, self.pages)
        random.Random(self.pages).shuffle(paths)
        with served(root, paths[self.skipped :]) as url:
            yield url, 2

    def last(self, pages: int) -> Site:
        """Return a site of the last pages, or of as many generated pages."""
        return replace(self, skipped=self.pages - pages) if self.folders else self


def capture(site: Site, pages: int, pdf: Path, workers: int) -> list[Sample]:
    """Capture a site, or stop after a number of pages; return the samples."""
    changed: dict[str, object] = {
        "WEBCAPTURE_WORKERS": workers,
        "EXTENSIONS": json.dumps({**settings.EXTENSIONS, "benchmarks.progress.Progress": 900}),
        FILE: progress_of(pdf),
        "CLOSESPIDER_ITEMCOUNT": pages + settings.WEBCAPTURE_LOOKAHEAD if pages < site.pages - site.skipped else 0,
    }
    if not site.folders:
        changed["ITEM_PIPELINES"] = rendering_by("benchmarks.plain.PlainPipeline")
    with site.served() as (url, levels):
        _, log = crawl(url, pdf, levels, changed)
    samples = read_samples(progress_of(pdf))
    if not pdf.exists() or samples[-1].captured < pages * LEAST:
        raise SystemExit(f"the capture did not make {pages} pages:\n{log}")
    return samples


def progress_of(pdf: Path) -> Path:
    """Return the path of the samples of a capture."""
    return pdf.with_suffix(".progress")


def measure(site: Site, workers: int) -> dict[str, object]:
    """Capture a site, and at the same time as its last pages a small site, under the same load.

    Real pages differ: there the small site is of the last pages, so that the same ones are met early in the one file
    and late in the other.
    """
    width = min(WIDEST, site.pages // 5)
    first, last = EARLY - width // 2, EARLY + width // 2
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(1) as other:
        pdf = Path(name) / "site.pdf"
        large = other.submit(capture, site, site.pages, pdf, workers)
        wait_for(large, progress_of(pdf), site.pages - last - width // 2)
        small = capture(site.last(last), last, pdf.with_name("small.pdf"), workers)
        *crawled, end = large.result()
        size = pdf.stat().st_size
    if site.folders:
        early = between(small, first, last)
        late = between([*crawled, end], first + site.pages - last, site.pages)
    else:
        early = [entry for entry in small if first <= entry.captured <= last and entry.clock <= crawled[-1].clock]
        late = meanwhile(crawled, early[0].clock, early[-1].clock)
    peak = next(sample.peak for sample in crawled if sample.captured >= EARLY)
    return {
        "captured": end.captured,
        "pdf_pages": end.pdf_pages,
        "early_pages": [early[0].captured, early[-1].captured],
        "late_pages": [late[0].captured, late[-1].captured],
        "cpu_ms_a_page": compared(cpu_cost(early), cpu_cost(late)),
        "cpu_ms_a_pdf_page": compared(cpu_cost(early) / pdf_pages(early), cpu_cost(late) / pdf_pages(late)),
        "clock_ms_a_page": compared(clock_cost(early), clock_cost(late)),
        "peak_megabytes": compared(peak / MEGABYTE, end.peak / MEGABYTE),
        "megabytes": compared(size / MEGABYTE, end.written / MEGABYTE, "file", "written"),
        "curve": curve(crawled),
    }


def wait_for(large: Future[list[Sample]], progress: Path, captured: int) -> None:
    """Wait until a capture has reached a page, or has ended."""
    while not large.done() and not (progress.exists() and read_samples(progress)[-1].captured >= captured):
        time.sleep(1)


def between(samples: Sequence[Sample], first: int, last: int) -> list[Sample]:
    """Return the samples at the beginning and the end of a range of pages.

    Pages come in groups, for all that wait behind a slow one are captured at once: what is not written down is taken
    from the samples on both sides.
    """
    return [at(samples, captured) for captured in (first, last)]


def at(samples: Sequence[Sample], captured: int) -> Sample:
    """Return the sample at a number of pages."""
    before = next(sample for sample in reversed(samples) if sample.captured <= captured)
    after = next((sample for sample in samples if sample.captured > captured), before)
    part = (captured - before.captured) / max(after.captured - before.captured, 1)
    return replace(
        before,
        captured=captured,
        pdf_pages=before.pdf_pages + part * (after.pdf_pages - before.pdf_pages),
        cpu=before.cpu + part * (after.cpu - before.cpu),
        clock=before.clock + part * (after.clock - before.clock),
    )


def meanwhile(samples: Sequence[Sample], start: float, end: float) -> list[Sample]:
    """Return the samples from the last before a period to the first after it."""
    first = max(number for number, sample in enumerate(samples) if sample.clock <= start)
    last = min((number for number, sample in enumerate(samples) if sample.clock >= end), default=len(samples) - 1)
    return list(samples[first : max(last, first + 1) + 1])


def cpu_cost(run: Sequence[Sample]) -> float:
    """Return the processor time of the main process per page, in milliseconds."""
    first, last = run[0], run[-1]
    return (last.cpu - first.cpu) / (last.captured - first.captured) * 1000


def clock_cost(run: Sequence[Sample]) -> float:
    """Return the elapsed time per page, in milliseconds."""
    first, last = run[0], run[-1]
    return (last.clock - first.clock) / (last.captured - first.captured) * 1000


def pdf_pages(run: Sequence[Sample]) -> float:
    """Return the number of PDF pages per page of the site."""
    first, last = run[0], run[-1]
    return (last.pdf_pages - first.pdf_pages) / (last.captured - first.captured)


def compared(one: float, other: float, name: str = "early", other_name: str = "late") -> dict[str, float]:
    """Return two values and their ratio."""
    return {name: round(one, 2), other_name: round(other, 2), "ratio": round(other / one, 3)}


def curve(samples: Sequence[Sample]) -> list[dict[str, float]]:
    """Return the last page, the time per page and the final memory for each section of the capture."""
    bounds = [samples[(len(samples) - 1) * part // STRETCHES] for part in range(STRETCHES + 1)]
    return [
        {
            "captured": last.captured,
            "cpu_ms_a_page": round(cpu_cost([first, last]), 2),
            "megabytes": last.memory // MEGABYTE,
        }
        for first, last in pairwise(bounds)
        if last.captured > first.captured
    ]


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures the end of a large capture against its beginning.")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, action="append", default=[], help="real pages; may be repeated")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    site = Site(options.pages, [folder.resolve() for folder in options.folder])
    if site.pages < 2 * EARLY:
        parser.error(f"--pages is to be {2 * EARLY} at least")
    result = measure(site, options.workers)
    print(json.dumps({"benchmark": "large", "pages": site.pages, "workers": options.workers, **result}))


if __name__ == "__main__":
    main()
