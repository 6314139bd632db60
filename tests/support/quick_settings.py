"""The settings of wcspider, with one worker, which starts in half the time of two."""

from wcspider.settings import *  # noqa: F403

WEBCAPTURE_WORKERS = 1
WEBCAPTURE_SYSTEM_FONTS = False
