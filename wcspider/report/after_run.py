"""The HTML report at the end of a run (WEBCAPTURE_REPORT)."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from pathlib import Path

from wcspider.exceptions import TargetError, WebCaptureError, one_line


async def write_report(path: Path, output: Path, made: datetime) -> tuple[str, int]:
    """Write the report about the finished file at `path`, in a thread; return a line about it, and its log level.

    The capture is complete at this point. A report that cannot be written is one line, not a failure.
    """
    from wcspider.report.making import make_report  # here: most runs need none of its libraries

    try:
        await asyncio.to_thread(make_report, path, output, made)
    except TargetError as error:
        problem = f"{error.problem}; name another file in WEBCAPTURE_REPORT"
    except WebCaptureError as error:
        problem = str(error)
    except Exception as error:  # a report reads everything in the file, and the file may have any contents
        problem = one_line(error)
    else:
        return f"Wrote the report {output}", logging.INFO
    return f"{path} is complete, but the report was not written: {problem}", logging.ERROR
