"""The targets of the Makefile, as far as they can be run without an environment of their own."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.paths import ROOT


@pytest.mark.parametrize(("given", "meant"), [("url=http://h/", "URL"), ("pdf=a.pdf", "PDF"), ("levels=2", "LEVELS")])
def test_variables_in_lower_case_are_refused(given: str, meant: str) -> None:
    command = ["make", "--dry-run", "capture", given]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    name = given.partition("=")[0]
    assert done.returncode == 2
    assert f"unknown variable {name}=...; did you mean {meant}=...?" in done.stderr
