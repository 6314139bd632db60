"""The merging of files that were captured separately into one file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from wcspider.archive.database.content_index import Clock
from wcspider.archive.database.contents_section import ContentsDesign
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.link_actions import LINKS
from wcspider.archive.journal.journal import Checkpoint, Journal
from wcspider.archive.merge.file_transfer import FileTransfer, external_targets
from wcspider.archive.merge.inputs import Input, check_inputs
from wcspider.archive.merge.merge_report import MergeReport
from wcspider.archive.pages.link_keys import link_target
from wcspider.archive.run.writer import Batch, CaptureWriter
from wcspider.archive.target.part_files import check_writable, copied
from wcspider.archive.target.replacement import replacing
from wcspider.engines.base import PageGeometry
from wcspider.pdf.file.base_file import BaseFile
from wcspider.pdf.file.part import followed, part_of
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import MERGE, MergedFile, Run


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """The options of a merge."""

    clock: Clock
    batch_pages: int = 1000
    """The number of page sets of a revision.

    It is larger than in a crawl: each revision writes the changed nodes of the page tree and of the name trees again,
    and small revisions are of no use to a merge, which begins anew after an interruption.
    """

    batch_bytes: int = 16 * 1024 * 1024
    kept_keys: int = 65_536
    """The number of new keys of a name tree that stay in memory until the tree is written. They take about 20 MB.

    Identifiers are spread over all leaves of their tree, so writing a large tree with each revision would take long.
    """

    max_skipped: int = 10_000
    """The limit of the number of records of skipped pages in the merged file."""

    geometry: PageGeometry = field(default_factory=PageGeometry)
    """The size of contents pages."""

    system_fonts: bool = True
    """Whether contents pages may use fonts of the system."""

    title: str = ""
    """The title of the merged file; empty for the title of OUT, or else of the first input."""

    progress: Callable[[Path, int, int], None] = lambda path, done, total: None
    """Gets the input, the number of its page sets that are merged, and the number of all of its page sets.

    The two numbers are equal once everything of the input is merged, also its outline.
    """


def merge(output: Path, inputs: Sequence[Path], options: MergeOptions) -> MergeReport:
    """Merge files into `output`, in their order and behind the content that it has.

    Raises a `WebCaptureError` if an input cannot be merged or the output cannot be written. The output is
    then unchanged.
    """
    check_writable(output)
    check_inputs(output, inputs, options.clock)
    output = followed(output)
    if output.exists():
        BaseFile(output).close()
    is_again = part_of(output).exists()
    with replacing(output, inputs[0]) as part:
        base = copied(output, part) if output.exists() else (0, None)
        file = RevisionFile.open(part) if base[0] else RevisionFile.create(part)
        database = ContentDatabase(file, options.clock, is_new=not base[0])
        with closing(database), closing(_Merge(database, inputs, options)) as work:
            report = work.run(Run(MERGE, *base), output if base[0] else None)
            report.replaced_part = is_again
    return report


class _Merge:
    """One merge into an open file."""

    def __init__(self, database: ContentDatabase, inputs: Sequence[Path], options: MergeOptions) -> None:
        self.database = database
        self.database.kept_changes = options.kept_keys
        self.inputs = inputs
        self.options = options
        self.report = MergeReport(inputs=len(inputs))
        batch = Batch(options.batch_pages, options.batch_bytes, timedelta.max)
        self.writer = CaptureWriter(database, Journal(), batch, 0, Checkpoint())
        self._commands: dict[Ref, None] = {}
        self._external: dict[Path, set[bytes]] = {}
        self._has_contents = database.catalog.contents is not None
        self._title = options.title or database.catalog.title

    def close(self) -> None:
        """Close the writer and its journal, which is in memory."""
        self.writer.close()
        self.writer.journal.close()

    def run(self, run: Run, before: Path | None) -> MergeReport:
        """Merge the inputs and write the last revision; `before` is the output as it was."""
        present = len(self.database.commands())
        merged = [self._take(path) for path in self.inputs]
        self._count_jumps(before)
        self.writer.commands = list(self._commands)
        contents = ContentsDesign(self._has_contents, self.options.geometry, self.options.system_fonts)
        self.writer.report.page_sets, self.writer.report.known = self.report.added, self.report.unified
        self.writer.finish(self._title, self._with_inputs(run, merged), contents)
        self.report.commands = len(self.database.commands()) - present
        self.report.claims = self.database.removed_claims
        self.report.written = self.writer.report.bytes_written
        self.report.size = self.database.file.length
        return self.report

    @staticmethod
    def _with_inputs(run: Run, merged: Iterable[MergedFile]) -> Run:
        return Run(run.kind, run.base, run.digest, inputs=tuple(merged))

    def _take(self, path: Path) -> MergedFile:
        """Take over the content of an input; return its record."""
        file = Input.of(path)
        with file.opened(self.options.clock) as source:
            transfer = FileTransfer(self.database, source, self.report, lambda *counts: self._note(path, *counts))
            runs = transfer.run(self.options.max_skipped)
            self._commands |= dict.fromkeys(transfer.commands.values())
            self._has_contents = self._has_contents or source.catalog.contents is not None
            self._title = self._title or source.catalog.title
            self._external[path] = transfer.external
        return MergedFile(path.name, file.length, file.digest, runs)

    def _count_jumps(self, before: Path | None) -> None:
        """Count the targets of links that were URLs in their file, and are jumps in the merged file."""
        for path in (*([] if before is None else [before]), *self.inputs):
            with closing(ContentDatabase.open(path, self.options.clock)) as source:
                targets = [*self._external.get(path, ()), *external_targets(source)]
                self.report.jumps += sum(map(self._is_jump, targets))

    def _is_jump(self, uri: bytes) -> bool:
        action = self.database.catalog.tree_value(LINKS, link_target(uri)[0])
        return self.database.file.dictionary(action).get("S") == "GoTo"

    def _note(self, path: Path, done: int, total: int) -> None:
        """Commit a full batch, and show the progress."""
        self.writer.count_stored()
        self.options.progress(path, done, total)
