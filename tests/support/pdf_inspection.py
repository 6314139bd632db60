"""The inspection of the tests' PDF files by four other programs: ``pytest --inspect-pdfs=FILE``.

One line of JSON for each file goes to FILE: the test, or the folder of a fixture that tests share, the file, whether
wcspider has written it, and what is wrong with it. Files that tests have damaged on purpose are in it too. Problems of
wcspider's own files are shown at the end and fail the run, unless their test has the marker ``odd_pdfs``.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pikepdf
import pypdfium2

PATIENCE_SECONDS = 120

_inspected: set[Path] = set()
"""The files that this process has inspected."""


def inspect(folder: Path, test: str, report: Path, *, is_odd: bool = False) -> None:
    """Append the faults of the PDF files in a folder to a report, unless they were inspected before.

    `is_odd` tells that the test leaves files on purpose that other programs remark on.
    """
    for path in sorted(folder.rglob("*.pdf")):
        if path.is_file() and not path.is_symlink() and path not in _inspected:
            _inspected.add(path)
            found = {
                "test": test or path.parent.name,
                "file": path.name,
                "ours": is_ours(path),
                "odd": is_odd,
                "problems": dict(problems(path)),
            }
            with report.open("a") as lines:
                lines.write(json.dumps(found) + "\n")


def summary(report: Path) -> tuple[list[str], bool]:
    """Return the lines of a summary of a report, and whether it has a problem that should not be there."""
    found = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    ours = [row for row in found if row["ours"]]
    bad = [row for row in ours if row["problems"]]
    lines = [f"{len(found)} PDF files were inspected, {len(ours)} of them written by wcspider"]
    for row in bad:
        said = "; ".join(f"{program}: {text.splitlines()[0]}" for program, text in row["problems"].items())
        lines.append(f"{'on purpose' if row['odd'] else 'PROBLEM'}: {row['test']} {row['file']}: {said}")
    return lines, any(not row["odd"] for row in bad)


def is_ours(path: Path) -> bool:
    """Tell whether wcspider has written a file, or a part of it."""
    try:
        with pikepdf.open(path, suppress_warnings=True) as pdf:
            return "/WCSP_History" in pdf.Root
    except Exception:  # a file that cannot be opened at all
        return b"WCSP_" in path.read_bytes()


def problems(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the programs that find a fault in a file, with their messages."""
    for name, look in LOOKS.items():
        try:
            said = look(path)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        if said:
            yield name, said[:500]


def _run(*command: object) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, errors="replace", timeout=PATIENCE_SECONDS
    )
    return f"{done.returncode} {done.stderr}".strip() if done.returncode or done.stderr.strip() else ""


def _mutool(path: Path) -> str:
    """Let MuPDF write the file again, and compare the number of pages."""
    out = path.with_name("cleaned.pdf")  # mutool takes a name with another suffix for a list of pages
    try:
        said = _run("mutool", "clean", path, out)
        with pikepdf.open(path) as before, pikepdf.open(out) as after:
            counts = len(before.pages), len(after.pages)
        return said or ("" if counts[0] == counts[1] else f"{counts[0]} pages became {counts[1]}")
    finally:
        out.unlink(missing_ok=True)


def _pdfium(path: Path) -> str:
    with closing(pypdfium2.PdfDocument(path)) as document:
        for index in range(len(document)):
            document[index].get_textpage().get_text_range()
    return ""


LOOKS: dict[str, Callable[[Path], str]] = {
    "qpdf": lambda path: _run("qpdf", "--check", "--no-warn", path),
    "mutool": _mutool,
    "PDFium": _pdfium,
    "poppler": lambda path: _run("pdftotext", path, "/dev/null"),
}
