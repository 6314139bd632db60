"""The subcommands about the text of pages: text, search."""

from __future__ import annotations

import argparse
from pathlib import Path

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query import search
from wcspider.subcommands.clock import now
from wcspider.subcommands.display import print_pages


def print_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the text of all pages, or of those that came from a URL; return 1 if there is no page."""
    pages = search.pages(lambda: ContentDatabase.open(path, now), opts.url)
    rows = (
        ({**search.described(page), "text": page.text}, f"{search.heading(page)}\n\n{page.text}\n") for page in pages
    )
    return 0 if print_pages(rows, opts) else 1


def search_text(path: Path, opts: argparse.Namespace) -> int:
    """Print the pages on which all words occur; return 1 if there is none."""
    rows = (
        ({**search.described(hit.page), "excerpt": hit.excerpt}, f"{search.heading(hit.page)}\n    {hit.excerpt}")
        for hit in search.search(lambda: ContentDatabase.open(path, now), opts.words)
    )
    return 0 if print_pages(rows, opts) else 1
