"""Captures from the command line, as users make them, and the content of their files, read without our own code."""

from __future__ import annotations

import atexit
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2

from tests.support.forked import ROOT, ForkedProcess, Ready

PATIENCE_SECONDS = 1800 if os.environ.get("WCSPIDER_SITE") == "all" else 180
FIXED_TIME = "2026-03-01T12:00:00Z"
STAMP = "D:20260301120000Z"
"""`FIXED_TIME` as a PDF date."""

NO_COMPLAINT = "warning: ICC support is not available\n"
"""What mutool says of itself where it was built so."""

_LOG_LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[([^]]+)\] ([A-Z]+): (.*)")
_SECTION = re.compile(r"([A-Z].*): \d+")
_REASON = re.compile(r"  (\S.*): \d+")


@dataclass(frozen=True)
class Run:
    """A command that has ended."""

    status: int
    output: str
    log: str

    def messages(self, level: str, logger: str = "") -> list[str]:
        """The first lines of the messages of a level, by one logger or all of them."""
        found = (_LOG_LINE.fullmatch(line) for line in self.log.splitlines())
        return [line[3] for line in found if line and line[2] == level and logger in ("", line[1])]

    @cached_property
    def summary(self) -> list[str]:
        """The lines of the closing summary."""
        return self.messages("INFO", "wcspider.crawl.session")

    def section(self, title: str) -> dict[str, list[str]]:
        """A section of the closing summary: URLs by reason, which is empty if the section has none."""
        reasons: dict[str, list[str]] = {}
        inside, reason = False, ""
        for line in self.summary:
            if heading := _SECTION.fullmatch(line):
                inside, reason = heading[1] == title, ""
            elif inside and (found := _REASON.fullmatch(line)):
                reason = found[1]
                reasons.setdefault(reason, [])
            elif inside:
                reasons.setdefault(reason, []).append(line.strip())
        return reasons

    @property
    def left_out(self) -> dict[str, list[str]]:
        """The pages that were left out, by reason."""
        return self.section("Pages skipped")

    @property
    def problem(self) -> str:
        """The one line about the failure of a capture, in the log or on the terminal."""
        assert self.status != 0, self.log
        assert "Traceback" not in self.output + self.log
        told = [line for line in self.log.splitlines() if line.startswith("scrapy crawl: ")]
        [line] = self.messages("ERROR") + told
        return line.removeprefix("scrapy crawl: ")


@dataclass(frozen=True)
class Started:
    """A command that runs."""

    process: subprocess.Popen[str] | ForkedProcess

    def end(self) -> Run:
        """Wait for its end."""
        output, log = self.process.communicate(timeout=PATIENCE_SECONDS)
        return Run(self.process.returncode, output, log)


@contextmanager
def started(
    *arguments: object,
    preexec: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    is_forked: bool = True,
) -> Iterator[Started]:
    """Run ``scrapy`` in a folder, for as long as the context lasts at most.

    Its processes are forked (`tests.support.forked`), unless `is_forked` is false or Python itself is to read one of
    the variables.
    """
    variables = {**os.environ, **(environment or {})}
    texts = [*map(str, arguments)]
    process: subprocess.Popen[str] | ForkedProcess
    if is_forked and preexec is None and "PYTHONHASHSEED" not in (environment or {}):
        process = ready().start("scrapy", texts, folder, variables)
    else:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapy", *texts],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=preexec,
            env=variables,
        )
    try:
        yield Started(process)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@cache
def ready() -> Ready:
    """Return the process that commands are forked from."""
    made = Ready("tests.support.forked_crawls")
    atexit.register(made.end)
    return made


def run_module(
    module: str, *arguments: object, environment: Mapping[str, str] | None = None, folder: Path = ROOT
) -> Run:
    """Run ``python -m`` to its end."""
    process = ready().start(module, [*map(str, arguments)], folder, {**os.environ, **(environment or {})})
    return Started(process).end()


def run(
    *arguments: object,
    preexec: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    is_forked: bool = True,
) -> Run:
    """Run ``scrapy`` to its end."""
    with started(*arguments, preexec=preexec, environment=environment, folder=folder, is_forked=is_forked) as command:
        return command.end()


def dying(step: str, times: int, *arguments: object) -> Run:
    """Run ``scrapy`` and kill it at a step (`tests.system.crash.dying`), unless it does not come to that."""
    done = run_module("tests.system.crash.dying", step, times, *arguments)
    assert done.status in (0, -signal.SIGKILL, -signal.SIGPROF), done.log
    return done


