"""Python reads this at its start where this folder is on its path: then there is an engine that fails on request."""

from wcspider.engines.registry import ENGINES

ENGINES["faulty"] = "faulty_engine.FaultyEngine"
