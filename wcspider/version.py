"""The version of wcspider, said here and nowhere else: an egg that Scrapyd has renamed shows no metadata."""

from __future__ import annotations

VERSION = "0.1.0"
