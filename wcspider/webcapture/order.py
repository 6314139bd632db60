"""The reading order: outcomes arrive in any order, and turns are taken in the order in which a reader meets the pages.

The outcome of a request (content, a redirect or a failure) is stored as a fact about a request key, whichever
position made the request. The turn of a position follows these facts from the key that the position requested.
Therefore the turns do not depend on which position fetched a key, which is an accident of the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

Payload = TypeVar("Payload")

REDIRECT_LOOP = "redirect loop"
"""The reason for skipping a position whose redirects lead in a circle."""

_BEFORE_DESTINATION = "\n"
"""The separator of a reason and the destination of a redirect in the fact about a failure."""


class TurnKind(StrEnum):
    """The decision for a position in reading order."""

    PAGE = "page"
    """The position is the first that leads to this content."""

    ALIAS = "alias"
    """The position leads to the content of an earlier turn."""

    SKIPPED = "skipped"
    """The position leads to no content."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[Payload]):
    """The decision for one position."""

    position: int
    kind: TurnKind
    hops: tuple[str, ...]
    """The keys that redirected, in order, beginning with the key that the position requested."""

    key: str
    """The destination of the hops: the key of the content, or the key that failed."""

    payload: Payload | None = None
    """The payload of the content, if `kind` is PAGE."""

    reason: str = ""
    """Why there is no content, if `kind` is SKIPPED."""

    destination: str = ""
    """The URL to which the key redirects, if the redirect was not followed."""


class FactKind(StrEnum):
    """The kinds of facts about a key."""

    REDIRECT = "redirect"
    FAILURE = "failure"
    CONTENT = "content"


class Fact(NamedTuple):
    """The outcome of a key: where it redirects, why it failed, or that a turn has used its content."""

    kind: FactKind
    value: str = ""


class Facts(Protocol):
    """A store for the facts of past turns. They may be many, so the journal stores them on disk."""

    def recall(self, key: str) -> Fact | None:
        """Return the fact about a key; None without one."""

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Store the fact about a key that the turn of a position has used."""


class MemoryFacts:
    """A store for facts in memory."""

    def __init__(self) -> None:
        self._facts: dict[str, Fact] = {}

    def recall(self, key: str) -> Fact | None:
        """Return the fact about a key; None without one."""
        return self._facts.get(key)

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Store the fact about a key; an earlier fact stays."""
        self._facts.setdefault(key, fact)


