"""The making of a report file."""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.run.memory import release_memory
from wcspider.pdf.file.base_file import require_file
from wcspider.report.collecting import Limits, Progress, collect
from wcspider.report.model import PageRow, Report, TreeNode
from wcspider.report.thumbnails import thumbnails
from wcspider.report.writing import check_output, write_file, write_html

MAX_THUMBNAILS = 300
"""The number of pages with a picture; about one megabyte."""


def make_report(
    path: Path,
    output: Path,
    made: datetime,
    *,
    max_thumbnails: int = MAX_THUMBNAILS,
    progress: Progress = lambda _: None,
    force: bool = False,
) -> str:
    """Write the report of FILE at `path` to `output`, which is replaced as a whole.

    With `force`, a file that wcspider did not write is replaced as well.

    A damaged FILE is read as far as possible: its first problem is returned, and an empty string if it has none.
    Raises a `TargetError` if FILE cannot be read or `output` cannot be written.
    """
    require_file(path)
    check_output(output, path, force=force)
    progress(0)
    report = _collected(path, made, progress)
    gc.collect()
    release_memory()
    _add_thumbnails(report, path, max_thumbnails)
    write_file(output, write_html(replace(report, digest=_digest(path), location=_location(path, output))))
    return report.damage


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _location(path: Path, output: Path) -> str:
    """Return the URL of a file, relative to the report about it."""
    return quote(os.fsencode(f"./{os.path.relpath(path.resolve(), output.resolve().parent)}"))


def _collected(path: Path, made: datetime, progress: Progress) -> Report:
    """Return the values of the report. The caches of the database end with this function."""
    with closing(ContentDatabase.open(path, lambda: made, repair=True)) as database:
        return collect(database, made, Limits(), progress)


def _add_thumbnails(report: Report, path: Path, limit: int) -> None:
    """Add pictures to the first pages in the tree of a report."""
    numbers = list(dict.fromkeys(row.first_page for row in report.pages.shown if row.first_page))[:limit]
    pictures = thumbnails(path, numbers)
    for folder in _folders(report.tree):
        folder.pages = [_illustrated(row, pictures) for row in folder.pages]


def _illustrated(row: PageRow, pictures: dict[int, str]) -> PageRow:
    picture = pictures.get(row.first_page or 0)
    return row if picture is None else replace(row, thumbnail=picture)


def _folders(root: TreeNode) -> Iterable[TreeNode]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += node.folders.values()
