"""The progress of a crawl as the last line of a terminal."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from typing import Any, TextIO

from scrapy.utils.log import get_scrapy_root_handler
from tqdm import tqdm

from wcspider.crawl.messages.announcements import usable_columns

SEPARATOR = " · "
"""The characters between the phrases on a terminal."""

_LEAST_IMPORTANT_FIRST = ("rendering", "rate", "workers", "size", "left", "queued")
"""The names of the phrases of `progress.Standing.phrases`, in the order in which a narrow terminal loses them."""


class TerminalLine:
    """The last line of a terminal, below all other output, no wider than the terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._bold = "" if "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" else "\x1b[1m"
        tqdm.set_lock(threading.RLock())  # the default is one among processes
        self._bar = tqdm(bar_format="{desc}", file=stream, dynamic_ncols=True, leave=False)
        self._bar.dynamic_ncols = _shape  # type: ignore[assignment]
        self._above: list[tuple[logging.StreamHandler[Any], TextIO]] = []
        handler = get_scrapy_root_handler()
        if isinstance(handler, logging.StreamHandler) and handler.stream is stream:
            handler.setStream(_Above(stream))
            self._above.append((handler, stream))

    def show(self, phrases: Mapping[str, str]) -> None:
        """Draw the line again."""
        first, *others = fitted(phrases, usable_columns(self._stream))
        shown = f"{self._bold}{first}\x1b[0m" if self._bold else first
        self._bar.set_description_str(SEPARATOR.join([shown, *others]))

    def close(self) -> None:
        """Remove the line."""
        self._bar.close()
        for handler, stream in self._above:
            handler.setStream(stream)


def _shape(stream: TextIO) -> tuple[int, int]:
    """Return the usable columns of a terminal, and 0. At least one: with no column tqdm never returns."""
    return usable_columns(stream), 0


def fitted(phrases: Mapping[str, str], columns: int) -> list[str]:
    """Return the phrases that fit into a line: the less important ones are left out, and none is cut."""
    kept = dict(phrases)
    for name in _LEAST_IMPORTANT_FIRST:
        if len(SEPARATOR.join(kept.values())) <= columns:
            break
        kept.pop(name, None)
    return list(kept.values())


class _Above:
    """A stream that writes above the progress line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write whole lines."""
        tqdm.write(text, file=self._stream, end="")

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()
