"""The messages that libraries write to standard error during a conversion: PlutoBook's warnings, Python's warnings."""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

MAX_MESSAGES = 20
"""The number of different messages of one page that are kept."""

LONGEST = 300
"""The characters of a message that are kept."""

_READ = 64 * 1024
_LARGEST_FILE = 64 << 20
"""The most bytes that a conversion may write to standard error, or to any file: a page must not fill the disk."""

_PYTHON_WARNING = re.compile(r"\S+\.py:\d+: (\w+: .*)")
_VARIABLE = re.compile(r"['\"]?\bdata:\S+|'[^']*'|\"[^\"]*\"|\b[a-z]+://\S+|\b\d+(?:,\d{3})*\b")
"""The parts of messages that differ from page to page. The end of a ``data:`` URL may be cut off, with its quote."""


@contextmanager
def captured_messages(url: str, is_known: Callable[[str], bool] = lambda _: False) -> Iterator[list[str]]:
    """Collect the messages of the process, in a list that is filled at the end.

    Messages for which `is_known` is true are left out, and do not count for the limits. After an exception, the
    messages are written to standard error instead, each with the URL of the page. Nothing is collected if the process
    has no standard error, or no room for a temporary file.
    """
    found: list[str] = []
    try:
        original = os.dup(2)
    except OSError:
        yield found
        return
    try:
        with tempfile.TemporaryFile() as file, _limited_files():
            _redirect(file.fileno())
            try:
                yield found
            finally:
                _redirect(original)
                file.seek(0)
                lines = file.read(_READ).decode("utf-8", "replace").splitlines()
                found += messages_in(line for line in lines if not is_known(line))
                found += ["further messages were not read"] if file.read(1) else []
    except BaseException:
        for message in found:
            print(f"{url}: {message}", file=sys.stderr)
        raise
    finally:
        os.close(original)


def _redirect(descriptor: int) -> None:
    """Let standard error, of Python and of libraries in C, lead to a file."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
    os.dup2(descriptor, 2)


@contextmanager
def _limited_files() -> Iterator[None]:
    """Limit the size of files that this process writes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    lower = _LARGEST_FILE if soft == resource.RLIM_INFINITY else min(soft, _LARGEST_FILE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (lower, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def messages_in(lines: Iterable[str]) -> list[str]:
    """Return the different messages in lines, at most `MAX_MESSAGES` and one that counts the rest.

    Python shows the line of the program below a warning, indented; it is no message.
    """
    found: dict[str, None] = {}
    more = 0
    for line in lines:
        if not line.strip() or line.startswith((" ", "\t")):
            continue
        warning = _PYTHON_WARNING.fullmatch(line)
        message = (warning[1] if warning else line).strip()[:LONGEST]
        if len(found) < MAX_MESSAGES:
            found[message] = None
        else:
            more += message not in found
    return [*found, f"{more} more messages"] if more else list(found)


def kind_of(message: str) -> str:
    """Return a message without its quotations, URLs and numbers, by which messages of several pages are counted."""
    return _VARIABLE.sub("...", message)
