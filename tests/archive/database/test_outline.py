"""The document outline: added, changed and removed items."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.archive_samples import clock, new_database, rendered
from tests.support.pdf_samples import handmade_pdf
from wcspider.archive.database.database import ContentDatabase
from wcspider.engines.base import Heading
from wcspider.pdf.objects import Ref
from wcspider.pdf.values import read_text
from wcspider.steps import completed

HEADINGS = (
    Heading("Title of /page", 0, 0, 90),  # the title of the page set itself
    Heading("Part 1", 1, 0, 80),
    Heading("Section", 2, 0, 70),
    Heading("Part 2", 1, 1, 90),
)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    opened = new_database(tmp_path_factory.mktemp("outline") / "file.pdf")
    yield opened
    opened.close()


def page_set(database, path, pages=2):
    """Add a page set."""
    made = rendered(path, pages=pages)
    return completed(database.add_page_set(made.capture, made.fragment, (), None, None)).content


def tree(database, reference):
    """Return the items below an item or the outline dictionary, after a check of all links between them."""
    content = database.file.get(reference)
    found, before, at = [], None, content.get("First")
    while at is not None:
        item = database.file.get(at)
        assert item["Parent"] == reference
        assert item.get("Prev") == before
        found.append((read_text(item["Title"]), tree(database, at)))
        before, at = at, item.get("Next")
    assert content.get("Last") == before
    assert content.get("Count", 0) == (-len(found) if "Title" in content else len(found))
    return found


def test_headings_stand_below_their_page_by_rank(database):
    shown = page_set(database, "/page")
    item = database.outline.add(shown, HEADINGS)
    assert tree(database, item) == [("Part 1", [("Section", [])]), ("Part 2", [])]
    places = [database.file.get(kid)["Dest"] for kid in database.outline._kids(item)]
    assert [place[0] for place in places] == list(shown.objects)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("one\u2028two\x85three\n\tfour", "one two three four"),
        ("a\x1b[31mb\x07\x9bc", "a[31mbc"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("\u200fשלום\u200f", "\u200fשלום\u200f"),  # marks that a title in Hebrew may need
    ],
)
def test_no_title_controls_a_terminal_or_a_reader(database, title, shown):
    page = replace(page_set(database, "/page"), title=title)
    item = database.outline.add(page, [Heading("another " + title, 1, 0, 50)])
    assert read_text(database.file.get(item)["Title"]) == shown
    [(heading, _)] = tree(database, item)
    assert heading == "another " + shown


def test_an_item_that_is_changed_keeps_the_pages_below_it(database):
    above = database.outline.add(page_set(database, "/above"), HEADINGS)
    below = database.outline.add(page_set(database, "/below"), (), above)
    database.outline.update(above, page_set(database, "/page", pages=1), HEADINGS)
    assert read_text(database.file.get(above)["Title"]) == "Title of /page"
    assert tree(database, above) == [("Part 1", [("Section", [])]), ("Title of /below", [])]  # Part 2 has no page now
    assert database.file.get(below)["Parent"] == above


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_outline_holds_together(database, data):
    shown = page_set(database, "/page")
    known, expected = {}, {}
    root = database.catalog.outlines()
    for name in range(data.draw(st.integers(1, 12))):
        parent = data.draw(st.sampled_from([None, *known]))
        if known and data.draw(st.booleans()):
            gone = data.draw(st.sampled_from(list(known)))
            database.outline.remove(known.pop(gone))
            above = expected.pop(gone)
            expected = {kid: above if up == gone else up for kid, up in expected.items()}
            parent = None if parent == gone else parent
        known[name] = database.outline.add(shown, HEADINGS[:1], known.get(parent))
        expected[name] = parent
    tree(database, root)
    names = {reference: name for name, reference in known.items()}
    ours = {name: names.get(database.file.get(reference)["Parent"]) for name, reference in known.items()}
    assert ours == expected


def test_other_programs_read_the_outline(tmp_path):
    made = new_database(tmp_path / "file.pdf")
    first = made.outline.add(page_set(made, "/page"), HEADINGS)
    made.outline.add(page_set(made, "/next"), (), first)
    made.finish("title")
    made.close()
    with pikepdf.open(tmp_path / "file.pdf") as pdf, pdf.open_outline() as outline:
        (item,) = outline.root
        assert item.title == "Title of /page"
        assert [kid.title for kid in item.children] == ["Part 1", "Part 2", "Title of /next"]


def test_what_has_no_page_has_no_item(database):
    assert database.outline.add(page_set(database, "/none", pages=0), HEADINGS) is None
    assert isinstance(database.outline.add(page_set(database, "/one"), (), Ref(10**6)), Ref)  # a parent that is gone


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_items_are_arranged_by_rank_below_what_they_stand_below(database, data):
    shown = page_set(database, "/page")
    top = database.outline.add(shown, HEADINGS)
    theirs = database.file.allocate()  # somebody else's item among ours, and headings in front of them
    items = {}
    for number in range(data.draw(st.integers(1, 8))):
        items[number] = database.outline.add(shown, (), data.draw(st.sampled_from([top, *items.values()])))
        if number == 0:
            database.outline._append(top, theirs, {"Title": b"theirs"})
    parents = {item: database.file.get(item)["Parent"] for item in items.values()}
    ours_or_theirs = {theirs, *items.values()}
    places = {kid: at for at, kid in enumerate(database.outline._kids(top)) if kid in ours_or_theirs}
    drawn = data.draw(st.permutations(list(items.values())))
    ranks = {item: rank for rank, item in enumerate(drawn)}
    database.outline.arrange(ranks)
    tree(database, top)
    for parent in {top, *items.values()}:
        kids = [kid for kid in database.outline._kids(parent) if kid in ranks]
        assert kids == sorted((item for item in ranks if parents[item] == parent), key=ranks.get)
    kids = list(database.outline._kids(top))
    assert {kids.index(item) for item in places} == set(places.values())
    assert kids.index(theirs) == places[theirs]
    before = {item: database.file.get(item) for item in (top, *kids)}
    database.outline.arrange(ranks)
    assert {item: database.file.get(item) for item in (top, *kids)} == before


def test_an_outline_that_leads_in_a_circle_stays_as_it_is(database):
    shown = page_set(database, "/page")
    top = database.outline.add(shown, ())
    first, second = (database.outline.add(shown, (), top) for _ in range(2))
    database.outline._set(top, First=second, Last=second)
    before = [database.file.get(item) for item in (top, first, second)]
    database.outline.arrange({first: 2, second: 1})
    assert [database.file.get(item) for item in (top, first, second)] == before


def test_the_count_of_somebody_else_may_stand_elsewhere(tmp_path):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
        4: b"<</Type/Outlines/First 5 0 R/Last 5 0 R/Count 6 0 R>>",
        5: b"<</Title(theirs)/Parent 4 0 R/Dest[3 0 R/Fit]>>",
        6: b"1",
    }
    database = ContentDatabase.open(handmade_pdf(objects, tmp_path / "file.pdf"), clock)
    item = database.outline.add(page_set(database, "/page"), ())
    assert tree(database, Ref(4)) == [("theirs", []), ("Title of /page", [])]
    database.outline.remove(item)
    assert tree(database, Ref(4)) == [("theirs", [])]
    database.close()


@pytest.fixture
def deleted(tmp_path):
    """A database, its outline dictionary, and an item that a user has deleted, between two others."""
    with closing(new_database(tmp_path / "file.pdf")) as opened:
        before, item, after = (opened.outline.add(page_set(opened, path), ()) for path in ("/a", "/b", "/c"))
        root = opened.catalog.outlines()
        opened.outline._set(before, Next=after)
        opened.outline._set(after, Prev=before)
        opened.outline._set(root, Count=2)
        opened.commit()
        yield ContentDatabase(opened.file, clock), root, item


def test_the_page_below_an_item_that_a_user_has_deleted_stands_at_the_top(deleted):
    database, root, item = deleted
    database.outline.add(page_set(database, "/new"), (), item)
    assert tree(database, root) == [("Title of /a", []), ("Title of /c", []), ("Title of /new", [])]


def test_an_item_that_a_user_has_deleted_is_removed_with_its_page_set(deleted):
    database, root, item = deleted
    database.outline.remove(item)
    assert tree(database, root) == [("Title of /a", []), ("Title of /c", [])]


def test_the_items_beside_one_that_a_user_has_deleted_are_arranged(deleted):
    database, root, item = deleted
    first, second = database.outline._kids(root)
    database.outline.arrange({second: 1, item: 2, first: 3})
    assert tree(database, root) == [("Title of /c", []), ("Title of /a", [])]


def test_an_item_whose_kids_form_a_circle_is_updated(database):
    shown = page_set(database, "/page")
    top = database.outline.add(shown, ())
    first, second = (database.outline.add(shown, (), top) for _ in range(2))
    database.outline._set(second, Next=first)
    database.outline.update(top, shown, ())
    assert len(tree(database, top)) == 2
