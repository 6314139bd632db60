"""How well engines keep the layout of a browser: what stands side by side, and words that are missing.

    python -m benchmarks.fidelity /usr/share/doc/sqlite3 --pages 20 --engines xhtml2pdf plutobook

Prints a table. docs/benchmarks.md says what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import io
import pickle
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pikepdf

from benchmarks import chromium
from benchmarks.crawls import choose, served
from benchmarks.recall import words
from benchmarks.workers import record
from wcspider.engines.base import RenderTask
from wcspider.engines.pool import WorkerPool
from wcspider.engines.registry import ENGINES, render
from wcspider.engines.workers.process import WorkerLimits

GAP = 1.0
"""How wide the gap between words of different columns is at least, as a share of the height of their line."""

ON_LINE = 0.5
"""By which share of their height two words overlap if they stand on one line."""

WITHOUT_CODE = "pre, pre * { visibility: hidden !important; color: transparent !important }"
"""What hides preformatted text, where spaces make the gaps."""

LIMITS = WorkerLimits(seconds=60, memory=2 << 30)
"""Limits for the layout of one page."""

_WORD = re.compile(r'<word xMin="([^"]+)" yMin="([^"]+)" xMax="([^"]+)" yMax="([^"]+)">(.*?)</word>')


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a page, with its box in points from the upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """The height of the box."""
        return self.bottom - self.top


Page = list[Word]
Pair = tuple[str, str]


def pages_of(pdf: bytes) -> list[Page]:
    """Return the words of each page of a PDF file, as pdftotext finds them; it refuses a file without pages."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        if not document.pages:
            return []
    done = subprocess.run(["pdftotext", "-bbox", "-", "-"], input=pdf, capture_output=True, check=True)
    pages = done.stdout.decode("utf-8", "replace").split("<page ")[1:]
    return [[_word(match) for match in _WORD.finditer(page)] for page in pages]


def _word(match: re.Match[str]) -> Word:
    left, top, right, bottom = (float(match[number]) for number in range(1, 5))
    return Word("".join(words(html.unescape(match[5]))), left, top, right, bottom)


def lines_of(page: Page) -> Iterator[list[Word]]:
    """Yield the words of a page line by line, from left to right."""
    line: list[Word] = []
    for word in sorted((word for word in page if word.text), key=lambda word: (word.top + word.bottom) / 2):
        if line and _overlap(line[0], word) < ON_LINE:
            yield sorted(line, key=lambda word: word.left)
            line = []
        line.append(word)
    if line:
        yield sorted(line, key=lambda word: word.left)


def _overlap(one: Word, other: Word) -> float:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared / max(min(one.height, other.height), 0.1)


def side_by_side(pages: Sequence[Page]) -> Counter[Pair]:
    """Return the neighbours on a line that have a gap between them, as columns have."""
    return Counter(
        (one.text, other.text)
        for page in pages
        for line in lines_of(page)
        for one, other in pairwise(line)
        if other.left - one.right > GAP * max(one.height, other.height)
    )


def kept(wanted: Counter[Pair], pages: Sequence[Page]) -> int:
    """Return how many of the pairs stand on a line, one at the left of the other."""
    left = {one for one, _ in wanted}
    found: Counter[Pair] = Counter()
    for line in (line for page in pages for line in lines_of(page)):
        seen: list[str] = []
        for word in line:
            found.update((one, word.text) for one in seen if (one, word.text) in wanted)
            if word.text in left:
                seen.append(word.text)
    return (wanted & found).total()


@dataclass
class Score:
    """What was counted on pages."""

    pages: int = 0
    failed: int = 0
    pairs: int = 0
    kept: int = 0
    words: int = 0
    missing: int = 0
    worst: list[tuple[float, int, str]] = field(default_factory=list)
    """The share of pairs kept on each page, with the number of pairs and the URL."""

    def add(self, other: Score) -> None:
        """Add the counts of other pages."""
        self.pages += other.pages
        self.failed += other.failed
        self.pairs += other.pairs
        self.kept += other.kept
        self.words += other.words
        self.missing += other.missing
        self.worst += other.worst

    def row(self) -> str:
        """Return the cells of a table."""
        share = f"{self.kept / self.pairs:.3f}" if self.pairs else "-"
        lost = f"{100 * self.missing / self.words:.2f} %" if self.words else "-"
        return f"{self.pages:6} {self.failed:6} {self.pairs:8} {share:>8} {self.words:9} {lost:>9}"


