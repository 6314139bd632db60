"""The subcommands report and omitted."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from wcspider.archive.query.skipped_listing import describe, lines
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.file.base_file import require_file
from wcspider.report.making import make_report
from wcspider.report.status.status_page import collect_status, write_status
from wcspider.report.writing import check_place, write_file
from wcspider.subcommands.clock import now
from wcspider.subcommands.display import print_description, print_json
from wcspider.subcommands.opened_file import opened_database, report_damage
from wcspider.subcommands.standard_streams import complain

NO_SKIPPED_PAGE = "the file records no skipped page"

PROGRESS_STEP = 1_000
"""The number of content sets after which the progress line changes."""


def write_report(path: Path, opts: argparse.Namespace) -> int:
    """Write the HTML report of FILE."""
    require_file(path)
    output = path.with_suffix(".html") if opts.output is None else Path(opts.output)
    damage = make_report(path, output, now(), max_thumbnails=opts.thumbnails, progress=_show_progress, force=opts.force)
    print(output)
    report_damage(path, damage)
    return 0


def write_status_page(path: Path, opts: argparse.Namespace) -> int:
    """Write the status page of the files in the folder `path`, or print it as one JSON object.

    Return 1 if something needs attention or a report could not be written.
    """
    logs = None if opts.logs is None else Path(opts.logs)
    output = path / "status.html" if opts.output is None else Path(opts.output)
    if not opts.json:
        check_place(output, force=opts.force)
    has_reports = not opts.reports or _write_reports(path, force=opts.force)
    page = collect_status(path, logs, now())
    if opts.json:
        print_json(page.described())
    else:
        write_file(output, write_status(page, os.path.relpath(path.resolve(), output.resolve().parent)))
        print(output)
    return 0 if has_reports and not page.needs_attention else 1


def _write_reports(folder: Path, *, force: bool) -> bool:
    """Write the reports that are missing, or older than their file; return whether all of them are written.

    The status page shows files without a report.
    """
    has_all = True
    for path in sorted(folder.glob("*.pdf")):
        output = path.with_suffix(".html")
        try:
            if not (output.is_file() and output.stat().st_mtime >= require_file(path).st_mtime):
                make_report(path, output, now(), progress=_show_progress, force=force)
        except WebCaptureError as error:
            complain(f"no report: {error}")
            has_all = False
    return has_all


def _show_progress(count: int) -> None:
    """Show the number of content sets on a terminal."""
    if count % PROGRESS_STEP == 0 and sys.stderr.isatty():
        print(f"\r{count} content sets read", end="", file=sys.stderr, flush=True)


def list_skipped(path: Path, opts: argparse.Namespace) -> int:
    """List the skipped pages that FILE records; return 1 if there is none."""
    with opened_database(path) as database:
        description: dict[str, Any] = describe(database)
    print_description(description, lines, opts, nothing=NO_SKIPPED_PAGE)
    return 0 if description["omitted"] else 1
