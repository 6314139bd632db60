"""The end of the processes of commands."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Functions are called in the reverse of the order in which they were registered.
LAST = "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 0, file=sys.stderr)); "


@pytest.mark.parametrize(
    "program",
    ["from wcspider.__main__ import main; sys.exit(main())", "from scrapy.cmdline import execute; execute()"],
    ids=["wcspider", "scrapy"],
)
@pytest.mark.parametrize("command", [["webcapture", "check", "missing.pdf"], ["crawl", "capture"]])
def test_commands_end_without_a_search_for_cycles(program: str, command: list[str]) -> None:
    is_scrapy = "scrapy" in program
    arguments = command if is_scrapy else command[1:]
    done = subprocess.run(
        [sys.executable, "-c", LAST + program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == "True"
