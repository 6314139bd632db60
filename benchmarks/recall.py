"""A benchmark of the words in the source of a page that `pdftotext` finds in its PDF pages.

    python -m benchmarks.recall /usr/share/doc/debian-handbook/html/ja-JP --pages 30

It prints one JSON object. docs/benchmarks.md describes the measurements.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import tinycss2
from cssselect import ExpressionError, SelectorError
from lxml import html

from benchmarks.crawls import ROOT, choose, crawl, served
from wcspider import settings

WIDTH = 1024
"""The width of the window for media queries, in CSS pixels."""

POOR = 0.9
"""The share of found words below which a page is listed."""

_UNSEEN = ("script", "style", "template", "head", "noscript", "title", "audio", "video", "iframe", "object", "svg")
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "br", "button", "caption", "dd", "div", "dl", "dt", "fieldset",
     "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "img", "input", "li",
     "main", "nav", "ol", "option", "p", "pre", "section", "select", "table", "td", "textarea", "th", "tr", "ul"}
)  # fmt: skip
_BLOCK_DISPLAYS = frozenset({"block", "list-item", "flow-root", "table", "table-row", "table-cell", "flex", "grid"})
_NO_FONT = re.compile(r"characters that no font has \([^)]*\)")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RTL = r"\u0590-\u08ff"
_WORD = re.compile(
    rf"[{_UNSPACED}][\u0300-\u036f\u0e31-\u0e3a\u0e47-\u0e4e\u3099\u309a]*|[{_RTL}]+|[^\s{_UNSPACED}{_RTL}]+"
)
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_STEERING = re.compile("[\u00ad\u061c\u200b-\u200f\u2060-\u2065\ufeff]")


def words(text: str, *, exact: bool = False) -> list[str]:
    """Return the words of a text: runs of letters, marks and digits of one direction.

    In scripts without spaces each letter is one, with its marks. Where the direction changes a word ends, since
    pdftotext has what stands between words on the one side or the other. Characters that are there for other
    encodings count as those that they stand for, unless the comparison is exact.
    """
    folded = _STEERING.sub("", _DIRECTIONS.sub(" ", text))
    if not exact:
        folded = unicodedata.normalize("NFKC", folded)
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    return _WORD.findall(kept)


def visible(file: Path) -> str:
    """Return the visible text of an HTML page in a wide window."""
    root = html.document_fromstring(file.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    return "".join(_texts(root, _displays(root, file.parent)))


def _displays(root: html.HtmlElement, folder: Path) -> dict[html.HtmlElement, str]:
    """Return the value of ``display`` for each element; the last matching rule wins."""
    displays: dict[html.HtmlElement, str] = {}
    sheets = root.xpath("//style | //link[contains(@rel, 'stylesheet') and not(contains(@rel, 'alternate'))]")
    for sheet in sheets:
        media, file = sheet.get("media", "all"), folder / sheet.get("href", "").partition("?")[0]
        if ("all" in media or "print" in media) and (sheet.tag == "style" or file.is_file()):
            text = sheet.text or "" if sheet.tag == "style" else file.read_text(errors="replace")
            for selector, display in _rules(tinycss2.parse_stylesheet(text, skip_comments=True), file.parent):
                with suppress(ExpressionError, SelectorError):
                    displays.update((element, display) for element in root.cssselect(selector))
    return displays


def _rules(rules: Sequence[Any], folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the selectors and values of rules for ``display``, also in media queries for print and wide windows."""
    for rule in rules:
        prelude = tinycss2.serialize(rule.prelude) if hasattr(rule, "prelude") else ""
        if rule.type == "qualified-rule":
            for declaration in tinycss2.parse_blocks_contents(rule.content, skip_whitespace=True, skip_comments=True):
                if declaration.type == "declaration" and declaration.lower_name == "display":
                    yield prelude, tinycss2.serialize(declaration.value).split()[0].lower()
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and _applies(prelude):
            yield from _rules(tinycss2.parse_rule_list(rule.content or []), folder)
        elif rule.type == "at-rule" and rule.lower_at_keyword == "import":
            tokens = (token for part in rule.prelude for token in getattr(part, "arguments", [part]))
            name = next((token.value for token in tokens if token.type in ("string", "url")), "")
            if name and (folder / name).is_file():
                imported = (folder / name).read_text(errors="replace")
                yield from _rules(tinycss2.parse_stylesheet(imported), (folder / name).parent)


