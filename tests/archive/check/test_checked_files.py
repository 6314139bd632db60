"""The check of whole files: correct, foreign, unreadable and inconsistent ones."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, Object, Pdf, String

from tests.support import pdf_samples as samples
from tests.support.broken_files import content_set, first_page, home
from wcspider.archive.check.checker import Rule, Severity, check, check_file, has_web_capture
from wcspider.archive.check.reading import opening
from wcspider.exceptions import (
    TargetDamagedError,
    TargetEncryptedError,
    TargetError,
    TargetMissingError,
    TargetNotPdfError,
)
from wcspider.pdf.file.base_file import BaseFile

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def conforming(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return samples.conforming_pdf(tmp_path_factory.mktemp("files") / "conforming.pdf")


def test_conforming_file_has_no_findings(conforming: Path) -> None:
    assert list(check_file(conforming)) == []
    with pikepdf.open(conforming) as pdf:
        assert has_web_capture(pdf)


def test_file_of_acrobat(tmp_path: Path) -> None:
    found = Counter(finding.rule for finding in check_file(samples.acrobat_pdf(tmp_path / "acrobat.pdf")))
    assert found == {
        Rule.INFO_V_VALUE.id: 1,  # V is 1.25
        Rule.R_INTEGER.id: 2,  # R is always an array
        Rule.TREE_EMPTY.id: 1,  # URLS is there, but is not used
        Rule.IN_URLS.id: 3,
        Rule.MEMBER_ID_ABSENT.id: 3,
    }


@pytest.mark.parametrize(
    "make",
    [lambda path: samples.plain_pdf(3, path), samples.classic_pdf, samples.hybrid_pdf],
    ids=["plain", "classic", "hybrid"],
)
def test_file_without_web_capture_has_no_findings(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    path = make(tmp_path / "file.pdf")
    assert list(check_file(path)) == []
    with pikepdf.open(path) as pdf:
        assert not has_web_capture(pdf)


def test_broken_page_tree_of_a_file_without_web_capture_is_no_finding(tmp_path: Path) -> None:
    with pikepdf.open(samples.plain_pdf(3, tmp_path / "plain.pdf")) as pdf:
        pdf.Root.Pages.Count = 7
        assert list(check(pdf)) == []


def _empty(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def _html(path: Path) -> Path:
    path.write_bytes(b"<!DOCTYPE html><p>%PD")
    return path


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (samples.encrypted_pdf, TargetEncryptedError),
        (samples.locked_pdf, TargetEncryptedError),
        (samples.damaged_pdf, TargetDamagedError),
        (_empty, TargetNotPdfError),
        (_html, TargetNotPdfError),
        (_folder, TargetNotPdfError),
        (lambda path: path, TargetMissingError),
    ],
)
def test_file_that_cannot_be_read(tmp_path: Path, make: Callable[[Path], Path], error: type[TargetError]) -> None:
    path = make(tmp_path / "file.pdf")
    with pytest.raises(error) as caught:
        list(check_file(path))
    assert type(caught.value) is error
    assert str(caught.value).count(str(path)) == 1
    assert "\n" not in str(caught.value)


def test_damage_that_shows_only_while_the_file_is_read(tmp_path: Path) -> None:
    path = samples.classic_pdf(tmp_path / "file.pdf")
    path.write_bytes(path.read_bytes().replace(b"/Type/Catalog", b"/Type>Catalog"))
    assert [finding.rule for finding in check_file(path)] == [Rule.STRUCTURE.id]


@pytest.mark.parametrize("before", [b"\n", b"HTTP/1.1 200 OK\r\n\r\n", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("make", [samples.classic_pdf, samples.conforming_pdf])
def test_bytes_before_the_header(tmp_path: Path, make: Callable[[Path], Path], before: bytes) -> None:
    """Nothing can be added to such a file: offsets are counted from the header, or from the beginning (7.5.4)."""
    path = make(tmp_path / "file.pdf")
    path.write_bytes(before + path.read_bytes())
    [finding] = check_file(path)
    assert (finding.rule, finding.severity) == (Rule.HEADER.id, Severity.ERROR)
    with pytest.raises(TargetDamagedError, match="there are bytes before the PDF header"):
        BaseFile(path)


def test_a_damaged_file_is_checked_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    """Without its last lines, qpdf has to look for the objects and the trailer in the whole file."""
    path = samples.conforming_pdf(tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.SpiderInfo.V = 2
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    whole = list(check_file(path))
    assert whole
    path.write_bytes(path.read_bytes().rpartition(b"startxref")[0])
    assert list(check_file(path))[:-1] == whole
    assert list(check_file(path))[-1].rule == Rule.STRUCTURE.id


def test_page_tree_is_read_as_it_is(tmp_path: Path) -> None:
    """The check finds faults that qpdf repairs silently when it reads the pages of a file."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/SpiderInfo<</V 1.0>>>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 3/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Pages/Parent 2 0 R/Kids[4 0 R 7]/Count 1>>",
        4: b"<</Type/Page/Parent 2 0 R>>",
    }
    path = samples.handmade_pdf(objects, tmp_path / "file.pdf")
    expected = {Rule.PAGES_KIDS.id, Rule.PAGES_PARENT.id, Rule.PAGES_COUNT.id}
    assert {finding.rule for finding in check_file(path)} == expected