HEAD = f"{'folder':28} {'engine':10} {'pages':>6} {'failed':>6} {'pairs':>8} {'kept':>8} {'words':>9} {'missing':>9}"


def compared(url: str, browser: Sequence[bytes], engine: bytes) -> Score:
    """Compare a page of an engine with that of the browser: the whole page, and the page without code."""
    wanted_pages, without_code, found_pages = *map(pages_of, browser), pages_of(engine)
    wanted = side_by_side(without_code)
    count = kept(wanted, found_pages)
    all_words, found = (
        Counter(w.text for page in pages for w in page if w.text) for pages in (wanted_pages, found_pages)
    )
    score = Score(1, 0, wanted.total(), count, all_words.total(), (all_words - found).total())
    score.worst = [(count / score.pairs, score.pairs, url)] if score.pairs else []
    return score


def measure(
    folder: Path, pages: int | None, engines: Sequence[str], program: str, keep: Path | None
) -> dict[str, Score]:
    """Print the pages of a folder with the browser and with engines, and compare them."""
    root, paths = choose([folder], pages)
    scores = {name: Score() for name in engines}
    with tempfile.TemporaryDirectory() as scratch, served(root, paths) as url, chromium.running(program) as browser:
        tasks = [pickle.loads(file.read_bytes())[0] for file in record(url, Path(scratch), 1)]
        pool = WorkerPool(1, LIMITS)
        with asyncio.Runner() as runner:

            def lay_out(name: str, task: RenderTask) -> bytes:
                return runner.run(pool.run(render, name, task)).pdf

            for task in (task for task in tasks if task.url != url):
                try:
                    printed = browser.pdfs(task.url, task.geometry, ("", WITHOUT_CODE))
                except (RuntimeError, TimeoutError) as error:
                    print(f"not compared: {task.url}: {error}")
                    continue
                _keep(keep, "chromium", task, url, printed[0])
                for name in engines:
                    scores[name].add(_measured(lay_out, name, task, printed, keep, url))
            runner.run(pool.stop())
    return scores


def _measured(
    lay_out: Callable[[str, RenderTask], bytes],
    name: str,
    task: RenderTask,
    printed: Sequence[bytes],
    keep: Path | None,
    site: str,
) -> Score:
    try:
        pdf = lay_out(name, task)
    except Exception as error:  # whatever an engine raises, the page counts as failed
        print(f"{name}: {task.url}: {type(error).__name__}: {error}")
        return Score(1, 1)
    _keep(keep, name, task, site, pdf)
    return compared(task.url, printed, pdf)


def _keep(folder: Path | None, name: str, task: RenderTask, site: str, pdf: bytes) -> None:
    """Keep a PDF file for a closer look."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        page = re.sub(r"[^\w.-]", "_", task.url.removeprefix(site))
        (folder / f"{page}.{name}.pdf").write_bytes(pdf)


def main() -> None:
    """Measure folders of HTML files and print a table."""
    parser = argparse.ArgumentParser(description="Compares layouts of engines with that of Chromium.")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=20, help="how many pages of each folder, spread evenly; 0 for all")
    parser.add_argument("--engines", nargs="+", choices=sorted(ENGINES), default=sorted(ENGINES))
    parser.add_argument("--chromium", default=chromium.PROGRAM, metavar="PROGRAM")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the PDF files")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="list the N pages that lost most pairs")
    options = parser.parse_args()
    totals = {name: Score() for name in options.engines}
    print(HEAD)
    for folder in options.folders:
        scores = measure(folder.resolve(), options.pages or None, options.engines, options.chromium, options.keep)
        for name, score in scores.items():
            print(f"{folder.name[-28:]:28} {name:10} {score.row()}", flush=True)
            totals[name].add(score)
    for name, score in totals.items():
        print(f"{'total':28} {name:10} {score.row()}")
        lost = sorted(score.worst, key=lambda page: page[1] * (page[0] - 1))[: options.worst]
        for share, pairs, url in lost:
            print(f"  {share:.2f} of {pairs} pairs: {url}")


if __name__ == "__main__":
    main()
