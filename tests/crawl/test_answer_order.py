"""The file does not depend on the order in which a server answers the requests of a crawl."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.support.memory_sites import MemoryCrawl, Page, Redirect, capture_into, config_at

MOMENT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SITE = {
    "/a": Page("A", links=("/c",)),
    "/b": Redirect("/c"),
    "/c": Page("C", images=("x1",)),
}
"""The second URL of the user is redirected to a page to which the first one links: either request may fetch it."""


def captured(path: Path, seed: int) -> bytes:
    """Capture two URLs with one link level, and return the file."""
    assert MemoryCrawl(capture_into(path, "/a,/b", "2"), SITE, config_at(MOMENT), seed).run()
    return path.read_bytes()


def test_the_order_of_the_answers_leaves_no_trace(tmp_path: Path) -> None:
    files = {captured(tmp_path / f"{seed}.pdf", seed) for seed in range(8)}
    assert len(files) == 1
