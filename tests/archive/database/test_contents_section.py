"""Contents pages in front of a file, which list the page sets; each run makes them anew."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import pdf_samples
from tests.support.archive_samples import COMMAND, SITE, clock, new_database, rendered
from tests.support.crawls import tool
from wcspider.archive.check.checker import check_file
from wcspider.archive.database import contents_section
from wcspider.archive.database.contents_section import COMMANDS_NAMED, PAGES_AT_ONCE, Contents, ContentsDesign
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize.rewrite import optimize
from wcspider.engines.base import PageGeometry
from wcspider.engines.overlays.contents_pages import ROW_SCHEME, ContentsSheets, Cover, Row
from wcspider.pdf.webcapture.skipped import SKIPPED, SkippedRecord
from wcspider.steps import completed

pytestmark = pytest.mark.slow

A4 = ContentsDesign(True, PageGeometry(), False)
SMALL = ContentsDesign(True, PageGeometry(300, 200, 20, 20, 20, 20), False)
"""So small that six rows fill a page, and the cover of a file with a command half of one."""

UNWANTED = replace(A4, is_wanted=False)


def add(database, path, parent=None, pages=1):
    """Add a page set with its item in the outline."""
    made = rendered(path, pages=pages)
    stored = completed(database.add_page_set(made.capture, made.fragment, (), None, None))
    item = database.outline.add(stored.content, (), parent)
    return database.update(stored, replace(stored.content, outline=item))


def end_run(database, design=A4, title="The title"):
    """Finish a run as the writer does."""
    Contents(database).update(design, title)
    database.finish(title)


def contents(path):
    """The contents pages of a file, read without our code: their text, and for each row its URL and where it leads."""
    with pikepdf.open(path) as pdf, pypdfium2.PdfDocument(path) as document:
        node = pdf.Root.get("/WCSP_Contents")
        if node is None:
            return [], []
        numbers = {page.objgen: number for number, page in enumerate(pdf.pages, 1)}
        front = [numbers[page.objgen] for page in node.Kids]
        assert front == list(range(1, len(front) + 1))
        rows = []
        for page in node.Kids:
            assert "/ID" not in page
            rows += [(str(link.Contents), numbers[link.A.D[0].objgen]) for link in page.get("/Annots", [])]
        texts = [" ".join(document[number - 1].get_textpage().get_text_range().split()) for number in front]
        return texts, rows


def labels(path):
    """The labels of the pages of a file, by PDFium."""
    with pypdfium2.PdfDocument(path) as document:
        return [document.get_page_label(index) or str(index + 1) for index in range(len(document))]


@pytest.fixture
def path(tmp_path):
    """The path of a file that does not exist yet."""
    return tmp_path / "file.pdf"


@pytest.fixture
def database(path):
    """A database over a new file."""
    made = new_database(path)
    yield made
    made.close()


def test_rows_are_nested_as_the_outline_is_and_lead_to_the_pages(path, database):
    database.add_commands([COMMAND])
    home = add(database, "/", pages=2)
    add(database, "/a", home.content.outline)
    deep = add(database, "/b", home.content.outline)
    add(database, "/b/1", deep.content.outline)
    add(database, "/a/1")
    end_run(database)
    [text], rows = contents(path)
    assert rows == [
        ("Title of /", 2),
        ("Title of /a", 4),
        ("Title of /b", 5),
        ("Title of /b/1", 6),
        ("Title of /a/1", 7),
    ]
    assert labels(path) == ["i", "1", "2", "3", "4", "5", "6"]
    assert text == (
        "The title Captured 2026-03-01 12:00 UTC Entries: 5. PDF pages: 6. http://example.com/ (levels: 2) "
        "Title of / 1 http://example.com/ 2026-03-01 12:00 Title of /a 3 http://example.com/a 2026-03-01 12:00 "
        "Title of /b 4 http://example.com/b 2026-03-01 12:00 Title of /b/1 5 http://example.com/b/1 2026-03-01 12:00 "
        "Title of /a/1 6 http://example.com/a/1 2026-03-01 12:00"
    )
    assert list(check_file(path)) == []
    tool("qpdf", "--check", path)


def test_a_command_is_named_with_what_limits_it(path, database):
    limits = {"same_path": True, "allow": r"p\d", "deny": "/print/", "since": "2026-01-01"}
    database.add_commands([replace(COMMAND, **limits)])
    add(database, "/")
    end_run(database)
    [text], _ = contents(path)
    assert r"/ (levels: 2, same path, allow: p\d, deny: /print/, since: 2026-01-01) " in text


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_a_section_is_renewed_and_never_doubled(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("contents") / "file.pdf"
    held, numbers = [], count()
    for run in range(data.draw(st.integers(1, 4))):
        with closing(ContentDatabase.open(path, clock) if run else new_database(path)) as database:
            held = [database.at(stored.reference) for stored in held]
            for _ in range(data.draw(st.integers(1, 3))):
                alter(database, held, numbers, data)
                end_run(database, SMALL)
                check_contents(path, database, held)


def alter(database, held, numbers, data):
    """Add page sets to a file, or remove one, or let them have another order."""
    for _ in range(data.draw(st.integers(0 if held else 1, 15))):
        held.append(add(database, f"/{next(numbers)}", pages=data.draw(st.integers(1, 2))))
    if len(held) > 1 and data.draw(st.booleans()):
        database.remove_page_set(held.pop(data.draw(st.integers(0, len(held) - 1))))
    if data.draw(st.booleans()):
        held.reverse()
        tree = database.catalog.pages
        tree.arrange([stored.content.objects for stored in held])


def check_contents(path, database, held):
    """See that a file has one section of contents, with a row for each page set."""
    texts, rows = contents(path)
    pages_of = database.catalog.pages
    places = [(stored.content.title, pages_of.page_number(stored.content.objects[0])) for stored in held]
    assert sorted(rows) == sorted(places)
    pages = sum(len(stored.content.objects) for stored in held)
    assert labels(path)[len(texts) :] == [str(number) for number in range(1, pages + 1)]


def test_a_run_that_ends_twice_makes_one_section(path, database):
    add(database, "/")
    end_run(database)
    first = contents(path)
    end_run(database)
    assert contents(path) == first
    with pikepdf.open(path) as pdf:
        assert len(pdf.pages) == 2


@pytest.mark.parametrize("is_optimized", [False, True])
def test_a_section_that_is_renewed_brings_no_fonts_of_its_own(path, database, is_optimized):
    for number in range(20):
        add(database, f"/{number}")
    end_run(database)
    database.close()
    if is_optimized:
        optimize(path)
    length, fonts = path.stat().st_size, font_programs(path)
    again = ContentDatabase.open(path, clock)
    end_run(again)
    again.close()
    assert font_programs(path) == fonts
    assert path.stat().st_size - length < 12_000


def font_programs(path):
    """The font programs of a file, including unreferenced ones."""
    with pikepdf.open(path) as pdf:
        return [found.objgen for found in pdf.objects if isinstance(found, pikepdf.Stream) and "/Length1" in found]


def test_a_section_is_renewed_by_runs_that_do_not_ask_for_it(path, database):
    add(database, "/")
    end_run(database, UNWANTED)
    assert contents(path) == ([], [])
    assert labels(path) == ["1"]
    end_run(database, A4)
    add(database, "/new")
    end_run(database, UNWANTED)
    assert contents(path)[1] == [("Title of /", 2), ("Title of /new", 3)]


def flattened(pdf):
    """Let the root of the page tree hold all pages, as some programs do."""
    pages = [page.obj for page in pdf.pages]
    pdf.Root.Pages.Kids = pikepdf.Array(pages)
    for page in pages:
        page.Parent = pdf.Root.Pages


def without_contents_pages(pdf):
    """Take the contents pages out."""
    while "/ID" not in pdf.pages[0]:
        del pdf.pages[0]


def changed(path, change):
    """Let another program change a file."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        change(pdf)
        pdf.save(path)


