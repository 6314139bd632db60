"""A check says which earlier states another program has changed."""

from __future__ import annotations

from pathlib import Path

import pikepdf
import pytest

from tests.archive.query.test_history import add
from wcspider.archive.check.checker import Rule, Severity, check_file


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A file that three runs have left."""
    path = tmp_path / "site.pdf"
    for page in range(3):
        add(path, page)
    return path


def messages(path: Path) -> list[str]:
    """Return the messages of the rule, after a check that they are notes."""
    found = [finding for finding in check_file(path) if finding.rule == Rule.EARLIER_STATES.id]
    assert {finding.severity for finding in found} <= {Severity.NOTE}
    return [finding.message for finding in found]


def test_a_file_that_only_grew_is_in_order(site: Path) -> None:
    assert list(check_file(site)) == []


def test_a_changed_byte_is_in_all_states_behind_it(site: Path) -> None:
    data = bytearray(site.read_bytes())
    data[data.index(b"\xe2\xe3")] ^= 1  # in the comment behind the header
    site.write_bytes(data)
    assert messages(site) == ["another program has changed the bytes of earlier states, which are lost: revisions 1, 2"]


def test_a_changed_byte_of_a_later_run_spares_the_states_before_it(site: Path) -> None:
    with pikepdf.open(site) as pdf:
        base = int(pdf.Root["/WCSP_History"][1]["/Base"])
    data = bytearray(site.read_bytes())
    place = data.index(b"startxref", base)
    data[place - 1 : place] = b"\r" if data[place - 1 : place] == b"\n" else b"\n"
    site.write_bytes(data)
    assert messages(site) == ["another program has changed the bytes of earlier states, which are lost: revision 2"]


@pytest.mark.parametrize("change", ["/Base", "/Digest"])
def test_a_file_that_another_program_has_written_anew(site: Path, change: str) -> None:
    with pikepdf.open(site, allow_overwriting_input=True) as pdf:
        pdf.Root["/WCSP_History"][2][change] = pikepdf.Name.Nothing
        pdf.save(site)
    [message] = messages(site)
    assert message.partition(": ")[2] in ("revision 1", "revisions 1, 2")


def test_a_state_of_a_shorter_file_is_there(site: Path) -> None:
    """Another program has removed pages, and then a run has added one."""
    with pikepdf.open(site, allow_overwriting_input=True) as pdf:
        pdf.save(site, compress_streams=True, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    add(site, 7)
    with pikepdf.open(site) as pdf:
        lengths = [int(run["/Base"]) for run in pdf.Root["/WCSP_History"]]
    assert lengths[3] < lengths[2]
    assert messages(site) == ["another program has changed the bytes of earlier states, which are lost: revisions 1, 2"]


def test_many_states_are_not_all_named(tmp_path: Path) -> None:
    path = tmp_path / "site.pdf"
    for page in range(13):
        add(path, page)
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path)
    [message] = messages(path)
    assert message.endswith(": revisions 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...")
