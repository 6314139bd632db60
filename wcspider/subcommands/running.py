"""The running of a command: its errors in one line, and its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress

from wcspider.exceptions import ExitStatus, WebCaptureError
from wcspider.program_names import Program, running
from wcspider.subcommands.standard_streams import complain, discard_output, prepare_streams

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells define it."""

LOW_MEMORY = "not enough memory; end other programs, or raise the limit (ulimit -v)"
CHECK_FILES = "check the permissions, the free space and the limits (ulimit)"


def reported(command: Callable[[], int], program: Program) -> int:
    """Run a command of a program and return its exit status. An error becomes one line with the program's name."""
    prepare_streams()
    with running(program):
        try:
            return _reported(command)
        except KeyboardInterrupt:
            with suppress(OSError):
                sys.stdout.flush()
            discard_output()
            return INTERRUPTED


def _reported(command: Callable[[], int]) -> int:
    try:
        status = command()
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads the output, such as head, has closed the pipe
        discard_output()
        return ExitStatus.SUCCESS
    except OSError as error:
        discard_output()
        return _fail(f"{error.filename or 'the output'}: {error.strerror or error}; {CHECK_FILES}")
    except MemoryError:
        return _fail(LOW_MEMORY)
    except WebCaptureError as error:
        return _fail(str(error))
    return status


def _fail(message: str) -> ExitStatus:
    complain(message)
    return ExitStatus.USAGE
