"""The subcommand check."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from wcspider.archive.check.checker import check_file
from wcspider.archive.query.plain_text import without_controls
from wcspider.subcommands.display import print_json


def print_violations(path: Path, opts: argparse.Namespace) -> int:
    """Print each violation of a rule of 14.10; return 1 if one of them is an error."""
    findings = list(check_file(path))
    if opts.json:
        print_json({"findings": map(asdict, findings)})
    else:
        for finding in findings:
            print(without_controls(str(finding)))
        if not findings:
            print(without_controls(f"{path}: no violation found"))
    return 1 if any(finding.severity == "error" for finding in findings) else 0
