"""How much longer a capture takes than its engine alone.

    python -m benchmarks.workers --folder /usr/share/doc/python3.11/html --pages 200 --workers 2

Prints one JSON object. docs/benchmarks.md says what is measured.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import pickle
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from wcspider import settings

ROOT = Path(__file__).parent.parent
SMALL_RUN = 100
LARGEST_IN_SMALL_RUN = 100_000
"""Up to so many bytes a page takes part in a run of less than `SMALL_RUN` pages: one giant would be most of it."""

ENTRANCE = "/"
"""The path of the page that links to the chosen ones."""


def choose(folder: Path, pages: int, largest: int) -> list[str]:
    """Return the paths of so many HTML pages, spread evenly over a folder."""
    files = [file for file in sorted(folder.rglob("*.html")) if not largest or file.stat().st_size <= largest]
    if len(files) < pages:
        raise SystemExit(f"{folder} has {len(files)} pages that can be taken, not {pages}")
    return [files[index * len(files) // pages].relative_to(folder).as_posix() for index in range(pages)]


class Handler(SimpleHTTPRequestHandler):
    """Answers with the files of a folder, and with a page that links to some of them."""

    protocol_version = "HTTP/1.1"
    entrance = b""

    def do_GET(self) -> None:
        if self.path != ENTRANCE:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.entrance)))
        self.end_headers()
        self.wfile.write(self.entrance)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path, paths: list[str]) -> Iterator[str]:
    """Serve the chosen pages of a folder, with all else in it; give the URL of the page that links to them."""
    links = "".join(f'<p><a href="/{path}">{path}</a>' for path in paths)
    handler = type("SiteHandler", (Handler,), {"entrance": f"<title>Pages</title>{links}".encode()})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}{ENTRANCE}"
        server.shutdown()


@dataclass(frozen=True)
class Cost:
    """What something took, in seconds: of the clock, and of the processors in the processes that it started."""

    wall: float
    cpu: float


@contextmanager
def timed() -> Iterator[list[Cost]]:
    """Measure what happens inside; the list has the cost at the end."""
    costs: list[Cost] = []
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    yield costs
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    costs.append(Cost(time.perf_counter() - wall, cpu))


def crawl(url: str, pdf: Path, workers: int, **changed: object) -> tuple[Cost, str]:
    """Run a capture as a user does; return what it took, and its log."""
    command = [sys.executable, "-m", "scrapy", "crawl", "capture"]
    command += ["-a", f"url={url}", "-a", "levels=2", "-a", f"pdf={pdf}"]
    for name, value in {"WEBCAPTURE_WORKERS": workers, **changed}.items():
        command += ["-s", f"{name}={value}"]
    with timed() as costs:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return costs[0], done.stderr


def record(url: str, folder: Path, workers: int) -> list[Path]:
    """Run a crawl that renders nothing, and return the files of what it would have rendered."""
    pipelines = dict(settings.ITEM_PIPELINES)
    place = pipelines.pop("wcspider.pipelines.render.RenderPipeline")
    pipelines["benchmarks.recording.RecordingPipeline"] = place
    _, log = crawl(
        url, folder / "none.pdf", workers, ITEM_PIPELINES=json.dumps(pipelines), BENCHMARK_FOLDER=str(folder)
    )
    tasks = sorted(folder.glob("*.task"))
    if not tasks:
        raise SystemExit(f"nothing was recorded:\n{log}")
    return tasks


def capture(url: str, folder: Path, workers: int, pages: int) -> Cost:
    """Capture the site; return what it took, from the start of the process to its end."""
    pdf = folder / "site.pdf"
    cost, log = crawl(url, pdf, workers)
    if f"'webcapture/page_sets': {pages}" not in log:
        raise SystemExit(f"the capture did not make {pages} page sets:\n{log}")
    pdf.unlink()
    return cost


def engine_alone(tasks: list[Path], workers: int) -> tuple[Cost, int]:
    """Let so many processes call the engine on the tasks; return what it took, and how often it was called.

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
    """Call the engine on one task, step by step until one succeeds; return how many there were."""
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
    """Measure both in turn, `rounds` times, on the same pages."""
    paths = choose(folder, pages, largest)
    with tempfile.TemporaryDirectory() as name, served(folder, paths) as url:
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
    }


def median_ratio(captures: list[float], engines: list[float]) -> float:
    """Return the median of the ratios of the rounds."""
    return round(statistics.median(whole / alone for whole, alone in zip(captures, engines, strict=True)), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures a capture against its engine alone.")
    parser.add_argument("--folder", type=Path, required=True, help="a folder of HTML pages")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1, help="how often both are measured; the ratio is the median")
    parser.add_argument("--largest", type=int, help="the largest page that takes part, in bytes; 0 for any")
    options = parser.parse_args()
    largest = options.largest
    if largest is None:
        largest = LARGEST_IN_SMALL_RUN if options.pages < SMALL_RUN else 0
    print(json.dumps(measure(options.folder, options.pages, options.workers, options.rounds, largest)))


if __name__ == "__main__":
    main()
