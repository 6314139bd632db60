"""Small files to merge, made without a crawl, and merges of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pikepdf

from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import SITE, clock, new_database
from tests.support.crawls import tree
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.merge.merge_report import MergeReport
from wcspider.archive.merge.merging import MergeOptions, merge
from wcspider.archive.pages.packed import Rendered
from wcspider.archive.query.listing import Listing
from wcspider.pdf.webcapture.run_records import CAPTURE, Run

OPTIONS = MergeOptions(clock, batch_pages=3)


def captured_file(path: Path, pages: Sequence[Rendered], batch: int = 3, **finish: Any) -> Path:
    """Write a file with page sets, as a capture does, or add them to it."""
    before = path.read_bytes() if path.exists() else b""
    run = Run(CAPTURE, len(before), hashlib.sha256(before).digest() if before else None)
    with closing(ContentDatabase.open(path, clock) if path.exists() else new_database(path)) as database:
        writer = new_writer(database, batch)
        for page in pages:
            writer.add(page)
        writer.finish("A site", run, **finish)
        writer.close()
    return path


def merged(output: Path, *inputs: Path, options: MergeOptions = OPTIONS) -> MergeReport:
    """Merge files into another one."""
    return merge(output, inputs, options)


def described(path: Path) -> dict[str, Any]:
    """Return the listing of a file, with its content sets by their identifiers and subtypes."""
    with closing(ContentDatabase.open(path, clock)) as database:
        listing = Listing(database).describe(database.content_sets())
        sets = {(entry["subtype"], entry["id"]): entry for entry in listing["content_sets"]}
        return {**listing, "content_sets": sets}


def jumps(path: Path) -> list[list[Any]]:
    """Return where the links of each page lead: to a page number and a place on it, or to a URI."""
    with pikepdf.open(path) as pdf:
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages)}
        names = dict(tree(pdf.Root.Names.Dests)) if "/Dests" in pdf.Root.Names else {}

        def target(action: pikepdf.Object) -> Any:
            if action.S == "/URI":
                return bytes(action.URI)
            place = names[bytes(action.D)] if isinstance(action.D, pikepdf.String) else action.D
            page, kind, *rest = place.as_list()
            return numbers[page.objgen], str(kind), *rest[:2]

        return [[target(link.A) for link in page.get("/Annots", []) if link.Subtype == "/Link"] for page in pdf.pages]


def url(path: str) -> str:
    """Return the URL of a path of the sample site."""
    return SITE + path
