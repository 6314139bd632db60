"""``scrapy webcapture``: what a file holds by Web Capture, whether it keeps the rules, and how small it can be."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from scrapy.commands import ScrapyCommand

from wcspider.exceptions import ArgumentError, WebCaptureError
from wcspider.store.check import check_file
from wcspider.store.database import ContentDatabase, Stored
from wcspider.store.listing import Listing, lines
from wcspider.store.optimize import optimize

EPILOG = """examples:
  scrapy webcapture list site.pdf
  scrapy webcapture find site.pdf --url https://example.com/
  scrapy webcapture find site.pdf --md5 900150983cd24fb0d6963f7d28e17f72 --json
  scrapy webcapture check site.pdf
  scrapy webcapture optimize site.pdf --output smaller.pdf
"""


class Command(ScrapyCommand):
    """The subcommands list, find, check and optimize."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, object]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return the synopsis."""
        return "list|find|check|optimize FILE [options]"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "List, find, check and optimize what a PDF file holds by Web Capture (ISO 32000-1, 14.10)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the subcommands and their options."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = EPILOG
        group = parser.add_argument_group("webcapture")
        group.add_argument("--url", help="find: the content sets that came from this URL, or by way of it")
        group.add_argument("--md5", metavar="HEX", help="find: the content sets that bear this digital identifier")
        group.add_argument("--json", action="store_true", help="list, find: print one JSON object")
        group.add_argument("-o", "--output", metavar="OUT", help="optimize: write OUT, and leave FILE as it is")
        group.add_argument(
            "--force", action="store_true", help="optimize: also a signed file, whose signature it breaks"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a subcommand."""
        actions = {"list": self._list, "find": self._find, "check": self._check, "optimize": self._optimize}
        try:
            if len(args) != 2 or args[0] not in actions:
                raise ArgumentError("webcapture needs a subcommand and a file", "try: scrapy webcapture list FILE")
            self.exitcode = actions[args[0]](Path(args[1]), opts)
        except BrokenPipeError:  # the reader of our output, head or less, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except WebCaptureError as error:
            print(f"scrapy webcapture: {error}", file=sys.stderr)
            self.exitcode = 2

    def _list(self, path: Path, opts: argparse.Namespace) -> int:
        database = _opened(path)
        return self._print(database, list(database.content_sets()), opts)

    def _find(self, path: Path, opts: argparse.Namespace) -> int:
        if (opts.url is None) == (opts.md5 is None):
            raise ArgumentError("find needs one of --url URL and --md5 HEX")
        identifier = None if opts.md5 is None else _identifier(opts.md5)
        database = _opened(path)
        found = database.find_by_url(opts.url) if identifier is None else database.find_by_identifier(identifier)
        self._print(database, found, opts)
        return 0 if found else 1

    def _print(self, database: ContentDatabase, found: list[Stored], opts: argparse.Namespace) -> int:
        description = Listing(database).describe(found)
        if opts.json:
            print(json.dumps(description, indent=2, ensure_ascii=False))
        else:
            if opts.url or opts.md5:
                description["commands"] = []
            print("\n".join(lines(description)) or "nothing found")
        database.close()
        return 0

    def _check(self, path: Path, opts: argparse.Namespace) -> int:
        findings = list(check_file(path))
        for finding in findings:
            print(finding)
        if not findings:
            print(f"{path}: every rule that can be checked is kept")
        return 1 if any(finding.severity == "error" for finding in findings) else 0

    def _optimize(self, path: Path, opts: argparse.Namespace) -> int:
        output = None if opts.output is None else Path(opts.output)
        done = optimize(path, output, force=opts.force)
        print(f"{output or path}: {_size(done.before)} -> {_size(done.after)}")
        return 0


def _opened(path: Path) -> ContentDatabase:
    return ContentDatabase.open(path, lambda: datetime.now(UTC))


def _size(count: int) -> str:
    """Return a number of bytes with its unit.

    >>> _size(999), _size(12_345), _size(25_900_000)
    ('999 bytes', '12.3 kB', '25.9 MB')
    """
    if count < 1000:
        return f"{count} bytes"
    return f"{count / 1e3:.1f} kB" if count < 999_950 else f"{count / 1e6:.1f} MB"


def _identifier(text: str) -> bytes:
    try:
        identifier = bytes.fromhex(text)
    except ValueError:
        identifier = b""
    if len(identifier) != 16:
        raise ArgumentError(f"--md5 {text} is no MD5", "give 32 hexadecimal digits")
    return identifier
