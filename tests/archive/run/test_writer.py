"""Captures in any order of arrival make one and the same file, which keeps every rule of the clause."""

from __future__ import annotations

import random
from dataclasses import replace

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pdf.file.test_revision import qpdf_check
from tests.support import pdf_samples
from tests.support.archive_samples import COMMAND, SITE, clock, image, new_database, rendered, with_notes
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.journal.report_entries import ReportEntries
from wcspider.archive.pages.fragments import ConversionNotes
from wcspider.archive.run.run_report import PAGE
from wcspider.archive.run.writer import LOST, Batch, CaptureWriter
from wcspider.engines.base import NO_FONT
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.pdf.webcapture.run_records import CAPTURE, Run
from wcspider.steps import completed
from wcspider.webcapture.order import Turn, TurnKind

NO_FONT_FOUND = ConversionNotes(warnings=(f"{NO_FONT} (Runic: install fonts-noto), such as U+16A0",))
PAGES = {
    "/": rendered("/", images=("logo.png", "photo.png"), links=(f"{SITE}/a", f"{SITE}/b#part", "mailto:x@example.com")),
    "/a": with_notes(
        rendered("/a", images=("logo.png",), pages=3, links=(f"{SITE}/", f"{SITE}/nowhere#x")), NO_FONT_FOUND
    ),
    "/b": rendered("/b", images=("photo.png",), anchors=(("part", 0),)),
    "/twin": with_notes(rendered("/twin", body="page /a", images=("logo.png",), pages=3), NO_FONT_FOUND),
}
TURNS = [
    Turn(0, TurnKind.PAGE, (), SITE + "/"),
    Turn(1, TurnKind.PAGE, (SITE + "/old-a",), SITE + "/a"),
    Turn(2, TurnKind.PAGE, (), SITE + "/b"),
    Turn(3, TurnKind.SKIPPED, (), SITE + "/gone", reason="HTTP 404"),
    Turn(4, TurnKind.ALIAS, (SITE + "/older-b", SITE + "/old-b"), SITE + "/b"),
    Turn(5, TurnKind.PAGE, (), SITE + "/twin"),
    Turn(6, TurnKind.ALIAS, (), SITE + "/a"),
]


def new_writer(database, batch=10, memory=0):
    """Make a writer of a run with one command."""
    writer = CaptureWriter(database, Journal(), Batch(batch, 10**9), memory, Checkpoint())
    writer.begin([COMMAND])
    return writer


def write(path, order, batch=2, memory=10**6, pages=PAGES):
    """Write the sample site, its events in some order; return the writer."""
    database = new_database(path)
    writer = new_writer(database, batch, memory)
    events = [*TURNS, *pages.items()]
    for index in order:
        event = events[index]
        if isinstance(event, Turn):
            writer.turn(event)
        else:
            writer.captured(SITE + event[0], event[1])
    writer.finish("A title", Run(CAPTURE))
    writer.close()
    database.close()
    return writer


def skipped_pages(writer):
    """Return the skipped pages of a run, by reason."""
    entries = ReportEntries(writer.journal)
    return {reason: list(entries.urls(PAGE, reason, count)) for reason, count in entries.counts(PAGE)}


ALL = range(len(TURNS) + len(PAGES))


@pytest.fixture
def written(tmp_path):
    """The sample site in a file, and its database."""
    path = tmp_path / "site.pdf"
    writer = write(path, ALL)
    database = ContentDatabase.open(path, lambda: None)
    yield writer, database
    database.close()


def test_the_file_keeps_the_rules(written):
    _, database = written
    assert list(check_file(database.file.path)) == []
    qpdf_check(database.file.path)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 10**6]), st.booleans())
def test_the_order_of_arrival_leaves_no_trace(tmp_path_factory, seed, memory, is_known):
    """A page whose page set is in the file when it arrives (`is_known`) is not laid out again."""
    pages = {**PAGES, "/twin": replace(PAGES["/twin"], packed=None)} if is_known else PAGES
    folder = tmp_path_factory.mktemp("orders")
    order = list(ALL)
    random.Random(seed).shuffle(order)
    write(folder / "one.pdf", ALL)
    write(folder / "other.pdf", order, memory=memory, pages=pages)
    assert (folder / "one.pdf").read_bytes() == (folder / "other.pdf").read_bytes()


