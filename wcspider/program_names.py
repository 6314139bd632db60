"""The command lines that messages contain: those of the program that the user runs.

``scrapy`` and ``wcspider`` do the same with different command lines. The advice of a message must work in the user's
shell, so a message takes every command and every argument from this module.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum


class Program(Enum):
    """A program that a user runs. The value is the beginning of its commands that read a file."""

    SCRAPY = "scrapy webcapture"
    """Scrapy with the commands of this package, also as Scrapyd or a script of another project runs it."""

    WCSPIDER = "wcspider"


POSITIONAL = ("url", "pdf")
"""The arguments of the spiders that are no options of ``wcspider``."""

_running = Program.SCRAPY


@contextmanager
def running(program: Program) -> Iterator[None]:
    """Name the commands of a program in all messages of the process."""
    global _running  # not a context variable: callbacks of other threads would not have its value
    before, _running = _running, program
    try:
        yield
    finally:
        _running = before


def program_name() -> str:
    """Return the beginning of the lines in which a command reports an error."""
    return _running.value


def crawl_name(spider: str) -> str:
    """Return the beginning of the lines in which a command that runs a spider reports an error."""
    return f"wcspider {spider}" if _running is Program.WCSPIDER else "scrapy crawl"


def spider_command(spider: str) -> str:
    """Return the command that runs a spider."""
    return f"wcspider {spider}" if _running is Program.WCSPIDER else f"scrapy crawl {spider}"


def file_command(subcommand: str, path: object = "", options: str = "") -> str:
    """Return the command line that reads or rewrites a file, such as ``list FILE --json``."""
    name = shlex.quote(str(path)) if str(path) else ""
    return " ".join(filter(None, (_running.value, subcommand, name, options)))


def capture_command(url: str, path: str) -> str:
    """Return the command line that captures a URL into a file."""
    return f"{spider_command('capture')} {argument('url', url)} {argument('pdf', path)}"


def argument(name: str, value: str) -> str:
    """Return an argument of a spider, as it stands in a command line of a shell."""
    if _running is Program.SCRAPY:
        return f"-a {shlex.quote(f'{name}={value}')}"
    return shlex.quote(value) if name in POSITIONAL else f"{option_of(name)} {shlex.quote(value)}"


def flag(name: str, *, is_set: bool = True) -> str:
    """Return an argument of a spider that is true or false, as it stands in a command line."""
    if _running is Program.SCRAPY:
        return f"-a {name}={str(is_set).lower()}"
    return option_of(name if is_set else f"no_{name}")


def setting(name: str, value: str) -> str:
    """Return a setting, as it stands in a command line of both programs."""
    return f"-s {shlex.quote(f'{name}={value}')}"


def option_of(name: str) -> str:
    """Return the option of ``wcspider`` for an argument of a spider."""
    return f"--{name.replace('_', '-')}"
