"""The value of a filled-in field moves to the field of a changed page, if that field accepts it."""

from __future__ import annotations

import pytest

from wcspider.archive.pages.field_objects import COMBO, MULTI_SELECT, RADIO
from wcspider.archive.pages.filled_values import OldField, moved_value
from wcspider.pdf.objects import Name, Ref

TEXT = {"FT": Name("Tx"), "Ff": 0}
BOX = {"FT": Name("Btn"), "Ff": 0, "V": Name("Off"), "DV": Name("Off")}
LIST = {"FT": Name("Ch"), "Ff": MULTI_SELECT, "Opt": [[b"1", b"one"], [b"2", b"two"], [b"3", b"three"]]}
ON = {"AP": {"N": {"yes": Ref(1), "Off": Ref(2)}}}

# old field, new field, the moved entries
CASES = [
    ({**TEXT, "V": b"mine"}, TEXT, {"V": b"mine"}),
    ({**TEXT, "V": b"mine", "DV": b"old"}, {**TEXT, "V": b"new", "DV": b"new"}, {"V": b"mine"}),
    ({**TEXT, "V": b"old", "DV": b"old"}, {**TEXT, "V": b"new", "DV": b"new"}, None),
    ({**TEXT, "V": b"\xfe\xff\0o\0l\0d", "DV": b"old"}, TEXT, None),  # the same text in another encoding
    ({**TEXT, "V": b"", "DV": b"old"}, {**TEXT, "V": b"old"}, {"V": b""}),  # emptied by the user
    ({**TEXT, "V": b"too long"}, {**TEXT, "MaxLen": 3}, None),
    ({**TEXT, "V": b"mine"}, BOX, None),
    (TEXT, TEXT, None),
    ({**BOX, "V": Name("yes")}, BOX, {"V": "yes"}),
    ({**BOX, "V": Name("no")}, BOX, None),  # the page has no such option any more
    ({**BOX, "DV": Name("yes")}, {**BOX, "V": Name("yes")}, {"V": "Off"}),
    ({**BOX, "V": Name("yes")}, {**BOX, "Ff": RADIO}, None),
    ({**LIST, "V": b"2"}, LIST, {"V": b"2", "I": [1]}),
    ({**LIST, "V": [b"3", b"1"]}, LIST, {"V": [b"3", b"1"], "I": [0, 2]}),
    ({**LIST, "V": [b"3", b"9"]}, LIST, None),
    ({**LIST, "Ff": COMBO, "V": b"2"}, {**LIST, "Ff": COMBO}, {"V": b"2"}),
]


@pytest.mark.parametrize(("old", "new", "expected"), CASES)
def test_values(old, new, expected):
    moved = moved_value(OldField(old, [ON]), new, [ON])
    assert (None if moved is None else moved.field) == expected


def test_a_state_is_found_by_the_value_that_is_sent_for_it():
    """Values that cannot be names have numbers for states; these differ when an option was added in front."""
    old = {**BOX, "Ff": RADIO, "V": Name("0"), "Opt": [b"a b"]}
    new = {**BOX, "Ff": RADIO, "Opt": [b"new one", b"a b"]}
    widgets = [{"AP": {"N": {str(number): Ref(9), "Off": Ref(8)}}} for number in range(2)]
    moved = moved_value(OldField(old, widgets[:1]), new, widgets)
    assert moved is not None
    assert moved.field == {"V": "1"}
    assert [widget["AS"] for widget in moved.widgets] == ["Off", "1"]


@pytest.mark.parametrize(("rect", "is_drawn"), [([5, 5, 15, 10], True), ([0, 0, 11, 5], False), (None, False)])
def test_the_appearance_moves_to_a_field_of_the_same_size(rect, is_drawn):
    old = OldField({**TEXT, "V": b"mine"}, [{"Rect": [0, 0, 10, 5], "AP": {"N": Ref(7)}}])
    moved = moved_value(old, TEXT, [{"Rect": rect, "AP": {"N": Ref(8)}}])
    assert moved is not None
    assert moved.widgets == [{"AP": {"N": Ref(7)} if is_drawn else None}]
    assert moved.needs_appearances != is_drawn


def test_entries_of_a_wrong_type_do_no_harm():
    """Another program may have written the field and its widget."""
    old = OldField({**TEXT, "V": b"mine", "Ff": b"(x)"}, [{"Rect": [Name("a"), 0, 1, 1], "AP": {}}])
    moved = moved_value(old, TEXT, [{"Rect": [0, 0, 1, 1]}])
    assert moved is not None
    assert moved.field["V"] == b"mine"
