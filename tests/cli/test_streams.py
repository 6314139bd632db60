"""The standard streams of a command: closed ones, and ones that cannot encode all text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pikepdf
import pytest

from tests.support import pdf_samples
from tests.support.paths import ROOT
from wcspider.cli.program import main

pytestmark = pytest.mark.slow

LATIN_NAME = os.fsdecode(b"caf\xe9.pdf")
"""A file name in ISO-8859-1, which is not UTF-8."""


def run(redirections: str, *arguments: object, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run ``wcspider`` by a shell with redirections; return the exit status, the output and the messages."""
    command = ["sh", "-c", f'"$0" -m wcspider "$@" {redirections}', sys.executable, *map(str, arguments)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    done = subprocess.run(command, capture_output=True, encoding="iso-8859-1", check=False, env=variables, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def titled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose content is not in ASCII."""
    path = pdf_samples.acrobat_pdf(tmp_path_factory.mktemp("streams") / "site.pdf")
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for found in pdf.objects:
            if isinstance(found, pikepdf.Dictionary) and found.get("/S") == pikepdf.Name.SPS:
                found.T = "Φάρος \u2022 café 😀"
        pdf.save(path)
    return path


@pytest.mark.parametrize("redirections", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(titled: Path, redirections: str) -> None:
    status, _, messages = run(redirections, "list", titled)
    assert (status, messages) == (0, "")


def test_a_message_goes_to_no_other_file_if_stderr_is_closed(tmp_path: Path) -> None:
    """Without stderr, the first file that a program opens gets its descriptor."""
    path = tmp_path / "site.pdf"
    seed = tmp_path / "page.html"
    seed.write_text("<title>t</title><p>text")
    arguments = ["capture", seed.as_uri(), path, "-s", "WEBCAPTURE_WORKERS=1", "--verbose"]
    assert run("<&- >&- 2>&-", *arguments)[0] == 0
    with pikepdf.open(path) as pdf:
        assert len(pdf.pages) == 1
        assert not pdf.check_pdf_syntax()
    assert b"INFO" not in path.read_bytes()


def test_characters_that_stdout_cannot_encode_are_escaped(titled: Path) -> None:
    for encoding in ("ascii", "iso-8859-1"):
        status, lines, messages = run("", "list", titled, environment={"PYTHONIOENCODING": encoding})
        assert (status, messages) == (0, "")
        assert "\\u03a6" in lines
        status, output, _ = run("", "list", "--json", titled, environment={"PYTHONIOENCODING": encoding})
        assert status == 0
        assert "Φάρος \u2022 café 😀" in json.dumps(json.loads(output), ensure_ascii=False)


@pytest.mark.parametrize("line", ["list", "check", "text", "history", "search the", "report", "optimize"])
def test_a_file_name_that_is_not_utf_8(
    titled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str
) -> None:
    path, plain = tmp_path / LATIN_NAME, tmp_path / "site.pdf"
    for copy in (path, plain):
        copy.write_bytes(titled.read_bytes())
    subcommand, *options = line.split()
    assert main([subcommand, str(path), *options]) == main([subcommand, str(plain), *options])
    assert capsys.readouterr().err == ""


def test_files_whose_names_are_not_utf_8_are_merged_and_listed(
    titled: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / LATIN_NAME
    path.write_bytes(titled.read_bytes())
    assert main(["merge", str(tmp_path / os.fsdecode(b"\xff.pdf")), str(path)]) == 0
    main(["status", str(tmp_path), "--reports"])
    assert capsys.readouterr().err == ""
    page = (tmp_path / "status.html").read_text("utf-8")
    assert "caf\ufffd.pdf" in page
    assert 'href="./caf%E9.html"' in page
    assert 'href="./caf%E9.pdf#page=1"' in (tmp_path / os.fsdecode(b"caf\xe9.html")).read_text("utf-8")