def crawl_arguments(
    url: str | None, pdf: Path | None, settings: Mapping[str, object] | None = None, **arguments: object
) -> list[str]:
    """The arguments of ``scrapy`` for a capture: by one worker, which starts in half the time of two."""
    given = {"url": url, "pdf": pdf, **arguments}
    changed = {"WEBCAPTURE_WORKERS": 1, **(settings or {})}
    return [
        "crawl",
        "capture",
        *(text for name, value in given.items() if value is not None for text in ("-a", f"{name}={value}")),
        *(text for name, value in changed.items() for text in ("-s", f"{name}={value}")),
    ]


def capture(
    url: str | None,
    pdf: Path | None,
    settings: Mapping[str, object] | None = None,
    *,
    preexec: Callable[[], None] | None = None,
    environment: Mapping[str, str] | None = None,
    is_forked: bool = True,
    **arguments: object,
) -> Run:
    """Run ``scrapy crawl capture -a url=... -a pdf=...`` to its end."""
    words = crawl_arguments(url, pdf, settings, **arguments)
    return run(*words, preexec=preexec, environment=environment, is_forked=is_forked)


def captured(url: str, pdf: Path, settings: Mapping[str, object] | None = None, **options: Any) -> Run:
    """Run a capture that must succeed."""
    done = capture(url, pdf, settings, **options)
    assert done.status == 0, done.log
    return done


def webcapture(*arguments: object) -> Run:
    """Run ``scrapy webcapture`` to its end."""
    return run("webcapture", *arguments)


def tool(*command: object) -> str:
    """Run another program, which must find no fault, and return its output."""
    done = subprocess.run([*map(str, command)], capture_output=True, check=False, timeout=PATIENCE_SECONDS)
    complaints = done.stderr.decode().replace(NO_COMPLAINT, "")
    assert (done.returncode, complaints) == (0, ""), command
    return done.stdout.decode("utf-8", "replace")


def plain(pdf: Path) -> bytes:
    """Return a file without compression, for a search through its bytes."""
    command = ["qpdf", "--qdf", "--object-streams=disable", "--decode-level=all", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_SECONDS).stdout


