"""The subcommand merge."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wcspider.archive.merge.merging import MergeOptions, merge
from wcspider.archive.query.plain_text import without_controls
from wcspider.config import CaptureConfig, defaults
from wcspider.subcommands.display import print_json
from wcspider.subcommands.standard_streams import complain

PROGRESS_STEP = 20
"""The number of page sets after which the progress line changes."""

CLEAR = "\r\x1b[K"
"""Returns to the beginning of the line and clears it."""


def merge_files(path: Path, opts: argparse.Namespace) -> int:
    """Merge files into OUT."""
    config = CaptureConfig.from_settings({**defaults(), **opts.settings})
    options = MergeOptions(
        config.clock,
        batch_bytes=config.batch_bytes,
        max_skipped=config.max_omitted,
        geometry=config.geometry,
        system_fonts=config.system_fonts,
        title=opts.title,
        progress=_show_progress if sys.stderr.isatty() else _show_nothing,
    )
    try:
        report = merge(path, [Path(name) for name in opts.inputs], options)
    except (KeyboardInterrupt, SystemExit):  # Ctrl-C, SIGTERM
        complain(f"interrupted; {path} is as it was, and the same command starts again")
        raise
    if opts.json:
        print_json(report.described(path))
    else:
        for line in report.lines(path):
            print(without_controls(line))
    return 0


def _show_progress(path: Path, done: int, total: int) -> None:
    """Show the number of page sets of a file that are merged."""
    if done % PROGRESS_STEP == 0 or done == total:
        end = CLEAR if done == total else ""
        print(
            f"{CLEAR}{without_controls(path.name)}: {done} of {total} page sets{end}",
            end="",
            file=sys.stderr,
            flush=True,
        )


def _show_nothing(path: Path, done: int, total: int) -> None:
    """Show nothing: nobody watches."""
