"""Outcomes that arrive in any order, turned into the order in which a reader meets the pages.

What a URL gives (content, a redirect, nothing) is one fact for each key, whichever request found it out. So
outcomes are kept as facts about keys, and the turn of a position is what one finds by walking from the key
that it asked for. Which request *owned* a key, an accident of the network, leaves no trace in the turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, TypeVar

Payload = TypeVar("Payload")

REDIRECT_LOOP = "redirect loop"
"""The reason of a position whose redirects lead in a circle."""


class TurnKind(StrEnum):
    """What a position comes to in reading order."""

    PAGE = "page"
    """Content that is reached here for the first time."""

    ALIAS = "alias"
    """Content that an earlier turn handed out."""

    SKIPPED = "omitted"
    """No content."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[Payload]):
    """What one position comes to."""

    position: int
    kind: TurnKind
    hops: tuple[str, ...]
    """The keys that redirected on the way from the key that the position asked for, first first."""

    key: str
    """The key that the hops lead to: of the content, or where the way ends without any."""

    payload: Payload | None = None
    """Of a PAGE: what was captured."""

    reason: str = ""
    """Of an OMITTED: why there is no content."""


class FactKind(StrEnum):
    """What a key turned out to be."""

    REDIRECT = "redirect"
    FAILURE = "failure"
    CONTENT = "content"


class Fact(NamedTuple):
    """What is known of a key whose turn has been: where it redirected, why it failed, or that it was handed out."""

    kind: FactKind
    value: str = ""


