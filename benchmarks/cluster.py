"""Benchmarks of layout on a Dask cluster, all on one machine.

    python -m benchmarks.cluster overhead --folder /usr/share/doc/python3.11/html --pages 100 --workers 2
    python -m benchmarks.cluster kills --folder /usr/share/doc/sqlite3 --pages 500 --kills 10
    python -m benchmarks.cluster sleepers --workers 1000

Each prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import pickle
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil

from benchmarks.crawls import Cost, choose, crawl, served
from benchmarks.dask_programs import SCHEDULER, WORKER, launch
from benchmarks.workers import median_ratio, record
from wcspider import settings
from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.archive.pages.loading import warm_up
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.cluster.cluster_pool import ClusterPool
from wcspider.engines.cluster.cluster_settings import STOP, ClusterSettings
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.pool_interface import Pool
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import WebCaptureError

LOOPBACK = "127.0.0.1"
FIXED_TIME = "2026-03-01T12:00:00Z"
SLEEPERS = "benchmarks.sleepers"
SLEEPERS_IN_A_PROCESS = 125
"""How many simulated workers share a process."""

IDLE_SECONDS = 10.0
"""For how long the cluster is measured without a page."""

BODY_BYTES, SHEET_BYTES = 30_000, 60_000
"""The size of a simulated page and of the style sheet that all of them share."""


@contextmanager
def dask(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler; yield its address and the list of processes that are ended with it."""
    file = folder / "scheduler.json"
    with (folder / "dask.log").open("ab") as log:
        scheduler = launch(SCHEDULER, ["--host", LOOPBACK, "--port", "0", "--no-dashboard", "--scheduler-file",
                                       str(file)], log)  # fmt: skip
        processes = [scheduler]
        try:
            address = ""
            while not address and scheduler.poll() is None:
                with suppress(FileNotFoundError, ValueError):
                    address = json.loads(file.read_text())["address"]
                time.sleep(0.05)
            yield address, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def join(address: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start a worker with one process."""
    with (folder / "dask.log").open("ab") as log:
        arguments = [address, "--host", LOOPBACK, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        return launch(WORKER, [*arguments, "--memory-limit", "0", "--local-directory", str(folder)], log)


def cluster_pool(address: str) -> ClusterPool:
    """Return the pool of a cluster as a crawl makes it, except that the loss of the cluster is an error."""
    limits = WorkerLimits(settings.WEBCAPTURE_RENDER_TIMEOUT, settings.WEBCAPTURE_RENDER_MEMORY << 20)
    load = partial(warm_up, settings.WEBCAPTURE_ENGINE)
    spare = partial(WorkerPool, 1, limits, load)
    return ClusterPool(ClusterSettings(address, on_loss=STOP, wait=300.0), limits, load, spare, system_fonts=True)


def local_pool(workers: int) -> WorkerPool:
    """Return the pool of this machine as a crawl makes it."""
    limits = WorkerLimits(settings.WEBCAPTURE_RENDER_TIMEOUT, settings.WEBCAPTURE_RENDER_MEMORY << 20)
    return WorkerPool(workers, limits, partial(warm_up, settings.WEBCAPTURE_ENGINE))


async def cost_of(pool: Pool, conversions: Sequence[Conversion], workers: int) -> Cost:
    """Return the cost of conversions by a pool: the time without the start of its workers, the processors with it."""

    async def call(conversion: Conversion) -> None:
        with suppress(WebCaptureError):
            await pool.run(convert, conversion)

    before = _cpu_of_all()
    try:
        # So that each worker starts. The first one to join gets a call more than it has processes.
        await asyncio.gather(*(pool.run(time.sleep, 2.0) for _ in range(2 * workers)))
        began = time.perf_counter()
        await asyncio.gather(*map(call, conversions))
        wall = time.perf_counter() - began
    finally:
        await pool.close()
    return Cost(wall, _cpu_of_all() - before)


def _cpu_of_all() -> float:
    """Return the processor time of this process and of all processes below it, also of those that have ended."""
    here = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in [here, *here.children(recursive=True)])


def overhead(folders: Sequence[Path], pages: int, workers: int, rounds: int, largest: int) -> dict[str, object]:
    """Compare a cluster with a local pool of the same size, on the same conversions in turn."""
    root, paths = choose(folders, pages, largest)
    with tempfile.TemporaryDirectory() as name, served(root, paths) as url:
        scratch = Path(name)
        tasks = [pickle.loads(path.read_bytes())[0] for path in record(url, scratch, workers)]
        conversions = [Conversion(task, "plutobook") for task in tasks]
        local: list[Cost] = []
        cluster: list[Cost] = []
        sent = ""
        with dask(scratch) as (address, processes):
            processes += [join(address, scratch) for _ in range(workers)]
            for _ in range(rounds):
                local.append(asyncio.run(cost_of(local_pool(workers), conversions, workers)))
                pool = cluster_pool(address)
                cluster.append(asyncio.run(cost_of(pool, conversions, workers)))
                sent = pool.summary()[0]
    return {
        "benchmark": "cluster overhead",
        "pages": len(tasks),
        "workers": workers,
        "local_seconds": [round(cost.wall, 2) for cost in local],
        "cluster_seconds": [round(cost.wall, 2) for cost in cluster],
        "local_cpu_seconds": [round(cost.cpu, 2) for cost in local],
        "cluster_cpu_seconds": [round(cost.cpu, 2) for cost in cluster],
        "ratio": median_ratio([cost.wall for cost in cluster], [cost.wall for cost in local]),
        "cpu_ratio": median_ratio([cost.cpu for cost in cluster], [cost.cpu for cost in local]),
        "resource_bytes": sum(len(asset.body) for task in tasks for asset in task.assets.values()),
        "source_bytes": sum(len(task.body) for task in tasks),
        "summary": sent,
    }


def kills(folders: Sequence[Path], pages: int, count: int, largest: int) -> dict[str, object]:
    """Capture with a cluster whose workers are killed and replaced; compare the file with that of a local capture."""
    root, paths = choose(folders, pages, largest)
    with tempfile.TemporaryDirectory() as name, served(root, paths) as url:
        scratch = Path(name)
        fixed = {"WEBCAPTURE_FIXED_TIME": FIXED_TIME, "WEBCAPTURE_WORKERS": 2}
        local, _ = crawl(url, scratch / "local.pdf", 2, fixed)
        with dask(scratch) as (address, processes), ThreadPoolExecutor() as executor:
            given = {**fixed, "WEBCAPTURE_CLUSTER": address, "WEBCAPTURE_CLUSTER_LOST": STOP}
            crawling = executor.submit(crawl, url, scratch / "cluster.pdf", 2, given)
            killed = kill_workers(crawling, address, scratch, processes, count, 0.6 * local.wall / count)
            cluster, log = crawling.result()
        digests = {hashlib.sha256((scratch / name).read_bytes()).hexdigest() for name in ("local.pdf", "cluster.pdf")}
    return {
        "benchmark": "cluster kills",
        "pages": len(paths) + 1,
        "kills": killed,
        "identical": len(digests) == 1,
        "local_seconds": round(local.wall, 1),
        "cluster_seconds": round(cluster.wall, 1),
        "summary": [line.partition("INFO: ")[2] for line in log.splitlines() if "refused; " in line],
    }


def kill_workers(
    crawling: Future[tuple[Cost, str]],
    address: str,
    folder: Path,
    processes: list[subprocess.Popen[bytes]],
    count: int,
    interval: float,
) -> int:
    """Run two workers until a crawl is over, and replace one by another now and then. Return the number of kills."""
    chance = random.Random(1)
    workers = [join(address, folder) for _ in range(2)]
    processes += workers
    killed = 0
    while not crawling.done():
        time.sleep(chance.uniform(0.5, 1.5) * interval)
        if killed < count and psutil.Process(workers[0].pid).children():  # it lays out pages
            workers[0].kill()
            killed += 1
            workers = [workers[1], join(address, folder)]
            processes.append(workers[1])
    return killed


async def sleepers(count: int, seconds: float, pages: int) -> dict[str, object]:
    """Feed simulated workers, which need `seconds` for a page, and measure what one coordinator achieves."""
    with tempfile.TemporaryDirectory() as name, dask(Path(name)) as (address, processes):
        folder = Path(name)
        with (folder / "dask.log").open("ab") as log:
            for first in range(0, count, SLEEPERS_IN_A_PROCESS):
                arguments = [address, str(min(SLEEPERS_IN_A_PROCESS, count - first)), str(seconds), str(folder)]
                processes.append(launch(SLEEPERS, arguments, log))
        pool = cluster_pool(address)
        sheet = os.urandom(SHEET_BYTES)
        first_page = asyncio.ensure_future(pool.run(convert, _page(0, sheet)))
        while not pool.phrases()[0].startswith(f"{count} cluster worker"):
            await asyncio.sleep(0.5)
        await first_page
        here, scheduler = psutil.Process(), psutil.Process(processes[0].pid)
        simulated = [psutil.Process(process.pid) for process in processes[1:]]
        idle = [_cpu(process) for process in (here, scheduler)]
        await asyncio.sleep(IDLE_SECONDS)
        before = [_cpu(process) for process in (here, scheduler, *simulated)]
        began = time.perf_counter()
        await _feed(pool, 3 * count, pages, sheet)
        elapsed = time.perf_counter() - began
        used = [_cpu(process) - start for process, start in zip((here, scheduler, *simulated), before, strict=True)]
        memory = scheduler.memory_info().rss
        summary = pool.summary()
        await pool.stop()
    return {
        "benchmark": "cluster sleepers",
        "workers": count,
        "page_seconds": seconds,
        "pages": pages,
        "seconds": round(elapsed, 1),
        "pages_per_second": round(pages / elapsed, 2),
        "share_of_ideal": round(pages / elapsed / (count / seconds), 3),
        "coordinator_cpu_milliseconds_per_page": round(1000 * used[0] / pages, 2),
        "scheduler_cpu_milliseconds_per_page": round(1000 * used[1] / pages, 2),
        "simulated_cpu_milliseconds_per_page": round(1000 * sum(used[2:]) / pages, 2),
        "coordinator_idle_share_of_a_core": round((before[0] - idle[0]) / IDLE_SECONDS, 3),
        "scheduler_idle_share_of_a_core": round((before[1] - idle[1]) / IDLE_SECONDS, 3),
        "coordinator_megabytes": here.memory_info().rss >> 20,
        "scheduler_megabytes": memory >> 20,
        "summary": summary,
    }


async def _feed(pool: ClusterPool, at_once: int, pages: int, sheet: bytes) -> None:
    """Have pages converted, `at_once` of them at a time."""
    places = asyncio.Semaphore(at_once)

    async def call(number: int) -> None:
        async with places:
            await pool.run(convert, _page(number, sheet))

    await asyncio.gather(*map(call, range(pages)))


def _page(number: int, sheet: bytes) -> Conversion:
    """Return a page of its own with the style sheet of all pages."""
    body = (b"<p>%d " % number) * (BODY_BYTES // 8)
    assets = {"http://a.example/style.css": Asset(sheet, "text/css")}
    return Conversion(RenderTask("http://a.example/", body, assets=assets), "plutobook")


def _cpu(process: psutil.Process) -> float:
    """Return the processor time of a process in seconds."""
    times = process.cpu_times()
    return float(times.user + times.system)


def main() -> None:
    """Run a benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures layout on a Dask cluster.")
    parser.add_argument("benchmark", choices=("overhead", "kills", "sleepers"))
    parser.add_argument("--folder", type=Path, action="append", default=[], help="HTML pages; may be repeated")
    parser.add_argument("--pages", type=int, help="default: 100, and three for each simulated worker")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="number of measurements; the ratio is their median")
    parser.add_argument("--largest", type=int, default=100_000, help="size of the largest page to use, in bytes")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=30.0, help="for how long a simulated worker sleeps")
    given = parser.parse_args()
    if given.benchmark == "overhead":
        result = overhead(given.folder, given.pages or 100, given.workers, given.rounds, given.largest)
    elif given.benchmark == "kills":
        result = kills(given.folder, given.pages or 100, given.kills, given.largest)
    else:
        result = asyncio.run(sleepers(given.workers, given.seconds, given.pages or 3 * given.workers))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
