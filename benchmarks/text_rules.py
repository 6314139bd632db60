"""A comparison of the text that wcspider and other programs extract, for each rule of ISO 32000-1, 9.10.

    pip install pypdf
    apt-get install poppler-utils poppler-data mupdf-tools
    python -m benchmarks.text_rules

Prints the tables of docs/text.md. The pages are those of `tests/support/text_samples.py`.
"""

from __future__ import annotations

import io
import logging
import subprocess
import tempfile
import unicodedata
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pdfminer.high_level
import pypdf
import pypdfium2

from tests.support.sample_fonts import Sample
from tests.support.text_samples import SAMPLES
from wcspider.pdf.text.extraction import page_texts

RIGHT = "✓"


def by_wcspider(pdf: bytes) -> str:
    """Extract text with wcspider."""
    return " ".join(page_texts(pdf))


def by_pypdfium2(pdf: bytes) -> str:
    """Extract text with PDFium."""
    return " ".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf))


def by_pypdf(pdf: bytes) -> str:
    """Extract text with pypdf."""
    return " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)


def by_pdfminer(pdf: bytes) -> str:
    """Extract text with pdfminer.six."""
    return pdfminer.high_level.extract_text(io.BytesIO(pdf))


def by_pdftotext(pdf: bytes) -> str:
    """Extract text with poppler."""
    return _printed(pdf, lambda path: ["pdftotext", "-enc", "UTF-8", path, "-"])


def by_mutool(pdf: bytes) -> str:
    """Extract text with MuPDF."""
    return _printed(pdf, lambda path: ["mutool", "draw", "-q", "-F", "txt", path])


def _printed(pdf: bytes, command: Callable[[str], list[str]]) -> str:
    """Return the output of a program for a PDF file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sample.pdf")
        path.write_bytes(pdf)
        return subprocess.run(command(str(path)), capture_output=True, check=False).stdout.decode("utf-8", "replace")


def _version_of(command: list[str]) -> str:
    """Return the version that a program prints."""
    done = subprocess.run(command, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode().split("\n")[0].split()[-1]


PROGRAMS: dict[str, Callable[[bytes], str]] = {
    "wcspider": by_wcspider,
    "pypdfium2": by_pypdfium2,
    "pdftotext": by_pdftotext,
    "mutool": by_mutool,
    "pypdf": by_pypdf,
    "pdfminer.six": by_pdfminer,
}


def compared(text: str) -> str:
    """Return a text without white space, direction marks and ligatures, for comparison."""
    text = "".join(char for char in text if not char.isspace() and char not in "\ufffe\u202a\u202b\u202c")
    return "".join(unicodedata.normalize("NFKC", char) if "\ufb00" <= char <= "\ufb06" else char for char in text)


def verdict(program: Callable[[bytes], str], sample: Sample) -> str:
    """Return ✓ if a program extracts the right text, otherwise the text or the error."""
    try:
        text = program(sample.pdf())
    except Exception as error:  # the benchmark reports every failure of a program
        return type(error).__name__
    if compared(text) == compared(sample.text):
        return RIGHT
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in compared(text))
    return f"`{shown[:24]}`".replace("|", "\\|") if shown else "nothing"


def main() -> None:
    """Print the tables."""
    logging.disable(logging.CRITICAL)
    versions = {name: version(name) for name in ("pypdfium2", "pypdf", "pdfminer.six")}
    versions |= {"pdftotext": _version_of(["pdftotext", "-v"]), "mutool": _version_of(["mutool", "-v"])}
    print("Versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()) + ".")
    rights = dict.fromkeys(PROGRAMS, 0)
    for clause, samples in SAMPLES.items():
        print(f"\n## {clause}\n")
        print(f"| rule | text | {' | '.join(PROGRAMS)} |")
        print("| --- " * (len(PROGRAMS) + 2) + "|")
        for sample in samples:
            row = {name: verdict(program, sample) for name, program in PROGRAMS.items()}
            for name, said in row.items():
                rights[name] += said == RIGHT
            print(f"| {sample.rule} | `{sample.text}` | {' | '.join(row.values())} |")
    total = sum(map(len, SAMPLES.values()))
    print("\n## In all\n")
    print(f"| | {' | '.join(PROGRAMS)} |")
    print("| --- " * (len(PROGRAMS) + 1) + "|")
    print(f"| right, of {total} | {' | '.join(map(str, rights.values()))} |")


if __name__ == "__main__":
    main()