def _applies(query: str) -> bool:
    narrow = any(int(width) < WIDTH for width in re.findall(r"max-width\s*:\s*(\d+)px", query))
    wide = any(int(width) > WIDTH for width in re.findall(r"min-width\s*:\s*(\d+)px", query))
    return not narrow and not wide and re.search(r"\b(screen|speech)\b", query.replace("only screen and", "")) is None


def _texts(element: html.HtmlElement, displays: Mapping[html.HtmlElement, str]) -> Iterator[str]:
    shown = isinstance(element.tag, str) and element.tag not in _UNSEEN and "hidden" not in element.attrib
    display = displays.get(element, "")
    if shown and display != "none" and not _HIDDEN.search(element.get("style", "")):
        edge = " " if element.tag in _BLOCKS or display in _BLOCK_DISPLAYS else ""
        yield edge + (element.text or "")
        for child in element:
            yield from _texts(child, displays)
        yield edge
    yield element.tail or ""


def recall(source: str, found: str, *, exact: bool = False) -> tuple[int, int, Counter[str]]:
    """Return the number of words found, the number of words of the source, and the missing words."""
    wanted = Counter(words(source, exact=exact))
    missing = wanted - Counter(words(found, exact=exact))
    return wanted.total() - missing.total(), wanted.total(), missing


def texts_of(pdf: Path) -> dict[str, str]:
    """Return the text of each page set from pdftotext, by the URL of its source."""
    listed = subprocess.run(
        [sys.executable, "-m", "scrapy", "webcapture", "list", str(pdf), "--json"],
        cwd=ROOT, capture_output=True, check=True,
    ).stdout  # fmt: skip
    text = subprocess.run(["pdftotext", "-enc", "UTF-8", str(pdf), "-"], capture_output=True, check=True).stdout
    pages = text.decode().split("\f")
    return {
        source["url"]: "\n".join(pages[number - 1] for number in found["pages"])
        for found in json.loads(listed)["content_sets"]
        for source in found["sources"]
    }


def measure(
    folder: Path, count: int, *, engine: str, exact: bool = False, keep: Path | None = None
) -> dict[str, object]:
    """Capture pages of a folder, and look for their words."""
    root, paths = choose([folder], count or None)
    with tempfile.TemporaryDirectory() as scratch, served(root, paths) as url:
        pdf = keep or Path(scratch) / "recall.pdf"
        _, log = crawl(url, pdf, 1 + 1, {"WEBCAPTURE_MAX_PAGES": 0, "WEBCAPTURE_ENGINE": engine})
        found = texts_of(pdf)
        size = pdf.stat().st_size
    rows = [_row(root / path, path, found.get(url + path), exact=exact) for path in paths]
    words_found, total = sum(row["found"] for row in rows), sum(row["words"] for row in rows)
    missing: Counter[str] = sum((row.pop("missing") for row in rows), Counter())
    return {
        "folder": str(folder),
        "engine": engine,
        "exact": exact,
        "pages": len(rows),
        "bytes": size,
        "words": total,
        "recall": round(words_found / total, 5),
        "lowest": min(row["recall"] for row in rows),
        "poor": [row for row in rows if row["recall"] < POOR],
        "missed_most": missing.most_common(20),
        "without_fonts": sorted(set(_NO_FONT.findall(log))),
    }


def _row(file: Path, path: str, text: str | None, *, exact: bool) -> dict[str, Any]:
    found, total, missing = recall(visible(file), text or "", exact=exact)
    share = round(found / total, 5) if total else 1.0
    return {"page": path, "words": total, "found": found, "recall": share, "missing": missing}


def main() -> None:
    """Run the benchmark and print the result."""
    parser = argparse.ArgumentParser(description="Measures how many words of pages come out of their PDF pages.")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=60, help="how many pages of each folder, spread evenly; 0 for all")
    parser.add_argument("--engine", default=settings.WEBCAPTURE_ENGINE, help="the engine that lays out the pages")
    parser.add_argument("--exact", action="store_true", help="whether presentation forms and the like count as missing")
    options = parser.parse_args()
    sets = [
        measure(folder.resolve(), options.pages, engine=options.engine, exact=options.exact)
        for folder in options.folders
    ]
    print(json.dumps({"benchmark": "recall", "sets": sets}, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
