"""A benchmark of a capture compared with its engine alone.

    python -m benchmarks.workers --folder /usr/share/doc/python3.11/html --pages 200 --workers 2

It prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import pickle
import resource
import signal
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.crawls import Cost, choose, crawl, rendering_by, served, timed
from wcspider import settings
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.process import WorkerLimits

SMALL_RUN = 100
CALLS, IN_FLIGHT, CALL_BYTES = 2_000, 20, 50_000
"""How the pool is measured on its own: calls, how many at once, and the bytes that each sends and receives."""

LARGEST_IN_SMALL_RUN = 100_000
"""The size of the largest page, in bytes, in a run of fewer than `SMALL_RUN` pages, where one giant would dominate."""


def record(url: str, folder: Path, workers: int) -> list[Path]:
    """Run a crawl that renders nothing, and return the files with the recorded tasks."""
    changed = {
        "WEBCAPTURE_WORKERS": workers,
        "ITEM_PIPELINES": rendering_by("benchmarks.recording.RecordingPipeline"),
        "BENCHMARK_FOLDER": folder,
    }
    _, log = crawl(url, folder / "none.pdf", 2, changed)
    tasks = sorted(folder.glob("*.task"))
    if not tasks:
        raise SystemExit(f"nothing was recorded:\n{log}")
    return tasks


def capture(url: str, folder: Path, workers: int, pages: int) -> Cost:
    """Capture the site, and return the elapsed time of the process."""
    pdf = folder / "site.pdf"
    cost, log = crawl(url, pdf, 2, {"WEBCAPTURE_WORKERS": workers})
    if f"'webcapture/page_sets': {pages}" not in log:
        raise SystemExit(f"the capture did not make {pages} page sets:\n{log}")
    pdf.unlink()
    return cost


def engine_alone(tasks: list[Path], workers: int) -> tuple[Cost, int]:
    """Run the engine on the tasks in `workers` processes; return the elapsed time and the number of calls.

    That includes the start of the processes. Each takes the next task when it is done with one, with the limits
    that a capture has, and what it makes is let go.
    """
    with timed() as costs:
        pool = multiprocessing.get_context("spawn").Pool(workers, limit, (settings.WEBCAPTURE_RENDER_MEMORY,))
        calls = sum(pool.imap_unordered(call, tasks, chunksize=1))
        pool.close()
        pool.join()
    return costs[0], calls


def limit(megabytes: int) -> None:
    """Limit the memory of a process."""
    resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1024 * 1024, megabytes * 1024 * 1024))


def call(path: Path) -> int:
    """Call the engine on one task, step by step until one succeeds; return the number of calls."""
    from wcspider.engines.registry import render

    task, steps = pickle.loads(path.read_bytes())
    for number, step in enumerate(steps, 1):
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, settings.WEBCAPTURE_RENDER_TIMEOUT)
        try:
            render(settings.WEBCAPTURE_ENGINE, replace(task, step=step))
        except Exception:  # whatever an engine raises, the next step is taken, as in a capture
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return number
    return len(steps)


def _stop(*_: object) -> None:
    raise TimeoutError


def measure(folder: Path, pages: int, workers: int, rounds: int, largest: int) -> dict[str, object]:
    """Measure the capture and the engine in turn, `rounds` times, on the same pages."""
    root, paths = choose([folder], pages, largest)
    with tempfile.TemporaryDirectory() as name, served(root, paths) as url:
        scratch = Path(name)
        tasks = record(url, scratch, workers)
        captures: list[Cost] = []
        engines: list[Cost] = []
        calls = 0
        for _ in range(rounds):
            cost, calls = engine_alone(tasks, workers)
            engines.append(cost)
            captures.append(capture(url, scratch, workers, len(tasks)))
    return {
        "benchmark": "workers",
        "pages": len(tasks),
        "source_bytes": sum((folder / path).stat().st_size for path in paths),
        "workers": workers,
        "engine_calls": calls,
        "capture_seconds": [round(cost.wall, 2) for cost in captures],
        "engine_seconds": [round(cost.wall, 2) for cost in engines],
        "capture_cpu_seconds": [round(cost.cpu, 2) for cost in captures],
        "engine_cpu_seconds": [round(cost.cpu, 2) for cost in engines],
        "ratio": median_ratio([cost.wall for cost in captures], [cost.wall for cost in engines]),
        "cpu_ratio": median_ratio([cost.cpu for cost in captures], [cost.cpu for cost in engines]),
        "pool_milliseconds_per_call": pool_milliseconds(workers),
    }


def pool_milliseconds(workers: int) -> float:
    """Return what the pool adds to a call: the time for each of many calls that only copy `CALL_BYTES`."""

    async def run() -> float:
        pool = WorkerPool(workers, WorkerLimits(settings.WEBCAPTURE_RENDER_TIMEOUT))
        body = bytes(CALL_BYTES)
        await asyncio.gather(*(pool.run(bytes, body) for _ in range(workers)))
        began = time.perf_counter()
        for _ in range(CALLS // IN_FLIGHT):
            await asyncio.gather(*(pool.run(bytes, body) for _ in range(IN_FLIGHT)))
        seconds = time.perf_counter() - began
        await pool.close()
        return seconds

    return round(1000 * asyncio.run(run()) / CALLS, 3)


def median_ratio(captures: list[float], engines: list[float]) -> float:
    """Return the median of the ratios of the rounds."""
    return round(statistics.median(whole / alone for whole, alone in zip(captures, engines, strict=True)), 3)


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures a capture against its engine alone.")
    parser.add_argument("--folder", type=Path, required=True, help="a folder of HTML pages")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="number of measurements; the ratio is their median")
    parser.add_argument("--largest", type=int, help="size of the largest page to use, in bytes; 0 means no limit")
    options = parser.parse_args()
    largest = options.largest
    if largest is None:
        largest = LARGEST_IN_SMALL_RUN if options.pages < SMALL_RUN else 0
    print(json.dumps(measure(options.folder, options.pages, options.workers, options.rounds, largest)))


if __name__ == "__main__":
    main()
