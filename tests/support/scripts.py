"""Sentences in many scripts, and programs that read them from pages."""

from __future__ import annotations

import re
import subprocess
import unicodedata
from pathlib import Path

import pytest

from wcspider.engines.text import runs
from wcspider.engines.text.scripts import script_of

SENTENCES = {
    "Latin": ("en", "naïve café, Zażółć gęślą jaźń"),
    "Greek": ("el", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία"),
    "Cyrillic": ("ru", "Съешь ещё этих мягких французских булок"),
    "Arabic": ("ar", "السلام عليكم ورحمة الله وبركاته، لا إله إلا هو"),
    "vowelled Arabic": ("ar", "بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ"),
    "Persian": ("fa", "می‌خواهم این کتاب را بخوانم، گچ پژ ۱۲۳"),
    "Hebrew": ("he", "שלום עולם זה משפט בעברית"),
    "pointed Hebrew": ("he", "בְּרֵאשִׁית בָּרָא אֱלֹהִים"),
    "Devanagari": ("hi", "हिन्दी में क्षत्रिय और विद्यार्थी की पुस्तकें"),
    "Bengali": ("bn", "আমি বাংলায় গান গাই"),
    "Tamil": ("ta", "தமிழ் மொழி"),
    "Thai": ("th", "ภาษาไทยเป็นภาษาที่มีน้ำเสียงกำลังดี"),
    "Chinese": ("zh-CN", "简体中文网页，带有标点符号。「引」（一）"),
    "traditional Chinese": ("zh-TW", "繁體中文網頁，帶有標點符號。"),
    "Japanese": ("ja", "日本語の文章です。カタカナとひらがな、漢字。"),
    "Korean": ("ko", "한국어 문장입니다. 띄어쓰기가 있습니다."),
    "symbols": ("en", "→ ≤ ∑ ✓ ★ ☂ ♞ € ⌘ ⚠"),
}
RIGHT_TO_LEFT = ("Arabic", "vowelled Arabic", "Persian", "Hebrew", "pointed Hebrew")
SHIPPED = ("Latin", "Greek", "Cyrillic", *RIGHT_TO_LEFT, "symbols")
"""What the fonts that come with wcspider have."""

PLACES = {
    "paragraph": "<p>{}</p>",
    "bold": "<p><b>{}</b></p>",
    "table": "<table border=1><tr><td>1<td>{}</table>",
    "list": "<ul><li>{}</ul>",
    "preformatted": "<pre>{}</pre>",
    "heading": "<h1>{}</h1>",
}

_STEERING = re.compile("[\\s\u200e\u200f\u202a-\u202e]")


def folded(found: str) -> str:
    """Text without white space and without the marks of direction that pdftotext adds."""
    return _STEERING.sub("", unicodedata.normalize("NFC", found))


def by_poppler(pdf: bytes, path: Path) -> str:
    path.write_bytes(pdf)
    return subprocess.run(["pdftotext", str(path), "-"], capture_output=True, check=True).stdout.decode()


def by_mupdf(pdf: bytes, path: Path) -> str:
    path.write_bytes(pdf)
    return subprocess.run(
        ["mutool", "draw", "-q", "-F", "txt", str(path)], capture_output=True, check=True
    ).stdout.decode()


def needs_fonts(sentence: str) -> None:
    """Skip where neither ours nor the system's fonts have a character."""
    available = runs.Runs()
    runs.load()
    available.cut(sentence, ("WcspiderSans-Regular", "WcspiderSymbols-Regular"))
    if available.missing:
        packages = {script_of(character).package for character in available.missing}
        pytest.skip(f"no font; install {', '.join(sorted(packages))}")
