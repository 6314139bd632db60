"""Merged files have the same content as one capture of all their pages."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.archive.optimize.test_rewrite import texts
from tests.support.archive_samples import NOW, SITE, clock, rendered
from tests.support.crawls import Archive, tool
from tests.support.memory_sites import MemoryCrawl, Page, capture_into, config_at, refresh_of
from tests.support.merging import OPTIONS, captured_file, described, jumps, merged, url
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import history
from wcspider.archive.query.explaining import why
from wcspider.archive.query.listing import iso

pytestmark = pytest.mark.slow

PAGES = [
    rendered("/", images=("logo.png", "photo.png"), links=(url("/a"), url("/b#part"), "mailto:x@example.com")),
    rendered("/a", images=("logo.png",), pages=3, links=(url("/"), url("/nowhere#x"), url("/b#part"))),
    rendered("/b", images=("photo.png",), anchors=(("part", 0),), links=(url("/b"), url("/c?q=1#%C3%A4"))),
    rendered("/c?q=1", anchors=(("ä", 1),), pages=2, links=(url("/b#nothing"), url("/twin"))),
    rendered("/twin", body="page /a", images=("logo.png",), pages=3, links=(url("/"),), hops=(url("/old"),)),
    rendered("/d", images=("photo.png", "logo.png"), links=(url("/old"), url("/a"))),
]


def readable(path):
    """Assert that no program finds a fault in a file."""
    assert list(check_file(path)) == []
    tool("qpdf", "--check", path)
    tool("mutool", "info", path)
    with pypdfium2.PdfDocument(path) as document:
        return [page.get_size() for page in document]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One capture of everything."""
    return captured_file(tmp_path_factory.mktemp("whole") / "all.pdf", PAGES)


@settings(max_examples=12, deadline=None)
@given(
    cuts=st.lists(st.integers(1, len(PAGES) - 1), max_size=3, unique=True),
    batch=st.integers(1, 9),
    kept=st.integers(0, 9),
)
def test_merged_parts_equal_one_capture(whole, tmp_path_factory, cuts, batch, kept):
    folder = tmp_path_factory.mktemp("parts")
    bounds = [0, *sorted(cuts), len(PAGES)]
    parts = [PAGES[start:end] for start, end in pairwise(bounds)]
    files = [captured_file(folder / f"{number}.pdf", part) for number, part in enumerate(parts)]
    report = merged(folder / "out.pdf", *files, options=replace(OPTIONS, batch_pages=batch, kept_keys=kept))
    assert described(folder / "out.pdf") == described(whole)
    assert jumps(folder / "out.pdf") == jumps(whole)
    assert texts(folder / "out.pdf") == texts(whole)
    assert report.added == sum(subtype == "SPS" for subtype, _ in described(whole)["content_sets"])
    assert report.left == {}
    readable(folder / "out.pdf")


def test_the_content_of_the_output_stays_in_front(tmp_path):
    out = captured_file(tmp_path / "out.pdf", PAGES[:2])
    before = out.read_bytes()
    merged(out, captured_file(tmp_path / "b.pdf", PAGES[2:4]), captured_file(tmp_path / "a.pdf", PAGES[4:]))
    assert out.read_bytes().startswith(before)
    with Archive(out) as archive:
        assert archive.order(SITE) == ["/", "/a", "/b", "/c?q=1", "/d"]


def test_the_inputs_stay_unchanged_and_nothing_is_left_beside_the_output(tmp_path):
    files = [captured_file(tmp_path / "a.pdf", PAGES[:3]), captured_file(tmp_path / "b.pdf", PAGES[3:])]
    before = [path.read_bytes() for path in files]
    merged(tmp_path / "out.pdf", *files)
    assert [path.read_bytes() for path in files] == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a.pdf", "b.pdf", "out.pdf"]


def test_merging_again_adds_nothing_but_the_record(tmp_path):
    files = [captured_file(tmp_path / "a.pdf", PAGES[:3]), captured_file(tmp_path / "b.pdf", PAGES[3:])]
    merged(tmp_path / "out.pdf", *files)
    before, outline = described(tmp_path / "out.pdf"), titles(tmp_path / "out.pdf")
    report = merged(tmp_path / "out.pdf", *files)
    assert (report.added, report.image_sets, report.commands) == (0, 0, 0)
    assert described(tmp_path / "out.pdf") == before
    assert titles(tmp_path / "out.pdf") == outline
    readable(tmp_path / "out.pdf")


def titles(path):
    """Return the titles of the outline, nested."""

    def below(items):
        return [(item.title, below(item.children)) for item in items]

    with pikepdf.open(path) as pdf, pdf.open_outline() as outline:
        return below(outline.root)


