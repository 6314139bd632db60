"""Two parts of a site, captured separately and merged, compared with one capture of the whole site.

    python -m benchmarks.halves --folder /usr/share/doc/python3.11/html --section library

Captures the site three times: everything, everything without the section, and the section. Merges the last two with
`scrapy webcapture merge`. Prints one JSON object. docs/benchmarks.md explains the figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pikepdf

from benchmarks.crawls import ROOT, Cost, crawl, served, timed

FIXED = {"WEBCAPTURE_FIXED_TIME": "2026-03-01T12:00:00Z"}
MEGABYTE = 1_000_000

Place = tuple[str, int]
"""A page of a page set: the identifier of the page set, and the index of the page in it."""


class CapturedFile:
    """The content sets and the links of a file, read with pikepdf alone."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        names = pdf.Root.Names
        self._destinations = dict(_leaves(names.Dests)) if "/Dests" in names else {}
        self.sets = [found for _, entry in _leaves(names.IDS) for found in _listed(entry)]
        self.places: dict[Any, Place] = {
            page.objgen: (bytes(found.ID).hex(), index)
            for found in self.sets
            if found.S == "/SPS"
            for index, page in enumerate(_listed(found.O))
        }

    def described(self) -> Counter[str]:
        """Return the content sets with their identifiers, sources and numbers of pages or images."""
        return Counter(json.dumps(_described(found), sort_keys=True) for found in self.sets)

    def urls(self) -> set[str]:
        """Return the URLs of the page sets."""
        return {
            url for found in self.sets if found.S == "/SPS" for source in _listed(found.SI) for url in _urls(source)
        }

    def links(self) -> Iterator[tuple[Place, Place | str, str]]:
        """Yield the links of all pages: the page, the page or the URL to which the link leads, and the place there."""
        for page in self._pdf.pages:
            for annotation in page.obj.get("/Annots", []):
                if annotation.get("/Subtype") == "/Link" and page.objgen in self.places:
                    yield (self.places[page.objgen], *self._target(annotation.A))

    def _target(self, action: pikepdf.Object) -> tuple[Place | str, str]:
        if action.S == "/URI":
            return str(action.URI), ""
        place = action.D if isinstance(action.D, pikepdf.Array) else self._destinations[bytes(action.D)]
        page, *rest = place.as_list()
        return self.places[page.objgen], " ".join(map(str, rest))


def _leaves(node: Any) -> Iterator[tuple[bytes, Any]]:
    """Yield the names and the values of a name tree; pikepdf's own class reads names as text."""
    names = list(node.get("/Names", []))
    for name, value in zip(names[::2], names[1::2], strict=True):
        yield bytes(name), value
    for kid in node.get("/Kids", []):
        yield from _leaves(kid)


def _listed(value: Any) -> list[Any]:
    """Return the elements of an array, or a single value as a list."""
    return list(value) if isinstance(value, pikepdf.Array) else [value]


def _urls(source: Any) -> list[str]:
    """Return the URLs of a source: the last one of each alias chain, or the only one."""
    found = source.AU
    if isinstance(found, pikepdf.String):
        return [str(found)]
    return [str(found.U), *(str(url) for chain in _listed(found.get("/C", pikepdf.Array())) for url in _listed(chain))]


def _described(found: Any) -> dict[str, object]:
    """Return a content set as plain values, without references to other objects."""
    sources = [(_urls(source), str(source.get("/TS", "")), str(source.get("/E", ""))) for source in _listed(found.SI)]
    entries = {key: str(found[key]) for key in ("/S", "/CT", "/T", "/TS") if key in found}
    identifiers = [bytes(found.ID).hex(), bytes(found.get("/TID", b"")).hex()]
    counts = [int(count) for count in _listed(found.get("/R", pikepdf.Array()))]
    return {**entries, "ID": identifiers, "O": len(_listed(found.O)), "R": counts, "SI": sorted(sources)}


@contextmanager
def read(path: Path) -> Iterator[CapturedFile]:
    """Open a file."""
    with pikepdf.open(path) as pdf:
        yield CapturedFile(pdf)


def compare(whole: Path, parts: list[Path], merged: Path) -> dict[str, object]:
    """Compare a merged file with a capture of everything."""
    halves = []
    for path in parts:
        with read(path) as part:
            halves.append({identifier for identifier, _ in part.places.values()})
    with read(whole) as expected:
        sets, links = expected.described(), Counter(expected.links())
    with read(merged) as found:
        merged_sets, merged_links, urls = found.described(), Counter(found.links()), found.urls()
    jumps = [(link[0][0], link[1][0]) for link in merged_links.elements() if isinstance(link[1], tuple)]
    left = sum(target.partition("#")[0] in urls for _, target, _ in merged_links.elements() if isinstance(target, str))
    return {
        "content_sets": sets.total(),
        "content_sets_equal": merged_sets == sets,
        "content_sets_that_differ": ((merged_sets - sets) + (sets - merged_sets)).total(),
        "links": links.total(),
        "links_equal": merged_links == links,
        "links_that_differ": ((merged_links - links) + (links - merged_links)).total(),
        "jumps_between_the_parts": sum(not any({*ends} <= half for half in halves) for ends in jumps),
        "links_to_captured_urls_that_are_no_jumps": left,
    }


def measure(folder: Path, section: str, workers: int, kept: Path) -> dict[str, object]:
    """Capture a site three times, merge the parts, and compare."""
    whole, rest, part, merged = (kept / f"{name}.pdf" for name in ("whole", "rest", "section", "merged"))
    pattern = f"/{section}/"
    settings = {**FIXED, "WEBCAPTURE_WORKERS": workers}
    costs: dict[str, Cost] = {}
    with served(folder, []) as url:
        for path, start, arguments in (
            (whole, "index.html", {}),
            (rest, "index.html", {"deny": pattern}),
            (part, f"{section}/index.html", {"allow": pattern}),
        ):
            costs[path.stem], log = crawl(url + start, path, "all", settings, arguments)
            if not path.exists():
                raise SystemExit(f"the capture of {path.name} failed:\n{log}")
    command = [sys.executable, "-m", "scrapy", "webcapture", "merge", str(merged), str(rest), str(part)]
    with timed() as timing:
        done = subprocess.run([*command, "-s", f"WEBCAPTURE_FIXED_TIME={FIXED['WEBCAPTURE_FIXED_TIME']}"], cwd=ROOT,
                              capture_output=True, text=True, check=True)  # fmt: skip
    costs["merged"] = timing[0]
    return {
        "processor_seconds": {name: round(cost.cpu, 1) for name, cost in costs.items()},
        "megabytes": {path.stem: round(path.stat().st_size / MEGABYTE, 2) for path in (whole, rest, part, merged)},
        **compare(whole, [rest, part], merged),
        "summary": done.stdout.splitlines(),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Compares a merge of two parts of a site with one capture.")
    parser.add_argument("--folder", type=Path, required=True, help="a folder of HTML pages with an index.html")
    parser.add_argument("--section", default="library", help="a folder in it, the second part")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a folder for the files, which stay there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        kept = options.keep or Path(name)
        kept.mkdir(parents=True, exist_ok=True)
        result = measure(options.folder.resolve(), options.section, options.workers, kept)
    print(json.dumps({"benchmark": "halves", **result}))


if __name__ == "__main__":
    main()
