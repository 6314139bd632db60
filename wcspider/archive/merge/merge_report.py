"""The report of a merge: the counts, and the content that was not taken over, with the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from wcspider.pdf.file.part import part_of
from wcspider.units import format_count, format_size

EXAMPLES = 10
"""The number of places that the summary names for each reason."""


@dataclass(slots=True)
class MergeReport:
    """The counts of a merge."""

    inputs: int = 0
    added: int = 0
    """Page sets that were added."""

    pages: int = 0
    """PDF pages that were added."""

    unified: int = 0
    """Page sets of the inputs that the merged file had already; their sources were combined."""

    image_sets: int = 0
    commands: int = 0
    """Commands that were added."""

    jumps: int = 0
    """Targets of links that were URLs in their file and are in the merged file."""

    written: int = 0
    """Bytes that were appended."""

    size: int = 0
    """The length of the merged file in bytes."""

    claims: tuple[str, ...] = ()
    """The standards to which the merged file does not claim conformance any more."""

    replaced_part: bool = False
    """Whether there was an unfinished OUT.part of a command that was killed, which was discarded."""

    left: dict[str, tuple[int, list[str]]] = field(default_factory=dict)
    """The content that was not taken over: for each reason the number, and the first places."""

    def leave(self, reason: str, place: str, count: int = 1) -> None:
        """Note something that was not taken over."""
        known, places = self.left.get(reason, (0, []))
        self.left[reason] = known + count, places if len(places) == EXAMPLES else [*places, place]

    def described(self, path: Path) -> dict[str, Any]:
        """Return the report as a JSON object."""
        left = [{"reason": reason, "count": count, "places": places} for reason, (count, places) in self.left.items()]
        return {"output": str(path), **asdict(self), "left": left}

    def lines(self, path: Path) -> Iterator[str]:
        """Yield the summary."""
        yield f"Merged {format_count(self.inputs, 'file')} into {path} ({format_size(self.size)})"
        yield f"  new page sets    {self.added} ({format_count(self.pages, 'PDF page')})"
        yield f"  already there    {self.unified}"
        yield f"  new image sets   {self.image_sets}"
        yield f"  new commands     {self.commands}"
        yield f"  links now jumps  {self.jumps}"
        yield f"  written          {format_size(self.written)}"
        if self.replaced_part:
            yield f"Started again: the unfinished {part_of(path).name} of a command that was killed was discarded"
        for claim in self.claims:
            yield f"The file does not claim to conform to {claim} any more: pages were added"
        if self.left:
            yield f"Not taken over: {sum(count for count, _ in self.left.values())}"
        for reason, (count, places) in self.left.items():
            yield f"  {reason}: {count}"
            yield from (f"    {place}" for place in places)
