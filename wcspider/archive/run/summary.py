"""The summary of a run: its counts, and the URLs that it skipped, by reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from wcspider.archive.run.run_report import (
    ACTIVE,
    CHANGED,
    CLAIM,
    DEGRADED,
    GONE,
    INCOMPLETE,
    KEPT,
    KEPT_RESOURCE,
    MESSAGE,
    NEW,
    PAGE,
    RESOURCE,
    RETURNED,
    STYLES,
    Report,
)
from wcspider.program_names import file_command
from wcspider.units import format_count, format_size

TITLES = {
    NEW: "New pages",
    CHANGED: "Changed pages",
    RETURNED: "Pages that returned to the site",
    GONE: "Pages gone from the site",
    PAGE: "Pages skipped",
    RESOURCE: "Resources skipped",
    DEGRADED: "Pages with a simpler layout",
    INCOMPLETE: "Pages that may be incomplete",
    STYLES: "Style sheets that were read in part",
    KEPT: "Pages that could not be fetched and are unchanged",
    KEPT_RESOURCE: "Resources that could not be fetched and are unchanged",
    ACTIVE: "Active content removed from PDF documents",
    MESSAGE: "Messages of the layout",
    CLAIM: "Claims of conformance removed, because the pages that were added do not conform",
}
"""The headings of the kinds of entries, in the order of the summary."""

MAX_SHOWN_CHARACTERS = 500
"""How many characters of a URL the summary shows. A page may link to URLs of megabytes."""


def summary_lines(
    report: Report,
    path: Path,
    size: int,
    limit: int,
    *,
    refreshed: bool = False,
    finished: bool = True,
    keeps_states: bool = True,
) -> Iterator[str]:
    """Yield the lines of the summary, with at most `limit` URLs for each reason.

    A run that is not `finished` has not replaced FILE. After a refresh that keeps the earlier states of FILE, the
    summary names the command that shows the differences. Without these states, `size` is not the final size of
    FILE, and is not shown.
    """
    if refreshed:
        final = f" ({format_size(size)})" if keeps_states else ""  # the size changes without the earlier states
        yield f"Refreshed {path}{final}" if finished else f"Not changed: {path}"
        yield f"  unchanged        {report.known}"
        if report.not_requested:
            yield f"  not requested    {report.not_requested} (not expired)"
        yield f"  changed          {report.changed}"
        if report.returned:
            yield f"  returned         {report.returned} (gone before)"
        yield f"  new              {report.page_sets}"
        yield f"  gone             {report.gone}"
        if report.gone_before:
            yield f"  gone before      {report.gone_before} (still in the file)"
        yield f"  dropped          {report.dropped}"
    elif report.captured:
        into = f"into {path} ({format_size(size)})" if finished else f"so far, and none of them is in {path} yet"
        yield f"Captured {format_count(report.captured, 'page')} {into}"
        yield f"  new page sets    {report.page_sets} ({format_count(report.pages, 'PDF page')})"
        yield f"  already there    {report.known}"
        if report.returned:
            yield f"  returned         {report.returned} (gone before)"
    else:
        yield "Captured no page"
    if refreshed or report.captured:
        yield f"  new image sets   {report.image_sets}"
    if finished and keeps_states:
        yield f"  written          {format_size(report.bytes_written)}"
    elif not finished and report.captured:
        yield f"  in {path.name}.part: {format_size(report.bytes_written)}"
    is_comparable = refreshed and finished and keeps_states
    if is_comparable and (report.changed or report.returned or report.page_sets or report.gone or report.dropped):
        yield f"  differences      {file_command('diff', path)}"
    recorded = file_command("omitted", path)
    for kind, title in TITLES.items():
        yield from _section(report, kind, title, limit, recorded if finished and kind == PAGE else "the log")


def _section(report: Report, kind: str, title: str, limit: int, source: str) -> Iterator[str]:
    """Yield the entries of a kind, and refer to `source` for those beyond the limit."""
    reasons = report.entries.counts(kind)
    if not reasons:
        return
    yield f"{title}: {sum(count for _, count in reasons)}"
    for reason, count in reasons:
        if reason:
            yield f"  {reason}: {count}"
        yield from (f"    {_shortened(url)}" for url in report.entries.urls(kind, reason, limit) if url)
        if count > limit:
            yield f"    and {count - limit} more; see {source}"


def _shortened(url: str) -> str:
    """Return a URL, or the URLs of a redirect, as the summary shows them; the log has all of their characters."""
    if len(url) <= MAX_SHOWN_CHARACTERS:
        return url
    return f"{url[:MAX_SHOWN_CHARACTERS]}... ({len(url)} characters)"
