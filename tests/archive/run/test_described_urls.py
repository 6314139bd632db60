"""The URLs of skipped pages in a report, with the destination of their redirects."""

from __future__ import annotations

import pytest

from wcspider.archive.run.capture_sink import described_urls
from wcspider.webcapture.order import REDIRECT_LOOP, ReadingOrder


def skipped(*way: str, reason: str, destination: str = "") -> str:
    """The URLs of a position that was redirected over some keys before it failed."""
    order: ReadingOrder[None] = ReadingOrder()
    order.announce(0, way[0])
    for key in way[1:]:
        order.claim(key, 0)
    order.record_failure(0, reason, destination)
    [turn] = order.ready()
    assert turn.reason == reason
    return described_urls(turn)


@pytest.mark.parametrize(
    ("way", "reason", "destination", "expected"),
    [
        (["/a"], "HTTP 404", "", "/a"),
        (["/a", "/b", "/c"], "HTTP 404", "", "/a -> /c"),
        (["/a"], "redirected out of scope", "//x", "/a -> //x"),
        (["/a", "/b"], "redirected out of scope", "//x#part", "/a -> //x"),
        (["/a", "/b", "/c"], REDIRECT_LOOP, "", "/a -> /b -> /c"),
    ],
)
def test_skipped(way: list[str], reason: str, destination: str, expected: str) -> None:
    assert skipped(*way, reason=reason, destination=destination) == expected


@pytest.mark.parametrize(("way", "expected"), [("ab", "a -> b -> a"), ("abcd", "a -> d -> a")])
def test_a_loop_ends_where_it_began(way: str, expected: str) -> None:
    order: ReadingOrder[None] = ReadingOrder()
    order.announce(0, way[0])
    for key in way[1:]:
        order.claim(key, 0)
    order.record_redirect(0, tuple(way), way[0])
    [turn] = order.ready()
    assert described_urls(turn) == expected


def test_another_position_may_fetch_the_destination() -> None:
    order: ReadingOrder[None] = ReadingOrder()
    order.announce(0, "/a")
    order.record_failure(0, "redirected out of scope", "/b")
    assert order.announce(1, "/b")
