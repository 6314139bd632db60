"""The folders of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The folder with pyproject.toml."""
