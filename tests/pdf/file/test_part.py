"""The messages about a FILE that does not exist, or is only unfinished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wcspider.archive.check.checker import check_file
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query.history import restore
from wcspider.exceptions import TargetMissingError
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.part import missing

READERS: list[Callable[[Path], object]] = [
    BaseFile,
    lambda path: list(check_file(path)),
    optimize,
    lambda path: restore(path, 1, path.with_name("old.pdf")),
]

NOWHERE = "{path}: no such file; check the path"
BEGUN = (
    "{path}: no such file, only {path}.part, which is unfinished; "
    "put file.pdf back if it was moved, and repeat the command that began the work"
)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(("part", "said"), [(None, NOWHERE), (b"", NOWHERE), (b"%PDF-1.7", BEGUN)])
def test_a_file_that_is_not_there(
    tmp_path: Path, read: Callable[[Path], object], part: bytes | None, said: str
) -> None:
    path = tmp_path / "file.pdf"
    if part is not None:
        path.with_name("file.pdf.part").write_bytes(part)
    before = list(tmp_path.iterdir())
    with pytest.raises(TargetMissingError) as caught:
        read(path)
    assert str(caught.value) == said.format(path=path)
    assert list(tmp_path.iterdir()) == before


def test_a_path_that_is_too_long(tmp_path: Path) -> None:
    assert "no such file" in str(missing(tmp_path / ("long" * 100)))


def test_a_link_to_an_unfinished_file(tmp_path: Path) -> None:
    link, part = tmp_path / "link.pdf", tmp_path / "site.pdf.part"
    link.symlink_to("site.pdf")
    assert missing(link).problem == f"{link}: is a symbolic link to {tmp_path}/site.pdf, which does not exist"
    part.write_bytes(b"begun")
    assert missing(link).problem == f"{link}: no such file, only {part}, which is unfinished"
    assert missing(link).advice.startswith("put site.pdf back")