def test_flipped_bytes_give_findings_or_an_error_of_ours(conforming: Path, tmp_path: Path) -> None:
    data = conforming.read_bytes()
    path = tmp_path / "flipped.pdf"
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        with suppress(TargetError):
            list(check_file(path))


def test_finding_names_the_object(conforming: Path) -> None:
    with pikepdf.open(conforming) as pdf:
        logo = content_set(pdf, "logo.gif")
        logo.R = 4
        (finding,) = check(pdf)
    assert finding.clause == "14.10.4.3"
    assert finding.where == f"image set {bytes(logo.ID).hex()} ({logo.objgen[0]} 0 R)"
    assert finding.severity is Severity.ERROR


# Every way from a page to an image XObject.


def _pattern(pdf: Pdf, resources: Dictionary) -> Dictionary:
    return Dictionary(Pattern=Dictionary(P=pdf.make_stream(b"", PatternType=1, Resources=resources)))


def _type_3_font(pdf: Pdf, resources: Dictionary) -> Dictionary:
    font = Dictionary(Type=Name.Font, Subtype=Name.Type3, Resources=resources)
    return Dictionary(Font=pdf.make_indirect(Dictionary(F=pdf.make_indirect(font))))


def _form(pdf: Pdf, resources: Dictionary) -> Dictionary:
    form = pdf.make_stream(b"", Subtype=Name.Form, Resources=pdf.make_indirect(resources))
    form.Resources.XObject.Itself = form
    return Dictionary(XObject=Dictionary(Fm=form))


def _soft_mask(pdf: Pdf, resources: Dictionary) -> Dictionary:
    mask = Dictionary(S=Name.Luminosity, G=_form(pdf, resources).XObject.Fm)
    return Dictionary(ExtGState=Dictionary(GS=Dictionary(SMask=mask)))


def _masked_image(pdf: Pdf, resources: Dictionary) -> Dictionary:
    image = pdf.make_stream(b"\0", Subtype=Name.Image, Width=1, Height=1, SMask=resources.XObject.Im)
    return Dictionary(XObject=Dictionary(Other=image))


@pytest.mark.parametrize("wrap", [_pattern, _type_3_font, _form, _soft_mask, _masked_image])
def test_image_is_counted_wherever_a_page_refers_to_it(
    conforming: Path, wrap: Callable[[Pdf, Dictionary], Dictionary]
) -> None:
    with pikepdf.open(conforming) as pdf:
        logo = content_set(pdf, "logo.gif").O[0]
        resources = wrap(pdf, Dictionary(XObject=Dictionary(Im=logo)))
        for page in content_set(pdf, "paper.pdf").O:  # three pages that share what they refer to
            page.Resources = resources
        assert [finding.rule for finding in check(pdf)] == [Rule.R_COUNT.id]
        content_set(pdf, "logo.gif").R = 6
        assert list(check(pdf)) == []


def test_inherited_resources_and_appearances_are_counted(conforming: Path) -> None:
    with pikepdf.open(conforming) as pdf:
        logo = content_set(pdf, "logo.gif").O[0]
        page = content_set(pdf, "paper.pdf").O[0]
        page.Parent.Resources = Dictionary(XObject=Dictionary(Im=logo))
        for kid in page.Parent.Kids:
            del kid.Resources
        icon = pdf.make_stream(b"", Subtype=Name.Form, Resources=Dictionary(XObject=Dictionary(Im=logo)))
        button = Dictionary(Subtype=Name.Widget, AP=Dictionary(D=icon), MK=Dictionary(I=icon))
        content_set(pdf, "twin-a").O[0].Annots = pdf.make_indirect(Array([button]))
        content_set(pdf, "logo.gif").R = 3 + 3 + 1
        assert list(check(pdf)) == []


# Files that make no sense.


@pytest.mark.parametrize("key", ["/URLS", "/IDS"])
def test_name_tree_as_deep_as_a_file_allows(conforming: Path, key: str) -> None:
    with pikepdf.open(conforming) as pdf:
        for _ in range(3000):
            pdf.Root.Names[key] = Dictionary(Kids=Array([pdf.make_indirect(pdf.Root.Names[key])]))
        assert {finding.rule for finding in check(pdf)} == {Rule.TREE_LIMITS.id}


