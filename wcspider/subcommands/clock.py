"""The clock of the subcommands."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)
