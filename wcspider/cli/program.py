"""The program ``wcspider``: capture, refresh and the subcommands of ``scrapy webcapture``, in any folder.

Scrapy is imported only for a crawl, so that the commands that read a file start quickly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from wcspider.cli.command_line import COMMANDS, make_parser, parse
from wcspider.program_names import Program
from wcspider.subcommands.running import reported
from wcspider.subcommands.table import SUBCOMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit status."""
    if "_ARGCOMPLETE" in os.environ:  # the shell asks for completions
        import argcomplete

        argcomplete.autocomplete(make_parser())
    return reported(lambda: _run(sys.argv[1:] if arguments is None else arguments), Program.WCSPIDER)


def _run(arguments: Sequence[str]) -> int:
    """Run a command; raises `WebCaptureError`."""
    if not arguments:
        make_parser().print_help()
        return 0
    given = parse(arguments)
    if given.command in SUBCOMMANDS:
        subcommand = SUBCOMMANDS[given.command]
        if subcommand.takes_settings:
            from wcspider.cli.crawling import project_settings

            given.settings = project_settings()
        return subcommand.run(given)
    return COMMANDS[given.command].run(given)
