"""The comparison of a file with the model of what a user did with it, by the queries and by other programs."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pikepdf
from pdfminer.pdfpage import PDFPage

from tests.support.archive_samples import SITE
from tests.support.crawls import tree
from tests.support.file_model import Model, PageSet, Source
from tests.support.memory_sites import ANCHOR, FIELD, PATHS, Page, image_url
from wcspider.archive.check.checker import check_file
from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import diff, history, search, versions
from wcspider.archive.query.listing import Listing
from wcspider.webcapture.names import field_name

TOLERATED = {"12.3.2.3-page", "14.10.4.2-page", "14.10.4.3-r-count", "12.5.6.19-page"}
"""The rules that a file breaks if another program has removed a page."""


@dataclass
class State:
    """A state of a file that can be restored: the end of a run."""

    kind: str
    """The kind of the run; empty if another program has made the file."""

    model: Model
    content: bytes
    is_lost: bool = False


@dataclass
class File:
    """A file, its model, and the states in its history."""

    path: Path
    model: Model = field(default_factory=Model)
    states: list[State] = field(default_factory=list)

    @property
    def exists(self) -> bool:
        """True if there is such a file."""
        return self.path.exists()

    def note(self, kind: str) -> None:
        """Note the end of a run."""
        self.states.append(State(kind, self.model.copy(), self.path.read_bytes()))

    def as_of(self, index: int, path: Path) -> File:
        """Return the file as it was at a state, at another path."""
        kept = [replace(state, model=state.model.copy()) for state in self.states[: index + 1]]
        return File(path, self.states[index].model.copy(), kept)

    def forget_states(self) -> None:
        """Forget the states, which `optimize` drops."""
        self.model.forget_runs()
        self.states = []

    def note_edit(self, *, is_flat: bool = False) -> None:
        """Note that another program has written the file: the states before are lost."""
        self.model.is_flat |= is_flat
        for state in self.states[:-1]:
            state.is_lost = True
        self.states[-1].content, self.states[-1].model = self.path.read_bytes(), self.model.copy()


def check(file: File) -> None:
    """Compare a file with its model. Afterwards the model has the order of the file where it says nothing of it."""
    noted = list(check_file(file.path))
    lost = [number for number, state in enumerate(file.states, 1) if state.is_lost]
    assert _lost_states(noted) == lost[:10]
    found = [finding for finding in noted if not _is_tolerated(file.model, finding)]
    assert not found, [str(finding) for finding in found]
    with file.path.open("rb") as stream, pikepdf.open(file.path) as pdf:
        assert _syntax_findings(pdf) == [] or not file.model.page_sets
        assert sum(1 for _ in PDFPage.get_pages(stream)) == len(pdf.pages)
        front = _check_front(file.model, pdf)
        _check_pages(file.model, pdf, front)
        _check_fields(file.model, pdf)
        _check_outline(file.model, pdf)
    with closing(_opened(file.path)) as database:
        _check_listing(file.model, database)
        _check_queries(file.model, database, front)
    _check_history(file)
    _check_versions(file)
    _check_diff(file)


def _syntax_findings(pdf: pikepdf.Pdf) -> list[str]:
    """Return what qpdf finds in a file. It compares the names of destinations as text, and so not by their bytes."""
    return [finding for finding in pdf.check_pdf_syntax() if "keys are not sorted" not in finding]


def _is_tolerated(model: Model, finding: Finding) -> bool:
    return finding.rule == Rule.EARLIER_STATES.id or (bool(model.incomplete) and finding.rule in TOLERATED)


def _lost_states(findings: list[Finding]) -> list[int]:
    """Return the numbers of the revisions that a check calls lost; it names the first ten."""
    messages = [finding.message for finding in findings if finding.rule == Rule.EARLIER_STATES.id]
    return [int(number) for message in messages for number in re.findall(r"\d+", message.rpartition(":")[2])]


def _opened(path: Path) -> ContentDatabase:
    return ContentDatabase.open(path, lambda: datetime.max)


def identifier_of(page: pikepdf.Page) -> bytes:
    """Return the ID of a page; pages of the contents section have none."""
    return bytes(page.obj.get("/ID", b""))


# Pages


def _check_front(model: Model, pdf: pikepdf.Pdf) -> int:
    """Check the contents section; return the number of pages in front of the page sets."""
    pages = list(pdf.pages)
    front = next((number for number, page in enumerate(pages) if identifier_of(page)), len(pages))
    contents = front - model.others
    assert contents >= 0
    jumps = [link.A.D[0].objgen for page in pages[:contents] for link in page.get("/Annots", []) if link.A.S == "/GoTo"]
    if contents and not model.incomplete:
        firsts = [after for before, after in pairwise(pages) if identifier_of(before) != identifier_of(after)]
        assert sorted(jumps) == sorted(page.objgen for page in firsts)
    if not model.is_flat:
        numbers = range(1, len(pages) - contents + 1)
        assert [page.label for page in pages[contents:]] == list(map(str, numbers))
    return front


def _check_pages(model: Model, pdf: pikepdf.Pdf, front: int) -> None:
    """Check the number of pages, and the targets of their links."""
    names = dict(tree(pdf.Root.Names.Dests)) if "/Dests" in pdf.Root.get("/Names", {}) else {}
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages)}
    firsts: dict[bytes, int] = {}
    for number, page in enumerate(pdf.pages):
        firsts.setdefault(identifier_of(page), number)
    if not model.incomplete:
        assert len(pdf.pages) == front + sum(page_set.page.pages for page_set in model.page_sets.values())
    for page in list(pdf.pages)[front:]:
        links = [entry for entry in page.get("/Annots", []) if entry.Subtype == "/Link"]
        for path, link in zip(model.page_sets[identifier_of(page)].page.links, links, strict=True):
            url, _, fragment = (SITE + path).partition("#")
            targets = model.latest(url)
            if not targets:
                assert bytes(link.A.URI).decode() == SITE + path
            elif not model.incomplete:
                place = names[bytes(link.A.D)]
                steps = {
                    target: model.page_sets[target].page.pages - 1 if fragment == ANCHOR else 0 for target in targets
                }
                assert numbers[place[0].objgen] in {firsts[target] + step for target, step in steps.items()}


def _check_fields(model: Model, pdf: pikepdf.Pdf) -> None:
    """Check the names and the values of the fields."""
    fields = pdf.Root.AcroForm.Fields if "/AcroForm" in pdf.Root else []
    values = {bytes(entry.T): str(entry.get("/V", "")) for entry in fields}
    with_form = (identifier for identifier, page_set in model.page_sets.items() if page_set.page.has_form)
    assert len(fields) == len(values)
    assert values.keys() == {field_name(FIELD.encode(), identifier) for identifier in with_form}
    model.values = {name: value for name, value in model.values.items() if name in values}
    assert model.values == {name: value for name, value in values.items() if name in model.values}
    model.values = {name: value for name, value in values.items() if value}


def _check_outline(model: Model, pdf: pikepdf.Pdf) -> None:
    """Check the structure of the outline, and its items for page sets."""
    found = list(_items(pdf.Root.Outlines, is_root=True)) if "/Outlines" in pdf.Root else []
    if not model.incomplete:
        titles = {bytes(item.Dest[0].ID): str(item.Title) for item in found}
        assert len(found) == len(titles)
        assert model.page_sets.keys() - model.unlisted <= titles.keys() <= model.page_sets.keys()
        for identifier, title in titles.items():
            page_set = model.page_sets[identifier]
            shown, date, _ = title.partition(" (2026-")
            assert shown == page_set.page.title
            assert bool(date) == any(len(model.found_at(url)) > 1 for url in page_set.sources)


def _items(parent: pikepdf.Object, *, is_root: bool = False) -> Iterator[pikepdf.Object]:
    """Yield the items of page sets below an item."""
    kids: list[pikepdf.Object] = []
    at = parent.get("/First")
    while at is not None:
        assert at.Parent.objgen == parent.objgen
        assert (at.Prev.objgen if "/Prev" in at else None) == (kids[-1].objgen if kids else None)
        kids.append(at)
        if "/WCSP_Item" in at:
            yield at
        yield from _items(at)
        at = at.get("/Next")
    assert (parent.Last.objgen if "/Last" in parent else None) == (kids[-1].objgen if kids else None)
    assert parent.get("/Count", 0) == (len(kids) if is_root else -len(kids))


# Queries


def described(database: ContentDatabase) -> tuple[dict[bytes, Any], dict[bytes, Any], dict[str, Any]]:
    """Return the page sets and the image sets of a listing by their identifiers, and the rest of the listing."""
    listing = Listing(database).describe(database.content_sets())
    entries = list(listing["content_sets"])
    return (
        {bytes.fromhex(entry["id"]): entry for entry in entries if entry["subtype"] == "SPS"},
        {bytes.fromhex(entry["id"]): entry for entry in entries if entry["subtype"] == "SIS"},
        listing,
    )


def sources_of(entry: dict[str, Any]) -> dict[str, Source]:
    """Return the sources of a page set in a listing."""
    return {
        source["url"]: Source(
            {tuple(chain) for chain in source["chains"]},
            datetime.fromisoformat(source["updated"]),
            source["gone"] and datetime.fromisoformat(source["gone"]),
        )
        for source in entry["sources"]
    }


def _check_listing(model: Model, database: ContentDatabase) -> None:
    page_sets, image_sets, listing = described(database)
    assert {identifier: sources_of(entry) for identifier, entry in page_sets.items()} == {
        identifier: page_set.sources for identifier, page_set in model.page_sets.items()
    }
    assert [command["url"] for command in listing["commands"]] == [
        SITE + entry.command.seed for entry in model.commands
    ]
    for identifier, entry in page_sets.items():
        page = model.page_sets[identifier].page
        assert entry["title"] == page.title
        if identifier not in model.incomplete:
            assert entry["pages"] == list(range(entry["pages"][0], entry["pages"][0] + page.pages))
    if not model.incomplete:
        _check_images(model, image_sets)
    _check_order(model, list(page_sets))


def _check_images(model: Model, image_sets: dict[bytes, Any]) -> None:
    shown: Counter[str] = Counter()
    for page_set in model.page_sets.values():
        shown.update(dict.fromkeys(page_set.page.images, page_set.page.pages))
    assert image_sets.keys() == {hashlib.md5(image.encode()).digest() for image in shown}
    for image, count in shown.items():
        entry = image_sets[hashlib.md5(image.encode()).digest()]
        assert [found["references"] for found in entry["images"]] == [count]
        assert [source["url"] for source in entry["sources"]] == [image_url(image)]


def _check_order(model: Model, found: list[bytes]) -> None:
    """Check the order of the page sets that are on the site; that of the others is taken from the file."""
    present = [identifier for identifier, page_set in model.page_sets.items() if page_set.is_present]
    present = [identifier for identifier in present if identifier not in model.incomplete]
    if not model.is_flat:
        assert [identifier for identifier in found if identifier in present] == present
    model.page_sets = {identifier: model.page_sets[identifier] for identifier in found}


def _check_queries(model: Model, database: ContentDatabase, front: int) -> None:
    """Check that each page set is found by its URLs, and that its pages have its word; search for one of the words."""
    for path in (*PATHS, "/nowhere"):
        assert {stored.content.identifier for stored in database.find_by_url(SITE + path)} == model.found(SITE + path)
    if model.incomplete or not model.page_sets:
        return
    pages, first = list(search.pages(database)), front + 1
    for page_set in model.page_sets.values():
        found = [page for page in pages if page_set.page.word in page.text]
        assert [page.number for page in found] == list(range(first, first + page_set.page.pages))
        assert all(set(page.urls) == set(page_set.sources) for page in found)
        first += page_set.page.pages
    expected = [replace(page, text="") for page in found]
    assert [result.page for result in search.search(database, [page_set.page.word])] == expected


# States


def _check_history(file: File) -> None:
    found = history.revisions(file.path)
    assert [revision.run.kind if revision.run else "" for revision in found] == [state.kind for state in file.states]
    lost = {number for number, state in enumerate(file.states, 1) if state.is_lost}
    assert set(history.lost(file.path, found)) == lost


def _check_versions(file: File) -> None:
    """Check the versions at two of the URLs: each time at others, because all states are read for each URL."""
    kept = {number: state.model for number, state in enumerate(file.states, 1) if not state.is_lost}
    for path in PATHS[len(file.states) % 3 :: 3]:
        found, _ = versions.find_versions(file.path, SITE + path, lambda: datetime.max)
        numbered = {
            (number, version.identifier)
            for version in found
            for number in range(version.first_revision, version.last_revision + 1)
        }
        assert numbered == {(number, each) for number, model in kept.items() for each in model.found(SITE + path)}


def _check_diff(file: File) -> None:
    """Check the kinds of the changes of the last run."""
    if len(file.states) < 2 or file.states[-2].is_lost:
        return
    changes = diff.compare(*(_snapshot(file.path, revision) for revision in history.find_pair(file.path, None, None)))
    kinds = {change.url: change.kind for change in changes}
    old, new = (state.model.present() for state in file.states[-2:])
    moved_to = {change.to for change in changes}
    for url in old.keys() | new.keys():
        if url not in old:
            assert kinds.get(url) in ("new", "returned") or url in moved_to
        elif url not in new:
            assert kinds.get(url) in ("gone", "moved")
        elif old[url] != new[url] and len(old[url]) == len(new[url]) == 1:
            assert kinds.get(url) in ("changed", "moved")


def _snapshot(path: Path, revision: history.Revision) -> diff.Snapshot:
    with closing(ContentDatabase(history.opened(path, revision), lambda: datetime.max)) as database:
        return diff.Snapshot.of(database)


def read_model(file: File, pages: dict[bytes, Page]) -> Model:
    """Return a model with the content of a file, whose page sets were made from some of these pages."""
    model = file.model.copy()
    model.count += 1
    with closing(_opened(file.path)) as database:
        page_sets, _, _ = described(database)
    model.renew({identifier: PageSet(pages[identifier], sources_of(entry)) for identifier, entry in page_sets.items()})
    model.incomplete &= {identifier for identifier, entry in page_sets.items() if None in entry["pages"]}
    return model
