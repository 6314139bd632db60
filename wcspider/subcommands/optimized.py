"""The subcommand optimize."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wcspider.archive.optimize.rewrite import optimize
from wcspider.config import CaptureConfig, defaults
from wcspider.program_names import program_name
from wcspider.units import format_size


def optimize_file(path: Path, opts: argparse.Namespace) -> int:
    """Write FILE again, without superseded objects and earlier states."""
    config = CaptureConfig.from_settings({**defaults(), **opts.settings})
    output = None if opts.output is None else Path(opts.output)
    done = optimize(path, output, force=opts.force, moment=config.clock())
    print(f"{output or path}: {format_size(done.before)} -> {format_size(done.after)}")
    if done.damage:
        print(f"{program_name()}: {path}: was damaged ({done.damage}); check the repaired {output}", file=sys.stderr)
    return 0
