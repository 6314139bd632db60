"""The subcommand check."""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.plain_text import without_controls
from wcspider.subcommands.clock import now
from wcspider.subcommands.display import NO_PAGES, print_json


def print_violations(path: Path, opts: argparse.Namespace) -> int:
    """Print each violation of a rule of 14.10; return 1 if one of them is an error."""
    findings = list(check_file(path))
    if opts.json:
        print_json({"findings": map(asdict, findings)})
    else:
        for finding in findings:
            print(without_controls(str(finding)))
        if not findings:
            note = "" if _has_pages(path) else f"; {NO_PAGES}"
            print(without_controls(f"{path}: no violation found{note}"))
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def _has_pages(path: Path) -> bool:
    """Tell whether a file without violations contains a content set."""
    with closing(ContentDatabase.open(path, now, repair=True)) as database:
        return any(True for _ in database.content_sets())
