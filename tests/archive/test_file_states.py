"""Whatever a user does with files, one operation after the other, they are valid and agree with a simple model."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pikepdf
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.support import pdf_samples
from tests.support.file_checks import File, check, identifier_of, read_model
from tests.support.file_model import Arrival, Command, Model, visited
from tests.support.memory_sites import (
    ANCHOR,
    PATHS,
    Answer,
    KilledError,
    MemoryCrawl,
    Page,
    Redirect,
    capture_into,
    config_at,
    refresh_of,
)
from wcspider.archive.merge.merging import MergeOptions, merge
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.history import restore
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments

pytestmark = pytest.mark.slow

MEMORY = Path("/dev/shm")
"""A file system in memory, whose files need not be written to a disk at the end of each of the many runs."""

BEGINNING = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINKS = ("/a", f"/b#{ANCHOR}", "/b", "/c", "/d#none", "/d", "/e", "/nowhere", "/")

SITE: dict[str, Answer] = {
    "/": Page("Home", links=LINKS, images=("x1",)),
    "/a": Page("News", links=("/", "/b", "/c"), images=("x1", "y1"), pages=2, has_form=True),
    "/b": Page("Contact", links=("/a", "/d#none"), pages=3),
    "/c": Redirect("/d"),
    "/d": Page("News", links=("/a",), images=("x2",), has_form=True),
    "/e": "HTTP 404",
}
"""The site at first."""

Changes = Mapping[str, Answer | None] | int
"""New answers by path, with None for a page whose version changes; or the number of runs that are undone."""


@dataclass(frozen=True)
class Interruption:
    """The end of a crawl that is continued by the same command."""

    answers: int
    """The number of answers before the end."""

    is_stop: bool
    """True if the crawl is stopped by a user, and False if it is killed."""

    torn: int | None = None
    """The length of a revision that is not complete, if the crawl is killed while it writes one."""


def in_maintenance(path: str, others: Sequence[str], failing: Answer) -> Changes:
    """Return the changes of a site that redirects to a page that cannot be fetched."""
    return {**dict.fromkeys(others, Redirect(path)), path: failing}


pages = st.builds(
    Page,
    title=st.sampled_from(["Home", "News", "Contact"]),
    version=st.integers(0, 1),
    links=st.lists(st.sampled_from(LINKS), min_size=1, max_size=4).map(tuple),
    images=st.sampled_from([(), ("x1",), ("x2",), ("x1", "y1"), ("x2", "y1")]),
    pages=st.integers(1, 3),
    has_form=st.booleans(),
)
answers = st.one_of(
    pages, pages, pages, st.builds(Redirect, st.sampled_from(PATHS)), st.sampled_from(["HTTP 404", "HTTP 500"])
)
paths = st.sampled_from(PATHS)
indices = st.integers(0, 9)
numbers = st.sampled_from([0, 0, 0, 1])
seeds = st.just(["/"]) | st.lists(paths, min_size=1, max_size=2, unique=True)
interruptions = st.none() | st.builds(Interruption, st.integers(0, 8), st.booleans(), st.none() | st.integers(1, 4000))
outages = st.sampled_from(PATHS[:2]).flatmap(
    lambda path: st.builds(
        in_maintenance,
        st.just(path),
        st.lists(st.sampled_from(PATHS[1:]).filter(lambda other: other != path), min_size=1, max_size=3),
        st.sampled_from(["HTTP 500", Redirect(path)]),
    )
)
changes = st.one_of(
    st.lists(paths, max_size=2).map(dict.fromkeys),
    st.dictionaries(paths, st.none() | answers, max_size=2),
    st.dictionaries(paths, pages, min_size=1, max_size=2),
    st.integers(1, 2),
    outages,
)
batches = st.integers(1, 4)


class Files(RuleBasedStateMachine):
    """Two files, and a site that changes. A rule that does not apply to the file does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
        self.files = [File(self.folder / f"file{number}.pdf") for number in range(2)]
        self.site: dict[str, Answer] = {}
        self.sites: list[dict[str, Answer]] = []
        """The site as it was in each run."""

        self.moment = BEGINNING
        self.changed: File | None = None

    def teardown(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder)

    @invariant()
    def is_as_expected(self) -> None:
        """Check the file that was changed last."""
        file, self.changed = self.changed, None
        if file is not None:
            check(file)
            assert set(self.folder.iterdir()) == {found.path for found in self.files if found.exists}

    # The site

    @initialize(
        fills_in=st.booleans(),
        deletes_bookmark=st.sampled_from([True, True, False]),
        is_capture=st.booleans(),
        changes=changes | outages,
        order=indices,
    )
    def begin(self, fills_in: bool, deletes_bookmark: bool, is_capture: bool, changes: Changes, order: int) -> None:
        """Put up a site, and capture it into the first file before and after two pages change.

        Each later run can find these pages as they were before their change. A user edits the file, and the first of
        these runs is made at once.
        """
        self.site = dict(SITE)
        self.capture_again({}, 0)
        self.capture_again({"/a": None, "/d": None}, 0)
        if fills_in:
            self.fill_in(0, 0)
        if deletes_bookmark:
            self.delete_bookmark(0, 0)
        if is_capture:
            self.capture_again(changes, order)
        else:
            self.refresh(0, changes, False, order, None, 2, True, None, "all")

    def capture_again(self, changes: Changes, order: int) -> None:
        """Capture the whole site into the first file."""
        self.capture(0, changes, ["/"], None, order, interruption=None, batch=2, contents=False)

    def existing(self, number: int) -> File:
        """Return the file with a number, or the other one if there is no such file."""
        return self.files[number] if self.files[number].exists else self.files[1 - number]

    def change(self, changes: Changes) -> None:
        """Change the site before a run."""
        if isinstance(changes, int):
            self.site = dict(self.sites[-1 - min(changes, len(self.sites) - 1)]) if self.sites else self.site
        else:
            for path, answer in changes.items():
                self.site[path] = self.other_version(path) if answer is None else answer
        self.sites.append(dict(self.site))

    def other_version(self, path: str) -> Answer:
        """Return another version of a page; it may be the one before its last change."""
        page = self.site[path]
        return replace(page, version=1 - page.version) if isinstance(page, Page) else page

    @rule(path=paths, other=paths)
    def copy_page(self, path: str, other: str) -> None:
        """Give two paths the same page."""
        if isinstance(self.site[other], Page):
            self.site[path] = self.site[other]

    @rule(
        number=numbers,
        make=st.sampled_from([pdf_samples.classic_pdf, pdf_samples.hybrid_pdf, pdf_samples.unlisted_pdf]),
    )
    def put_document(self, number: int, make: Callable[[Path], Path]) -> None:
        """Begin a file with a page of another program."""
        file = self.files[number]
        if not file.exists:
            make(file.path)
            file.model.others = 1
            file.note("")

    # Runs

    @rule(
        number=numbers,
        changes=changes,
        seeds=seeds,
        levels=st.sampled_from([None, None, 1, 2]),
        order=indices,
        interruption=interruptions,
        batch=batches,
        contents=st.integers(0, 7).map(lambda drawn: drawn == 7),
    )
    def capture(
        self,
        number: int,
        changes: Changes,
        seeds: list[str],
        levels: int | None,
        order: int,
        interruption: Interruption | None,
        batch: int,
        contents: bool,
    ) -> None:
        """Capture pages into a file that may exist."""
        file = self.files[number]
        self.change(changes)

        def arguments(path: Path) -> CaptureArguments:
            return capture_into(path, ",".join(seeds), "all" if levels is None else str(levels))

        is_written = self.crawl(file, arguments, order, interruption, batch=batch, contents=contents)
        assert is_written == file.model.capture(self.site, [Command(seed, levels) for seed in seeds], self.moment)
        self.finish(file, "capture", is_written=is_written)

    @rule(
        number=numbers,
        changes=changes | outages,
        drop=st.booleans(),
        order=indices,
        interruption=interruptions,
        batch=batches,
        conditional=st.booleans(),
        selected=st.none() | st.none() | st.tuples(indices, st.booleans()),
        keep=st.sampled_from(["all", "all", "all", "1"]),
    )
    def refresh(
        self,
        number: int,
        changes: Changes,
        drop: bool,
        order: int,
        interruption: Interruption | None,
        batch: int,
        conditional: bool,
        selected: tuple[int, bool] | None,
        keep: str,
    ) -> None:
        """Refresh a file from a server that knows conditional requests or not; repeat all commands, or some of them."""
        file = self.existing(number)
        if not file.model.commands:
            return
        self.change(changes)
        arguments, commands = file.model.selection(*selected) if selected else ({}, None)

        def arguments_of(path: Path) -> RefreshArguments:
            return refresh_of(path, "drop" if drop else "keep", keep=keep, **arguments)

        is_written = self.crawl(file, arguments_of, order, interruption, batch=batch, conditional=conditional)
        arrivals = list(visited(self.site, file.model.repeated(commands)))
        others = [entry.command for entry in file.model.commands if commands and entry.command not in commands]
        if not others and all(arrival.is_certain for arrival in arrivals):
            assert is_written == file.model.refresh(self.site, self.moment, drop=drop)
        elif is_written:
            self.adopt(file, arrivals, others)
        if keep == "1" and is_written:
            file.forget_states()
        self.finish(file, "refresh", is_written=is_written)

    def crawl(
        self,
        file: File,
        arguments: Callable[[Path], CaptureArguments | RefreshArguments],
        order: int,
        interruption: Interruption | None,
        *,
        batch: int,
        contents: bool = False,
        conditional: bool = True,
    ) -> bool:
        """Run a crawl; return whether it has written the file.

        A crawl that is killed or stopped is resumed. One that was killed writes the same file as one that was not.
        """
        self.moment += timedelta(hours=1)
        config = config_at(self.moment, batch_pages=batch, contents=contents)

        def started(path: Path, order: int) -> MemoryCrawl:
            return MemoryCrawl(arguments(path), self.site, config, order, conditional=conditional)

        if interruption is None:
            return started(file.path, order).run()
        if interruption.is_stop:
            started(file.path, order).stop(interruption.answers)
            return started(file.path, order + 1).run()
        whole = self.folder / "whole.pdf"
        if file.exists:
            shutil.copy(file.path, whole)
        is_written = started(whole, order).run()
        crawl = started(file.path, order)
        try:
            crawl.run(interruption.answers)
        except KilledError:
            crawl.die(interruption.torn)
        assert started(file.path, order + 1).run() == is_written
        if is_written:
            assert file.path.read_bytes() == whole.read_bytes()
        whole.unlink(missing_ok=True)
        return is_written

    def finish(self, file: File, kind: str, *, is_written: bool = True) -> None:
        """Note the end of a run."""
        if is_written:
            file.note(kind)
            self.changed = file

    def adopt(self, file: File, arrivals: Sequence[Arrival], others: Sequence[Command]) -> None:
        """Take the content of a file as its model, after a refresh in which requests failed, or without some commands.

        Pages to which the refresh did not come are kept if other commands follow links.
        """
        before = file.model
        known = [page_set.page for each in self.files for page_set in each.model.page_sets.values()]
        known += [answer for answer in self.site.values() if isinstance(answer, Page)]
        after = file.model = read_model(file, {page.identifier: page for page in known})
        fetched = {arrival.url: arrival.answer for arrival in arrivals if isinstance(arrival.answer, Page)}
        for url, page in fetched.items():
            assert after.found_at(url) == [page.identifier]
            assert after.page_sets[page.identifier].sources[url].updated == self.moment
        failed = {url for arrival in arrivals if not arrival.is_certain for url in (arrival.url, *arrival.hops)}
        redirected = {hop for arrival in arrivals if arrival.url in fetched for hop in arrival.hops}
        if any(command.levels != 1 for command in others):
            failed |= before.urls() - {url for arrival in arrivals for url in (arrival.url, *arrival.hops)}
        for url in failed - fetched.keys() - redirected:
            _check_kept(url, before, after)

    @rule(number=numbers)
    def optimize(self, number: int) -> None:
        """Drop the earlier states of a file."""
        file = self.existing(number)
        optimize(file.path, moment=self.moment)
        file.forget_states()
        self.finish(file, "optimize")

    @rule(number=numbers)
    def merge(self, number: int) -> None:
        """Merge the other file into a file that may exist."""
        file, other = self.files[number], self.files[1 - number]
        if other.model.page_sets:
            merge(file.path, [other.path], MergeOptions(lambda: self.moment, batch_pages=2, system_fonts=False))
            file.model.merge(other.model)
            self.finish(file, "merge")

    @rule(number=numbers, into=numbers, at=indices)
    def restore(self, number: int, into: int, at: int) -> None:
        """Replace a file by an earlier state of itself, or of the other file."""
        file = self.existing(number)
        kept = [index for index, state in enumerate(file.states) if not state.is_lost]
        if kept:
            index, output = kept[at % len(kept)], self.folder / "restored.pdf"
            restore(file.path, index + 1, output)
            assert output.read_bytes() == file.states[index].content
            self.changed = self.files[into] = file.as_of(index, output.replace(self.files[into].path))

    # Other programs

    def save_again(self, number: int, at: int) -> None:
        """Write a file anew. qpdf cannot linearize references to a page that is not in the page tree."""
        file = self.existing(number)
        is_linearized = at % 2 == 0 and not file.model.incomplete
        mode = list(pikepdf.ObjectStreamMode)[at % 3]

        def edit(pdf: pikepdf.Pdf) -> None:
            pdf.save(file.path, linearize=is_linearized, object_stream_mode=mode)

        self.edit(file, edit)

    def delete_page(self, number: int, at: int) -> None:
        """Delete a page of a page set."""
        file = self.existing(number)

        def edit(pdf: pikepdf.Pdf) -> None:
            captured = [index for index, page in enumerate(pdf.pages) if identifier_of(page)]
            if len(captured) > 1:
                index = captured[at % len(captured)]
                file.model.incomplete.add(identifier_of(pdf.pages[index]))
                del pdf.pages[index]
                pdf.save(file.path)

        self.edit(file, edit, is_flat=True)

    def reverse_pages(self, number: int, at: int) -> None:
        """Reverse the order of the page sets of a file without a contents section."""
        file = self.existing(number)

        def edit(pdf: pikepdf.Pdf) -> None:
            if file.model.incomplete or not identifier_of(pdf.pages[0]):
                return
            groups = [list(group) for _, group in itertools.groupby(pdf.pages, identifier_of)]
            del pdf.pages[:]
            pdf.pages.extend(page for group in reversed(groups) for page in group)
            file.model.page_sets = dict(reversed(file.model.page_sets.items()))
            pdf.save(file.path)

        self.edit(file, edit, is_flat=True)

    def fill_in(self, number: int, at: int) -> None:
        """Fill in a field, or clear it."""
        file = self.existing(number)
        text = ("one", "two", "")[at % 3]

        def edit(pdf: pikepdf.Pdf) -> None:
            fields = list(pdf.Root.AcroForm.Fields) if "/AcroForm" in pdf.Root else []
            if fields:
                fields[at % len(fields)].V = text
                file.model.values[bytes(fields[at % len(fields)].T)] = text
                pdf.save(file.path)

        self.edit(file, edit)

    def delete_bookmark(self, number: int, at: int) -> None:
        """Delete an item at the top of the outline, with the items below it."""
        file = self.existing(number)

        def edit(pdf: pikepdf.Pdf) -> None:
            with pdf.open_outline() as outline:
                if outline.root:
                    removed = outline.root.pop(at % len(outline.root))
                    file.model.unlisted |= file.model.page_sets.keys() & set(identifiers_below(removed))
            pdf.save(file.path)

        self.edit(file, edit)

    @rule(
        number=numbers,
        at=indices,
        edit=st.sampled_from([save_again, delete_page, reverse_pages, fill_in, delete_bookmark]),
    )
    def use_other_program(self, number: int, at: int, edit: Callable[[Files, int, int], None]) -> None:
        """Change a file with another program."""
        edit(self, number, at)

    def edit(self, file: File, change: Callable[[pikepdf.Pdf], None], *, is_flat: bool = False) -> None:
        """Let another program change a file."""
        before = file.path.read_bytes()
        with pikepdf.open(file.path, allow_overwriting_input=True) as pdf:
            change(pdf)
        if file.path.read_bytes() != before:
            file.note_edit(is_flat=is_flat)
            self.changed = file


def identifiers_below(item: pikepdf.OutlineItem) -> Iterator[bytes]:
    """Yield the IDs of the pages to which an item and the items below it lead."""
    yield bytes(item.destination[0].ID)
    for kid in item.children:
        yield from identifiers_below(kid)


def _check_kept(url: str, before: Model, after: Model) -> None:
    """Check that a URL that could not be fetched has the page sets that it had, and is not removed from the site."""
    for identifier in before.found_at(url):
        if identifier not in before.incomplete:
            old, new = (model.page_sets[identifier].sources[url] for model in (before, after))
            assert (new.is_gone, max(new.updated, old.updated)) == (old.is_gone, new.updated)


TestFiles = Files.TestCase
TestFiles.settings = settings(max_examples=20, stateful_step_count=6, derandomize=True)
