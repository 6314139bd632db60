"""The files that a run writes beside FILE: tables, the log and copies. None of them may be a file that the run uses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from w3lib.url import file_uri_to_path

from wcspider.archive.target.part_files import journal_of
from wcspider.exceptions import ArgumentError
from wcspider.pdf.file.part import followed, part_of

REFUSED = "WCSPIDER_REFUSED"
"""The setting with the error for an output that the add-on has taken away, so that it cannot overwrite the file."""

_ELSEWHERE = "name another file"


def local_path(uri: str) -> Path | None:
    """Return the path of a local file that a URI or a path names; None for a URI of another scheme."""
    scheme = urlsplit(uri).scheme
    if scheme not in ("", "file"):
        return None
    return Path(file_uri_to_path(uri) if scheme else uri)


def use_of(path: Path, target: Path) -> str:
    """Return the use of a path by the run that writes `target`, through symbolic links; empty if there is none."""
    if not target.name:  # a folder, which is reported later
        return ""
    part = part_of(followed(target))
    uses = {
        target: "the captured file itself",
        part: "the unfinished work on the captured file",
        journal_of(part): "the journal of the unfinished work",
    }
    return next((use for used, use in uses.items() if _is_same(path, used)), "")


def check_outputs(settings: Any, target: Path | None, inputs: Mapping[str, Path] | None = None) -> None:
    """Raise `ArgumentError` if the log or a table of a run would overwrite `target` or an input.

    `inputs` are the files that arguments and settings name, by these. Names with parameters such as ``%(time)s`` are
    not known yet, and are not compared.
    """
    for output, path in _outputs(settings):
        use = use_of(path, target) if target is not None else ""
        of_input = (f"the file of {name}" for name, used in (inputs or {}).items() if _is_same(path, used))
        if use := use or next(of_input, ""):
            raise ArgumentError(f"{output} {path}: this is {use}", _ELSEWHERE)


def _outputs(settings: Any) -> Iterator[tuple[str, Path]]:
    """Yield the local files that the settings of a run name."""
    if settings["LOG_FILE"]:
        yield "the log", Path(settings["LOG_FILE"])
    feeds = [*settings.getdict("FEEDS"), *filter(None, [settings["FEED_URI"]])]
    for feed in map(str, feeds):
        with suppress(ValueError):  # Scrapy reports a malformed URI
            if (path := local_path(feed)) is not None:
                yield "the table", path


def _is_same(path: Path, other: Path) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)
