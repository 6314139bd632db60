"""The page tree: page sets stand in the order in which they were added, in a tree of even depth."""

from __future__ import annotations

from contextlib import closing, contextmanager

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import pdf_samples
from wcspider.pdf.file.page_tree import FANOUT, PageTree
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref


@contextmanager
def new_tree(path):
    """Make a file, and a page tree without pages in it."""
    with closing(RevisionFile.create(path)) as file:
        yield PageTree.create(file)


def add_set(tree, pages):
    """Add a page set of so many pages; return them."""
    file = tree.file
    node = file.allocate()
    made = [
        file.add({"Type": Name("Page"), "Parent": node, "MediaBox": [0, 0, 9, 9], "Resources": {}})
        for _ in range(pages)
    ]
    tree.append(node, made)
    return made


def committed(tree):
    """Commit a tree and return its pages as pikepdf sees them."""
    file = tree.file
    catalog = {} if file.root is None else file.get(file.root)
    entry = {**catalog, "Type": Name("Catalog"), "Pages": tree.root}
    file.root = file.add(entry) if file.root is None else file.put(file.root, entry)
    file.commit()
    with pikepdf.open(file.path) as pdf:
        return [page.obj.objgen for page in pdf.pages], depths(pdf.Root.Pages)


def depths(node, depth=0):
    """Return the depths at which a tree's pages stand."""
    if "/Kids" not in node:
        return {depth}
    return set().union(*(depths(kid, depth + 1) for kid in node.Kids))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3 * FANOUT))
def test_pages_stand_in_the_order_of_adding(tmp_path_factory, sizes):
    with new_tree(tmp_path_factory.mktemp("pages") / "file.pdf") as tree:
        pages = [page for size in sizes for page in add_set(tree, size)]
        found, levels = committed(tree)
        assert found == [tuple(page) for page in pages]
        assert len(levels) == 1
        assert tree.count == len(pages)
        assert [tree.page_number(page) for page in pages] == list(range(1, len(pages) + 1))


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2 * FANOUT), st.lists(st.tuples(st.integers(1, 40), st.integers(0, FANOUT)), min_size=1, max_size=4)
)
def test_pages_that_lead_stay_first_whatever_is_added_and_arranged(tmp_path_factory, before, rounds):
    with new_tree(tmp_path_factory.mktemp("pages") / "file.pdf") as tree:
        sets = [add_set(tree, 2) for _ in range(before)]
        node = tree.file.allocate()
        for pages, added in rounds:
            sets += [add_set(tree, 1) for _ in range(added)]
            front = [
                tree.file.add({"Type": Name("Page"), "Parent": node, "MediaBox": [0, 0, 9, 9], "Resources": {}})
                for _ in range(pages)
            ]
            tree.lead(node, front)
            assert tree.count == len(front) + sum(map(len, sets))
            sets.reverse()
            tree.arrange(sets)
            expected = [*front, *(page for held in sets for page in held)]
            assert committed(tree)[0] == [tuple(page) for page in expected]
            assert tree.count == len(expected)
            assert [tree.page_number(page) for page in expected] == list(range(1, len(expected) + 1))