class Facts(Protocol):
    """Where the facts are kept that turns have shown; they may be many, so a journal keeps them on disk."""

    def recall(self, key: str) -> Fact | None:
        """Return what is known of a key."""

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Keep what the turn of a position has shown of a key."""


class MemoryFacts:
    """Facts in memory."""

    def __init__(self) -> None:
        self._facts: dict[str, Fact] = {}

    def recall(self, key: str) -> Fact | None:
        """Return what is known of a key."""
        return self._facts.get(key)

    def keep(self, key: str, fact: Fact, position: int) -> None:
        """Keep what the turn of a position has shown of a key."""
        self._facts.setdefault(key, fact)


class ReadingOrder(Generic[Payload]):
    """A sequence of positions that is read in order, whatever order its outcomes arrive in.

    A position is first `expected`, with the key it asks for, and then gets exactly one outcome: `captured`,
    `redirected` or `omitted`. A key is fetched by one position only, its owner: who is expected with it
    first, or takes it by `claim` on being redirected to it. A position that is refused a key drops its request
    and is `redirected` there. In memory is only what is between a request and its turn; `kept` holds the rest.
    """

    def __init__(self, kept: Facts | None = None, start: int = 0) -> None:
        """Begin at the position `start`, with what earlier turns have shown in `kept`."""
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
        """Announce a position and the key that it asks for; whether it is the one to fetch the key.

        If not, another position owns the key, and the outcome is ``redirected(position, (), key)``.
        Raises ValueError if the position was announced before.
        """
        if position < self._next or position in self._asked:
            raise ValueError(f"position {position} was expected before")
        self._asked[position] = key
        self._trails[position] = []
        return self.claim(key, position)

    def claim(self, key: str, position: int) -> bool:
        """Take a key that the position was redirected to; False if another position has taken it.

        Then the request is to be dropped, and the outcome is `redirected`. False as well if the position
        itself has left the key before, which closes a loop; but a key may redirect to itself, to set a
        cookie or to add a fragment, as often as the caller likes.
        """
        self._check_open(position)
        if self._is_claimed(key):
            return self._trails[position][-1:] == [key]
        self._owners[key] = position
        self._trails[position].append(key)
        return True

    def record_content(self, position: int, url_key: str, hops: tuple[str, ...], payload: Payload) -> None:
        """The position's request was answered with content at ``url_key``, after redirects at ``hops``."""
        self._settle(position, (*hops, url_key))
        if self._fact(url_key) is None:
            self._payloads.setdefault(url_key, payload)

    def record_redirect(self, position: int, hops: tuple[str, ...], target_key: str) -> None:
        """The position's request was dropped on its way to ``target_key``, which was claimed before.

        Raises ValueError if nobody has claimed it, since nobody would then ever answer for it.
        """
        if not self._is_claimed(target_key):
            raise ValueError(f"position {position} waits for {target_key}, which no position has claimed")
        self._settle(position, (*hops, target_key))

    def record_failure(self, position: int, reason: str) -> None:
        """The position's request ended without content, at the key that it claimed last."""
        self._check_open(position)
        trail = self._trails[position]
        if trail:
            self._settle(position, tuple(trail))
            if self._fact(trail[-1]) is None:
                self._facts[trail[-1]] = Fact(FactKind.FAILURE, reason)
        else:  # it was refused the key that it asked for, so the key's answer is another's
            self._settle(position, (self._asked[position],))
            self._refused[position] = reason

    def ready(self) -> Iterator[Turn[Payload]]:
        """The turns that have become possible, strictly in the order of positions."""
        while self._next in self._settled:
            turn = self._turn(self._next)
            if turn is None:
                return
            self._forget(self._next, (*turn.hops, turn.key))
            self._next += 1
            yield turn

    @property
    def unsettled(self) -> tuple[int, ...]:
        """The expected positions that have no outcome yet, in order."""
        return tuple(sorted(self._asked.keys() - self._settled))

    @property
    def waiting(self) -> int:
        """How many positions are expected and have not had their turn."""
        return len(self._asked)

    def _fact(self, key: str) -> Fact | None:
        return self._facts.get(key) or self._kept.recall(key)

    def _is_claimed(self, key: str) -> bool:
        return key in self._owners or self._kept.recall(key) is not None

    def _turn(self, position: int) -> Turn[Payload] | None:
        """The turn of a position with an outcome; None while a key on its way is without an answer."""
        key = self._asked[position]
        if position in self._refused:
            return Turn(position, TurnKind.SKIPPED, (), key, reason=self._refused[position])
        hops: list[str] = []
        while (fact := self._fact(key)) is not None and fact.kind is FactKind.REDIRECT:
            if key in hops:
                return Turn(position, TurnKind.SKIPPED, tuple(hops), key, reason=REDIRECT_LOOP)
            hops.append(key)
            key = fact.value
        if fact is not None and fact.kind is FactKind.FAILURE:
            return Turn(position, TurnKind.SKIPPED, tuple(hops), key, reason=fact.value)
        if fact is not None:
            return Turn(position, TurnKind.ALIAS, tuple(hops), key)
        if key in self._payloads:
            self._facts[key] = Fact(FactKind.CONTENT)
            return Turn(position, TurnKind.PAGE, tuple(hops), key, payload=self._payloads.pop(key))
        return None

    def _settle(self, position: int, way: tuple[str, ...]) -> None:
        """Keep what each key of a position's way led to; one that redirects to itself leads nowhere new."""
        self._check_open(position)
        if way[0] != self._asked[position]:
            raise ValueError(f"position {position} asked for {self._asked[position]}, not for {way[0]}")
        for key, following in pairwise(way):
            if key != following and key not in self._payloads and self._fact(key) is None:
                self._facts[key] = Fact(FactKind.REDIRECT, following)
        for key in way:
            if not self._is_claimed(key):
                self._owners[key] = position
        self._settled.add(position)

    def _check_open(self, position: int) -> None:
        if position not in self._asked:
            raise ValueError(f"position {position} is not expected")
        if position in self._settled:
            raise ValueError(f"position {position} has its outcome")

    def _forget(self, position: int, way: tuple[str, ...]) -> None:
        """Let go of a position; what its turn has shown of the keys on its way goes where facts are kept."""
        for key in way:
            fact = self._facts.pop(key, None)
            if fact is not None:
                self._kept.keep(key, fact, position)
                self._owners.pop(key, None)
        del self._asked[position], self._trails[position]
        self._settled.discard(position)
        self._refused.pop(position, None)
