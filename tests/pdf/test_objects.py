"""The syntax of PDF objects: written values read back unchanged, and qpdf reads the same values."""

from __future__ import annotations

from decimal import Decimal

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.object_syntax import entry_of, from_pikepdf, read
from wcspider.pdf.objects import Name, Ref, Stream, Template, real, references, renumbered, write

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**31), 2**31)
    | st.decimals(-1000, 1000, places=4)
    | st.binary(max_size=40)
    | st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=20).map(Name)
    | st.builds(Ref, st.integers(1, 10**6), st.integers(0, 65535))
)
keys = st.text(st.characters(min_codepoint=1, max_codepoint=255), min_size=1, max_size=10)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5), max_leaves=20
)


@given(values)
def test_what_is_written_reads_back(value):
    assert read(write(value)) == value


@given(st.binary(max_size=100), st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1))
def test_qpdf_reads_what_is_written(string, name):
    parsed = pikepdf.Object.parse(write({"S": string, "N": Name(name)}))
    assert bytes(parsed.S) == string
    assert str(parsed.N) == "/" + name


@given(values)
def test_a_template_is_the_value_with_gaps_for_its_references(value):
    template = Template.of(write(value))
    assert sorted(references(template)) == sorted(references(value))
    assert read(template.filled()) == value
    moved = renumbered(template, lambda reference: Ref(reference.number + 1, reference.generation))
    assert read(write(moved)) == renumbered(value, lambda reference: Ref(reference.number + 1, reference.generation))
    assert read(renumbered(template, lambda reference: None).filled()) == renumbered(value, lambda reference: None)


@pytest.mark.parametrize("text", ["1 0 R", "(1 0 R", ")1 0 R(", "\\", "\\) 1 0 R", "a\n1 0 R", "\xe9 1 0 R"])
def test_what_looks_like_a_reference_in_a_string_is_none(text):
    holder = pikepdf.Dictionary(A=pikepdf.String(text), B=pikepdf.Array([1, 2, 3]))
    template = Template.of(holder.unparse())
    assert template.references == ()
    assert template.filled() == holder.unparse()


SYNTAX = [
    (b"[ 1 ]", [1]),
    (b"[ 0 0 595 842 ]", [0, 0, 595, 842]),
    (b"[ 1 0 R 2 0 ]", [Ref(1, 0), 2, 0]),
    (b"[ 1 0 R (a) 2 0 R[] ]", [Ref(1, 0), b"a", Ref(2, 0), []]),
    (b"<< /A 1 /B [ 2 3 R ] >>", {"A": 1, "B": [Ref(2, 3)]}),
    (b"-" + b"9" * 5000, Decimal("-3.403e38")),  # the limits of Annex C
    (b"9" * 19, Decimal("9" * 19)),
    (b"9223372036854775807", 2**63 - 1),
    (b"3." + b"14159265358979" * 5000, Decimal("3.1415926536")),
    (b"[1 2 3 R]", [1, Ref(2, 3)]),
    (b"[1 2 R 3]", [Ref(1, 2), 3]),
    (b"[+1 -2 .5 -.5 4.]", [1, -2, Decimal(".5"), Decimal("-.5"), Decimal("4.")]),
    (b"(a\\(b\\)c)", b"a(b)c"),
    (b"(balanced (inner) pairs)", b"balanced (inner) pairs"),
    (b"(\\101\\7\\053)", b"A\x07+"),
    (b"(line \\\nbreak)", b"line break"),
    (b"(\\n\\r\\t\\q)", b"\n\r\tq"),  # a backslash before anything else is left out
    (b"<48 65 6C6c 6F>", b"Hello"),
    (b"<48656C6C7>", b"Hellp"),  # a missing digit is a zero
    (b"/A#20B#23", Name("A B#")),
    (b"/", Name("")),
    (b"% a remark\n 7 ", 7),
    (b"%%%\r%\n\n % [2 %\n7", 7),
    (b"true", True),
    (b"null", None),
]


@pytest.mark.parametrize(("syntax", "value"), SYNTAX, ids=range(len(SYNTAX)))
def test_syntax(syntax, value):
    assert read(syntax) == value
    assert type(read(syntax)) is type(value)


NO_OBJECTS = [
    b"",
    b"(open",
    b"<< /A >>",
    b"]",
    b"[1 0 Rx]",  # no reference: the keyword goes on
    b"<< /A [ 1 >> ]",
    b"stream",
    b"[" + b"9" * 5000 + b" 0 R]",
    b"[1 " + b"9" * 5000 + b" R]",
    b"%" * 60,  # in linear time
    b"[1 " + b"%" * 60 + b"\n~]",
]


@pytest.mark.parametrize("syntax", NO_OBJECTS, ids=range(len(NO_OBJECTS)))
def test_what_is_no_object_is_refused(syntax):
    with pytest.raises(TargetDamagedError):
        read(syntax)


@given(values)
def test_references_are_found_and_renumbered(value):
    moved = renumbered(value, lambda reference: Ref(reference.number + 1))
    assert [reference.number for reference in references(moved)] == [found.number + 1 for found in references(value)]


def test_a_pikepdf_object_keeps_its_references():
    with pikepdf.new() as pdf:
        stream = pdf.make_stream(b"data", Extra=pikepdf.Name("/a b"))
        holder = pdf.make_indirect(pikepdf.Dictionary(Stream=stream, Text=pikepdf.String("é")))
        assert from_pikepdf(holder) == {"Stream": Ref(*stream.objgen), "Text": b"\xe9"}
        assert from_pikepdf(stream) == Stream({"Extra": Name("a b")}, b"data")


@pytest.mark.parametrize(
    ("number", "written"), [(1, b"1.0"), (0, b"0.0"), (4 / 3, b"1.3333"), (-0.5, b"-0.5"), (1e-9, b"0.0")]
)
def test_reals_have_a_point(number, written):
    assert write(real(number)) == written


def test_what_is_no_pdf_value_is_refused():
    with pytest.raises(TypeError, match="str"):
        write("a str is neither a name nor a string")


@given(st.dictionaries(keys, values, max_size=5), keys)
def test_an_entry_is_read_without_the_others(dictionary, absent):
    syntax = write(dictionary)
    whole = read(syntax)
    assert {key: entry_of(syntax, key) for key in dictionary} == whole
    assert entry_of(syntax, absent) == whole.get(absent)


@pytest.mark.parametrize(
    ("syntax", "found"),
    [
        (b"<</Kids [1 0 R]/Parent 2 0 R>>", 2),
        (b"<</Annots [<</Parent 3 0 R>>]/Parent 2 0 R>>", 2),
        (b"<</Annots [<</Parent 3 0 R>>]>>", None),
        (b"<</A (/Parent 3 0 R)/B 1>>", None),
        (b"<</A (>> /Parent 3 0 R)/B <</C 1>>>>", None),
        (b"<</A <</B (>>)/Parent 3 0 R>>>>", None),
        (b"<</A (\\))/Parent 2 0 R>>", 2),
        (b"<</A [/Parent 3 0 R]>>", None),
        (b"<</A /Parent/B 1>>", None),
        (b"<</A <41>/Parent 2 0 R>>", 2),
        (b"<</A <</B <41>>>/Parent 2 0 R>>", 2),
        (b"<</Parents 3 0 R>>", None),
    ],
)
def test_an_entry_is_not_mistaken_for_one_inside_another_entry(syntax, found):
    assert entry_of(syntax, "Parent") == (None if found is None else Ref(found))