def test_links_between_the_files_become_jumps_to_anchors(tmp_path):
    a = captured_file(tmp_path / "a.pdf", [PAGES[0]])
    b = captured_file(tmp_path / "b.pdf", [PAGES[2]])
    report = merged(tmp_path / "out.pdf", a, b)
    [links, _] = jumps(tmp_path / "out.pdf")
    assert links[0] == url("/a").encode()
    assert links[1][:2] == (1, "/XYZ")
    assert links[1][2:] == (10, 90)
    assert links[2] == b"mailto:x@example.com"
    assert report.jumps == 1


def test_links_of_the_output_become_jumps(tmp_path):
    out = captured_file(tmp_path / "out.pdf", [PAGES[0]])
    assert merged(out, captured_file(tmp_path / "b.pdf", [PAGES[2]])).jumps == 1
    assert jumps(out)[0][1][:2] == (1, "/XYZ")


def test_a_jump_to_a_page_that_has_other_content_now_leads_to_the_later_content(tmp_path):
    old = replace(PAGES[2].capture.resource, fetched=NOW - timedelta(days=1))
    earlier = replace(rendered("/b", body="as it was"))
    earlier = replace(earlier, capture=replace(earlier.capture, resource=replace(old, body=b"as it was")))
    files = {
        "new": captured_file(tmp_path / "new.pdf", [PAGES[0], PAGES[2]]),
        "old": captured_file(tmp_path / "old.pdf", [PAGES[0], earlier]),
    }
    for order in (("new", "old"), ("old", "new")):
        out = tmp_path / f"{order[0]}-first.pdf"
        merged(out, *(files[name] for name in order))
        with Archive(out) as archive:
            assert len(archive.urls[url("/b")]) == 2
            numbers = {found.identifier: found.pages[0] for found in archive.page_sets}
        assert jumps(out)[0][1][0] == numbers[PAGES[2].capture.identifier]
        readable(out)


def test_sources_with_the_same_url_keep_the_later_dates_and_all_chains(tmp_path):
    def fetched(days, hop):
        page = rendered("/a", hops=(url(hop),))
        resource = replace(page.capture.resource, fetched=NOW + timedelta(days=days), etag=f'"{days}"')
        return replace(page, capture=replace(page.capture, resource=resource))

    early = captured_file(tmp_path / "early.pdf", [fetched(0, "/from-early")])
    late = captured_file(tmp_path / "late.pdf", [fetched(1, "/from-late")])
    for number, inputs in enumerate([(early, late), (late, early)]):
        out = tmp_path / f"{number}.pdf"
        assert merged(out, *inputs).unified == 1
        with Archive(out) as archive:
            [source] = archive.page_set(url("/a")).sources
            assert source.updated == "D:20260302120000Z"
            assert sorted(source.chains) == [(url("/from-early"),), (url("/from-late"),)]
            assert set(archive.urls) == {url("/a"), url("/from-early"), url("/from-late")}
        with closing(ContentDatabase.open(out, clock)) as database:
            [stored] = database.find_by_url(url("/a"))
            assert stored.content.sources[0].etag == '"1"'


OLD, NEW, GONE = Page("old"), Page("new"), "HTTP 404"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({1: OLD, 3: GONE}, {2: OLD}, {OLD: (2, 3)}),
        ({1: OLD, 3: GONE}, {2: NEW}, {OLD: (1, 3), NEW: (2, 3)}),
        ({1: OLD, 3: GONE}, {3: OLD}, {OLD: (3, 3)}),  # which came first is unknown
        ({1: OLD, 3: GONE}, {4: OLD}, {OLD: (4, None)}),  # it came back
        ({1: OLD, 3: GONE}, {4: NEW}, {OLD: (1, 3), NEW: (4, None)}),
        ({1: OLD, 3: GONE}, {2: OLD, 4: GONE}, {OLD: (2, 3)}),
        ({1: OLD, 2: GONE}, {3: OLD, 4: GONE}, {OLD: (3, 4)}),
        ({1: OLD, 2: GONE}, {3: NEW, 4: GONE}, {OLD: (1, 2), NEW: (3, 4)}),
    ],
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_page_is_gone_since_the_first_run_that_missed_it_after_its_last_update(
    tmp_path, first, second, expected, is_reversed
):
    files = [crawled(tmp_path / "a.pdf", first), crawled(tmp_path / "b.pdf", second)]
    merged(tmp_path / "out.pdf", *(reversed(files) if is_reversed else files))
    found = described(tmp_path / "out.pdf")
    for page, (updated, gone) in expected.items():
        [source] = found["content_sets"]["SPS", page.identifier.hex()]["sources"]
        assert (source["updated"], source["gone"]) == (iso(day(updated)), gone and iso(day(gone)))
    latest = max(updated for updated, _ in expected.values())
    with closing(ContentDatabase.open(tmp_path / "out.pdf", clock)) as database:
        explained = "\n".join(why.lines(why.explain(database, url("/x"))))
    since = next(gone for updated, gone in expected.values() if updated == latest)
    assert (f"gone since {iso(day(since))}" if since else f"as of {iso(day(latest))}") in explained
    assert "the last attempt" not in explained


