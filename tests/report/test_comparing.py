"""The HTML of a comparison: hostile texts, pictures, and bounds."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest
from lxml import html

from tests.archive.run.test_writer import new_writer
from tests.report.test_writing import HOSTILE
from tests.support.archive_samples import new_database, rendered
from wcspider.archive.query import history
from wcspider.archive.query.diff import Change, ChangeKind
from wcspider.archive.query.page_changes import ContentChanges, PageChange, PartChange, PartState
from wcspider.archive.query.text_changes import Piece, PieceKind, TextChange, TextChanges
from wcspider.report import comparing, page_pictures
from wcspider.report.comparing import write_comparison
from wcspider.web.resources import AuxiliaryKind


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with pages that show their paths."""
    path = tmp_path_factory.mktemp("compared") / "site.pdf"
    with closing(new_database(path)) as database:
        writer = new_writer(database)
        for number in range(4):
            writer.add(rendered(f"/{number}"))
        writer.finish()
        writer.close()
    return path


def change(text: str, pages: tuple[int | None, int | None] = (1, 2)) -> PageChange:
    """A change in which every text from the web is `text`."""
    pieces = tuple(Piece(kind, text) for kind in PieceKind)
    contents = ContentChanges(
        pieces,
        TextChanges((TextChange(pieces, pages),)),
        (PartChange(AuxiliaryKind.IMAGE, PartState.CHANGED, text),),
        (text,),
        (text,),
        ((1,), (2,)),
    )
    return PageChange(Change(ChangeKind.CHANGED, text, text, ("source", "text"), pages), (text, text), contents)


def written(path: Path, found: Iterable[PageChange]) -> html.HtmlElement:
    """The document about changes."""
    output = path.with_name("changes.html")
    [revision] = history.revisions(path)
    write_comparison(output, path, (revision, revision), found)
    return html.document_fromstring(output.read_text("utf-8"))


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_pages_add_no_markup(path: Path, text: str) -> None:
    expected, document = (written(path, [change(each)]) for each in ("plain", text))
    assert [element.tag for element in document.iter()] == [element.tag for element in expected.iter()]
    assert [sorted(element.attrib) for element in document.iter()] == [sorted(each.attrib) for each in expected.iter()]
    assert not set(document.text_content()) & set("\x00\x07\u2028\u2029\u202e")


def test_both_pages_of_a_text_are_shown_with_a_frame(path: Path) -> None:
    document = written(path, [change("plain")])
    assert document.xpath("//figcaption/text()") == ["Before: page 1", "After: page 2"]
    assert [image.get("src")[:23] for image in document.iter("img")] == ["data:image/webp;base64,"] * 2


@pytest.mark.parametrize(
    ("pages", "shown"),
    [
        ((None, 2), ["Before: page 1", "After: page 2"]),  # a text that is only in one state: the page of the same rank
        ((1, None), ["Before: page 1", "After: page 2"]),
    ],
)
def test_a_text_on_one_side(path: Path, pages: tuple[int | None, int | None], shown: list[str]) -> None:
    assert written(path, [change("plain", pages)]).xpath("//figcaption/text()") == shown


def test_a_new_page_has_no_page_before(path: Path) -> None:
    new = PageChange(Change(ChangeKind.NEW, "/n", pages=(None, 3)), (None, "New"), None)
    document = written(path, [new])
    assert document.xpath("//figcaption/text()") == ["Before: no page", "After: page 3"]
    assert len(document.xpath("//img")) == 1


def test_pages_that_do_not_exist_have_no_picture(path: Path) -> None:
    document = written(path, [change("plain", (70, 80))])
    assert document.xpath("//img") == []
    assert "plain" in document.text_content()


def test_what_is_not_shown_is_counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "MAX_CHANGES", 3)
    monkeypatch.setattr(page_pictures, "MAX_PICTURES", 2)
    document = written(path, (change(f"page {number}") for number in range(5)))
    assert len(document.xpath("//section")) == 3
    assert len(document.xpath("//img")) == 2
    text = " ".join(document.text_content().split())
    assert "2 more pages are not shown" in text
    assert "Only the first changes have pictures" in text


def test_long_texts_are_cut(path: Path) -> None:
    document = written(path, [change("x" * 9_000)])
    assert "(7000 more characters)" in document.text_content()


def test_no_change(path: Path) -> None:
    assert "No page differs." in written(path, []).text_content()
