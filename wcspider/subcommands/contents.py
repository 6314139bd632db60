"""The subcommands about the contents of FILE: list, find, why."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.explaining import why
from wcspider.archive.query.listing import Listing, lines
from wcspider.exceptions import ArgumentError
from wcspider.subcommands.display import NO_PAGES, json_text, print_description
from wcspider.subcommands.opened_file import opened_database
from wcspider.web.urls import canonical_url


def list_contents(path: Path, opts: argparse.Namespace) -> int:
    """List the content sets and commands of FILE."""
    with opened_database(path) as database:
        description = Listing(database).describe(database.content_sets())
        description["omitted"] = SkippedRecords(database).count()
        if opts.lines:
            for content in description["content_sets"]:
                print(json_text(content))
        else:
            print_description(description, partial(lines, path=path), opts, NO_PAGES)
    return 0


def find_contents(path: Path, opts: argparse.Namespace) -> int:
    """Print the content sets that came from a URL or have an identifier; return 1 if there is none."""
    if opts.url is None and opts.md5 is None:
        raise ArgumentError("a URL or an identifier is missing", "add --url URL or --md5 HEX")
    url = "" if opts.url is None else canonical_url(opts.url)
    identifier = b"" if opts.md5 is None else _identifier(opts.md5)
    with opened_database(path, opts.revision) as database:
        found = database.find_by_url(url) if url else database.find_by_identifier(identifier)
        description = Listing(database).describe(found)
        print_description(description if opts.json else {**description, "commands": []}, lines, opts)
    return 0 if found else 1


def explain_url(path: Path, opts: argparse.Namespace) -> int:
    """Explain why a URL is in FILE or not; return 1 if it is not."""
    with opened_database(path) as database:
        description = why.explain(database, opts.url)
    print_description(description, why.lines, opts)
    return 0 if description["in_file"] else 1


def _identifier(text: str) -> bytes:
    """Return the digital identifier in hexadecimal digits; raise `ArgumentError` if it is not an MD5."""
    try:
        identifier = bytes.fromhex(text)
    except ValueError:
        identifier = b""
    if len(identifier) != 16:
        raise ArgumentError(f"--md5 {text} is not an MD5", "give 32 hexadecimal digits")
    return identifier
