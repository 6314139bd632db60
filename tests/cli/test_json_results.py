"""The results of commands that do not list anything, as JSON."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tests.support.archive_samples import rendered
from tests.support.merging import captured_file
from wcspider.cli.program import main


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return captured_file(tmp_path / "site.pdf", [rendered("/1"), rendered("/2")])


def result(capsys: pytest.CaptureFixture[str], status: int, *arguments: object) -> dict[str, Any]:
    """Return what a command prints, which must be one JSON object."""
    assert main([*map(str, arguments), "--json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_findings_of_a_check(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert result(capsys, 0, "check", path) == {"findings": []}
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.pages[1].PZ = 0
        pdf.save(path)
    [finding] = result(capsys, 1, "check", path)["findings"]
    message = {"clause": "14.10.6", "message": "PZ is not a number greater than 0", "severity": "error"}
    assert finding == {"rule": "14.10.6-pz", "where": finding["where"], **message}
    assert finding["where"].startswith("page 2")


def test_the_sizes_of_an_optimized_file(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    captured_file(path, [rendered("/3")])
    before, output = path.stat().st_size, tmp_path / "smaller.pdf"
    sizes = {"before": before, "is_copy": True, "damage": None, "earlier_states": 1}
    found = result(capsys, 0, "optimize", path, "--output", output)
    assert found == {"output": str(output), "after": output.stat().st_size, **sizes}


def test_the_counts_of_a_merge(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other, output = tmp_path / "other.pdf", tmp_path / "all.pdf"
    captured_file(other, [rendered("/2"), rendered("/3")])
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.add_blank_page()
        pdf.save(path)
    found = result(capsys, 0, "merge", output, path, other)
    assert (found["output"], found["size"]) == (str(output), output.stat().st_size)
    assert (found["inputs"], found["added"], found["unified"], found["claims"]) == (2, 3, 1, [])
    [left] = found["left"]
    assert (left["count"], left["places"]) == (1, ["site.pdf"])


def test_the_status_of_a_folder(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken, logs = tmp_path / "broken.pdf", tmp_path / "logs"
    broken.write_bytes(b"no PDF file")
    logs.mkdir()
    (logs / "night.log").write_text("")
    found = result(capsys, 1, "status", tmp_path, "--logs", logs)
    assert (found["folder"], found["needs_attention"], found["hidden_jobs"]) == (str(tmp_path), 1, 0)
    states = {row["name"]: (row["state"], row["page_sets"], row["report"]) for row in found["files"]}
    assert states == {"broken.pdf": ("failed", 0, None), "site.pdf": ("complete", 2, None)}
    assert (found["files"][1]["last_run"], found["files"][1]["problem"]) == ("capture", None)
    others = dict.fromkeys(("changed", "returned", "gone", "dropped", "unchanged"), 0)
    assert found["files"][1]["counts"] == {"added": 2, **others}
    assert [(job["name"], job["state"]) for job in found["jobs"]] == [("night", "no result")]
    for moment in (found["made"], found["jobs"][0]["ended"]):  # in whole seconds, as in a PDF file
        assert datetime.strptime(moment, "%Y-%m-%dT%H:%M:%SZ").date()
    assert not (tmp_path / "status.html").exists()
