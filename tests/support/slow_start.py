"""A module that makes the start of a worker process slow and visible, in the folder of an environment variable."""

import os
import time
from pathlib import Path

mark = Path(os.environ["WCSPIDER_MARKS"]) / str(os.getpid())
mark.write_text("starting")
time.sleep(0.05)
mark.unlink()