class ReadingOrder(Generic[Payload]):
    """A sequence of positions whose turns are taken in order, whatever order their outcomes arrive in.

    Each position is first announced (`announce`), with the key that it requests. Then it gets exactly one outcome:
    `record_content`, `record_redirect` or `record_failure`. Each key is fetched by one position only, its owner. The
    owner is the first position that announces the key, or that claims it (`claim`) after a redirect. If a position
    cannot claim a key, its request is dropped and its outcome is `record_redirect`. Only positions between their
    request and their turn are in memory; the facts of past turns are in `kept`.
    """

    def __init__(self, kept: Facts | None = None, start: int = 0) -> None:
        """Start at the position `start`, with the facts of earlier turns in `kept`."""
        self._kept: Facts = MemoryFacts() if kept is None else kept
        self._next = start
        self._asked: dict[int, str] = {}
        self._settled: set[int] = set()
        self._refused: dict[int, str] = {}
        self._owners: dict[str, int] = {}
        self._trails: dict[int, list[str]] = {}
        self._facts: dict[str, Fact] = {}
        self._payloads: dict[str, Payload] = {}

    def announce(self, position: int, key: str) -> bool:
        """Announce a position and the key that it requests, and tell whether the position is to fetch the key.

        If it is not, another position owns the key, and the outcome is ``record_redirect(position, (), key)``.
        Raises ValueError if the position was announced before.
        """
        if position < self._next or position in self._asked:
            raise ValueError(f"position {position} was announced before")
        self._asked[position] = key
        self._trails[position] = []
        return self.claim(key, position)

    def claim(self, key: str, position: int) -> bool:
        """Claim a key that the position was redirected to; return False if another position owns the key.

        If the result is False, the request must be dropped, and the outcome is `record_redirect`. The result is also
        False if the position was redirected away from the key before, which is a loop. A key may redirect to itself
        (to set a cookie, for example) any number of times.
        """
        self._check_open(position)
        if self._is_claimed(key):
            return self._trails[position][-1:] == [key]
        self._owners[key] = position
        self._trails[position].append(key)
        return True

    def way(self, position: int) -> tuple[str, ...]:
        """Return the keys that a position has claimed: the key that it requested, then that of each redirect."""
        return tuple(self._trails[position])

    def record_content(self, position: int, url_key: str, hops: tuple[str, ...], payload: Payload) -> None:
        """Record that the request of a position led to content at ``url_key``, after redirects at ``hops``."""
        self._settle(position, (*hops, url_key))
        if self._fact(url_key) is None:
            self._payloads.setdefault(url_key, payload)

    def record_redirect(self, position: int, hops: tuple[str, ...], target_key: str) -> None:
        """Record that a request was dropped because it was redirected to ``target_key``, which another position owns.

        Raises ValueError if no position has claimed the key, because then its outcome would never arrive.
        """
        if not self._is_claimed(target_key):
            raise ValueError(f"position {position} waits for {target_key}, which no position has claimed")
        self._settle(position, (*hops, target_key))

    def record_failure(self, position: int, reason: str, destination: str = "") -> None:
        """Record that the request of a position failed, at the key that the position claimed last.

        `destination` is the URL of a redirect that was not followed. It says nothing about the key of that URL, which
        another position may fetch.
        """
        self._check_open(position)
        reason = f"{reason}{_BEFORE_DESTINATION}{destination}" if destination else reason
        trail = self._trails[position]
        if trail:
            self._settle(position, tuple(trail))
            if self._fact(trail[-1]) is None:
                self._facts[trail[-1]] = Fact(FactKind.FAILURE, reason)
        else:  # another position owns the requested key, so the failure says nothing about the key
            self._settle(position, (self._asked[position],))
            self._refused[position] = reason

    def ready(self) -> Iterator[Turn[Payload]]:
        """Yield the turns that are possible now, strictly in the order of positions."""
        while self._next in self._settled:
            turn = self._turn(self._next)
            if turn is None:
                return
            self._forget(self._next, (*turn.hops, turn.key))
            self._next += 1
            yield turn

    @property
    def waiting(self) -> int:
        """The number of announced positions that have not had their turn."""
        return len(self._asked)

    def _fact(self, key: str) -> Fact | None:
        """Return the fact about a key; None while its outcome has not arrived."""
        return self._facts.get(key) or self._kept.recall(key)

    def _is_claimed(self, key: str) -> bool:
        """Tell whether a position owns or owned a key."""
        return key in self._owners or self._kept.recall(key) is not None

    def _turn(self, position: int) -> Turn[Payload] | None:
        """Return the turn of a position with an outcome; None while the outcome of a key on its way is missing."""
        key = self._asked[position]
        if position in self._refused:
            return _skipped(position, (), key, self._refused[position])
        hops: list[str] = []
        while (fact := self._fact(key)) is not None and fact.kind is FactKind.REDIRECT:
            if key in hops:
                return Turn(position, TurnKind.SKIPPED, tuple(hops), key, reason=REDIRECT_LOOP)
            hops.append(key)
            key = fact.value
        if fact is not None and fact.kind is FactKind.FAILURE:
            return _skipped(position, tuple(hops), key, fact.value)
        if fact is not None:
            return Turn(position, TurnKind.ALIAS, tuple(hops), key)
        if key in self._payloads:
            self._facts[key] = Fact(FactKind.CONTENT)
            return Turn(position, TurnKind.PAGE, tuple(hops), key, payload=self._payloads.pop(key))
        return None

    def _settle(self, position: int, way: tuple[str, ...]) -> None:
        """Record the redirects between the keys of `way`, without redirects of a key to itself."""
        self._check_open(position)
        if way[0] != self._asked[position]:
            raise ValueError(f"position {position} requested {self._asked[position]}, not {way[0]}")
        for key, following in pairwise(way):
            if key != following and key not in self._payloads and self._fact(key) is None:
                self._facts[key] = Fact(FactKind.REDIRECT, following)
        for key in way:
            if not self._is_claimed(key):
                self._owners[key] = position
        self._settled.add(position)

    def _check_open(self, position: int) -> None:
        """Raise ValueError unless a position is announced and has no outcome."""
        if position not in self._asked:
            raise ValueError(f"position {position} was not announced")
        if position in self._settled:
            raise ValueError(f"position {position} already has an outcome")

    def _forget(self, position: int, way: tuple[str, ...]) -> None:
        """Remove a position from memory, and move the facts about the keys of `way` to the store."""
        for key in way:
            fact = self._facts.pop(key, None)
            if fact is not None:
                self._kept.keep(key, fact, position)
                self._owners.pop(key, None)
        del self._asked[position], self._trails[position]
        self._settled.discard(position)
        self._refused.pop(position, None)


def _skipped(position: int, hops: tuple[str, ...], key: str, failure: str) -> Turn[Any]:
    reason, _, destination = failure.partition(_BEFORE_DESTINATION)
    return Turn(position, TurnKind.SKIPPED, hops, key, reason=reason, destination=destination)
