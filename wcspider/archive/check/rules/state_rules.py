"""The rule for the earlier states of a file (7.5.6): they are still there, as the records of the runs describe them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import entry, is_dictionary, is_integer, items, string

_READ_AT_ONCE = 1024 * 1024
_SHOWN = 10
"""The number of revisions that a finding names."""


def check_earlier_states(document: Document, path: Path) -> Iterator[Finding]:
    """Check that the bytes of each earlier state have the digest in the record of the run that followed it."""
    found = sorted(_changed(path, _recorded(document)))
    if found:
        numbers = ", ".join(map(str, found[:_SHOWN])) + (", ..." if len(found) > _SHOWN else "")
        noun = "revision" if len(found) == 1 else "revisions"
        message = f"another program has changed the bytes of earlier states, which are lost: {noun} {numbers}"
        yield Rule.EARLIER_STATES.broken("file", message)


def _recorded(document: Document) -> list[tuple[int, int, bytes | None]]:
    """Return the length, the number from 1 and the digest of each earlier state.

    The lengths may be in another order than the numbers: another program may have written a shorter file.
    """
    records = items(entry(document.file.get(document.root), "/WCSP_History"))
    runs = [record for record in records if is_dictionary(record) and entry(record, "/Run") is not None]
    states = [(entry(run, "/Base"), string(entry(run, "/Digest"))) for run in runs]
    lengths = [(length, digest) for length, digest in states if is_integer(length) and length > 0]
    return [(length, number, digest) for number, (length, digest) in enumerate(lengths, 1)]


def _changed(path: Path, states: list[tuple[int, int, bytes | None]]) -> Iterator[int]:
    """Yield the numbers of the states whose bytes are not those of the digest. The file is read once."""
    digest, done = hashlib.sha256(), 0
    with path.open("rb") as file:
        for length, number, expected in sorted(states, key=lambda state: state[0]):
            while part := file.read(min(_READ_AT_ONCE, max(0, length - done))):
                digest.update(part)
                done += len(part)
            if done != length or digest.digest() != expected:
                yield number
