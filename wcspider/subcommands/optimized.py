"""The subcommand optimize."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from wcspider.archive.optimize.rewrite import Optimized, optimize
from wcspider.archive.query.plain_text import without_controls
from wcspider.config import CaptureConfig, defaults
from wcspider.subcommands.display import print_json
from wcspider.subcommands.standard_streams import complain
from wcspider.units import format_count, format_size


def optimize_file(path: Path, opts: argparse.Namespace) -> int:
    """Write FILE again, without superseded objects and earlier states."""
    config = CaptureConfig.from_settings({**defaults(), **opts.settings})
    output = None if opts.output is None else Path(opts.output)
    done = optimize(path, output, force=opts.force, moment=config.clock())
    if opts.json:
        print_json({"output": str(output or path), **asdict(done), "damage": done.damage or None})
    else:
        _print_result(output or path, done)
    if done.damage:
        complain(f"{path}: was damaged ({done.damage}); check the repaired {output}")
    return 0


def _print_result(output: Path, done: Optimized) -> None:
    states = format_count(done.earlier_states, "earlier state") if done.earlier_states else ""
    lost = states and (f", without {states}" if done.is_copy else f", {states} removed")
    print(without_controls(f"{output}: {format_size(done.before)} -> {format_size(done.after)}{lost}"))
