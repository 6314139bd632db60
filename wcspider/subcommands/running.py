"""The running of a command: its errors in one line, and its exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from wcspider.exceptions import ExitStatus, WebCaptureError
from wcspider.program_names import Program, program_name, running


def reported(command: Callable[[], int], program: Program) -> int:
    """Run a command of a program and return its exit status. An error becomes one line with the program's name."""
    with running(program):
        return _reported(command)


def _reported(command: Callable[[], int]) -> int:
    try:
        status = command()
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads the output, such as head, has closed the pipe
        _discard_output()
        return ExitStatus.SUCCESS
    except OSError as error:
        _discard_output()
        print(f"{program_name()}: {error}", file=sys.stderr)
        return ExitStatus.USAGE
    except WebCaptureError as error:
        print(f"{program_name()}: {error}", file=sys.stderr)
        return ExitStatus.USAGE
    return status


def _discard_output() -> None:
    """Send the rest of the output nowhere, so that Python does not try to write it again when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