def drawn_images(pdf: Path, page: int) -> list[tuple[float, float, float, float]]:
    """Where a page, counted from 0, shows images: left, bottom, right, top."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        objects = document[page].get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE])
        return [found.get_bounds() for found in objects]
    finally:
        document.close()


@dataclass(frozen=True)
class Source:
    """A source information dictionary (14.10.5.1)."""

    url: str
    chains: tuple[tuple[str, ...], ...]
    updated: str
    expires: str | None
    form: int
    command: int | None
    """The index of the command in SpiderInfo."""


@dataclass(frozen=True)
class ContentSet:
    """A page set or an image set (14.10.4)."""

    kind: str
    identifier: bytes
    text_identifier: bytes | None
    title: str
    content_type: str
    created: str
    pages: tuple[int, ...]
    """The indices of its pages in the document, from 0; empty for an image set."""

    images: tuple[tuple[int, int], ...]
    """The objects of an image set, by number and generation."""

    counts: tuple[int, ...]
    sources: tuple[Source, ...]

    @property
    def urls(self) -> list[str]:
        """The URLs of its sources."""
        return [source.url for source in self.sources]


class Archive:
    """An open file, its content database read by walking its trees."""

    def __init__(self, path: Path) -> None:
        self.pdf = pikepdf.open(path)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self.pdf.close()

    @cached_property
    def page_numbers(self) -> dict[tuple[int, int], int]:
        """The index of each page, by its object."""
        return {page.objgen: index for index, page in enumerate(self.pdf.pages)}

    @cached_property
    def commands(self) -> list[pikepdf.Object]:
        """The command dictionaries (14.10.5.3)."""
        return list(self.pdf.Root.SpiderInfo.get("/C", []))

    @cached_property
    def urls(self) -> dict[str, list[ContentSet]]:
        """The URLS tree."""
        return {key.decode("ascii"): self._sets(value) for key, value in tree(self.pdf.Root.Names.URLS)}

    @cached_property
    def identifiers(self) -> dict[bytes, list[ContentSet]]:
        """The IDS tree."""
        return {key: self._sets(value) for key, value in tree(self.pdf.Root.Names.IDS)}

    @property
    def destinations(self) -> list[tuple[bytes, pikepdf.Object]]:
        """The named destinations, in the order of their names."""
        return list(tree(self.pdf.Root.Names.get("/Dests", pikepdf.Dictionary())))

    @property
    def page_sets(self) -> list[ContentSet]:
        """The page sets, in the order of their pages."""
        return sorted((found for found in self._all if found.kind == "/SPS"), key=lambda found: found.pages)

    @property
    def image_sets(self) -> list[ContentSet]:
        """The image sets."""
        return [found for found in self._all if found.kind == "/SIS"]

    @property
    def _all(self) -> list[ContentSet]:
        return [found for sets in self.identifiers.values() for found in sets]

    def page_set(self, url: str) -> ContentSet:
        """The only page set under a URL."""
        [found] = [found for found in self.urls.get(url, []) if found.kind == "/SPS"]
        return found

    def image_set(self, url: str) -> ContentSet:
        """The only image set under a URL."""
        [found] = [found for found in self.urls.get(url, []) if found.kind == "/SIS"]
        return found

    def order(self, site: str) -> list[str]:
        """The URLs of the page sets of a site, each by its first, in the order of their pages."""
        return [found.urls[0].removeprefix(site) for found in self.page_sets]

    def links(self, url: str) -> dict[str, str]:
        """Where the links of a page set lead: ``URI`` targets as they stand, ``GoTo`` ones as a page's URL."""
        homes = {page: found.urls[0] for found in self.page_sets for page in found.pages}
        names = dict(self.destinations)
        found: dict[str, str] = {}
        for page in self.page_set(url).pages:
            for annotation in self.pdf.pages[page].get("/Annots", []):
                action = annotation.get("/A")
                if action is None:
                    continue
                if action.S == "/URI":
                    found[str(action.URI)] = "URI"
                else:
                    target = names[bytes(action.D)]
                    found[homes[self.page_numbers[target[0].objgen]]] = str(action.S).removeprefix("/")
        return found

    def settings(self, index: int = 0) -> dict[str, Any]:
        """The general settings of a command (14.10.5.4), as text or numbers."""
        return {
            key.removeprefix("/"): float(value) if isinstance(value, int | float) or _is_number(value) else str(value)
            for key, value in self.commands[index].S.G.items()
        }

    def _sets(self, value: pikepdf.Object) -> list[ContentSet]:
        return [self._set(entry) for entry in (value if isinstance(value, pikepdf.Array) else [value])]

    def _set(self, entry: pikepdf.Object) -> ContentSet:
        counts = entry.get("/R", [])
        members = tuple(member.objgen for member in entry.O)
        is_pages = entry.S == "/SPS"
        return ContentSet(
            kind=str(entry.S),
            identifier=bytes(entry.ID),
            text_identifier=bytes(entry.TID) if "/TID" in entry else None,
            title=str(entry.get("/T", "")),
            content_type=str(entry.get("/CT", "")),
            created=str(entry.get("/TS", "")),
            pages=tuple(self.page_numbers[member] for member in members) if is_pages else (),
            images=() if is_pages else members,
            counts=tuple(map(int, counts)) if isinstance(counts, pikepdf.Array) else (int(counts),) if counts else (),
            sources=tuple(
                self._source(source) for source in (entry.SI if isinstance(entry.SI, pikepdf.Array) else [entry.SI])
            ),
        )

    def _source(self, entry: pikepdf.Object) -> Source:
        alias = entry.AU
        direct = isinstance(alias, pikepdf.String)
        numbers = {command.objgen: index for index, command in enumerate(self.commands)}
        return Source(
            url=str(alias if direct else alias.U),
            chains=() if direct else tuple(tuple(map(str, chain)) for chain in alias.C),
            updated=str(entry.get("/TS", "")),
            expires=str(entry.E) if "/E" in entry else None,
            form=int(entry.get("/S", 0)),
            command=numbers[entry.C.objgen] if "/C" in entry else None,
        )


def tree(node: pikepdf.Object) -> Iterator[tuple[bytes, pikepdf.Object]]:
    """The pairs of a name tree (7.9.6), whose keys are bytes."""
    for kid in node.get("/Kids", []):
        yield from tree(kid)
    names = list(node.get("/Names", []))
    yield from ((bytes(key), value) for key, value in zip(names[::2], names[1::2], strict=True))


def _is_number(value: object) -> bool:
    return type(value).__name__ == "Decimal"
