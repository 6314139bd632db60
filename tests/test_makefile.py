"""The targets of the Makefile, as far as they can be run without an environment of their own."""

from __future__ import annotations

import subprocess

import pytest

from tests.support.paths import ROOT


@pytest.mark.parametrize("given", ["url=http://h/", "pdf=a.pdf", "LEVEL=2", "MAKE_X=1"])
def test_an_unknown_variable_is_refused(given: str) -> None:
    done = _make("capture", given)
    assert done.returncode == 2
    name = given.partition("=")[0]
    assert f"unknown variable {name}; the variables are URL PDF LEVELS ARGS VENV PYTHON" in done.stderr


def test_the_known_variables_are_accepted() -> None:
    done = _make("capture", "URL=http://h/", "PDF=a.pdf", "LEVELS=2", "ARGS=--same-path", "VENV=.env", "PYTHON=python3")
    assert done.returncode == 0
    assert '.env/bin/wcspider capture "$URL" "$PDF" --levels "$LEVELS" --same-path' in done.stdout


def _make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", "--dry-run", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
