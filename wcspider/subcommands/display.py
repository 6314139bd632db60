"""Output of the subcommands: JSON for programs, lines for people."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wcspider.archive.query.plain_text import visible, without_controls
from wcspider.subcommands.standard_streams import is_unicode

_C1_RE = re.compile(r"[\x7f-\x9f]")
"""The control characters that JSON does not have to escape."""

NO_PAGES = "the file contains no captured page"
"""The line about a file of another program."""

NOTHING_FOUND = "nothing found"


def print_description(
    description: dict[str, Any],
    lines: Callable[[dict[str, Any]], Iterable[str]],
    opts: argparse.Namespace,
    nothing: str = NOTHING_FOUND,
) -> None:
    """Print a description as one JSON object, or as the lines that `lines` returns. Without lines, print `nothing`.

    A value that is an iterator is printed as an array, element by element.
    """
    if opts.json:
        print_json(description)
        return
    found = False
    for line in lines(description):
        print(visible(line))
        found = True
    if not found:
        print(nothing)


def print_json(description: dict[str, Any]) -> None:
    """Print a description as one JSON object. A value that is an iterator is printed as an array."""
    for piece in json_pieces(description):
        print(piece, end="")
    print()


def is_coloured() -> bool:
    """Return whether the output may have colours: stdout is a terminal, and NO_COLOR (no-color.org) is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def json_pieces(description: dict[str, Any]) -> Iterator[str]:
    """Yield a JSON object in pieces, indented by two spaces; the elements of an iterator are never all in memory."""
    for index, (key, value) in enumerate(description.items()):
        yield ",\n  " if index else "{\n  "
        yield f"{json.dumps(key)}: "
        if isinstance(value, Iterator):
            yield from _array_pieces(value)
        else:
            yield _indented(value, "  ")
    yield "\n}" if description else "{}"


def _array_pieces(elements: Iterator[Any]) -> Iterator[str]:
    count = 0
    for count, element in enumerate(elements, 1):
        yield ("[\n    " if count == 1 else ",\n    ") + _indented(element, "    ")
    yield "\n  ]" if count else "[]"


def _indented(value: Any, indent: str) -> str:
    return json_text(value, indent=2).replace("\n", f"\n{indent}")


def json_text(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON. All control characters are escaped, because the output may be a terminal."""
    text = json.dumps(value, indent=indent, ensure_ascii=not is_unicode())
    return _C1_RE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_pages(pages: Iterable[tuple[dict[str, Any], str]], opts: argparse.Namespace) -> int:
    """Print pages as they come, each as JSON or as text; return their number."""
    count = 0
    for count, (description, text) in enumerate(pages, 1):
        if opts.json:
            print(
                '{"pages": [' if count == 1 else ",",
                json_text(description),
                sep="\n",
                end="",
            )
        else:
            print(without_controls(text.replace("\r\n", "\n"), kept="\n\t"))
    if opts.json:
        print("\n]}" if count else '{"pages": []}')
    elif not count:
        print(NOTHING_FOUND)
    return count
