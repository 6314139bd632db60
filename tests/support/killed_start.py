"""A module that kills the process that imports it, as the system does when it has no memory left."""

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