def crawled(path, answers):
    """Capture the answer for a page on the first of some days, and refresh the file on the others."""
    for moment, answer in answers.items():
        site = {"/": Page("Home", links=("/x",)), "/x": answer}
        arguments = refresh_of(path, "keep") if path.exists() else capture_into(path, "/", "all")
        assert MemoryCrawl(arguments, site, config_at(day(moment))).run()
    return path


def day(number):
    return NOW.replace(day=number)


def test_fonts_and_images_are_stored_once(tmp_path):
    parts = [captured_file(tmp_path / f"{at}.pdf", [page]) for at, page in enumerate(PAGES)]
    merged(tmp_path / "out.pdf", *parts)
    with pikepdf.open(tmp_path / "out.pdf") as pdf:
        kinds = [str(found.get("/Subtype", "")) for found in pdf.objects if isinstance(found, pikepdf.Stream)]
        fonts = [found for found in pdf.objects if isinstance(found, pikepdf.Dictionary) and "/BaseFont" in found]
    assert kinds.count("/Image") == 2
    assert len(fonts) == 1


def test_the_history_records_the_inputs_with_their_runs(tmp_path):
    a = captured_file(tmp_path / "a.pdf", PAGES[:2])
    captured_file(a, PAGES[2:3])
    b = captured_file(tmp_path / "b.pdf", PAGES[3:])
    out = captured_file(tmp_path / "out.pdf", PAGES[:1])
    merged(out, a, b)
    with closing(ContentDatabase.open(out, clock)) as database:
        description = json.loads(json.dumps(history.describe(database)))
        lines = list(history.lines(description))
    [first, second] = description["revisions"]
    assert (first["run"], second["run"], second["added"]) == ("capture", "merge", 4)
    assert [(file["file"], len(file["runs"])) for file in second["inputs"]] == [("a.pdf", 2), ("b.pdf", 1)]
    assert any("file a.pdf" in line for line in lines)


def test_a_merged_file_can_be_merged(tmp_path):
    a, b = captured_file(tmp_path / "a.pdf", PAGES[:2]), captured_file(tmp_path / "b.pdf", PAGES[2:4])
    c = captured_file(tmp_path / "c.pdf", PAGES[4:])
    merged(tmp_path / "ab.pdf", a, b)
    merged(tmp_path / "out.pdf", tmp_path / "ab.pdf", c)
    with closing(ContentDatabase.open(tmp_path / "out.pdf", clock)) as database:
        [run] = database.catalog.history
        [inner] = run.inputs[0].runs
        assert [file.name for file in inner.inputs] == ["a.pdf", "b.pdf"]
        assert inner.inputs[0].runs[0].commands == inner.commands
    readable(tmp_path / "out.pdf")


def test_an_earlier_state_of_the_output_can_be_restored(tmp_path):
    out = captured_file(tmp_path / "out.pdf", PAGES[:2])
    before = out.read_bytes()
    merged(out, captured_file(tmp_path / "a.pdf", PAGES[2:]))
    history.restore(out, 1, tmp_path / "old.pdf")
    assert (tmp_path / "old.pdf").read_bytes() == before


def test_equal_merges_are_equal_files(tmp_path):
    files = [captured_file(tmp_path / "a.pdf", PAGES[:3]), captured_file(tmp_path / "b.pdf", PAGES[3:])]
    merged(tmp_path / "one.pdf", *files)
    merged(tmp_path / "two.pdf", *files)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()


def test_the_progress_covers_every_page_set(tmp_path):
    told = []
    files = [captured_file(tmp_path / "a.pdf", PAGES[:3]), captured_file(tmp_path / "b.pdf", PAGES[3:])]
    merged(tmp_path / "out.pdf", *files, options=replace(OPTIONS, progress=lambda *told_now: told.append(told_now)))
    assert [(path.name, done, total) for path, done, total in told] == [
        *(("a.pdf", done, 3) for done in (1, 2, 3)),
        *(("b.pdf", done, 3) for done in (1, 2, 3)),
    ]


def test_a_page_set_of_the_last_file_adds_as_little_as_one_of_the_first(tmp_path):
    parts = [[rendered(f"/{number}", links=(url("/"),)) for number in range(at, at + 12)] for at in range(10, 130, 12)]
    files = [captured_file(tmp_path / f"{at}.pdf", pages) for at, pages in enumerate(parts)]
    sizes = [0]

    def note(path, done, total):
        if done == total:
            sizes.append((tmp_path / "out.pdf.part").stat().st_size)

    merged(tmp_path / "out.pdf", *files, options=replace(OPTIONS, progress=note))
    added = [after - before for before, after in pairwise(sizes)]
    assert len(added) == 10
    assert max(added) < min(added) * 1.1