@pytest.mark.parametrize("inherited", [True, False])
def test_pages_that_lead_inherit_nothing_from_somebody_else(tmp_path, inherited):
    path = pdf_samples.plain_pdf(3, tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        if inherited:
            pdf.Root.Pages.Rotate = 90
        before = len(pdf.pages)
        pdf.save(path)
    with closing(RevisionFile.open(path)) as file:
        tree = PageTree(file, file.get(file.root)["Pages"])
        node = file.allocate()
        tree.lead(node, [file.add({"Type": Name("Page"), "Parent": node, "MediaBox": [0, 0, 9, 9], "Resources": {}})])
        assert tree.count == len(committed(tree)[0]) == before + 1
        with pikepdf.open(path) as pdf:
            assert ("/Rotate" in pdf.Root.Pages) is False
            assert pdf.pages[0].mediabox == [0, 0, 9, 9]
            assert pdf.pages[1].obj.get("/Rotate", pdf.pages[1].obj.Parent.get("/Rotate", 0)) == (
                90 if inherited else 0
            )


def test_a_tree_of_many_sets_stays_low(tmp_path):
    with new_tree(tmp_path / "file.pdf") as tree:
        for _ in range(FANOUT**2 + 1):
            add_set(tree, 1)
        assert committed(tree)[1] == {4}


@pytest.mark.parametrize("pages", [1, 3, 100])
def test_the_pages_of_somebody_else_come_first_and_stay(tmp_path, pages):
    path = tmp_path / "file.pdf"
    pdf_samples.plain_pdf(pages, path)
    with pikepdf.open(path) as pdf:
        before = [page.obj.objgen for page in pdf.pages]
        root = pdf.Root.Pages.objgen
    with closing(RevisionFile.open(path)) as file:
        tree = PageTree(file, file.get(file.root)["Pages"])
        added = [page for _ in range(40) for page in add_set(tree, 2)]
        first = tree.root
        while tuple(first) != root:
            first = file.get(first)["Kids"][0]
        assert file.get(first)["Count"] == pages
        assert committed(tree)[0] == [*before, *map(tuple, added)]


@pytest.mark.parametrize(("root", "kid"), [(b"/Count 1", b""), (b"", b"/Count 7"), (b"/Count -3", b"/Count 0")])
@pytest.mark.parametrize("change", ["append", "lead", "replace", "remove"])
def test_wrong_counts_of_somebody_else_are_corrected(tmp_path, root, kid, change):
    """An absent page does not count."""
    page = b"<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]/Resources<<>>>>"
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]" + root + b">>",
        3: b"<</Type/Pages/Parent 2 0 R/Kids[4 0 R 5 0 R 6 0 R 9 0 R]" + kid + b">>",
        **dict.fromkeys((4, 5, 6), page),
    }
    with closing(RevisionFile.open(pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf"))) as file:
        tree = PageTree(file, Ref(2, 0))
        if change == "append":
            [added] = add_set(tree, 1)
            assert tree.page_number(added) == 4
        elif change == "lead":
            node = file.allocate()
            tree.lead(node, [file.add({"Type": Name("Page"), "Parent": node, "MediaBox": [0, 0, 9, 9]})])
        elif change == "replace":
            tree.replace([Ref(4, 0)], [Ref(4, 0), file.add({"Type": Name("Page"), "Parent": Ref(3, 0)})])
        else:
            tree.remove([Ref(4, 0)])
        count = 2 if change == "remove" else 4
        assert tree.count == count
        assert file.get(Ref(3, 0))["Count"] == {"replace": 4, "remove": 2}.get(change, 3)


@pytest.mark.parametrize("inherited", [b"", b"/Rotate 90"])
def test_counts_of_somebody_else_may_stand_elsewhere(tmp_path, inherited):
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 8 0 R" + inherited + b">>",
        3: b"<</Type/Pages/Parent 2 0 R/Kids[5 0 R]/Count 9 0 R>>",
        4: b"<</Type/Pages/Parent 2 0 R/Kids[6 0 R 7 0 R]/Count 10 0 R>>",
        5: b"<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
        6: b"<</Type/Page/Parent 4 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
        7: b"<</Type/Page/Parent 4 0 R/MediaBox[0 0 9 9]/Resources<<>>>>",
        8: b"3",
        9: b"1",
        10: b"2",
    }
    with closing(RevisionFile.open(pdf_samples.handmade_pdf(objects, tmp_path / "file.pdf"))) as file:
        tree = PageTree(file, Ref(2))
        assert (tree.count, tree.page_number(Ref(7))) == (3, 3)
        assert tree.numbers_of_siblings([Ref(7), Ref(5), Ref(99)]) == {Ref(7): 3, Ref(5): 1}
        tree.remove([Ref(6)])
        added = add_set(tree, 2)
        tree.arrange([added, [Ref(7)], [Ref(5)]])
        found, _ = committed(tree)
        assert sorted(found) == sorted([(5, 0), (7, 0), *map(tuple, added)])
        assert tree.count == 4
        with pikepdf.open(file.path) as pdf:  # which gives each page what it inherits
            rotations = {page.obj.objgen: page.obj.get("/Rotate", 0) for page in pdf.pages}
        assert [rotations[tuple(page)] for page in added] == [0, 0]


def test_a_page_that_is_not_in_the_tree_has_no_number(tmp_path):
    with new_tree(tmp_path / "file.pdf") as tree:
        pages = add_set(tree, 3 * FANOUT)
        stray = tree.file.add({"Type": Name("Page")})
        assert tree.page_number(stray) is None
        assert tree.page_numbers({pages[-1], stray}) == {pages[-1]: 3 * FANOUT}


def test_the_pages_of_a_set_have_their_numbers(tmp_path):
    with new_tree(tmp_path / "file.pdf") as tree:
        sets = [add_set(tree, size) for size in (1, 3, 2 * FANOUT, 2)]
        for pages in sets:
            numbers = tree.numbers_of_siblings(pages)
            assert numbers == {page: tree.page_number(page) for page in pages}
        assert [numbers[page] for page in pages] == [2 * FANOUT + 5, 2 * FANOUT + 6]


def test_pages_that_were_taken_out_are_not_in_the_tree(tmp_path):
    with new_tree(tmp_path / "file.pdf") as tree:
        sets = [add_set(tree, 3) for _ in range(FANOUT + 1)]
        assert all(tree.holds(pages) for pages in sets)
        assert tree.holds([pages[0] for pages in sets])
        node = tree.node_of(sets[0][0])
        tree.file.put(node, {**tree.file.get(node), "Kids": sets[0][1:], "Count": 2})  # the page still names the node
        above = tree.node_of(tree.node_of(sets[-1][0]))
        tree.file.put(above, {**tree.file.get(above), "Kids": [], "Count": 0})
        tree.file.put(sets[1][2], None)
        circle = tree.file.allocate()
        tree.file.put(circle, {"Type": Name("Pages"), "Parent": circle, "Kids": [circle, sets[2][0]], "Count": 1})
        tree.file.put(sets[2][0], {**tree.file.get(sets[2][0]), "Parent": circle})
        tree = PageTree(tree.file, tree.root)  # a tree remembers which pages it holds
        assert tree.page_number(sets[0][0]) is None
        assert tree.holds(sets[0][1:])
        assert not any(tree.holds(pages) for pages in (sets[0], sets[-1], sets[1][2:], sets[2]))


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(1, 3), min_size=1, max_size=FANOUT + 3),
    st.lists(st.tuples(st.integers(0, FANOUT + 2), st.integers(0, 5)), min_size=1, max_size=4),
)
def test_pages_are_replaced_where_they_are(tmp_path_factory, sizes, changes):
    with new_tree(tmp_path_factory.mktemp("pages") / "file.pdf") as tree:
        sets = [add_set(tree, size) for size in sizes]
        add_set(tree, 1)
        for number, size in changes:
            old = sets[number % len(sets)]
            new = [*old[:size], *(tree.file.allocate() for _ in range(size - len(old)))] if old else []
            if new:
                parents = tree.replace(old, new)
                for page, parent in zip(new, parents, strict=True):
                    tree.file.put(
                        page, {"Type": Name("Page"), "Parent": parent, "MediaBox": [0, 0, 9, 9], "Resources": {}}
                    )
            else:
                tree.remove(old)
            sets[number % len(sets)] = new
        expected = [page for pages in sets for page in pages]
        assert committed(tree)[0][:-1] == [tuple(page) for page in expected]
        assert tree.count == len(expected) + 1
        with pikepdf.open(tree.file.path) as pdf:
            assert all(kids for kids in lists_of_kids(pdf.Root.Pages))


