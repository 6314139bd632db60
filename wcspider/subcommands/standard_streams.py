"""The standard streams of a command: open, and able to print any text."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from pathlib import Path

from wcspider.archive.query.plain_text import without_controls
from wcspider.program_names import program_name

_DESCRIPTORS = (0, 1, 2)


def prepare_streams() -> None:
    """Open the standard streams that the caller has closed, and let them escape characters that they cannot encode.

    If one of the descriptors 0 to 2 were free, FILE.part would get it, and messages would be written into FILE.part.
    Characters cannot be encoded if the locale is not UTF-8, or if they are bytes of a file name that is not UTF-8.
    """
    for descriptor in _DESCRIPTORS:
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 -- for as long as Python runs
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Print a message on standard error, as one line that begins with the name of the program.

    A file name may contain line breaks and other control characters, with which it could send commands to a terminal.
    """
    print(f"{program_name()}: {without_controls(message)}", file=sys.stderr)


def discard_output() -> None:
    """Send the rest of the output nowhere, so that Python does not try to write it again when it exits."""
    with suppress(OSError):  # no descriptor may be left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_unicode() -> bool:
    """Return whether stdout can encode all characters."""
    return sys.stdout.encoding.lower().replace("-", "") == "utf8"
