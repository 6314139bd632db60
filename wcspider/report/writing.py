"""The HTML of a report, and the parts that it shares with other HTML documents."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FunctionLoader, StrictUndefined

from wcspider.archive.query.history import COUNTS
from wcspider.archive.query.plain_text import visible
from wcspider.archive.target.part_files import JOURNAL, check_writable, new_version
from wcspider.exceptions import TargetError, TargetNotWritableError
from wcspider.pdf.file.base_file import head
from wcspider.pdf.file.part import PART, followed
from wcspider.program_names import file_command
from wcspider.report.model import Report, TreeNode
from wcspider.units import format_count, format_size

PDF_SUFFIXES = (".pdf", PART, JOURNAL)
"""The suffixes of a PDF file, of its unfinished version, and of the journal of that."""

GENERATOR = b'<meta name="generator" content="wcspider">'
"""The mark at the beginning of a document of wcspider."""

LONGEST = 300
"""The most characters of a title or URL that are shown; the rest is cut in the middle."""

ISOLATE, END_ISOLATE = "\u2068", "\u2069"


def write_html(report: Report) -> str:
    """Return a report as one HTML document."""
    return render("report.html", read_resource("report.css"), read_resource("report.js"), report=report, kinds=COUNTS)


def render(template: str, style: str, script: str = "", **values: object) -> str:
    """Return one HTML document that needs no other file and no network.

    Titles and URLs come from web pages and may be hostile: everything is escaped, and a Content-Security-Policy allows
    the document's own style sheet, script and pictures only.
    """
    environment = Environment(
        loader=FunctionLoader(read_resource),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["command"] = file_command
    environment.filters.update(
        path=lambda name: quote(os.fsencode(name)),
        count=format_count,
        size=format_size,
        text=display_text,
        date=_date,
        iso=_iso,
        tree_rows=_tree_rows,
        visible=visible,
    )
    directives = ["default-src 'none'", f"style-src 'sha256-{_digest(style)}'"]
    directives += [f"script-src 'sha256-{_digest(script)}'"] if script else []
    policy = "; ".join([*directives, "img-src data:", "base-uri 'none'", "form-action 'none'"])
    return environment.get_template(template).render(style=style, script=script, policy=policy, **values)


def check_output(output: Path, path: Path, *, force: bool = False) -> None:
    """Raise a `TargetError` if a document about the file at `path` cannot be written to `output`; see `check_place`."""
    if output.exists() and output.samefile(path):
        raise TargetError(f"{output}: is the file itself", "name another file")
    check_place(output, force=force)


def check_place(output: Path, *, force: bool = False) -> None:
    """Raise a `TargetError` if an HTML document cannot be written to a path, or would replace another file.

    A document of wcspider may be replaced, any other file that is not empty only with `force`.
    """
    _check_kind(output)
    if not force and output.exists() and output.stat().st_size and GENERATOR not in head(output):
        raise TargetError(f"{output}: exists, and wcspider did not write it", "name another file, or add --force")


def _check_kind(output: Path) -> None:
    """Raise a `TargetError` if a path cannot be written to, or is that of a PDF file.

    FILE.pdf.part is a PDF file as well: the unfinished work of a capture.
    """
    check_writable(output)
    if output.suffix.lower() in PDF_SUFFIXES or (output.exists() and b"%PDF-" in head(output)):
        raise TargetError(f"{output}: is a PDF file, and the output is HTML", "name another file, such as report.html")


def write_file(output: Path, html: str) -> None:
    """Write a document to a file, which is replaced as a whole. Raises a `TargetError`.

    Names of files that are not UTF-8 become question marks.
    """
    _check_kind(output)
    try:
        with new_version(followed(output)) as file:
            file.write(html.encode("utf-8", "replace"))
    except OSError as error:
        raise TargetNotWritableError(f"{output}: {error.strerror or error}") from error


def read_resource(name: str) -> str:
    """Return the text of a template, style sheet or script of this package."""
    return resources.files("wcspider.report.templates").joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def display_text(value: str) -> str:
    """Return text from a web page in a form that is safe to display.

    Control and formatting characters, such as bidirectional overrides, become U+FFFD, long text is cut in the middle,
    and the result is isolated, so that its direction does not affect the text around it.
    """
    return f"{ISOLATE}{visible(_cut(value))}{END_ISOLATE}"


def _cut(value: str) -> str:
    if len(value) <= LONGEST:
        return value
    half = LONGEST // 2
    return f"{value[:half]} … {value[-half:]}"


def _date(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _iso(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _tree_rows(root: TreeNode) -> Iterator[tuple[str, TreeNode]]:
    """Yield the steps of a walk over a tree: ``open`` before a folder's contents and ``close`` after them.

    A template cannot recurse as deeply as a URL can be nested.
    """
    pending: list[tuple[str, TreeNode]] = [("open", folder) for folder in reversed(root.folders.values())]
    while pending:
        step, node = pending.pop()
        yield step, node
        if step == "open":
            pending.append(("close", node))
            pending += [("open", folder) for folder in reversed(node.folders.values())]
