"""The inputs of a merge: opened for reading, and refused if they cannot be merged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wcspider.archive.database.content_index import IDS, URLS, Clock
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize.rewrite import check_unsigned
from wcspider.archive.target.part_files import State, journal_of, state_of
from wcspider.exceptions import ArgumentError, TargetDamagedError, TargetError, TargetUnfinishedError
from wcspider.pdf.file.base_file import require_file
from wcspider.pdf.file.part import PART, followed, part_of
from wcspider.program_names import capture_command, file_command

FINISH = "repeat the command that began it, or remove {} if no command is running"


@dataclass(frozen=True, slots=True)
class Input:
    """A file to merge."""

    path: Path
    state: State | None
    length: int
    digest: bytes
    """The SHA-256 of the file."""

    @classmethod
    def of(cls, path: Path) -> Input:
        """Read the length and the digest of a file."""
        state = state_of(path)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
            return cls(path, state, file.tell(), digest)

    @contextmanager
    def opened(self, clock: Clock) -> Iterator[ContentDatabase]:
        """Open the content database for reading.

        Raises a `TargetError` at the end if something that was read is damaged, or if the file was changed.
        """
        with closing(ContentDatabase.open(self.path, clock)) as database:
            yield database
            if database.file.damage:
                raise TargetDamagedError.of(self.path, f"is damaged ({database.file.damage})")
        if state_of(self.path) != self.state:
            raise TargetError(f"{self.path}: was changed while it was read", "repeat the command")


def check_inputs(output: Path, paths: Sequence[Path], clock: Clock) -> None:
    """Raise a `WebCaptureError` if the output is an input, if two inputs are the same, or if one cannot be merged."""
    for number, path in enumerate(paths):
        require_file(path)
        _check_finished(path)
        if output.exists() and output.samefile(path):
            raise ArgumentError(f"{path}: is the output and an input", "leave it out: the content of OUT stays")
        if any(path.samefile(other) for other in paths[:number]):
            raise ArgumentError(f"{path}: is named twice", "name each file once")
        unsigned = file_command("optimize", path, "--force --output UNSIGNED")
        check_unsigned(path, f"merge the file without its signature: {unsigned}")
        _check_content(path, clock)


def _check_finished(path: Path) -> None:
    """Raise `TargetUnfinishedError` if a crawl has not finished a file, or if it is the part of another file."""
    if path.suffix == PART and journal_of(path).exists():
        raise TargetUnfinishedError(f"{path}: is the unfinished {path.stem}", FINISH.format(path))
    part = part_of(followed(path))
    if part.exists():
        raise TargetUnfinishedError(f"{path}: is unfinished, there is a {part.name}", FINISH.format(part))


def _check_content(path: Path, clock: Clock) -> None:
    """Raise `TargetError` if a file has no content set."""
    with closing(ContentDatabase.open(path, clock)) as database:
        if not any(True for name in (IDS, URLS) for _ in database.catalog.tree_items(name)):
            advice = f"capture it as a page: {capture_command('file:///...', 'OUT')}"
            raise TargetError(f"{path}: has no Web Capture content", advice)
