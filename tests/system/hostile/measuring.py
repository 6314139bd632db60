"""Captures that tell how much memory their main process took at most."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.support.crawls import ROOT, Run, capture

MEGABYTE = 1024 * 1024


def measured(url: str, pdf: Path, settings: Mapping[str, object], **arguments: object) -> tuple[Run, float]:
    """Run a capture to its end; return its peak in megabytes as well. It may have the engine ``null``.

    A forked process (`tests.support.forked`) has about 120 MB of libraries from its start.
    """
    told = pdf.with_suffix(".peak")
    environment = {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests" / "system" / "hostile" / "measured", ROOT))),
        "WCSPIDER_PEAK_FILE": str(told),
    }
    done = capture(url, pdf, settings, environment=environment, **arguments)
    return done, int(told.read_text()) / 1024
