"""The Scrapy command ``scrapy webcapture``: reading, checking, comparing and rewriting captured files."""

from __future__ import annotations

import argparse
from typing import ClassVar

from scrapy.commands import ScrapyCommand

from wcspider.program_end import end_at_once
from wcspider.program_names import Program
from wcspider.subcommands.command_parsers import overview, parse
from wcspider.subcommands.running import reported
from wcspider.subcommands.table import SUBCOMMANDS


class Command(ScrapyCommand):
    """The command, which hands its arguments to a subcommand (`wcspider.subcommands.table`)."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, object]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return the synopsis."""
        return "SUBCOMMAND FILE [options]"

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Read, check, compare and rewrite PDF files with Web Capture content"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare Scrapy's options. All arguments from the subcommand on are parsed by the subcommand's parser."""
        super().add_options(parser)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = overview()
        parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run a subcommand."""
        end_at_once()
        self.exitcode = reported(lambda: self._run([*opts.arguments, *args]), Program.SCRAPY)

    def _run(self, arguments: list[str]) -> int:
        given = parse(arguments, super().add_options)
        self.process_options([], given)
        given.settings = self.settings
        return SUBCOMMANDS[given.subcommand].run(given)