@pytest.mark.parametrize("change", [flattened, without_contents_pages])
@pytest.mark.parametrize("design", [A4, UNWANTED])
def test_a_file_that_another_program_has_changed_has_one_section_or_none(path, database, change, design):
    for number in range(60):
        add(database, f"/{number}")
    end_run(database)
    assert len(contents(path)[0]) == 3
    database.close()
    changed(path, change)
    again = ContentDatabase.open(path, clock)
    add(again, "/new")
    end_run(again, design)
    again.close()
    is_there = design is A4 or change is flattened
    with pikepdf.open(path) as pdf:
        assert ["/ID" in page for page in pdf.pages] == [False] * 3 * is_there + [True] * 61
        assert pdf.Root.Pages.Count == 3 * is_there + 61
    assert list(check_file(path)) == []
    if is_there:
        assert len(contents(path)[1]) == 61


def test_many_page_sets_are_drawn_some_pages_at_a_time(path, database):
    for number in range(6 * (PAGES_AT_ONCE + 3)):
        add(database, f"/{number}")
    end_run(database, SMALL)
    texts, rows = contents(path)
    assert len(texts) > PAGES_AT_ONCE
    assert [title for title, _ in rows] == [f"Title of /{number}" for number in range(6 * (PAGES_AT_ONCE + 3))]
    assert [place - len(texts) for _, place in rows] == list(range(1, len(rows) + 1))
    assert list(check_file(path)) == []


