"""Output of the subcommands: JSON for programs, lines for people."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any

NOTHING_FOUND = "nothing found"


def print_description(
    description: dict[str, Any], lines: Callable[[dict[str, Any]], Iterable[str]], opts: argparse.Namespace
) -> None:
    """Print a description as one JSON object, or as the lines that `lines` makes of it."""
    if opts.json:
        print(json.dumps(description, indent=2, ensure_ascii=False))
    else:
        print("\n".join(lines(description)) or NOTHING_FOUND)


def print_pages(pages: Iterable[tuple[dict[str, Any], str]], opts: argparse.Namespace) -> int:
    """Print pages as they come, each as JSON or as text; return their number."""
    count = 0
    for count, (description, text) in enumerate(pages, 1):
        if opts.json:
            print('{"pages": [' if count == 1 else ",", json.dumps(description, ensure_ascii=False), sep="\n", end="")
        else:
            print(text.replace("\r\n", "\n"))
    if opts.json:
        print("\n]}" if count else '{"pages": []}')
    elif not count:
        print(NOTHING_FOUND)
    return count