def test_the_report_accounts_for_everything(written):
    report = written[0].report
    assert (report.page_sets, report.known, report.pages, report.image_sets) == (3, 1, 5, 2)
    assert skipped_pages(written[0]) == {"HTTP 404": [SITE + "/gone"]}
    [note] = report.notes()
    assert (note.reason, note.urls) == (f"{NO_FONT} (Runic: install fonts-noto)", (SITE + "/a",))  # not /twin
    assert report.bytes_written == written[1].file.length - len(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")


def test_pages_stand_in_reading_order(written):
    _, database = written
    numbers = {
        stored.content.title: [database.catalog.pages.page_number(page) for page in stored.content.objects]
        for stored in database.content_sets()
        if isinstance(stored.content, PageSet)
    }
    assert numbers == {"Title of /": [1], "Title of /a": [2, 3, 4], "Title of /b": [5]}


FOUND = [
    ("/", "Title of /", "/", ()),
    ("/a", "Title of /a", "/a", (("/old-a",),)),
    ("/old-a", "Title of /a", "/a", (("/old-a",),)),
    ("/twin", "Title of /a", "/twin", ()),
    ("/b", "Title of /b", "/b", (("/older-b", "/old-b"),)),
    ("/older-b", "Title of /b", "/b", (("/older-b", "/old-b"),)),
]


@pytest.mark.parametrize(("path", "title", "destination", "chains"), FOUND)
def test_every_url_of_a_chain_finds_its_page_set(written, path, title, destination, chains):
    (found,) = written[1].find_by_url(SITE + path)
    assert found.content.title == title
    source = next(source for source in found.content.sources if source.url == SITE + destination)
    assert source.chains == tuple(tuple(SITE + hop for hop in chain) for chain in chains)


def test_identical_pages_are_one_page_set_with_a_source_each(written):
    stored = written[1].page_set(PAGES["/a"].capture.identifier)
    assert [source.url for source in stored.content.sources] == [SITE + "/a", SITE + "/twin"]


def test_images_are_shared_and_counted_by_page(written):
    _, database = written
    counts = {
        stored.content.sources[0].url: stored.content.counts
        for stored in database.content_sets()
        if isinstance(stored.content, ImageSet)
    }
    assert counts == {f"{SITE}/logo.png": (4,), f"{SITE}/photo.png": (2,)}
    assert database.image_set(image("logo.png").digest).content.objects


def test_links_jump_to_what_the_file_holds(written):
    with pikepdf.open(written[1].file.path) as pdf:
        first, second = ([annotation.A for annotation in pdf.pages[number].Annots.as_list()] for number in (0, 1))
        assert [str(action.S) for action in first] == ["/GoTo", "/GoTo", "/URI"]
        assert [str(action.S) for action in second] == ["/GoTo", "/URI"]
        assert bytes(second[1].URI) == f"{SITE}/nowhere#x".encode()
        destinations = dict(raw_names(pdf.Root.Names.Dests))
        targets = [destinations[bytes(action.D)] for action in (first[0], first[1], second[0])]
        pages = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        assert [pages[target[0].objgen] for target in targets] == [1, 4, 0]
        assert [None if entry is None else int(entry) for entry in targets[1].as_list()[2:4]] == [10, 90]


def raw_names(node):
    """Yield the entries of a name tree, keys as bytes."""
    names = node.get("/Names")
    entries = [] if names is None else names.as_list()
    yield from ((bytes(key), value) for key, value in zip(entries[::2], entries[1::2], strict=True))
    for kid in node.get("/Kids", pikepdf.Array()).as_list():
        yield from raw_names(kid)


def test_a_link_is_turned_when_its_target_comes_in_a_later_run(written):
    _, before = written
    database = ContentDatabase.open(before.file.path, clock)
    late = rendered("/nowhere", anchors=(("x", 0),))
    writer = new_writer(database)
    writer.add(late)
    writer.finish()
    writer.close()
    database.close()
    with pikepdf.open(before.file.path) as pdf:
        action = pdf.pages[1].Annots.as_list()[1].A
        assert str(action.S) == "/GoTo"
        target = dict(raw_names(pdf.Root.Names.Dests))[bytes(action.D)]
        assert target[0].objgen == pdf.pages[5].obj.objgen
    assert list(check_file(before.file.path)) == []
    database.file.close()


def test_a_page_captured_again_is_only_renewed(written):
    _, before = written
    database = ContentDatabase.open(before.file.path, clock)
    writer = new_writer(database)
    again = replace(PAGES["/b"], packed=None)
    writer.add(again)
    writer.finish()
    writer.close()
    assert (writer.report.page_sets, writer.report.known) == (0, 1)
    (stored,) = database.find_by_url(SITE + "/b")
    assert stored.content.sources[0].command == database.commands()[0][0]
    assert stored.content.sources[0].chains == ((SITE + "/older-b", SITE + "/old-b"),)
    assert list(check_file(before.file.path)) == []
    database.file.close()


def test_entries_of_other_programs_stay_in_a_content_set_that_changes(written):
    path, key = written[1].file.path, f"{SITE}/b".encode()
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        dict(raw_names(pdf.Root.Names.URLS))[key].MINE_Note = pikepdf.String("mine")
        pdf.save(path)
    database = ContentDatabase.open(path, clock)
    writer = new_writer(database)
    writer.add(replace(PAGES["/b"], packed=None))
    writer.finish()
    writer.close()
    database.close()
    with pikepdf.open(path) as pdf:
        page_set = dict(raw_names(pdf.Root.Names.URLS))[key]
        assert bytes(page_set.MINE_Note) == b"mine"
        assert page_set.SI.C.objgen == pdf.Root.SpiderInfo.C[0].objgen


def test_equal_fonts_are_stored_once(written):
    with pikepdf.open(written[1].file.path) as pdf:
        fonts = {page.Resources.Font.F.objgen for page in pdf.pages}
    assert len(fonts) == 1


def test_what_could_not_be_rendered_is_left_out_with_its_aliases(tmp_path):
    database = new_database(tmp_path / "site.pdf")
    writer = new_writer(database)
    writer.turn(Turn(0, TurnKind.PAGE, (SITE + "/old",), SITE + "/bad"))
    writer.turn(Turn(1, TurnKind.ALIAS, (), SITE + "/bad"))
    assert writer.pending == 2
    writer.failed(SITE + "/bad", "the PDF file is damaged")
    assert writer.pending == 0
    assert skipped_pages(writer) == {"the PDF file is damaged": [f"{SITE}/old -> {SITE}/bad", SITE + "/bad"]}
    writer.close()
    database.close()


def test_captures_without_a_position_are_stored_and_only_lost_ones_reported(tmp_path, monkeypatch):
    database = new_database(tmp_path / "site.pdf")
    writer = new_writer(database)
    add_page_set = database.add_page_set

    def failing(capture, *others):
        if capture.resource.url.endswith("/a"):
            raise ValueError
        return add_page_set(capture, *others)

    monkeypatch.setattr(database, "add_page_set", failing)
    for path in ("/", "/a", "/b"):
        writer.add(PAGES[path])
    assert [stored.content.title for stored in database.content_sets() if isinstance(stored.content, PageSet)] == [
        "Title of /",
        "Title of /b",
    ]
    assert skipped_pages(writer) == {LOST: [f"{SITE}/a"]}
    writer.close()
    database.close()


def test_a_capture_that_never_comes_does_not_hold_up_the_pages_behind_it(tmp_path):
    database = new_database(tmp_path / "site.pdf")
    writer = new_writer(database)
    for position, path in enumerate(["/", "/lost", "/a", "/lost-as-well", "/b"]):
        writer.turn(Turn(position, TurnKind.PAGE, (), SITE + path))
    for path in ("/", "/a", "/b"):
        writer.captured(SITE + path, PAGES[path])
    assert (writer.pending, writer.report.page_sets) == (4, 1)
    completed(writer.skip_missing())
    assert (writer.pending, writer.report.page_sets) == (0, 3)
    assert skipped_pages(writer) == {LOST: [f"{SITE}/lost", f"{SITE}/lost-as-well"]}
    writer.close()
    database.close()


def test_a_page_set_of_somebody_else_may_have_a_url_that_is_not_ascii(tmp_path):
    path, url = pdf_samples.acrobat_pdf(tmp_path / "file.pdf"), b"http://example.com/\xe4"
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        [theirs] = [found for found in list(pdf.Root.Names.IDS.Names)[1::2] if found.S == pikepdf.Name.SPS]
        theirs.SI.AU = pikepdf.String(url)
        pdf.Root.Names.URLS.Names = pikepdf.Array([pikepdf.String(url), theirs])
        pdf.save(path)
    database = ContentDatabase.open(path, clock)
    made = rendered("/new", links=[f"{SITE}/other"])
    completed(database.add_page_set(made.capture, made.fragment, (), None, None))
    [found] = [stored for stored in database.content_sets() if "\xe4" in "".join(stored.content.keys)]
    database.remove_page_set(found)
    database.commit()
    assert [key for key, _ in database.catalog.tree("URLS").items()] == [f"{SITE}/new".encode()]
    database.close()
