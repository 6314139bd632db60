"""The subcommands about earlier states of FILE: history, restore, versions and diff."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import diff, diff_listing, history, versions
from wcspider.archive.query.page_changes import page_changes
from wcspider.archive.query.page_contents import ContentsReader
from wcspider.archive.query.plain_text import without_controls
from wcspider.archive.run.memory import release_memory
from wcspider.exceptions import ArgumentError
from wcspider.program_names import file_command
from wcspider.report.comparing import write_comparison
from wcspider.subcommands.clock import now
from wcspider.subcommands.display import is_coloured, print_description, print_json
from wcspider.subcommands.opened_file import opened_database
from wcspider.units import format_size
from wcspider.web.urls import canonical_url


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
    result = f"{opts.output}: {path} {state} revision {restored.number} ({format_size(restored.length)})"
    print(without_controls(result))
    return 0


def list_versions(path: Path, opts: argparse.Namespace) -> int:
    """List the versions of a URL in all states of FILE; return 1 if there is none."""
    url = canonical_url(opts.url)
    with opened_database(path):  # for the report of damage
        found, missing = versions.find_versions(path, url, now)
    print_description(versions.describe(url, found, missing), versions.lines, opts)
    return 0 if found else 1


def compare_states(path: Path, opts: argparse.Namespace) -> int:
    """Print the differences between two states of FILE, or write them as HTML; return 1 if any page differs."""
    with opened_database(path):  # for the report of damage
        before, after = history.find_pair(path, opts.before, opts.after)
    url = None if opts.url is None else canonical_url(opts.url)
    states = _snapshot(path, before), _snapshot(path, after)
    changes = diff.compare(*states)
    if url is not None:
        if not any(state.has_url(url) for state in states):
            problem = f"{path}: revisions {before.number} and {after.number} have no page from {url}"
            raise ArgumentError(problem, f"see: {file_command('list', path)}")
        changes = [change for change in changes if url in (change.url, change.to)]
    found = page_changes(changes, partial(_reader, path, before), partial(_reader, path, after))
    if opts.html:
        write_comparison(Path(opts.html), path, (before, after), found, force=opts.force)
        print(opts.html)
    elif opts.json:
        print_json(diff_listing.describe(before.number, after.number, found))
    else:
        if changes:
            print(diff_listing.heading(before, after, changes))
        marks = diff_listing.COLOURED if is_coloured() else diff_listing.PLAIN
        for line in diff_listing.lines(before.number, after.number, found, marks):
            print(line)
    return 1 if changes else 0


def _snapshot(path: Path, revision: history.Revision) -> diff.Snapshot:
    """Return the page sets of a revision, and release all other objects that were read to find them."""
    with _reader(path, revision) as reader:
        snapshot = diff.Snapshot.of(reader.database)
    del reader
    release_memory()
    return snapshot


def _reader(path: Path, revision: history.Revision) -> ContentsReader:
    return ContentsReader(ContentDatabase(history.opened(path, revision), now))
