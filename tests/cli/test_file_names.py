"""Whatever a user gives as the name of a file, a command works or ends with one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.archive.query.test_listing import site
from wcspider.cli.program import main

NAMES = {
    "nothing": "",
    "this folder": ".",
    "the folder above": "..",
    "the root": "/",
    "a folder": "folder",
    "a FIFO": "fifo",
    "a device": "/dev/null",
    "a full device": "/dev/full",
    "below a file": "site.pdf/x.pdf",
    "a loop": "loop.pdf",
    "a long name": "n" * 300,
    "line breaks": "none\nwcspider: all is well\n\x1b[31m.pdf",
    "bytes": os.fsdecode(b"\xff\xfe.pdf"),
}

READING = [
    "list NAME",
    "find NAME --url http://h/",
    "why NAME http://h/",
    "omitted NAME",
    "report NAME",
    "check NAME",
    "text NAME",
    "search NAME word",
    "history NAME",
    "versions NAME http://h/",
    "diff NAME",
    "optimize NAME",
    "restore NAME --revision 1 -o old.pdf",
    "merge new.pdf NAME",
    "merge new.pdf site.pdf NAME",
]

WRITING = [
    "merge NAME site.pdf",
    "optimize site.pdf --force -o NAME",
    "restore site.pdf --revision 1 --force -o NAME",
    "report site.pdf -o NAME",
    "status folder -o NAME",
]

CREATED = {"line breaks", "bytes"}
"""The names that a new file can have."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file."""
    monkeypatch.chdir(tmp_path)
    site(tmp_path / "site.pdf", 1)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop.pdf").symlink_to("loop.pdf")
    return tmp_path


def words(line: str, name: str) -> list[str]:
    return [name if word == "NAME" else word for word in line.split()]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("line", READING)
def test_no_file_can_be_read(folder: Path, line: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    assert main(words(line, name)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("wcspider: ")
    assert printed.err.count("\n") == 1
    assert "\x1b" not in printed.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("line", WRITING)
def test_no_file_can_be_written(folder: Path, line: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    is_created = name in {NAMES[created] for created in CREATED} and line.split()[0] not in ("report", "status")
    assert main(words(line, name)) == (0 if is_created else 2)
    printed = capsys.readouterr()
    assert "\x1b" not in printed.out + printed.err
    assert printed.err.count("\n") == (not is_created)
    assert sorted(folder.iterdir()) == (sorted([*before, folder / name]) if is_created else before)


@pytest.mark.parametrize("name", ["", "fifo", "/dev/null", "site.pdf", "none\n", "n" * 300])
def test_a_status_page_needs_a_folder(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for line in ("status NAME", "status folder --logs NAME"):
        assert main(words(line, name)) == 2
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("line", ["report site.pdf -o link.html", "status folder -o link.html"])
def test_a_document_is_written_where_a_link_leads(folder: Path, line: str) -> None:
    (folder / "link.html").symlink_to("folder/page.html")
    download = folder / "folder" / "page.html.part"
    download.write_bytes(b"a download")
    for _ in ("a link without a target", "a link to the document"):
        assert main(line.split()) == 0
        assert (folder / "link.html").is_symlink()
        assert (folder / "folder" / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert list(folder.rglob("*.part")) == [download]
    assert download.read_bytes() == b"a download"


@pytest.mark.parametrize("line", ["merge NAME site.pdf", "optimize site.pdf -o NAME"])
def test_a_new_file_is_written_where_a_link_leads(folder: Path, line: str) -> None:
    (folder / "link.pdf").symlink_to("folder/new.pdf")
    assert main(words(line, "link.pdf")) == 0
    assert (folder / "link.pdf").is_symlink()
    assert (folder / "folder" / "new.pdf").read_bytes().startswith(b"%PDF-")
    assert not list(folder.rglob("*.part*"))
