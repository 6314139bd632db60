"""The HTML report at the end of a run (WEBCAPTURE_REPORT)."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime
from pathlib import Path

from wcspider.exceptions import WebCaptureError, one_line

logger = logging.getLogger(__name__)


async def write_report(path: Path, output: Path, made: datetime) -> None:
    """Write the report about the finished file at `path`, in a thread.

    The capture is complete at this point. A report that cannot be written is one line in the log.
    """
    from wcspider.report.making import make_report  # here: most runs need none of its libraries

    try:
        await asyncio.to_thread(make_report, path, output, made)
    except WebCaptureError as error:
        logger.error("%s is complete, but the report was not written: %s", path, error)
    except Exception as error:  # a report reads everything in the file, and the file may have any contents
        logger.error("%s is complete, but the report was not written: %s", path, one_line(error))
    else:
        logger.info("Wrote the report %s", output)
