"""The subcommands about the text of pages: text, search."""

from __future__ import annotations

import argparse
from pathlib import Path

from wcspider.archive.query import search
from wcspider.subcommands.display import print_pages
from wcspider.subcommands.opened_file import opened_database


def print_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the text of all pages, or of those that came from a URL; return 1 if there is no page."""
    with opened_database(path, opts.revision) as database:
        rows = (
            ({**search.described(page), "text": page.text}, f"{search.heading(page)}\n\n{page.text}\n")
            for page in search.pages(database, opts.url)
        )
        return 0 if print_pages(rows, opts) else 1


def search_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the pages on which all words occur; return 1 if there is none."""
    with opened_database(path) as database:
        rows = (
            ({**search.described(hit.page), "excerpt": hit.excerpt}, f"{search.heading(hit.page)}\n    {hit.excerpt}")
            for hit in search.search(database, opts.words)
        )
        return 0 if print_pages(rows, opts) else 1
