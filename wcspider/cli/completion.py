"""The completion of commands and options in shells."""

from __future__ import annotations

import argparse

from argcomplete.shell_integration import shellcode

from wcspider.cli.command_line import PROGRAM


def print_completion(given: argparse.Namespace) -> int:
    """Print the script that a shell reads to complete command lines."""
    print(shellcode([PROGRAM], shell=given.shell))
    return 0
