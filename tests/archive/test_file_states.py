"""Whatever a user does with files, one operation after the other, they are valid and agree with a simple model."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pikepdf
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

BEGINNING = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINKS = ("/a", f"/b#{ANCHOR}", "/b", "/c", "/d#none", "/d", "/nowhere", "/")

SITE: dict[str, Answer] = {
    "/": Page("Home", links=LINKS, images=("x1",)),
    "/a": Page("News", links=("/", "/b", "/c"), images=("x1", "y1"), pages=2, has_form=True),
    "/b": Page("Contact", links=("/a", "/d#none"), pages=3),
    "/c": Redirect("/d"),
    "/d": Page("News", links=("/a",), images=("x2",), has_form=True),
}
"""The site at first."""

Kill = tuple[int, int | None] | None
"""The number of answers after which a crawl is killed, and the length of a revision that is not complete."""

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
versions = st.lists(paths, max_size=2, unique=True)
seeds = st.just(["/"]) | st.lists(paths, min_size=1, max_size=2, unique=True)
kills = st.none() | st.tuples(st.integers(0, 8), st.none() | st.integers(1, 4000))
batches = st.integers(1, 4)


class Files(RuleBasedStateMachine):
    """Two files, and a site that changes. A rule that does not apply to the file does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.files = [File(self.folder / f"file{number}.pdf") for number in range(2)]
        self.site: dict[str, Answer] = {}
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

    @initialize()
    def begin(self) -> None:
        """Put up a site, and capture it into the first file."""
        self.site = dict(SITE)
        self.capture(0, [], ["/"], None, order=0, kill=None, batch=2, contents=False)

    def existing(self, number: int) -> File:
        """Return the file with a number, or the other one if there is no such file."""
        return self.files[number] if self.files[number].exists else self.files[1 - number]

    @rule(path=paths, answer=answers)
    def change_site(self, path: str, answer: Answer) -> None:
        """Change the answer to requests of a path, which does not redirect to itself."""
        if answer == Redirect(path):
            return
        self.site[path] = answer

    def change_versions(self, paths: Sequence[str]) -> None:
        """Change pages, which may then be as they were before their last change."""
        for path in paths:
            page = self.site[path]
            if isinstance(page, Page):
                self.site[path] = replace(page, version=1 - page.version)

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
        changed=versions,
        seeds=seeds,
        levels=st.sampled_from([None, None, 1, 2]),
        order=indices,
        kill=kills,
        batch=batches,
        contents=st.integers(0, 7).map(lambda drawn: drawn == 7),
    )
    def capture(
        self,
        number: int,
        changed: list[str],
        seeds: list[str],
        levels: int | None,
        order: int,
        kill: Kill,
        batch: int,
        contents: bool,
    ) -> None:
        """Capture pages into a file that may exist."""
        file = self.files[number]
        self.change_versions(changed)

        def arguments(path: Path) -> CaptureArguments:
            return capture_into(path, ",".join(seeds), "all" if levels is None else str(levels))

        is_written = self.crawl(file, arguments, order, kill, batch=batch, contents=contents)
        assert is_written == file.model.capture(self.site, [Command(seed, levels) for seed in seeds], self.moment)
        self.finish(file, "capture", is_written=is_written)

    @rule(
        number=numbers,
        changed=versions,
        drop=st.booleans(),
        order=indices,
        kill=kills,
        batch=batches,
        conditional=st.booleans(),
    )
    def refresh(
        self, number: int, changed: list[str], drop: bool, order: int, kill: Kill, batch: int, conditional: bool
    ) -> None:
        """Refresh a file from a server that knows conditional requests or not."""
        file = self.existing(number)
        if not file.model.commands:
            return
        self.change_versions(changed)

        def arguments(path: Path) -> RefreshArguments:
            return refresh_of(path, "drop" if drop else "keep")

        is_written = self.crawl(file, arguments, order, kill, batch=batch, conditional=conditional)
        arrivals = list(visited(self.site, file.model.repeated()))
        if all(arrival.is_certain for arrival in arrivals):
            assert is_written == file.model.refresh(self.site, self.moment, drop=drop)
        elif is_written:
            self.adopt(file, arrivals)
        self.finish(file, "refresh", is_written=is_written)

    def crawl(
        self,
        file: File,
        arguments: Callable[[Path], CaptureArguments | RefreshArguments],
        order: int,
        kill: Kill,
        *,
        batch: int,
        contents: bool = False,
        conditional: bool = True,
    ) -> bool:
        """Run a crawl; return whether it has written the file.

        A crawl that is killed is resumed, and writes the same file as one that is not.
        """
        self.moment += timedelta(hours=1)
        config = config_at(self.moment, batch_pages=batch, contents=contents)

        def started(path: Path, order: int) -> MemoryCrawl:
            return MemoryCrawl(arguments(path), self.site, config, order, conditional=conditional)

        if kill is None:
            return started(file.path, order).run()
        whole = self.folder / "whole.pdf"
        if file.exists:
            shutil.copy(file.path, whole)
        is_written = started(whole, order).run()
        crawl = started(file.path, order)
        try:
            crawl.run(kill[0])
        except KilledError:
            crawl.die(kill[1])
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

    def adopt(self, file: File, arrivals: Sequence[Arrival]) -> None:
        """Take the content of a file as its model, after a refresh in which requests failed."""
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
        for url in failed - fetched.keys() - redirected:
            _check_kept(url, before, after)

    @rule(number=numbers)
    def optimize(self, number: int) -> None:
        """Drop the earlier states of a file."""
        file = self.existing(number)
        optimize(file.path, moment=self.moment)
        file.model.forget_runs()
        file.states = []
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

    @rule(number=numbers, is_linearized=st.booleans(), mode=st.sampled_from(list(pikepdf.ObjectStreamMode)))
    def save_again(self, number: int, is_linearized: bool, mode: pikepdf.ObjectStreamMode) -> None:
        """Write a file anew. qpdf cannot linearize references to a page that is not in the page tree."""
        file = self.existing(number)
        is_linearized = is_linearized and not file.model.incomplete

        def edit(pdf: pikepdf.Pdf) -> None:
            pdf.save(file.path, linearize=is_linearized, object_stream_mode=mode)

        self.edit(file, edit)

    @rule(number=numbers, at=indices)
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

    @rule(number=numbers)
    def reverse_pages(self, number: int) -> None:
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

    @rule(number=numbers, at=indices, text=st.sampled_from(["one", "two", ""]))
    def fill_in(self, number: int, at: int, text: str) -> None:
        """Fill in a field."""
        file = self.existing(number)

        def edit(pdf: pikepdf.Pdf) -> None:
            fields = list(pdf.Root.AcroForm.Fields) if "/AcroForm" in pdf.Root else []
            if fields:
                fields[at % len(fields)].V = text
                file.model.values[bytes(fields[at % len(fields)].T)] = text
                pdf.save(file.path)

        self.edit(file, edit)

    @rule(number=numbers, at=indices)
    def delete_bookmark(self, number: int, at: int) -> None:
        """Delete an item at the top of the outline, with the items below it."""
        file = self.existing(number)

        def edit(pdf: pikepdf.Pdf) -> None:
            with pdf.open_outline() as outline:
                if outline.root:
                    removed = outline.root.pop(at % len(outline.root))
                    for identifier in file.model.page_sets.keys() & set(identifiers_below(removed)):
                        file.model.unlisted |= file.model.page_sets[identifier].sources.keys()
            pdf.save(file.path)

        self.edit(file, edit)

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
TestFiles.settings = settings(max_examples=10, stateful_step_count=12, derandomize=True)
