"""Page labels, read as other programs read them."""

from __future__ import annotations

import io

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wcspider.pdf.file.page_labels import as_pdf, decimal_from, is_plain, label_of, read_ranges, with_front
from wcspider.pdf.object_syntax import read
from wcspider.pdf.objects import Name, Ref, write

PAGES = 60


def itself(value):
    """Resolve a value in which there is no reference."""
    return value


LABELS = st.fixed_dictionaries(
    {},
    optional={
        "S": st.sampled_from(["D", "R", "r", "A", "a"]).map(Name),
        "P": st.sampled_from([b"A-", b"Appendix ", b"\xfe\xff\x03\xb1"]),
        "St": st.integers(1, 3000),
    },
)
RANGES = st.dictionaries(st.integers(1, PAGES - 1), LABELS, max_size=8).flatmap(
    lambda ranges: LABELS.map(lambda first: sorted({0: first, **ranges}.items()))
)


@pytest.fixture(scope="module")
def document():
    """A document of so many pages."""
    with pikepdf.new() as pdf:
        for _ in range(PAGES):
            pdf.add_blank_page()
        yield pdf


def test_a_tree_that_contains_itself_is_read_once():
    """Two kids that are the node itself would double the number of nodes at each depth."""
    node = {"Kids": [Ref(1, 0), Ref(1, 0), {"Nums": [0, {"S": Name("r")}]}]}
    assert read_ranges(Ref(1, 0), lambda value: node if value == Ref(1, 0) else value) == [(0, {"S": "r"})]


def labels(document, ranges):
    """The labels of the pages of a document with these ranges, by PDFium: qpdf writes AB behind Z, not BB."""
    entries = [
        part if isinstance(part, int) else pikepdf.Dictionary(_entries(part)) for pair in ranges for part in pair
    ]
    document.Root.PageLabels = pikepdf.Dictionary(Nums=pikepdf.Array(entries))
    out = io.BytesIO()
    document.save(out)
    with pypdfium2.PdfDocument(out.getvalue()) as opened:
        return [opened.get_page_label(index) for index in range(PAGES)]


def _entries(label):
    kinds = {Name: lambda value: pikepdf.Name(f"/{value}"), bytes: pikepdf.String, int: int}
    return {f"/{key}": kinds[type(value)](value) for key, value in label.items()}


@settings(max_examples=40, deadline=None)
@given(RANGES)
def test_labels_are_those_of_other_readers(document, ranges):
    expected = labels(document, ranges)
    assert [label_of(ranges, index, itself) for index in range(PAGES)] == expected


@settings(max_examples=40, deadline=None)
@given(RANGES | st.just([]), st.integers(1, 12), st.integers(1, 12))
def test_pages_in_front_leave_the_labels_of_those_behind(ranges, before, now):
    own = [label_of(ranges, index, itself) for index in range(PAGES)]
    once = with_front(ranges, 0, before)
    assert [label_of(once, index + before, itself) for index in range(PAGES)] == own
    assert [label_of(once, index, itself) for index in range(3)][:before] == ["i", "ii", "iii"][:before]
    renewed = with_front(once, before, now)
    assert renewed == with_front(ranges, 0, now)
    assert [label_of(with_front(renewed, now, 0), index, itself) for index in range(PAGES)] == own


TREES = [
    (None, []),
    (b"text", []),
    ({"Nums": [0, {"S": Name("r")}, 4]}, [(0, {"S": Name("r")})]),  # a key without a value
    ({"Nums": [b"x", {}, -1, {}, 2, 3]}, []),  # no index, one before the first page, no dictionary
    ({"Nums": [7, {}, 0, {}]}, [(0, {}), (7, {})]),  # out of order
    ({"Kids": [{"Limits": [3, 3], "Nums": [3, {}]}, {"Nums": [0, {}]}, 5]}, [(0, {}), (3, {})]),
]


@pytest.mark.parametrize(("tree", "expected"), TREES)
def test_ranges_of_trees_that_anybody_wrote(tree, expected):
    assert read_ranges(tree, itself) == expected


def test_a_tree_that_leads_back_to_itself_ends():
    node = {"Nums": [0, {}]}
    node["Kids"] = [node]
    assert read_ranges(node, itself) == [(0, {})]


@given(RANGES)
def test_what_is_written_is_read_again(ranges):
    assert read_ranges(read(write(as_pdf(ranges))), itself) == ranges


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (decimal_from(1), True),
        (decimal_from(12), True),
        ({"S": Name("D"), "P": b"A-"}, False),
        ({"S": Name("r")}, False),
        ({"P": b"Cover"}, False),
        ({}, False),
    ],
)
def test_plain_numbers(label, expected):
    assert is_plain(label, itself) is expected


@pytest.mark.parametrize("style", ["A", "a", "R", "r", "D"])
def test_a_number_of_any_size_has_a_short_label(style):
    assert label_of([(0, {"S": Name(style), "St": 10**18})], 0, itself) == f"{10**18}"
