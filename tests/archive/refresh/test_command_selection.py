"""The commands that a refresh repeats, and the pages that it would have come to."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from wcspider.archive.refresh.command_selection import NO_PATTERN, NO_URL, WITHHELD, Selection, select
from wcspider.archive.refresh.settlement import Repeated
from wcspider.exceptions import ArgumentError, NoCommandsError
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.run_records import CAPTURE, REFRESH, Run
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.records import Command

A, B = Command("http://h/a", levels=2), Command("http://h/b", levels=2)
DEEP = Command("http://h/a", levels=3)
SECRET = replace(A, submit=True, withheld=frozenset({"P"}))
BAD_PATTERN = replace(A, deny="(")
BAD_URL = Command("index.html")


def selected(commands: list[Command], history: list[Run] | None = None, **choice: Any) -> Selection:
    """Select among commands with the references 1, 2 and so on."""
    return select([(Ref(number), command) for number, command in enumerate(commands, 1)], history or [], "F", **choice)


@pytest.mark.parametrize(
    ("commands", "choice", "repeated", "covered", "others"),
    [
        ([A, B], {}, [1, 2], {1, 2}, []),
        ([A, DEEP], {}, [1, 2], {1, 2}, []),
        # the last of those that ask for the same pages; the pages of the earlier ones are covered as well
        ([A, B, A], {}, [3, 2], {1, 2, 3}, []),
        ([A, replace(A, url="http://h:80/a#part", engine="other", settings={"Scale": 2.0})], {}, [2], {1, 2}, []),
        ([A, B], {"only": "http://h/a"}, [1], {1}, [B]),
        ([A, DEEP, B], {"only": "http://h/a"}, [1, 2], {1, 2}, [B]),
        ([A, DEEP, B], {"number": 1}, [2], {2}, [A, B]),
        ([A, B, A], {"number": 0}, [1], {1, 3}, [B]),
        # commands that cannot be repeated; posted data that were not kept still ask for their pages
        ([SECRET, B], {}, [2], {2}, [SECRET]),
        ([BAD_PATTERN, BAD_URL, B], {}, [3], {3}, []),
    ],
)
def test_commands(
    commands: list[Command], choice: dict[str, Any], repeated: list[int], covered: set[int], others: list[Command]
) -> None:
    found = selected(commands, **choice)
    assert [entry.reference for entry in found.repetitions] == [Ref(number) for number in repeated]
    assert set(found.repeated.commands) == {Ref(number) for number in covered}
    assert list(found.repeated.others) == others


def test_commands_that_cannot_be_repeated_are_named() -> None:
    found = selected([SECRET, BAD_PATTERN, BAD_URL, B])
    assert found.passed_over == ((WITHHELD, A.url), (NO_PATTERN, A.url), (NO_URL, "index.html"))


@pytest.mark.parametrize(
    ("commands", "choice", "error", "problem"),
    [
        ([], {}, NoCommandsError, "F: holds no command"),
        ([SECRET], {}, NoCommandsError, f"F: its command cannot be repeated: {WITHHELD}"),
        ([A, B], {"number": 2}, ArgumentError, "F: has no command 2; it has commands 0 to 1"),
        ([A, B], {"only": "http://h/c"}, ArgumentError, "F: no command has the URL http://h/c"),
    ],
)
def test_nothing_to_repeat(
    commands: list[Command], choice: dict[str, Any], error: type[Exception], problem: str
) -> None:
    with pytest.raises(error, match=re.escape(problem)):
        selected(commands, **choice)


@pytest.mark.parametrize(
    ("commands", "history", "runs"),
    [
        ([A, B, DEEP], [], [0, 0, 1]),  # without a history: those that differ by their URLs only
        ([A, B, DEEP], [Run(CAPTURE, commands=(Ref(1),)), Run(CAPTURE, commands=(Ref(2), Ref(3)))], [0, 1, 1]),
        # of a command that was captured and repeated, the capture counts
        (
            [A, B],
            [
                Run(CAPTURE, commands=(Ref(1),)),
                Run(CAPTURE, commands=(Ref(2),)),
                Run(REFRESH, commands=(Ref(1), Ref(2))),
            ],
            [0, 1],
        ),
        # the first run comes first, although the second one repeats its first command
        ([A, B, A], [Run(CAPTURE, commands=(Ref(1), Ref(2))), Run(CAPTURE, commands=(Ref(3),))], [0, 1]),
        ([B, A], [Run(CAPTURE, commands=(Ref(2),)), Run(CAPTURE, commands=(Ref(1),))], [0, 1]),
    ],
)
def test_runs_are_repeated_one_after_the_other(commands: list[Command], history: list[Run], runs: list[int]) -> None:
    assert [entry.run for entry in selected(commands, history).repetitions] == runs


@pytest.mark.parametrize(
    ("url", "command", "is_covered"),
    [
        ("http://h/x", 1, True),
        ("http://h/x", 2, False),  # a page of a command that was not repeated
        ("http://h/b/x", 1, False),  # another command follows links to it
        ("http://h/c", 1, False),  # another command asks for it
        ("http://h/c/x", 1, True),  # that command follows no links
    ],
)
def test_pages_that_the_refresh_would_have_come_to(url: str, command: int, is_covered: bool) -> None:
    others = [Command("http://h/b/", levels=2, same_path=True), Command("http://h/c", levels=1)]
    source = SourceInformation(url, command=Ref(command))
    assert Repeated([Ref(1)], others).covers(source) is is_covered
