"""The page labels of merged files, read with PDFium."""

from __future__ import annotations

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, String

from tests.archive.database.test_contents_section import labels
from tests.support.archive_samples import rendered
from tests.support.crawls import tool
from tests.support.merging import captured_file, merged
from wcspider.archive.check.checker import check_file
from wcspider.archive.database.contents_section import ContentsDesign
from wcspider.engines.base import PageGeometry

CONTENTS = ContentsDesign(True, PageGeometry(), system_fonts=False)
ROMAN, LETTERS = {"S": Name.R}, {"S": Name.a}
DECIMAL = {"S": Name.D}
PARTS = [rendered("/a", pages=3), rendered("/b", pages=2)]

# the ranges of two files of three and of two pages, and the labels of the merged file
TABLE = [
    ({}, {}, ["1", "2", "3", "4", "5"]),
    ({0: ROMAN}, {}, ["I", "II", "III", "4", "5"]),
    ({}, {0: ROMAN}, ["1", "2", "3", "I", "II"]),
    ({0: ROMAN}, {0: ROMAN}, ["I", "II", "III", "I", "II"]),
    ({0: ROMAN}, {0: {**ROMAN, "St": 4}}, ["I", "II", "III", "IV", "V"]),
    ({0: {"P": "Cover"}, 1: DECIMAL}, {0: {**LETTERS, "P": "B-"}}, ["Cover", "1", "2", "B-a", "B-b"]),
    ({0: {**DECIMAL, "St": 7}}, {1: ROMAN}, ["7", "8", "9", "4", "I"]),
    ({0: DECIMAL}, {0: DECIMAL}, ["1", "2", "3", "4", "5"]),  # plain numbers stay those of the merged file
    ({0: {**DECIMAL, "P": "ä "}}, {0: {"P": "x"}}, ["ä 1", "ä 2", "ä 3", "x", "x"]),
]


def labelled(path, part, ranges):
    """A captured file with page labels."""
    captured_file(path, [part])
    if ranges:
        entries = [entry for start, label in ranges.items() for entry in (start, _as_pdf(label))]
        with pikepdf.open(path, allow_overwriting_input=True) as pdf:
            pdf.Root.PageLabels = Dictionary(Nums=Array(entries))
            pdf.save(path)
    return path


def _as_pdf(label):
    return Dictionary({f"/{key}": String(entry) if key == "P" else entry for key, entry in label.items()})


@pytest.mark.parametrize(("first", "second", "expected"), TABLE)
@pytest.mark.parametrize("is_output", [False, True])
def test_labels_are_taken_over(tmp_path, first, second, expected, is_output):
    files = [labelled(tmp_path / f"{at}.pdf", PARTS[at], ranges) for at, ranges in enumerate((first, second))]
    out = files[0] if is_output else tmp_path / "out.pdf"
    for _ in range(2):  # merging again changes nothing
        merged(out, *files[is_output:])
        assert labels(out) == expected
        assert list(check_file(out)) == []
        tool("qpdf", "--check", out)


def test_contents_pages_of_the_inputs_do_not_count(tmp_path):
    files = [captured_file(tmp_path / f"{at}.pdf", [part], contents=CONTENTS) for at, part in enumerate(PARTS)]
    other = labelled(tmp_path / "other.pdf", rendered("/c", pages=2), {0: LETTERS})
    assert labels(files[0]) == ["i", "1", "2", "3"]
    merged(tmp_path / "out.pdf", *files, other)
    assert labels(tmp_path / "out.pdf") == ["i", "1", "2", "3", "4", "5", "a", "b"]
    merged(files[0], other, files[1])
    assert labels(files[0]) == ["i", "1", "2", "3", "a", "b", "6", "7"]


def test_pages_that_are_not_taken_over_keep_their_labels_to_themselves(tmp_path):
    source = labelled(tmp_path / "a.pdf", PARTS[0], {0: LETTERS})
    with pikepdf.open(source, allow_overwriting_input=True) as pdf:
        pdf.add_blank_page()
        pdf.pages.insert(0, pdf.pages[-1])
        del pdf.pages[-1]
        pdf.save(source)
    merged(tmp_path / "out.pdf", source)
    assert labels(tmp_path / "out.pdf") == ["b", "c", "d"]


LABELS = st.fixed_dictionaries(
    {"S": st.sampled_from([Name.D, Name.R, Name.a])},
    optional={"P": st.text("xyä-", max_size=2), "St": st.integers(1, 9)},
)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.dictionaries(st.integers(0, 2), LABELS, max_size=3), min_size=1, max_size=3))
def test_each_page_has_its_label_or_its_number(tmp_path_factory, given):
    folder = tmp_path_factory.mktemp("labels")
    pages = [rendered(f"/{at}", pages=3) for at in range(len(given))]
    files = [labelled(folder / f"{at}.pdf", pages[at], dict(sorted(found.items()))) for at, found in enumerate(given)]
    merged(folder / "out.pdf", *files)
    own = [label for path in files for label in labels(path)]
    numbers = [str(index % 3 + 1) for index in range(len(own))]
    expected = [
        str(index) if label == number else label
        for index, (label, number) in enumerate(zip(own, numbers, strict=True), 1)
    ]
    assert labels(folder / "out.pdf") == expected