def test_dates_are_those_of_the_pages(path, database):
    """The run that makes the contents pages may be a merge, and the runs of a file may be lost."""
    for url, captured, updated in (("/a", 2019, 2020), ("/b", 2018, 2024)):
        stored = add(database, url)
        first, last = (datetime(year, 5, 1, 10, 30, tzinfo=UTC) for year in (captured, updated))
        sources = tuple(replace(source, updated=last) for source in stored.content.sources)
        database.update(stored, replace(stored.content, created=first, sources=sources))
    end_run(database)
    [text], _ = contents(path)
    assert "Captured 2018-05-01 10:30 UTC to 2024-05-01 10:30 UTC" in " ".join(text.split())


def test_a_file_without_page_sets_has_no_dates(path, database):
    end_run(database)
    [text], _ = contents(path)
    assert "Captured" not in text


def test_of_many_commands_some_are_named(path, database):
    database.add_commands([replace(COMMAND, url=f"{SITE}/{number}", levels=1) for number in range(COMMANDS_NAMED + 5)])
    add(database, "/")
    end_run(database)
    [text], _ = contents(path)
    assert text.count(f"{SITE}/1") == 11  # 1, and 10 to 19
    assert "and 5 more" in text
    end_run(database, SMALL)
    texts, rows = contents(path)
    assert len(texts) == 2  # the cover takes the first
    assert rows == [("Title of /", 3)]


def test_titles_in_any_script(path, database):
    titles = ["Ελληνικά", "Русский", "łódź", "Title (with) \\ signs", "x" * 500]
    for number, title in enumerate(titles):
        made = rendered(f"/{number}", title=title)
        completed(database.add_page_set(made.capture, made.fragment, (), None, None))
    end_run(database, title="Ω")
    [text], rows = contents(path)
    assert all(title in text for title in ["Ω", *titles[:4]])
    assert [title for title, _ in rows] == [*titles[:4], "x" * 200]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=80), min_size=1, max_size=6))
def test_any_title_can_be_drawn(titles):
    sheets = ContentsSheets(PageGeometry(), system_fonts=True)
    rows = [
        Row(f"{ROW_SCHEME}{number}", title, f"{SITE}/{number}", str(number), number)
        for number, title in enumerate(titles)
    ]
    with pypdfium2.PdfDocument(sheets.draw([rows], Cover(titles[0], titles)).pdf) as document:
        text = document[0].get_textpage().get_text_range()
    assert all(f"{SITE}/{number}" in text for number in range(len(titles)))


def test_pages_that_are_gone_are_said_to_be(path, database):
    stored = add(database, "/")
    [source] = stored.content.sources
    other = replace(source, url=f"{SITE}/other")
    database.update(stored, replace(stored.content, sources=(replace(source, gone=clock()), other)))
    end_run(database)
    assert "gone" not in contents(path)[0][0]
    stored = database.at(stored.reference)
    sources = tuple(replace(source, gone=clock()) for source in stored.content.sources)
    database.update(stored, replace(stored.content, sources=sources))
    end_run(database)
    assert f"{SITE}/ (gone since 2026-03-01)" in contents(path)[0][0]


