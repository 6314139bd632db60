"""Completion in real shells, installed as docs/usage.md describes."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SECONDS = 60
"""The time after which a shell is taken to offer nothing."""

LINES = [("wcspider ref", "refresh"), ("wcspider capture --lev", "--levels"), ("wcspider list --js", "--json")]

START = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], "source $HOME/wcspider.bash"),
    "zsh": (["zsh", "-f", "-i"], "fpath+=$HOME; autoload -U compinit; compinit -u -D"),
}
"""How each shell is started, and the line that its configuration file contains."""

FILES = {"bash": "wcspider.bash", "zsh": "_wcspider", "fish": ".config/fish/completions/wcspider.fish"}


def installed(shell: str, home: Path) -> dict[str, str]:
    """Install the completion for a shell in a home folder, and return the environment; skip the test without it."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    program = home / "bin" / "wcspider"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m wcspider "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    environment = {"HOME": str(home), "PATH": path, "PYTHONPATH": str(ROOT), "TERM": "dumb", "LANG": "C.UTF-8"}
    script = home / FILES[shell]
    script.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([program, "completion", shell], env=environment, capture_output=True, check=True)
    script.write_bytes(done.stdout)
    return environment


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_tab_key_completes(shell: str, tmp_path: Path) -> None:
    environment = installed(shell, tmp_path)
    command, configuration = START[shell]
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        os.execvpe(command[0], command, environment)
    try:
        os.write(terminal, f"{configuration}; echo rea''dy\n".encode())
        read_until(terminal, "ready")
        for typed, offered in LINES:
            os.write(terminal, f"{typed}\t".encode())
            assert offered in read_until(terminal, offered), typed
            os.write(terminal, b"\x15")  # Ctrl-U clears the line
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def read_until(terminal: int, expected: str) -> str:
    """Return the output of a terminal up to a text, or what there is after `SECONDS`."""
    found, end = "", time.monotonic() + SECONDS
    while expected not in found and select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
        found += os.read(terminal, 65536).decode("utf-8", "replace")
    return found


def test_fish_offers_names_with_their_meaning(tmp_path: Path) -> None:
    environment = installed("fish", tmp_path)
    for typed, offered in LINES:
        done = subprocess.run(
            ["fish", "--command", f"complete --do-complete '{typed}'"],
            env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
        [(name, meaning)] = [line.split("\t") for line in done.stdout.splitlines()]
        assert name == offered
        assert meaning
