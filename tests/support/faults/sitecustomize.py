"""Python reads this at its start where this folder is on its path: then there are engines that fail on request."""

from wcspider.engines.registry import ENGINES, SIMPLER

ENGINES["faulty"] = ENGINES[SIMPLER] = "faulty_engine.FaultyEngine"
