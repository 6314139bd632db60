"""Files with values of a wrong type, or with structures that lead in a circle, are changed, or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name

from tests.archive.query.test_listing import site
from tests.archive.query.test_mutated_files import EXAMPLES, mutated, plain, read_or_refused
from tests.support.archive_samples import COMMAND, SITE, clock, rendered
from tests.support.merging import merged
from wcspider.archive.database.contents_section import ContentsDesign
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.refresh.refresh_sink import RefreshSink
from wcspider.archive.refresh.settlement import Repeated, Settlement
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.engines.base import PageGeometry
from wcspider.pdf.webcapture.run_records import CAPTURE, REFRESH, Run
from wcspider.steps import completed
from wcspider.webcapture.order import Turn, TurnKind

DESIGN = ContentsDesign(True, PageGeometry(), system_fonts=False)


def changed(path: Path, kind: str, change: Callable[[CaptureWriter, list[str]], None]) -> None:
    """Change a file as a run does, with the URLs of its page sets."""
    with closing(ContentDatabase.open(path, clock)) as database, closing(Journal()) as journal:
        writer = CaptureWriter(database, journal, Batch(1, 10**9), 10**6, Checkpoint())
        with closing(writer):
            urls = [source.url for stored in database.page_sets() for source in stored.content.sources]
            change(writer, urls)
            writer.finish("A title", Run(kind), DESIGN)


def stored(writer: CaptureWriter, position: int, url: str, **content: Any) -> None:
    """Store a page that comes from a URL."""
    page = rendered("/", **content)
    capture = replace(page.capture, resource=replace(page.capture.resource, url=url))
    completed(writer.sink.page(replace(page, capture=capture), (), next(iter(writer.commands), None), position))
    writer.commit()


def extend(path: Path) -> None:
    def change(writer: CaptureWriter, urls: list[str]) -> None:
        writer.begin([COMMAND])
        for position, url in enumerate([*urls[:1], f"{SITE}/new"]):
            stored(writer, position, url, body=f"new {position}", links=[f"{SITE}/1"], images=["1.png"])

    changed(path, CAPTURE, change)


def refresh(path: Path) -> None:
    def change(writer: CaptureWriter, urls: list[str]) -> None:
        commands = [reference for reference, _ in writer.database.commands()]
        writer.sink = sink = RefreshSink(writer.database, writer.journal, writer.report)
        writer.repeat(commands)
        for position, url in enumerate(urls[:5]):
            if position == 2:
                sink.skip(Turn(position, TurnKind.SKIPPED, (), url, reason="HTTP 404"), "HTTP 404")
            else:
                stored(writer, position, url, body=f"changed {position}", pages=1 + position % 3, images=["1.png"])
        Settlement(sink, path, force=True).settle(Repeated(commands), drop=True, is_complete=True)

    changed(path, REFRESH, change)


ACTIONS = [extend, refresh, lambda path: merged(path.with_name("out.pdf"), path)]


@pytest.mark.slow
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated(), st.sampled_from(ACTIONS))
def test_a_mutated_file_is_changed_or_refused(tmp_path: Path, data: bytes, action: Callable[[Path], object]) -> None:
    (tmp_path / "out.pdf").unlink(missing_ok=True)
    (tmp_path / "file.pdf").write_bytes(data)
    read_or_refused(lambda: action(tmp_path / "file.pdf"))


def content_set(pdf: pikepdf.Pdf, subtype: str) -> pikepdf.Object:
    """Return the first content set of a kind in IDS."""
    return next(value for _, value in pikepdf.NameTree(pdf.Root.Names.IDS).items() if subtype == value.S)


def odd_types(pdf: pikepdf.Pdf) -> None:
    for page in pdf.pages:
        page.obj.Resources.Odd = pdf.make_indirect(Dictionary(Type=Array([])))


def without_shared_objects(pdf: pikepdf.Pdf) -> None:
    """Another program has removed the index of shared objects, so that the objects of the pages are read."""
    odd_types(pdf)
    del pdf.Root["/WCSP_Shared"]


def labels_in_the_catalog(pdf: pikepdf.Pdf) -> None:
    pdf.Root.Nums = Array([0, Dictionary(S=Name.r)])
    pdf.Root.PageLabels = pdf.Root


def page_without_a_parent(pdf: pikepdf.Pdf) -> None:
    del pdf.pages[2].obj["/Parent"]  # the second page of the second page set


def odd_anchors(pdf: pikepdf.Pdf) -> None:
    for _, found in pikepdf.NameTree(pdf.Root.Names.IDS).items():
        found["/WCSP_Anchors"] = pdf.make_indirect(Dictionary(Odd=1))


ODD: dict[str, Callable[[pikepdf.Pdf], object]] = {
    "types": odd_types,
    "types of shared objects": without_shared_objects,
    "labels": labels_in_the_catalog,
    "Parent": page_without_a_parent,
    "form": lambda pdf: pdf.Root.__setitem__("/AcroForm", Array([5])),
    "anchors": odd_anchors,
    "image set": lambda pdf: content_set(pdf, "/SIS").__setitem__("/O", Array([])),
    "page set": lambda pdf: content_set(pdf, "/SPS").__setitem__("/O", Array([])),
}


@pytest.mark.parametrize("action", ACTIONS, ids=["extend", "refresh", "merge"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_file_is_changed_or_refused(
    tmp_path: Path, odd: Callable[[pikepdf.Pdf], object], action: Callable[[Path], object]
) -> None:
    path = tmp_path / "file.pdf"
    with pikepdf.open(site(tmp_path / "site.pdf", 6), inherit_page_attributes=False) as pdf:
        odd(pdf)
        pdf.save(path, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    read_or_refused(lambda: action(path))


@pytest.mark.parametrize("action", ACTIONS, ids=["extend", "refresh", "merge"])
@pytest.mark.parametrize("kid", ["the root", "no object"])
def test_an_odd_page_tree_is_changed_or_refused(tmp_path: Path, kid: str, action: Callable[[Path], object]) -> None:
    path = site(tmp_path / "site.pdf", 6)
    data = plain(path)
    with pikepdf.open(path.with_suffix(".plain")) as pdf:
        root, last = pdf.Root.Pages.objgen[0], pdf.Root.Pages.Kids[-1].objgen[0]
    before, after = b" %d 0 R ]" % last, b" %d 0 R" % (root if kid == "the root" else 0)
    assert data.count(before) == 1
    path.write_bytes(data.replace(before, after.ljust(len(before) - 1) + b"]"))
    read_or_refused(lambda: action(path))
