"""The skipped pages that a file records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from typing import Any

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.listing import iso


def describe(database: ContentDatabase) -> dict[str, Any]:
    """Return the skipped pages of a file, and the pages that could not be fetched again, by reason and URL."""
    index = {reference: number for number, (reference, _) in enumerate(database.commands())}
    records = SkippedRecords(database)
    rows = [
        {
            "url": url,
            "reason": record.reason,
            "linked_from": record.referrer or None,
            "redirects": list(record.redirects),
            "command": None if record.command is None else index.get(record.command),
            "level": record.level or None,
            "time": iso(record.moment),
        }
        for url, record in chain(records.missing(), records.kept())
    ]
    return {"omitted": sorted(rows, key=lambda row: (row["reason"], row["url"]))}


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield the skipped pages as lines, below their reasons."""
    for reason, rows in groupby(description["omitted"], key=lambda row: row["reason"]):
        found = list(rows)
        yield f"{reason}: {len(found)}"
        for row in found:
            redirects = "".join(f" -> {url}" for url in row["redirects"][1:])
            details = [f"linked from {row['linked_from']}" if row["linked_from"] else "", row["time"] or ""]
            shown = ", ".join(filter(None, details))
            yield f"    {row['url']}{redirects}" + (f"  ({shown})" if shown else "")
