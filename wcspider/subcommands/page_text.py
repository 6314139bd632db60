"""The subcommands about the text of pages: text, search."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from wcspider.archive.query import search
from wcspider.exceptions import ExitStatus
from wcspider.subcommands.display import print_pages
from wcspider.subcommands.opened_file import opened_database
from wcspider.subcommands.standard_streams import complain
from wcspider.units import format_count


def print_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the text of all pages, or of those that came from a URL; return 1 if there is no page."""
    unreadable: list[str] = []
    with opened_database(path, opts.revision) as database:
        rows = (
            ({**search.described(page), "text": page.text}, f"{search.heading(page)}\n\n{page.text}\n")
            for page in search.pages(database, opts.url, unreadable)
        )
        found = print_pages(rows, opts)
    return _exit_status(path, found, unreadable)


def search_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the pages on which all words occur; return 1 if there is none."""
    unreadable: list[str] = []
    with opened_database(path) as database:
        rows = (
            ({**search.described(hit.page), "excerpt": hit.excerpt}, f"{search.heading(hit.page)}\n    {hit.excerpt}")
            for hit in search.search(database, opts.words, unreadable)
        )
        found = print_pages(rows, opts)
    return _exit_status(path, found, unreadable)


def _exit_status(path: Path, found: int, unreadable: Sequence[str]) -> ExitStatus:
    """Report the pages whose text could not be read; return FAILURE if there are such pages, or nothing was found."""
    if unreadable:
        more = f", nor that of {format_count(len(unreadable) - 1, 'other page')}" if len(unreadable) > 1 else ""
        complain(f"{path}: {unreadable[0]}{more}; the rest was read")
    return ExitStatus.SUCCESS if found and not unreadable else ExitStatus.FAILURE
