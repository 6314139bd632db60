"""The differences between two states of a file, page by page."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archive.run.test_writer import new_writer
from tests.support import pdf_samples
from tests.support.archive_samples import NOW, SITE, clock, new_database, rendered
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.diff import Change, ChangeKind, Snapshot, compare
from wcspider.pdf.webcapture.content_sets import PageSet

NEW, RETURNED, CHANGED, MOVED, GONE = ChangeKind
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Page:
    """A page of a state: its path and what it holds."""

    path: str
    body: str = ""
    text: str | None = None
    """What it reads as; None for its body."""

    images: tuple[str, ...] = ()
    hops: tuple[str, ...] = ()

    def rendered(self, moment):
        """Return the page as the store gets it, fetched at a given time."""
        made = rendered(
            self.path,
            self.body or f"body of {self.path}",
            images=self.images,
            hops=tuple(SITE + hop for hop in self.hops),
        )
        capture = replace(made.capture, resource=replace(made.capture.resource, fetched=moment))
        if self.text is not None:
            capture = replace(capture, text_identifier=self.text.encode().ljust(16))
        return replace(made, capture=capture)


def written(path, pages, moment=NOW):
    """Add pages to a file, new or existing."""
    database = ContentDatabase.open(path, clock) if path.exists() else new_database(path)
    with closing(database):
        writer = new_writer(database)
        for page in pages:
            writer.add(page.rendered(moment))
        writer.finish()
        writer.close()
    return path


def compared(before, after):
    """Compare two files; return the changes with paths for URLs."""
    with closing(ContentDatabase.open(before, clock)) as old, closing(ContentDatabase.open(after, clock)) as new:
        return [
            replace(change, url=change.url.removeprefix(SITE), to=change.to and change.to.removeprefix(SITE))
            for change in compare(Snapshot.of(old), Snapshot.of(new))
        ]


A, B, C = Page("/a"), Page("/b"), Page("/c")

# The pages before and after, each written into a file of its own, and what they differ by.
CASES = {
    "nothing": ([A, B], [A, B], []),
    "no page at all": ([], [], []),
    "another time alone": ([A], [A], []),
    "new": ([A], [A, B, C], [Change(NEW, "/b", pages=(None, 2)), Change(NEW, "/c", pages=(None, 3))]),
    "gone": ([A, B, C], [C], [Change(GONE, "/a", pages=(1, None)), Change(GONE, "/b", pages=(2, None))]),
    "by source and text": (
        [A, B],
        [A, Page("/b", "another body")],
        [Change(CHANGED, "/b", None, ("source", "text"), (2, 2))],
    ),
    "by source alone": (
        [Page("/a", "<p>one", "one")],
        [Page("/a", "<b>one</b>", "one")],
        [Change(CHANGED, "/a", None, ("source",), (1, 1))],
    ),
    "by text alone, as with another charset": (
        [Page("/a", "<p>one", "one")],
        [Page("/a", "<p>one", "two")],
        [Change(CHANGED, "/a", None, ("text",), (1, 1))],
    ),
    "by an auxiliary": (
        [Page("/a", images=("red.png",))],
        [Page("/a", images=("blue.png",))],
        [Change(CHANGED, "/a", None, ("auxiliary",), (1, 1))],
    ),
    "by an auxiliary more": (
        [A],
        [Page("/a", images=("blue.png",))],
        [Change(CHANGED, "/a", None, ("auxiliary",), (1, 1))],
    ),
    "another order": ([A, B, C], [C, A, B], [Change(MOVED, "/c", pages=(3, 1))]),
    "behind one that is gone": ([A, B, C], [B, C], [Change(GONE, "/a", pages=(1, None))]),
    "behind one that is new": ([B, C], [A, B, C], [Change(NEW, "/a", pages=(None, 1))]),
    "changed and elsewhere": (
        [A, B, C],
        [B, C, Page("/a", "another")],
        [Change(CHANGED, "/a", None, ("source", "text"), (1, 3))],
    ),
    "redirects to a new URL": (
        [A, B],
        [Page("/new-a", "body of /a", hops=("/a",)), B],
        [Change(MOVED, "/a", "/new-a", (), (1, 1))],
    ),
    "redirects to a new URL, and changed": (
        [A],
        [Page("/new-a", "another", hops=("/a",))],
        [Change(MOVED, "/a", "/new-a", ("source", "text"), (1, 1))],
    ),
    "redirects to a page that was there": (
        [A, B],
        [Page("/b", hops=("/a",))],
        [Change(GONE, "/a", pages=(1, None))],
    ),
    "redirects to a page with the same text that was there": (
        [Page("/a", "<p>one", "one"), Page("/b", "<b>one</b>", "one")],
        [Page("/b", "<b>one</b>", "one", hops=("/a",))],
        [Change(MOVED, "/a", "/b", ("source",), (1, 1))],
    ),
    "redirects no more": (
        [Page("/b", hops=("/a",))],
        [B, A],
        [Change(NEW, "/a", pages=(None, 2))],
    ),
    "one page set at two URLs": (
        [Page("/a", "same"), Page("/b", "same"), C],
        [Page("/a", "same"), Page("/b", "other"), C],
        [Change(CHANGED, "/b", None, ("source", "text"), (1, 2))],
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), CASES.values(), ids=CASES)
def test_changes(tmp_path, before, after, expected):
    old = written(tmp_path / "old.pdf", before)
    new = written(tmp_path / "new.pdf", after, NOW + HOUR)
    assert compared(old, new) == expected


# The same, where a run adds to what is there: the page sets of before stay.
ADDED = {
    "found again": ([A, B], [A, B], []),
    "not asked for again": ([A, B], [B], []),
    "new": ([A], [B], [Change(NEW, "/b", pages=(None, 2))]),
    "changed": ([A, B], [Page("/a", "another")], [Change(CHANGED, "/a", None, ("source", "text"), (1, 3))]),
    "redirects to a new URL": (
        [A, B],
        [Page("/c", hops=("/a",)), B],
        [Change(MOVED, "/a", "/c", ("source", "text"), (1, 3))],
    ),
    "redirects to the same at a new URL": (
        [A, B],
        [Page("/c", "body of /a", hops=("/a",)), B],
        [Change(MOVED, "/a", "/c", (), (1, 1))],
    ),
    "redirected before it had a page": ([Page("/b", hops=("/a",)), A], [A, B], []),
    "redirected before, and its target alone is found again": ([Page("/b", hops=("/a",)), A], [B], []),
}


@pytest.mark.parametrize(("before", "after", "expected"), ADDED.values(), ids=ADDED)
def test_changes_of_a_file_that_is_added_to(tmp_path, before, after, expected):
    old = written(tmp_path / "old.pdf", before)
    new = tmp_path / "new.pdf"
    new.write_bytes(old.read_bytes())
    written(new, after, NOW + HOUR)
    assert compared(old, new) == expected


def mark_removed(path, page):
    """Mark a page of a file as removed from the site."""
    with closing(ContentDatabase.open(path, clock)) as database:
        [removed] = database.find_by_url(SITE + page)
        [source] = removed.content.sources
        database.update(removed, replace(removed.content, sources=(replace(source, gone=NOW),)))
        database.commit()


def test_a_removed_page_is_gone_when_it_is_marked_and_when_it_is_deleted(tmp_path):
    old = written(tmp_path / "old.pdf", [A, B])
    marked = tmp_path / "marked.pdf"
    marked.write_bytes(old.read_bytes())
    mark_removed(marked, "/b")
    deleted = written(tmp_path / "deleted.pdf", [A], NOW + HOUR)
    gone = [Change(GONE, "/b", pages=(2, None))]
    assert compared(old, marked) == gone
    assert compared(marked, deleted) == gone
    assert compared(marked, marked) == []


def test_a_marked_page_is_gone_although_its_url_redirects_to_a_new_page(tmp_path):
    old = written(tmp_path / "old.pdf", [A, B])
    new = tmp_path / "new.pdf"
    new.write_bytes(old.read_bytes())
    mark_removed(new, "/b")
    written(new, [Page("/c", hops=("/b",))], NOW + HOUR)
    assert compared(old, new) == [Change(NEW, "/c", pages=(None, 3)), Change(GONE, "/b", pages=(2, None))]


def test_a_page_that_was_removed_from_the_site_and_has_returned(tmp_path):
    old = written(tmp_path / "old.pdf", [A, B])
    mark_removed(old, "/b")
    new = written(tmp_path / "new.pdf", [A, B, C], NOW + HOUR)
    changes = [Change(NEW, "/c", pages=(None, 3)), Change(RETURNED, "/b", pages=(None, 2))]
    assert compared(old, new) == changes


def test_a_page_that_is_as_it_was_once_more(tmp_path):
    """The file has both contents: the comparison uses the one that was found last."""
    path, other = tmp_path / "site.pdf", tmp_path / "other.pdf"
    written(path, [A])
    first = path.read_bytes()
    written(path, [Page("/a", "another")], NOW + HOUR)
    other.write_bytes(path.read_bytes())
    written(path, [A], NOW + 2 * HOUR)
    assert [change.kind for change in compared(other, path)] == [CHANGED]
    other.write_bytes(first)
    assert compared(other, path) == []


@pytest.mark.parametrize("make", [None, pdf_samples.classic_pdf, pdf_samples.acrobat_pdf])
def test_places_are_page_numbers(tmp_path, make):
    path = tmp_path / "file.pdf"
    if make is not None:
        make(path)
    written(path, [Page(f"/{number}") for number in range(80)])
    with closing(ContentDatabase.open(path, clock)) as database:
        places = {url: page.page_number for url, page in Snapshot.of(database).page_sets.items()}
        for stored in database.content_sets():
            if isinstance(stored.content, PageSet):
                [url] = {source.url for source in stored.content.sources}
                assert places[url] == database.catalog.pages.page_number(stored.content.objects[0])
    assert len(places) >= 80


@pytest.mark.parametrize("which", ["old", "new"])
def test_files_without_digests_of_the_source_say_changed_only(tmp_path, which):
    paths = {
        "old": written(tmp_path / "old.pdf", [Page("/a", images=("red.png",)), B]),
        "new": written(tmp_path / "new.pdf", [Page("/a", images=("blue.png",)), Page("/b", "another")]),
    }
    with closing(ContentDatabase.open(paths[which], clock)) as database:
        for stored in database.content_sets():
            content = dict(database.file.get(stored.reference))
            content.pop("WCSP_Digest", None)
            database.file.put(stored.reference, content)
        database.commit()
    changes = compared(paths["old"], paths["new"])
    assert [(change.kind, change.url, change.by) for change in changes] == [(CHANGED, "/a", ()), (CHANGED, "/b", ())]


PATHS = st.lists(st.sampled_from([f"/{number}" for number in range(8)]), unique=True)
BODIES = st.sampled_from(["one", "two"])


@settings(max_examples=30, deadline=None)
@given(PATHS, PATHS, st.lists(BODIES, min_size=16, max_size=16))
def test_every_url_is_told_of_once(tmp_path_factory, before, after, bodies):
    folder = tmp_path_factory.mktemp("differences")
    text = iter(bodies)
    olds = {path: f"{path} {next(text)}" for path in before}
    news = {path: f"{path} {next(text)}" for path in after}
    old = written(folder / "old.pdf", [Page(path, body) for path, body in olds.items()])
    new = written(folder / "new.pdf", [Page(path, body) for path, body in news.items()])
    changes = compared(old, new)
    found = {kind: {change.url for change in changes if change.kind == kind} for kind in ChangeKind}
    assert len(changes) == sum(map(len, found.values()))
    assert found[NEW] == news.keys() - olds.keys()
    assert found[GONE] == olds.keys() - news.keys()
    assert found[CHANGED] == {path for path in olds.keys() & news.keys() if olds[path] != news[path]}
    same = [path for path in before if news.get(path) == olds[path]]
    staying = [path for path in same if path not in found[MOVED]]
    assert found[MOVED] <= set(same)
    assert sorted(staying, key=after.index) == staying
    assert compared(old, old) == []
    assert {(change.kind, change.url) for change in compared(new, old) if change.kind in (NEW, GONE)} == {
        *((GONE, url) for url in found[NEW]),
        *((NEW, url) for url in found[GONE]),
    }