def lists_of_kids(node):
    """Yield the list of kids of each node."""
    if "/Kids" in node:
        yield list(node.Kids)
        for kid in node.Kids:
            yield from lists_of_kids(kid)


def test_pages_are_replaced_in_a_node_of_somebody_else(tmp_path):
    path = pdf_samples.plain_pdf(5, tmp_path / "file.pdf")
    with closing(RevisionFile.open(path)) as file:
        tree = PageTree(file, file.get(file.root)["Pages"])
        pages = tree.kids(tree.root)
        added = file.allocate()
        [*_, parent] = tree.replace(pages[1:3], [*pages[1:3], added])
        file.put(added, {"Type": Name("Page"), "Parent": parent, "MediaBox": [0, 0, 9, 9], "Resources": {}})
        assert committed(tree)[0] == [tuple(page) for page in [*pages[:3], added, *pages[3:]]]
        assert tree.count == 6


class Watched(RevisionFile):
    """A file that notes the objects that are read as a whole."""

    def __init__(self, *values):
        super().__init__(*values)
        self.read = set()

    def get(self, reference):
        self.read.add(reference)
        return super().get(reference)


def test_pages_are_not_read_to_arrange_page_sets(tmp_path):
    with new_tree(tmp_path / "file.pdf") as tree:
        sets = [add_set(tree, 2) for _ in range(FANOUT + 1)]
        found, _ = committed(tree)
        pages = {page for held in sets for page in held}
        with closing(Watched.open(tree.file.path)) as file:
            opened = PageTree(file, tree.root)
            assert not opened.arrange(sets[:-1])
            assert opened.page_numbers({held[0] for held in sets}) == {
                held[0]: 2 * at + 1 for at, held in enumerate(sets)
            }
            assert opened.holds(sets[0])
            assert pages.isdisjoint(file.read)
            assert opened.arrange([*sets[1:], sets[0]])
            assert committed(opened)[0] == [*found[2:], *found[:2]]
