"""Files that violate the rules of 14.10 are merged as far as possible or refused; the merged file is sound."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from tests.archive.check.test_checker import CONSEQUENCES, MUTATIONS
from tests.support import pdf_samples
from tests.support.broken_files import Mutation, home
from tests.support.crawls import tool
from tests.support.merging import merged
from wcspider.archive.check.checker import check_file
from wcspider.exceptions import TargetError

pytestmark = pytest.mark.slow

ALL = [*((rule.id, mutate) for rule, mutate in MUTATIONS), *((rule.id, mutate) for rule, mutate, _ in CONSEQUENCES)]
BROKEN = list({rule: mutate for rule, mutate in ALL if not rule.startswith(("14.10.5.3", "14.10.5.4"))}.items())
"""A violation of each rule, except for the rules about commands, which are copied as they are."""


@pytest.fixture(scope="module")
def conforming(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pdf_samples.conforming_pdf(tmp_path_factory.mktemp("conforming") / "file.pdf")


def broken(source: Path, path: Path, mutate: Mutation) -> Path:
    """A copy of a file after a change."""
    with pikepdf.open(source) as pdf:
        mutate(pdf)
        pdf.save(path)
    return path


@pytest.mark.parametrize(("rule", "mutate"), BROKEN, ids=[rule for rule, _ in BROKEN])
def test_a_violation_of_a_rule_breaks_no_merge(rule: str, mutate: Mutation, conforming: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    try:
        merged(out, broken(conforming, tmp_path / "broken.pdf", mutate), conforming)
    except TargetError:
        assert not out.exists()
        return
    with pikepdf.open(out) as pdf:
        assert pdf.check_pdf_syntax() == []
        assert len(pdf.pages) >= 8
    assert [finding for finding in check_file(out) if finding.rule.startswith("7.")] == []


def cyclic_outline(pdf: pikepdf.Pdf) -> None:
    item = pdf.make_indirect(Dictionary(Title="again"))
    item.First = item.Last = item.Next = item
    pdf.Root.Outlines = pdf.make_indirect(Dictionary(First=item, Last=item, Count=1))


def cyclic_fields(pdf: pikepdf.Pdf) -> None:
    page = home(pdf).O[0]
    widget = pdf.make_indirect(Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=[0, 0, 9, 9], P=page))
    widget.Parent = widget
    widget.Kids = Array([widget])
    page.Annots = Array([widget])
    pdf.Root.AcroForm = Dictionary(Fields=Array([widget]))


def cyclic_destinations(pdf: pikepdf.Pdf) -> None:
    name = pdf.make_indirect(Dictionary())
    name.D = name
    home(pdf).O[0].Annots = Array([Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[0, 0, 9, 9], Dest=name)])


def nested_history(pdf: pikepdf.Pdf) -> None:
    run = pdf.make_indirect(Dictionary(Run=Name.merge))
    run.Inputs = Array([Dictionary(F="file.pdf", Runs=Array([run] * 9))] * 9)
    pdf.Root.WCSP_History = Array([run] * 9)


def page_of_another_set(pdf: pikepdf.Pdf) -> None:
    other = next(found for found in pdf.objects if isinstance(found, Dictionary) and found.get("/T") == "Home")
    twins = next(
        found for found in pdf.objects if isinstance(found, Dictionary) and "Zwillinge" in str(found.get("/T"))
    )
    twins.O = Array([other.O[0]])


@pytest.mark.parametrize(
    "mutate", [cyclic_outline, cyclic_fields, cyclic_destinations, nested_history, page_of_another_set]
)
def test_files_that_refer_to_themselves_are_merged(mutate: Mutation, conforming: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    merged(out, broken(conforming, tmp_path / "broken.pdf", mutate))
    tool("qpdf", "--check", out)
    with pikepdf.open(out) as pdf:
        assert len(pdf.pages) >= 7


def in_catalog(key: str, value: object) -> Mutation:
    """A change of an entry of the catalog."""
    return lambda pdf: pdf.Root.__setitem__(key, value)


def parent_without_kids(pdf: pikepdf.Pdf) -> None:
    home(pdf).O[0].Parent = pdf.Root


def parents_in_a_circle(pdf: pikepdf.Pdf) -> None:
    node = pdf.make_indirect(Dictionary(Type=Name.Pages, Kids=Array([home(pdf).O[0]]), Count=1))
    node.Parent = node
    home(pdf).O[0].Parent = node


@pytest.mark.parametrize(
    "mutate",
    [
        in_catalog("/SpiderInfo", 0.5),
        in_catalog("/Outlines", 5),
        in_catalog("/Outlines", Dictionary(Last=7, Count=Name.many)),
        in_catalog("/Names", Name.none),
        lambda pdf: pdf.trailer.__setitem__("/Info", Name.none),
        parent_without_kids,
        parents_in_a_circle,
    ],
)
def test_entries_of_another_type_break_no_merge(mutate: Mutation, conforming: Path, tmp_path: Path) -> None:
    """The pages of the broken file are replaced by those of a captured file, which has the same identifiers."""
    out = broken(conforming, tmp_path / "broken.pdf", mutate)
    merged(out, conforming)
    merged(tmp_path / "out.pdf", out)
    with pikepdf.open(tmp_path / "out.pdf") as pdf:
        assert len(pdf.pages) >= 7
