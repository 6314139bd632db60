"""The lines and the JSON of differences between two states."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wcspider.archive.query.diff import Change, ChangeKind
from wcspider.archive.query.diff_listing import (
    COLOURED,
    MAX_SHOWN_CHANGES,
    MAX_SHOWN_URLS,
    MAX_SHOWN_WORDS,
    NOTHING_VISIBLE,
    PLAIN,
    describe,
    lines,
)
from wcspider.archive.query.page_changes import ContentChanges, FieldChange, PageChange, PartChange, PartState
from wcspider.archive.query.text_changes import Piece, PieceKind, TextChange, TextChanges
from wcspider.subcommands.display import json_pieces
from wcspider.web.resources import AuxiliaryKind

NEW, RETURNED, CHANGED, MOVED, GONE = ChangeKind
EQUAL, REMOVED, ADDED = PieceKind


def changed(by: tuple[str, ...] = ("source", "text"), **contents: Any) -> PageChange:
    """A changed page with differences inside it."""
    values = {"pages": ((3,), (4,)), **contents}
    return PageChange(Change(CHANGED, "/c", None, by, (3, 4)), ("C", "C"), ContentChanges(**values))


def text(*changes: TextChange, is_cut: bool = False) -> TextChanges:
    """The differences between two texts."""
    return TextChanges(changes, is_cut)


def pieces(*found: tuple[PieceKind, str]) -> TextChange:
    """Lines that differ."""
    return TextChange(tuple(Piece(kind, words) for kind, words in found), (3, 4))


def details(found: PageChange) -> list[str]:
    """The lines about the inside of a page."""
    heading, *others = lines(1, 2, [found], PLAIN)
    assert heading == "changed   /c  (page 4)  C"
    assert all(line.startswith("    ") for line in others)
    return [line[4:] for line in others]


def test_kinds_of_changes() -> None:
    found = [
        PageChange(Change(NEW, "/n", pages=(None, 4)), (None, "Title"), None),
        PageChange(Change(RETURNED, "/r", pages=(None, 5)), (None, ""), None),
        PageChange(Change(CHANGED, "/c", None, (), (1, 1)), ("Old", "New"), None, is_beyond_limit=True),
        PageChange(Change(MOVED, "/m", "/elsewhere", (), (2, 3)), ("M", "M"), ContentChanges()),
        PageChange(Change(MOVED, "/p", pages=(3, 1)), ("P", "P"), None),
        PageChange(Change(GONE, "/g", pages=(5, None)), ("G", None), None),
        PageChange(Change(GONE, "/without-pages"), (None, None), None),
    ]
    assert list(lines(1, 2, found, PLAIN)) == [
        "new       /n  (page 4)  Title",
        "returned  /r  (page 5)",
        "changed   /c  (page 1)  New",
        "moved     /m -> /elsewhere  (page 3)  M",
        "moved     /p  (from page 3 to page 1)  P",
        "gone      /g  (was page 5)  G",
        "gone      /without-pages",
        "1 changed page without details; to see one: --url URL",
    ]


def test_no_change() -> None:
    assert list(lines(2, 3, [], PLAIN)) == ["no page differs between revisions 2 and 3"]


def test_words_are_marked() -> None:
    found = changed(text=text(pieces((EQUAL, "Apples"), (REMOVED, "4.50"), (ADDED, "4.75"), (EQUAL, "each"))))
    assert details(found) == ["text: Apples [-4.50-] {+4.75+} each"]
    coloured = list(lines(1, 2, [found], COLOURED))[1]
    assert coloured == "    text: Apples \x1b[31;9m4.50\x1b[0m \x1b[32m4.75\x1b[0m each"


def test_whole_lines_stand_one_below_the_other() -> None:
    found = changed(text=text(pieces((REMOVED, "one\ntwo"), (ADDED, "three"))), pages=((3,), (4, 5)))
    assert details(found) == ["text removed: [-one-]", "    [-two-]", "text added on page 4: {+three+}"]


def test_equal_words_are_shown_near_a_difference() -> None:
    many = " ".join(map(str, range(40)))
    found = changed(text=text(pieces((EQUAL, many), (ADDED, "x"), (EQUAL, many), (ADDED, "y"), (EQUAL, many))))
    start, end = "0 1 2 3 4 5 6 7", "32 33 34 35 36 37 38 39"
    assert details(found) == [f"text: … {end} {{+x+}} {start} … {end} {{+y+}} {start} …"]


def test_other_differences() -> None:
    found = changed(
        title=(Piece(REMOVED, "Old"), Piece(ADDED, "New")),
        parts=(
            PartChange(AuxiliaryKind.IMAGE, PartState.CHANGED, "/a.png"),
            PartChange(AuxiliaryKind.IMAGE, PartState.MISSING, "/b.png"),
            PartChange(AuxiliaryKind.STYLESHEET, PartState.ADDED, "/s.css"),
        ),
        added_links=("/new",),
        removed_links=("/old",),
    )
    assert details(found) == [
        "title: [-Old-] {+New+}",
        "image changed: /a.png",
        "image missing: /b.png",
        "style sheet added: /s.css",
        "link added: /new",
        "link removed: /old",
    ]


@pytest.mark.parametrize("by", NOTHING_VISIBLE)
def test_a_page_that_looks_the_same_is_explained(by: tuple[str, ...]) -> None:
    assert details(changed(by)) == [NOTHING_VISIBLE[by]]


def test_another_charset_is_named_with_the_text_that_differs() -> None:
    found = changed(("text",), text=text(pieces((REMOVED, "CafÃ©"), (ADDED, "Café"))))
    assert details(found)[0] == NOTHING_VISIBLE["text",]
    assert len(details(found)) == 3


def test_long_lists_are_cut_and_counted() -> None:
    words = " ".join(["word"] * (MAX_SHOWN_WORDS + 7))
    urls = tuple(f"/{number}" for number in range(MAX_SHOWN_URLS + 5))
    places = [pieces((ADDED, words)), *[pieces((ADDED, "x"))] * (MAX_SHOWN_CHANGES + 2)]
    found = details(changed(text=text(*places, is_cut=True), added_links=urls))
    assert found[0].endswith("word … (7 more words)+}")
    assert "text at 3 more places" in found
    assert "the text is too long to be compared completely" in found
    assert found[-1] == "link added: 5 more"
    assert len(found) == MAX_SHOWN_CHANGES + MAX_SHOWN_URLS + 3


@pytest.mark.parametrize("hostile", ["\x1b[2J", "\u202eabc", "a\rb", "a\u2028b"])
def test_texts_of_pages_do_not_control_the_terminal(hostile: str) -> None:
    contents = ContentChanges(
        title=(Piece(ADDED, hostile),),
        text=text(pieces((EQUAL, hostile), (ADDED, hostile)), pieces((REMOVED, hostile))),
        parts=(PartChange(AuxiliaryKind.IMAGE, PartState.ADDED, hostile),),
        added_links=(hostile,),
        fields=(FieldChange(hostile, hostile, None),),
    )
    found = PageChange(Change(MOVED, hostile, hostile, ("text",), (1, 1)), (hostile, hostile), contents)
    written = "".join(lines(1, 2, [found], PLAIN))
    assert "\ufffd" in written
    assert not set(written) & set("\x1b\u202e\r\u2028")


def test_form_fields() -> None:
    values = [("day", "Monday", "Tuesday"), ("tea", "", "on"), ("q", None, "x"), ("r", "y", None), ("s", None, "")]
    found = changed(fields=tuple(FieldChange(*value) for value in values))
    assert details(found) == [
        "form field day: [-Monday-] {+Tuesday+}",
        "form field tea: {+on+}",
        "form field added: q {+x+}",
        "form field removed: r [-y-]",
        "form field added: s",
    ]
    many = changed(fields=tuple(FieldChange(str(number), "a", "b") for number in range(MAX_SHOWN_URLS + 2)))
    assert details(many)[MAX_SHOWN_URLS:] == ["form field: 2 more"]


def test_json() -> None:
    contents = changed(
        text=text(pieces((EQUAL, "a"), (ADDED, "b"))),
        parts=(PartChange(AuxiliaryKind.IMAGE, PartState.CHANGED, "/a.png"),),
        removed_links=("/old",),
        fields=(FieldChange("day", None, "Monday"),),
    )
    gone = PageChange(Change(GONE, "/g", pages=(5, None)), ("G", None), None)
    assert json.loads("".join(json_pieces(describe(1, 3, [contents, gone])))) == {
        "from": 1,
        "to": 3,
        "changes": [
            {
                "change": "changed",
                "url": "/c",
                "to": None,
                "by": ["source", "text"],
                "page_before": 3,
                "page_after": 4,
                "title_before": "C",
                "title_after": "C",
                "contents": {
                    "text": [{"page_before": 3, "page_after": 4, "pieces": [["equal", "a"], ["added", "b"]]}],
                    "text_is_cut": False,
                    "resources": [{"kind": "image", "change": "changed", "url": "/a.png"}],
                    "added_links": [],
                    "removed_links": ["/old"],
                    "fields": [{"name": "day", "before": None, "after": "Monday"}],
                },
            },
            {
                "change": "gone",
                "url": "/g",
                "to": None,
                "by": [],
                "page_before": 5,
                "page_after": None,
                "title_before": "G",
                "title_after": None,
                "contents": None,
            },
        ],
    }
