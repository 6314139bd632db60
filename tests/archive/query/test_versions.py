"""The versions of a URL, and pages of earlier states."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from tests.archive.query.test_diff import HOUR, Page
from tests.archive.run.test_writer import new_writer
from tests.support.archive_samples import NOW, SITE, clock, new_database
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import history, search, versions
from wcspider.archive.query.diff import ChangeKind, Snapshot, compare
from wcspider.archive.query.page_changes import PartState, page_changes
from wcspider.archive.query.page_contents import ContentsReader
from wcspider.exceptions import ArgumentError
from wcspider.pdf.webcapture.run_records import CAPTURE, Run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A file of four runs: /a changes in the second, is the same in the third, and redirects in the fourth."""
    path = tmp_path_factory.mktemp("grown") / "site.pdf"
    runs = [
        [Page("/a", "one", images=("red.png",)), Page("/b")],
        [Page("/a", "two", images=("red.png", "new.png"))],
        [Page("/a", "two", images=("red.png", "new.png"))],
        [Page("/c", "two", images=("red.png", "new.png"), hops=("/a",))],
    ]
    for number, pages in enumerate(runs):
        base = history.revisions(path)[-1] if path.exists() else None
        run = Run(CAPTURE) if base is None else Run(CAPTURE, base.length, _digest(path))
        with closing(new_database(path) if base is None else ContentDatabase.open(path, clock)) as database:
            writer = new_writer(database)
            for page in pages:
                writer.add(page.rendered(NOW + number * HOUR))
            writer.finish(run=run)
            writer.close()
    return path


def _digest(path):
    return hashlib.sha256(path.read_bytes()).digest()


def found(path, url):
    """The versions of a path, as tuples."""
    return [
        (version.first_revision, version.last_revision, version.url.removeprefix(SITE), version.pages)
        for version in versions.find_versions(path, SITE + url, clock)[0]
    ]


def test_versions(grown):
    assert found(grown, "/a") == [(1, 4, "/a", (1,)), (2, 4, "/a", (3,)), (4, 4, "/c", (3,))]
    assert found(grown, "/b") == [(1, 4, "/b", (2,))]
    assert found(grown, "/none") == []
    [first, second, third], missing = versions.find_versions(grown, f"{SITE}/a", clock)
    assert (first.captured, first.updated, missing) == (NOW, NOW, [])
    assert (second.captured, second.updated) == (NOW + HOUR, NOW + 2 * HOUR)
    assert second.identifier == third.identifier != first.identifier


def test_lines_and_json(grown):
    description = versions.describe(f"{SITE}/a", *versions.find_versions(grown, f"{SITE}/a", clock))
    identifiers = [row["id"] for row in description["versions"]]
    assert list(versions.lines(description)) == [
        "2026-03-01T12:00:00Z  revisions 1-4  page 1  Title of /a",
        f"    id {identifiers[0]}",
        "2026-03-01T13:00:00Z  revisions 2-4  page 3  Title of /a",
        f"    id {identifiers[1]}  unchanged until 2026-03-01T14:00:00Z",
        "2026-03-01T15:00:00Z  revision 4  page 3  Title of /a",
        f"    id {identifiers[2]}  redirected to {SITE}/c",
    ]
    assert description["versions"][1] == {
        "revisions": [2, 4],
        "url": f"{SITE}/a",
        "id": identifiers[1],
        "title": "Title of /a",
        "pages": [3],
        "captured": "2026-03-01T13:00:00Z",
        "updated": "2026-03-01T14:00:00Z",
        "gone": None,
        "form": 0,
    }


def test_a_version_that_was_found_again_after_another_one(grown):
    """A capture adds each version as a page set of its own, and updates the one that the site has again."""
    description = versions.describe(f"{SITE}/a", *versions.find_versions(grown, f"{SITE}/a", clock))
    description["versions"][0]["updated"] = "2026-03-01T13:30:00Z"
    shown = list(versions.lines(description))
    assert shown[1].endswith("  found again at 2026-03-01T13:30:00Z")
    assert shown[3].endswith("  unchanged until 2026-03-01T14:00:00Z")


