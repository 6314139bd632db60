"""``scrapy webcapture``: what a file holds and held, in Web Capture and text; the rules that it keeps; its size."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

from wcspider.archive.check.checker import check_file
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.optimize.rewrite import optimize
from wcspider.archive.query import diff, history, search, why
from wcspider.archive.query.listing import Listing, lines
from wcspider.archive.run.run_report import size_in_words
from wcspider.commands.options import SUBCOMMANDS, overview, parsed
from wcspider.exceptions import ArgumentError, WebCaptureError
from wcspider.web.urls import canonical_url


class Command(ScrapyCommand):
    """The subcommands, each with its own options (`wcspider.commands.options`)."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, object]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return the synopsis."""
        return f"{'|'.join(SUBCOMMANDS)} FILE [options]"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Look into a PDF file, its history and what it holds by Web Capture (ISO 32000-1, 14.10)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare Scrapy's options; from the subcommand on, the arguments are its own."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = overview()
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a subcommand."""
        try:
            given = parsed([*args, *opts.arguments], super().add_options)
            self.process_options([], given)
            self.exitcode = self._actions[given.subcommand](Path(given.file), given)
        except BrokenPipeError:  # the reader of our output, head or less, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except WebCaptureError as error:
            print(f"scrapy webcapture: {error}", file=sys.stderr)
            self.exitcode = 2

    @property
    def _actions(self) -> dict[str, Callable[[Path, argparse.Namespace], int]]:
        return {
            "list": self._list,
            "find": self._find,
            "why": self._why,
            "text": self._text,
            "search": self._search,
            "check": self._check,
            "optimize": self._optimize,
            "history": self._history,
            "restore": self._restore,
            "diff": self._diff,
        }

    def _list(self, path: Path, opts: argparse.Namespace) -> int:
        with closing(_opened(path)) as database:
            description = Listing(database).describe(database.content_sets())
            description["omitted"] = sum(1 for _ in SkippedRecords(database).items())
        if opts.lines:
            for content in description["content_sets"]:
                print(json.dumps(content, ensure_ascii=False))
        else:
            _print(description, lines, opts)
        return 0

    def _find(self, path: Path, opts: argparse.Namespace) -> int:
        url = "" if opts.url is None else canonical_url(opts.url)
        identifier = b"" if opts.md5 is None else _identifier(opts.md5)
        with closing(_opened(path)) as database:
            found = database.find_by_url(url) if url else database.find_by_identifier(identifier)
            description = Listing(database).describe(found)
        _print(description if opts.json else {**description, "commands": []}, lines, opts)
        return 0 if found else 1

    def _why(self, path: Path, opts: argparse.Namespace) -> int:
        with closing(_opened(path)) as database:
            description = why.explain(database, opts.url)
        _print(description, why.lines, opts)
        return 0 if description["in_file"] else 1

    def _text(self, path: Path, opts: argparse.Namespace) -> int:
        rows = (
            ({**search.described(page), "text": page.text}, f"{search.heading(page)}\n\n{page.text}\n")
            for page in search.pages(lambda: _opened(path), opts.url)
        )
        return 0 if _print_each(rows, opts) else 1

    def _search(self, path: Path, opts: argparse.Namespace) -> int:
        rows = (
            (
                {**search.described(found.page), "excerpt": found.excerpt},
                f"{search.heading(found.page)}\n    {found.excerpt}",
            )
            for found in search.search(lambda: _opened(path), opts.words)
        )
        return 0 if _print_each(rows, opts) else 1

    def _check(self, path: Path, opts: argparse.Namespace) -> int:
        findings = list(check_file(path))
        for finding in findings:
            print(finding)
        if not findings:
            print(f"{path}: every rule that can be checked is kept")
        return 1 if any(finding.severity == "error" for finding in findings) else 0

    def _optimize(self, path: Path, opts: argparse.Namespace) -> int:
        output = None if opts.output is None else Path(opts.output)
        done = optimize(path, output, force=opts.force, moment=_now())
        print(f"{output or path}: {size_in_words(done.before)} -> {size_in_words(done.after)}")
        return 0

    def _history(self, path: Path, opts: argparse.Namespace) -> int:
        with closing(_opened(path)) as database:
            description = history.describe(database)
        _print(description, history.lines, opts)
        return 0

    def _restore(self, path: Path, opts: argparse.Namespace) -> int:
        restored = history.restore(path, opts.revision, Path(opts.output), force=opts.force)
        state = "as it is now," if restored.is_present else "as it was at"
        print(f"{opts.output}: {path} {state} revision {restored.number} ({size_in_words(restored.length)})")
        return 0

    def _diff(self, path: Path, opts: argparse.Namespace) -> int:
        before, after = history.find_pair(path, opts.before, opts.after)
        changes = diff.compare(_state_at(path, before), _state_at(path, after))
        description = diff.describe(before.number, after.number, changes)
        _print(description, diff.lines, opts)
        return 1 if changes else 0


def _print(
    description: dict[str, Any], lines: Callable[[dict[str, Any]], Iterable[str]], opts: argparse.Namespace
) -> None:
    """Print a description as JSON, or as lines for a reader."""
    if opts.json:
        print(json.dumps(description, indent=2, ensure_ascii=False))
    else:
        print("\n".join(lines(description)) or "nothing found")


def _print_each(rows: Iterable[tuple[dict[str, Any], str]], opts: argparse.Namespace) -> int:
    """Print pages as they come, as JSON or for a reader; return how many."""
    count = 0
    for count, (description, shown) in enumerate(rows, 1):
        if opts.json:
            print('{"pages": [' if count == 1 else ",", json.dumps(description, ensure_ascii=False), sep="\n", end="")
        else:
            print(shown.replace("\r\n", "\n"))
    if opts.json:
        print("\n]}" if count else '{"pages": []}')
    elif not count:
        print("nothing found")
    return count


def _opened(path: Path) -> ContentDatabase:
    return ContentDatabase.open(path, _now)


def _state_at(path: Path, revision: history.Revision) -> diff.State:
    with closing(ContentDatabase(history.opened(path, revision), _now)) as database:
        return diff.State.of(database)


def _now() -> datetime:
    return datetime.now(UTC)


def _identifier(text: str) -> bytes:
    try:
        identifier = bytes.fromhex(text)
    except ValueError:
        identifier = b""
    if len(identifier) != 16:
        raise ArgumentError(f"--md5 {text} is no MD5", "give 32 hexadecimal digits")
    return identifier
