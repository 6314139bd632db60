"""The commands of a file that a refresh repeats (ISO 32000-1, 14.10.2), and their order."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wcspider.archive.refresh.settlement import Repeated
from wcspider.exceptions import ArgumentError, NoCommandsError
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import CAPTURE, Run, all_runs
from wcspider.program_names import file_command, flag
from wcspider.web.urls import canonical_url, is_capturable
from wcspider.webcapture.patterns import Patterns
from wcspider.webcapture.records import Command

WITHHELD = "posted with data that was not kept"
NO_URL = "a command without a URL that can be captured"
NO_PATTERN = "a command with a pattern that is not a valid regular expression"

Commands = Sequence[tuple[Ref, Command]]
"""Commands with their objects in the file."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """A command to repeat."""

    reference: Ref
    command: Command
    run: int
    """The number of its run, from 0. Runs are repeated one after the other."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The commands of a file that are repeated, and those that are not."""

    repetitions: tuple[Repetition, ...]
    repeated: Repeated
    passed_over: tuple[tuple[str, str], ...]
    """The commands that cannot be repeated, each as a reason and its URL."""


def select(
    found: Commands, history: Sequence[Run], path: object, only: str = "", number: int | None = None
) -> Selection:
    """Select the commands to repeat: all of them, those with the URL `only`, or the one with the index `number`.

    Of several commands that ask for the same, the last is repeated. Raises `NoCommandsError` if the file has no
    command, and `ArgumentError` if no command matches `only` or `number`.
    """
    if not found:
        raise NoCommandsError(f"{path}: holds no command")
    chosen = [(reference, _canonical(command)) for reference, command in _chosen(found, path, only, number)]
    passed_over = tuple((reason, command.url) for _, command in chosen if (reason := _obstacle(command)))
    once = {described_once(command): (reference, command) for reference, command in chosen if not _obstacle(command)}
    if not once:
        reason = passed_over[0][0]
        raise NoCommandsError(f"{path}: its command cannot be repeated: {reason}", advice_for(reason) or None)
    runs = _runs(found, history)
    repetitions = [Repetition(reference, command, runs[reference]) for reference, command in once.values()]
    others = [(reference, command) for reference, command in found if described_once(_canonical(command)) not in once]
    references = {reference for reference, _ in found} - {reference for reference, _ in others}
    asking = [command for _, command in others if _obstacle(command) in ("", WITHHELD)]
    return Selection(tuple(sorted(repetitions, key=lambda entry: entry.run)), Repeated(references, asking), passed_over)


def _chosen(found: Commands, path: object, only: str, number: int | None) -> Commands:
    if number is not None:
        if number >= len(found):
            has = f"commands 0 to {len(found) - 1}" if len(found) > 1 else "command 0 only"
            raise ArgumentError(f"{path}: has no command {number}", f"it has {has}")
        return [found[number]]
    chosen = [pair for pair in found if not only or _canonical(pair[1]).url == only]
    if not chosen:
        raise ArgumentError(f"{path}: no command has the URL {only}", f"see: {file_command('list', path)}")
    return chosen


def advice_for(obstacle: str) -> str:
    """Return what the user can do about an obstacle; empty if there is no advice for it alone."""
    return f"capture the page again with {flag('keep_data')}" if obstacle == WITHHELD else ""


def _obstacle(command: Command) -> str:
    """Return why a command cannot be repeated; empty if it can."""
    if "P" in command.withheld:
        return WITHHELD
    if Patterns(command.allow, command.deny).problem():
        return NO_PATTERN
    return "" if is_capturable(command.url) else NO_URL


def _runs(found: Commands, history: Sequence[Run]) -> dict[Ref, int]:
    """Return the number of the run of each command, in the order of the commands.

    If the history of the file was removed, commands that differ only in their URLs count as one run.
    """
    recorded = {
        reference: str(at)
        for at, run in enumerate(all_runs(history))
        if run.kind == CAPTURE
        for reference in run.commands
    }
    names = {
        reference: recorded.get(reference, described_once(replace(command, url=""))) for reference, command in found
    }
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names.values()))}
    return {reference: numbers[name] for reference, name in names.items()}


def _canonical(command: Command) -> Command:
    return replace(command, url=canonical_url(command.url)) if is_capturable(command.url) else command


def described_once(command: Command) -> str:
    """Return a string that is equal for commands that ask for the same pages."""
    return json.dumps(described(replace(command, engine="", settings={})))


def described(command: Command) -> dict[str, object]:
    """Return the properties that distinguish a command from others, with digests in place of secrets."""
    return {
        "url": command.url,
        "levels": command.levels,
        "flags": [command.same_site, command.same_path, command.submit, command.keep_data],
        "patterns": [command.allow, command.deny],
        "sitemap": [command.sitemap, command.since, command.until],
        "posted": None if command.data is None else hashlib.sha256(command.data).hexdigest(),
        "content_type": command.content_type,
        "headers": hashlib.sha256(repr((command.headers, sorted(command.kept_headers))).encode()).hexdigest(),
        "engine": command.engine,
        "settings": dict(command.settings),
    }