def test_lost_revisions_are_named(grown, tmp_path):
    path = tmp_path / "site.pdf"
    content = bytearray(grown.read_bytes())
    content[12] ^= 1  # in the comment behind the header
    path.write_bytes(content)
    description = versions.describe(f"{SITE}/b", *versions.find_versions(path, f"{SITE}/b", clock))
    assert description["lost_revisions"] == [1, 2, 3]
    assert [row["revisions"] for row in description["versions"]] == [[4, 4]]
    *_, last = versions.lines(description)
    assert last == "lost, because another program has rewritten the file: revision 1, 2, 3"


def mark(path, url, gone):
    """Add a run that marks a page as gone, or as there again."""
    base = history.revisions(path)[-1]
    digest = _digest(path)
    with closing(ContentDatabase.open(path, clock)) as database:
        [stored] = database.find_by_url(SITE + url)
        [source] = stored.content.sources
        database.update(stored, replace(stored.content, sources=(replace(source, gone=gone),)))
        database.catalog.add_run(Run(CAPTURE, base.length, digest))
        database.commit()


def test_a_removed_page_is_the_same_version_until_it_returns(tmp_path, grown):
    path = tmp_path / "site.pdf"
    path.write_bytes(grown.read_bytes())
    mark(path, "/b", NOW + 9 * HOUR)
    assert found(path, "/b") == [(1, 5, "/b", (2,))]
    description = versions.describe(f"{SITE}/b", *versions.find_versions(path, f"{SITE}/b", clock))
    assert [row["gone"] for row in description["versions"]] == ["2026-03-01T21:00:00Z"]
    assert list(versions.lines(description))[-1].endswith("  gone since 2026-03-01T21:00:00Z")
    mark(path, "/b", None)
    assert found(path, "/b") == [(1, 5, "/b", (2,)), (6, 6, "/b", (2,))]


def test_find_revision(grown):
    assert [history.find_revision(grown, number).number for number in (1, 4)] == [1, 4]
    with pytest.raises(ArgumentError, match="has no revision 5"):
        history.find_revision(grown, 5)


@pytest.mark.parametrize(("number", "texts"), [(1, ["one 0"]), (2, ["one 0", "two 0"]), (4, ["one 0", "two 0"])])
def test_the_text_of_an_earlier_state(grown, number, texts):
    with closing(ContentDatabase(history.opened(grown, history.find_revision(grown, number)), clock)) as database:
        assert [" ".join(page.text.split()) for page in search.pages(database, f"{SITE}/a")] == texts
        assert len(list(search.search(database, ["body"]))) == 1


def test_the_contents_of_a_changed_page(grown):
    before, after = (history.find_revision(grown, number) for number in (1, 2))
    opened = []

    def reader(revision):
        assert all(earlier.database.file._file.closed for earlier in opened)  # one state at a time: each takes memory
        opened.append(ContentsReader(ContentDatabase(history.opened(grown, revision), clock)))
        return opened[-1]

    snapshots = []
    for revision in (before, after):
        with reader(revision) as state:
            snapshots.append(Snapshot.of(state.database))
    changes = compare(*snapshots)
    [change] = page_changes(changes, partial(reader, before), partial(reader, after))
    [unread] = page_changes(changes, partial(reader, before), partial(reader, after), limit=0)
    assert (change.change.kind, change.change.url) == (ChangeKind.CHANGED, f"{SITE}/a")
    assert change.contents is not None
    assert [[piece.text for piece in text.pieces] for text in change.contents.text.changes] == [
        ["one", "two", "0"]
    ]  # each page of the samples shows its text and its number
    assert [(part.state, part.url) for part in change.contents.parts] == [(PartState.ADDED, f"{SITE}/new.png")]
    assert change.contents.pages == ((1,), (3,))
    assert (unread.contents, unread.is_beyond_limit) == (None, True)