def test_page_tree_as_deep_as_a_file_allows(conforming: Path) -> None:
    with pikepdf.open(conforming) as pdf:
        for _ in range(3000):
            below = pdf.Root.Pages
            above = Dictionary(Type=Name.Pages, Kids=Array([below]), Count=below.Count)
            pdf.Root.Pages = pdf.make_indirect(above)
            below.Parent = pdf.Root.Pages
        assert list(check(pdf)) == []


def test_page_that_the_settings_lead_to_opens_them_to_the_whole_file(conforming: Path) -> None:
    with pikepdf.open(conforming) as pdf:
        pdf.Root.SpiderInfo.C[0].S.G.Page = first_page(pdf)
        assert {finding.rule for finding in check(pdf)} == {Rule.SETTINGS_CLOSED.id}


@pytest.mark.parametrize("listed", [0, opening.LISTED_OBJECTS], ids=["read one by one", "listed by qpdf"])
def test_objects_of_other_generations_may_not_refer_into_settings(
    conforming: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    """Also if another such object alone leads there. A string may look like a reference to an impossible object."""
    monkeypatch.setattr(opening, "LISTED_OBJECTS", listed)
    path = tmp_path / "site.pdf"
    with pikepdf.open(conforming) as pdf:
        settings_ = pdf.Root.SpiderInfo.C[0].S
        number = settings_.objgen[0] if settings_.is_indirect else pdf.make_indirect(settings_).objgen[0]
        pdf.Root.SpiderInfo.C[0].S = pdf.get_object(number, 0)
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    with pikepdf.open(path) as pdf:
        size, root = int(pdf.trailer.Size), pdf.Root.objgen[0]
        target = pdf.Root.SpiderInfo.C[0].S.objgen[0]
        catalog = pdf.Root.unparse(resolved=True).removesuffix(b">>") + b"/Extra %d 3 R >>" % size
    assert list(check_file(path)) == []
    objects = {
        (root, 0): catalog,
        (size, 3): b"<< /Next %d 7 R /Text (9999999999 99999 R) >>" % (size + 1),
        (size + 1, 7): b"<< /Back %d 0 R >>" % target,
    }
    samples.append_objects(path, objects)
    [finding] = check_file(path)
    assert finding.rule == Rule.SETTINGS_CLOSED.id
    assert f"{size + 1} 7 R refers to {target} 0 R" in finding.message


def _places(pdf: Pdf) -> list[tuple[Object, str | int]]:
    """Every entry and element that is reached from the catalog."""
    places: list[tuple[Object, str | int]] = []
    seen: set[tuple[int, int]] = set()
    pending: list[object] = [pdf.Root]
    while pending:
        value = pending.pop()
        if isinstance(value, Array):
            keys: list[str | int] = list(range(len(value)))
        elif isinstance(value, Dictionary | pikepdf.Stream):
            keys = list(value.keys())
        else:
            continue
        if value.is_indirect and (value.objgen in seen or seen.add(value.objgen)):
            continue
        places += [(value, key) for key in keys if key != "/Length"]
        pending += [value[key] for key in keys]
    return places


_VALUES: list[Callable[[Pdf], object]] = [
    lambda pdf: 0,
    lambda pdf: -7,
    lambda pdf: True,
    lambda pdf: Name.Odd,
    lambda pdf: String(b"\xff\x00("),
    lambda pdf: Array([]),
    lambda pdf: Array([1, None, Array([Name.X]), Dictionary()]),
    lambda pdf: Dictionary(),
    lambda pdf: pdf.Root,
    lambda pdf: pdf.Root.Pages,
    lambda pdf: pdf.make_stream(b"data", Subtype=Name.Image),
    home,
    first_page,
]


@settings(deadline=None)
@given(data=st.data())
def test_no_value_of_any_type_in_any_place_raises(conforming: Path, data: st.DataObject) -> None:
    with pikepdf.open(io.BytesIO(conforming.read_bytes())) as pdf:
        places = _places(pdf)
        chosen = data.draw(st.lists(st.tuples(st.integers(0, len(places) - 1), st.sampled_from(_VALUES)), max_size=3))
        changes = [(*places[index], make(pdf)) for index, make in chosen]
        for holder, key, value in changes:
            holder[key] = value
        for finding in check(pdf):
            assert finding.where
            assert finding.message


@pytest.mark.parametrize("make", [samples.conforming_pdf, samples.acrobat_pdf])
def test_findings_do_not_depend_on_how_often_the_file_is_opened(
    make: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An object that is used after the file was opened again would be lost."""
    path = make(tmp_path / "file.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.Root.SpiderInfo.V = 2
        for page in pdf.pages:
            page.obj.PZ = -1
        pdf.save(path)
    once = list(check_file(path))
    monkeypatch.setattr(opening, "BLOCKS_BEFORE_REOPENING", 1)
    assert once
    assert list(check_file(path)) == once