def missing_pages(path):
    """The pages about missing pages, read without our code: their texts, and the titles and targets of their links."""
    with pikepdf.open(path) as pdf, pypdfium2.PdfDocument(path) as document:
        texts, links = [], []
        for number, page in enumerate(pdf.Root.WCSP_Contents.Kids):
            web = [link for link in page.get("/Annots", []) if link.A.S == "/URI"]
            text = " ".join(document[number].get_textpage().get_text_range().split())
            if web or text.startswith("Not in this file"):
                texts.append(text)
                links += [(str(link.Contents), str(link.A.URI)) for link in web]
        return texts, links


def skipped(database, records):
    """Record pages that could not be captured: reasons and linking pages by path."""
    tree = database.catalog.tree_to_change(SKIPPED)
    for path_of_page, (reason, referrer) in records.items():
        tree[f"{SITE}{path_of_page}".encode()] = SkippedRecord(reason, referrer=referrer and SITE + referrer).as_pdf()


def test_the_last_pages_list_what_is_missing_by_reason(path, database):
    add(database, "/")
    skipped(database, {"/x": ("HTTP 404", "/"), "/a": ("timed out", ""), "/y": ("HTTP 404", ""), "/": ("HTTP 500", "")})
    end_run(database)
    [text], links = missing_pages(path)
    assert text == (
        "Not in this file Pages that could not be captured: 3. The links lead to the web. "
        "HTTP 404: 2 http://example.com/x linked from http://example.com/ http://example.com/y "
        "timed out: 1 http://example.com/a"
    )
    assert links == [(SITE + name, SITE + name) for name in ("/x", "/y", "/a")]
    assert labels(path) == ["i", "ii", "1"]
    assert list(check_file(path)) == []
    tool("qpdf", "--check", path)


def test_the_list_of_missing_pages_goes_with_the_last_of_them(path, database):
    add(database, "/")
    skipped(database, {"/x": ("HTTP 404", "")})
    end_run(database)
    assert len(missing_pages(path)[0]) == 1
    add(database, "/x")
    end_run(database)
    assert missing_pages(path) == ([], [])
    assert [title for title, _ in contents(path)[1]] == ["Title of /", "Title of /x"]


def test_many_missing_pages_are_counted(path, database, monkeypatch):
    monkeypatch.setattr(contents_section, "MISSING_NAMED", 10)
    add(database, "/")
    skipped(database, {f"/{number}": ("HTTP 404", "") for number in range(100, 115)})
    end_run(database, SMALL)
    texts, links = missing_pages(path)
    assert len(links) == 10
    assert len(texts) == 3  # the heading has room for four rows below it
    assert "HTTP 404: 15" in texts[0]
    assert texts[-1].endswith("and 5 more pages")


# the page labels of somebody else's three pages; those of all once a page set and a contents page are added
LABELS = [
    (None, ["i", "1", "2", "3", "4"]),
    ([0, {"/S": "/r"}], ["i", "i", "ii", "iii", "4"]),
    ([0, {"/S": "/r"}, 2, {"/S": "/D"}], ["i", "i", "ii", "1", "2"]),
    ([0, {"/S": "/D", "/St": 7}], ["i", "7", "8", "9", "10"]),
    ([0, {"/S": "/D", "/P": "A-"}], ["i", "A-1", "A-2", "A-3", "4"]),
]


@pytest.mark.parametrize(("given", "expected"), LABELS)
def test_somebody_elses_labels_stay(path, given, expected):
    pdf_samples.plain_pdf(3, path)
    if given is not None:
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            pdf.Root.PageLabels = pikepdf.Dictionary(Nums=pikepdf.Array([_pdf(entry) for entry in given]))
            pdf.save(path)
    for number, path_of_page in enumerate(["/", "/second"]):
        database = ContentDatabase.open(path, clock)
        add(database, path_of_page)
        end_run(database, A4 if number == 0 else UNWANTED)
        database.close()
    last = int(expected[-1])
    assert labels(path) == [*expected, str(last + 1)]
    [text], rows = contents(path)
    assert rows == [("Title of /", 5), ("Title of /second", 6)]
    assert f"Title of /second {last + 1}" in text
    assert list(check_file(path)) == []


def _pdf(entry):
    if isinstance(entry, int):
        return entry
    kinds = {"/S": pikepdf.Name, "/P": pikepdf.String, "/St": int}
    return pikepdf.Dictionary({key: kinds[key](value) for key, value in entry.items()})
