"""The opening of FILE for the subcommands that read it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import history
from wcspider.program_names import file_command
from wcspider.subcommands.clock import now
from wcspider.subcommands.standard_streams import complain


@contextmanager
def opened_database(path: Path, number: int | None = None) -> Iterator[ContentDatabase]:
    """Open FILE, or one of its earlier revisions, for reading, and report at the end if it is damaged."""
    with closing(_database(path, number)) as database:
        yield database
        report_damage(path, database.file.damage)


def _database(path: Path, number: int | None) -> ContentDatabase:
    if number is None:
        return ContentDatabase.open(path, now, repair=True)
    return ContentDatabase(history.opened(path, history.find_revision(path, number)), now)


def report_damage(path: Path, damage: str) -> None:
    """Print a line about a damaged file that was read as far as possible."""
    if damage:
        advice = f"to repair it: {file_command('optimize', path, '--output REPAIRED')}"
        problem = f"{path}: is damaged ({damage}), the output may be incomplete"
        complain(f"{problem}; {advice}")
