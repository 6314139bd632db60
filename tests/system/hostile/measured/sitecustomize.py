"""Python reads this at its start where this folder is on its path: then a capture tells how much memory it took.

Its main process does; its workers do not find the name of the file any more. There is an engine that draws nothing
as well, where the crawl is to be looked at and not the layout.
"""

import atexit
import os
import re
from pathlib import Path

from wcspider.engines.registry import ENGINES

ENGINES["null"] = "tests.support.null_engine.NullEngine"


def _tell(file: Path) -> None:
    status = Path("/proc/self/status").read_text()
    file.write_text(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


if "WCSPIDER_PEAK_FILE" in os.environ:
    atexit.register(_tell, Path(os.environ.pop("WCSPIDER_PEAK_FILE")))
