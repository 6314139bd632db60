"""The subcommands about earlier states of FILE: history, restore, diff; and optimize, which drops them."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query import diff, history
from wcspider.archive.units import format_size
from wcspider.subcommands.clock import now
from wcspider.subcommands.display import print_description
from wcspider.subcommands.opened_file import opened_database


def list_states(path: Path, opts: argparse.Namespace) -> int:
    """List the runs of FILE and the state that each of them left."""
    with opened_database(path) as database:
        description = history.describe(database)
    print_description(description, history.lines, opts)
    return 0


def restore_state(path: Path, opts: argparse.Namespace) -> int:
    """Write an earlier state of FILE as another file."""
    restored = history.restore(path, opts.revision, Path(opts.output), force=opts.force)
    state = "as it is now," if restored.is_present else "as it was at"
    print(f"{opts.output}: {path} {state} revision {restored.number} ({format_size(restored.length)})")
    return 0


def compare_states(path: Path, opts: argparse.Namespace) -> int:
    """Print the pages that differ between two states of FILE; return 1 if any does."""
    before, after = history.find_pair(path, opts.before, opts.after)
    changes = diff.compare(_snapshot_of(path, before), _snapshot_of(path, after))
    print_description(diff.describe(before.number, after.number, changes), diff.lines, opts)
    return 1 if changes else 0


def optimize_file(path: Path, opts: argparse.Namespace) -> int:
    """Write FILE again, without superseded objects and earlier states."""
    output = None if opts.output is None else Path(opts.output)
    done = optimize(path, output, force=opts.force, moment=now())
    print(f"{output or path}: {format_size(done.before)} -> {format_size(done.after)}")
    if done.damage:
        print(f"scrapy webcapture: {path}: was damaged ({done.damage}); check the repaired {output}", file=sys.stderr)
    return 0


def _snapshot_of(path: Path, revision: history.Revision) -> diff.Snapshot:
    with closing(ContentDatabase(history.opened(path, revision), now)) as database:
        return diff.Snapshot.of(database)
