"""The values that a report shows. They know neither PDF nor HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

Row = TypeVar("Row")

GONE = "gone pages"
"""The name of the total of gone pages."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One page set under one of its URLs."""

    url: str
    title: str
    content_type: str
    first_page: int | None
    """The number of its first PDF page, from 1; None if another program has deleted the pages."""

    pages: int
    """The number of its PDF pages."""

    size: int
    """The bytes of the content streams of its pages. Shared fonts and images do not count."""

    updated: datetime | None
    gone: datetime | None
    """The date of the refresh that found the page gone."""

    identifier: bytes
    command: int | None
    notice: str = ""
    """Why its content may be incomplete; empty if nothing indicates that."""

    redirects: Rows[str] = field(default_factory=lambda: Rows((), 0))
    """The URLs that redirect to this one, each once."""

    thumbnail: str = ""
    """A picture of the first PDF page, as a data URL; empty if there is none."""

    @property
    def state(self) -> str:
        """One word for the state of the page."""
        if self.gone is not None:
            return "gone"
        return "present" if self.first_page is not None else "deleted"


@dataclass(frozen=True, slots=True)
class ImageRow:
    """One image set."""

    url: str
    content_type: str
    width: int
    height: int
    size: int
    """The bytes of its largest image XObject, as stored."""

    references: int
    """The number of pages that show it."""


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """One URL that was not captured."""

    url: str
    reason: str
    referrer: str
    redirects: tuple[str, ...] = ()
    tried: datetime | None = None
    """The time of the last attempt."""


@dataclass(frozen=True, slots=True)
class NoteRow:
    """An observation about pages or resources of a run."""

    title: str
    """The kind of observation in words."""

    reason: str
    urls: Rows[str]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run and its effect."""

    number: int
    kind: str
    ended: datetime | None
    length: int
    """The length of the file after the run, in bytes."""

    counts: Mapping[str, int] = field(default_factory=dict)
    """The effect of the run: the numbers of page sets by the words of `COUNTS`; none for the state before all runs."""

    skipped: int = 0
    commands: tuple[int, ...] = ()
    notes: tuple[NoteRow, ...] = ()


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """A signature or a time stamp of the file. It is not verified."""

    kind: str
    signer: str
    """The name that the signature states; empty if it states none."""

    reason: str
    moment: datetime | None
    revision: int | None
    """The number of the revision that it covers; None if it covers no complete state of the file."""

    added: int
    """The number of bytes at the end of that revision that the signature does not cover."""


@dataclass(frozen=True, slots=True)
class CommandRow:
    """One command (14.10.5.3)."""

    url: str
    levels: str
    scope: str
    withheld: tuple[str, ...]
    """The kinds of secrets that it was executed with and that are not stored, such as "cookies"."""

    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VersionsRow:
    """A URL with several page sets in the file: versions of one page."""

    url: str
    versions: tuple[PageRow, ...]
    """The oldest first."""


@dataclass(slots=True)
class TreeNode:
    """A folder of the site: a host or a path segment."""

    name: str
    folders: dict[str, TreeNode] = field(default_factory=dict)
    pages: list[PageRow] = field(default_factory=list)
    count: int = 0
    """The number of pages in it and below it."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[Row]):
    """The first rows of a table, and the number of all."""

    shown: Sequence[Row]
    total: int

    @property
    def hidden(self) -> int:
        """The number of rows that the report does not show."""
        return self.total - len(self.shown)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report shows."""

    file_name: str
    length: int
    title: str
    made: datetime
    totals: Mapping[str, int]
    tree: TreeNode
    pages: Rows[PageRow]
    largest_pages: Sequence[PageRow]
    images: Rows[ImageRow]
    skipped: Mapping[str, Rows[SkippedRow]]
    """By reason."""

    skipped_total: int
    runs: Rows[RunRow]
    """The oldest first. The newest are shown."""

    commands: Sequence[CommandRow]
    versions: Rows[VersionsRow]
    incomplete: Mapping[str, Rows[PageRow]]
    """The pages whose content may be incomplete, by reason."""

    kept_total: int = 0
    """The number of pages that could not be fetched at the last attempt, and that the file keeps as they were."""

    signatures: Sequence[SignatureRow] = ()
    damage: str = ""
    """The first problem of a damaged file; empty if there is none."""

    digest: str = ""
    """The SHA-256 of the file, in hexadecimal digits."""

    location: str = ""
    """The URL of the file, relative to the report; empty if it has none."""

    @property
    def sites(self) -> list[str]:
        """The sites of the pages."""
        return list(self.tree.folders)

    @property
    def incomplete_total(self) -> int:
        """The number of pages whose content may be incomplete."""
        return sum(rows.total for rows in self.incomplete.values())

    @property
    def gone_total(self) -> int:
        """The number of pages that are gone from their site."""
        return self.totals.get(GONE, 0)

    def signatures_of(self, revision: int | None) -> list[SignatureRow]:
        """Return the signatures that cover a revision; None for those that cover no complete state of the file."""
        return [row for row in self.signatures if row.revision == revision]
