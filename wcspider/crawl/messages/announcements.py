"""The lines that a user must see whatever the log shows: the summary of a crawl and its result.

On a terminal they are printed as they are, wrapped between words. Elsewhere they are in the log if it shows messages of
their level or is a file, and on standard error if not.
"""

from __future__ import annotations

import logging
import os
import sys
import textwrap
from typing import TextIO

from scrapy.utils.log import get_scrapy_root_handler

from wcspider.archive.query.plain_text import without_controls

COLUMNS = 80
"""The width of a terminal that does not report its width, such as a new pseudo-terminal."""


def announce(logger: logging.Logger, line: str, level: int = logging.INFO) -> None:
    """Show a line, in the log or on standard error.

    If Scrapy did not set up the log, the line is only logged: the program that runs the crawl decides what is shown.
    """
    line = without_controls(line)
    handler = get_scrapy_root_handler()
    if handler is None:
        logger.log(level, "%s", line)
        return
    is_file = isinstance(handler, logging.FileHandler)
    is_shown = handler.level <= level and not isinstance(handler, logging.NullHandler)
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    if is_shown and (is_file or not is_terminal):
        logger.log(level, "%s", line)
    elif is_file:  # its level is higher than that of the line
        handler.handle(logger.makeRecord(logger.name, level, __file__, 0, "%s", (line,), None))
    if is_terminal:
        from tqdm import tqdm  # here, because it takes 30 ms to load

        tqdm.write(wrapped(line, usable_columns(sys.stderr)), file=sys.stderr)
    elif sys.stderr is not None and not is_file and not is_shown:
        print(line, file=sys.stderr, flush=True)


class Announcements:
    """The announcements of a crawl. Its last ones can be held back until Scrapy has logged its stats."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self._held: list[tuple[str, int]] | None = None

    def hold(self) -> None:
        """Hold back the lines that follow, until `release`."""
        self._held = self._held or []

    def add(self, line: str, level: int = logging.INFO) -> None:
        """Show a line, now or later."""
        if self._held is None:
            announce(self._logger, line, level)
        else:
            self._held.append((line, level))

    def release(self) -> None:
        """Show the lines that were held back; those that follow are shown at once."""
        held, self._held = self._held or [], None
        for line, level in held:
            announce(self._logger, line, level)


def usable_columns(stream: TextIO) -> int:
    """Return the usable columns of a terminal; at least one."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # the terminal was closed
        columns = 0
    return max(1, (columns or COLUMNS) - 1)


def wrapped(line: str, columns: int) -> str:
    """Return a line wrapped between words, with its indentation. A longer word, such as a URL, stays whole."""
    indent = line[: len(line) - len(line.lstrip())]
    pieces = textwrap.wrap(
        line.strip(),
        max(columns, len(indent) + 20),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(pieces)
