"""webcapture/order.py: the reading order of outcomes that arrive in any order."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wcspider.webcapture.order import REDIRECT_LOOP, MemoryFacts, ReadingOrder, Turn, TurnKind

PAGE, ALIAS, SKIPPED = TurnKind.PAGE, TurnKind.ALIAS, TurnKind.SKIPPED


def test_pages_come_in_order_of_positions() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    assert order.announce(1, "b")
    assert order.announce(0, "a")
    order.record_content(1, "b", (), "B")
    assert list(order.ready()) == []
    assert order.waiting == 2
    order.record_content(0, "a", (), "A")
    assert list(order.ready()) == [Turn(0, PAGE, (), "a", "A"), Turn(1, PAGE, (), "b", "B")]
    assert order.waiting == 0
    assert list(order.ready()) == []


def test_a_redirect_to_a_later_page_takes_it_over() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.announce(1, "b")
    assert not order.claim("b", 0)
    order.record_redirect(0, ("a",), "b")
    assert list(order.ready()) == []
    order.record_content(1, "b", (), "B")
    assert list(order.ready()) == [Turn(0, PAGE, ("a",), "b", "B"), Turn(1, ALIAS, (), "b")]


def test_a_page_that_a_redirect_reached_first_is_an_alias_of_it() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    assert order.claim("b", 0)
    assert not order.announce(1, "b")
    order.record_redirect(1, (), "b")
    order.record_content(0, "b", ("a",), "B")
    assert list(order.ready()) == [Turn(0, PAGE, ("a",), "b", "B"), Turn(1, ALIAS, (), "b")]


def test_the_hops_of_the_owner_from_the_target_on_are_taken_over() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    for position, key in enumerate("ax"):
        order.announce(position, key)
    assert all([order.claim("m", 1), order.claim("n", 1)])
    order.record_redirect(0, ("a",), "m")
    order.record_content(1, "n", ("x", "m"), "N")
    assert list(order.ready()) == [Turn(0, PAGE, ("a", "m"), "n", "N"), Turn(1, ALIAS, ("x", "m"), "n")]


@pytest.mark.parametrize("first", [0, 1])
def test_a_circle_of_positions_is_a_loop_for_each(first: int) -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.announce(1, "b")
    for position in (first, 1 - first):
        own, other = ("a", "b") if position == 0 else ("b", "a")
        assert not order.claim(other, position)
        order.record_redirect(position, (own,), other)
    assert list(order.ready()) == [
        Turn(0, SKIPPED, ("a", "b"), "a", reason=REDIRECT_LOOP),
        Turn(1, SKIPPED, ("b", "a"), "b", reason=REDIRECT_LOOP),
    ]


def test_a_position_that_comes_back_to_a_key_it_has_left_is_refused_it() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    assert order.claim("b", 0)
    assert not order.claim("a", 0)
    assert order.way(0) == ("a", "b")
    order.record_redirect(0, ("a", "b"), "a")
    assert list(order.ready()) == [Turn(0, SKIPPED, ("a", "b"), "a", reason=REDIRECT_LOOP)]


def test_a_key_may_redirect_to_itself() -> None:
    """Sites do so to set a cookie; the second answer is the page."""
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    assert order.claim("b", 0)
    assert order.claim("b", 0)
    order.record_content(0, "b", ("a", "b"), "B")
    assert list(order.ready()) == [Turn(0, PAGE, ("a",), "b", "B")]


def test_redirects_that_were_followed_without_a_claim() -> None:
    # A middleware of another project may follow redirects itself.
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.record_content(0, "c", ("a", "b"), "C")
    assert not order.announce(1, "b")
    order.record_redirect(1, (), "b")
    assert list(order.ready()) == [Turn(0, PAGE, ("a", "b"), "c", "C"), Turn(1, ALIAS, ("b",), "c")]


def test_a_key_with_content_does_not_become_a_redirect() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.announce(1, "b")
    order.record_content(1, "b", (), "B")
    order.record_content(0, "c", ("a", "b"), "C")
    assert list(order.ready()) == [Turn(0, PAGE, ("a",), "b", "B"), Turn(1, ALIAS, (), "b")]


def test_a_redirect_to_an_omitted_page_names_its_reason() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.announce(1, "b")
    order.record_redirect(0, ("a",), "b")
    order.record_failure(1, "HTTP 404")
    assert list(order.ready()) == [
        Turn(0, SKIPPED, ("a",), "b", reason="HTTP 404"),
        Turn(1, SKIPPED, (), "b", reason="HTTP 404"),
    ]


def test_a_failure_after_redirects_is_that_of_the_last_key() -> None:
    order: ReadingOrder[str] = ReadingOrder()
    order.announce(0, "a")
    order.claim("b", 0)
    order.record_failure(0, "timeout")
    assert list(order.ready()) == [Turn(0, SKIPPED, ("a",), "b", reason="timeout")]


def test_a_position_can_be_omitted_without_the_key_that_another_fetches() -> None:
    kept = MemoryFacts()
    order: ReadingOrder[str] = ReadingOrder(kept)
    order.announce(0, "a")
    assert not order.announce(1, "a")
    order.record_failure(1, "robots.txt")
    order.record_content(0, "a", (), "A")
    assert list(order.ready()) == [
        Turn(0, PAGE, (), "a", "A"),
        Turn(1, SKIPPED, (), "a", reason="robots.txt"),
    ]
    assert vars(order) == vars(ReadingOrder(kept, start=2))  # nothing about past turns stays in memory


class Fragment:
    """A payload that can be watched."""


def test_payloads_are_let_go() -> None:
    order: ReadingOrder[Fragment] = ReadingOrder()
    order.announce(0, "a")
    payload = Fragment()
    watched = weakref.ref(payload)
    order.record_content(0, "a", (), payload)
    del payload
    assert [turn.kind for turn in order.ready()] == [PAGE]
    gc.collect()
    assert watched() is None


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda order: order.announce(0, "z"), "position 0 was announced before"),
        (lambda order: order.announce(1, "z"), "position 1 was announced before"),
        (lambda order: order.record_content(7, "z", (), ""), "position 7 was not announced"),
        (lambda order: order.claim("z", 7), "position 7 was not announced"),
        (lambda order: order.record_failure(7, "HTTP 404"), "position 7 was not announced"),
        (lambda order: order.record_failure(2, "again"), "position 2 already has an outcome"),
        (lambda order: order.record_redirect(1, ("b",), "z"), "no position has claimed"),
        (lambda order: order.record_content(1, "z", ("y",), ""), "requested b, not y"),
    ],
)
def test_what_callers_must_not_do(call, problem: str) -> None:
    order: ReadingOrder[str] = ReadingOrder()
    for position, key in enumerate("abc"):
        order.announce(position, key)
    order.record_content(0, "a", (), "A")
    assert [turn.position for turn in order.ready()] == [0]
    order.record_content(2, "c", (), "C")
    with pytest.raises(ValueError, match=problem):
        call(order)


@dataclass
class Site:
    """The result of each key (the page itself, another key, or a failure), and the keys that positions request."""

    answers: dict[str, str]
    asked: list[str]

    def turns(self) -> Iterator[Turn[str]]:
        """Return the expected order, computed without a network."""
        seen: set[str] = set()
        for position, key in enumerate(self.asked):
            hops: list[str] = []
            while self.answers[key] in self.answers and self.answers[key] != key and key not in hops:
                hops.append(key)
                key = self.answers[key]
            if key in hops:
                yield Turn(position, SKIPPED, tuple(hops), key, reason=REDIRECT_LOOP)
            elif self.answers[key] != "page":
                reason = TOO_MANY if self.answers[key] == key else self.answers[key]
                yield Turn(position, SKIPPED, tuple(hops), key, reason=reason)
            elif key in seen:
                yield Turn(position, ALIAS, tuple(hops), key)
            else:
                seen.add(key)
                yield Turn(position, PAGE, tuple(hops), key, payload=f"content of {key}")


@dataclass
class Crawl:
    """A crawl of a site whose requests are answered in the order that ``random`` chooses."""

    site: Site
    random: Random
    order: ReadingOrder[str] = field(default_factory=ReadingOrder)
    active: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def turns(self, window: int) -> Iterator[Turn[str]]:
        """Run, with at most ``window`` requests at a time; announce positions in any order within it."""
        waiting = list(enumerate(self.site.asked))
        while waiting or self.active:
            if waiting and (not self.active or (len(self.active) < window and self.random.random() < 0.5)):
                position, key = waiting.pop(self.random.randrange(min(window, len(waiting))))
                if self.order.announce(position, key):
                    self.active[position] = (key,)
                else:
                    self.order.record_redirect(position, (), key)
            else:
                self.answer(self.random.choice(list(self.active)))
            yield from self.order.ready()

    def answer(self, position: int) -> None:
        *hops, key = way = self.active.pop(position)
        answer = self.site.answers[key]
        if answer == "page":
            self.order.record_content(position, key, tuple(hops), f"content of {key}")
        elif answer not in self.site.answers:
            self.order.record_failure(position, answer)
        elif answer == key:
            assert self.order.claim(key, position)
            self.order.record_failure(position, TOO_MANY)
        elif self.order.claim(answer, position):
            self.active[position] = (*way, answer)
        else:
            self.order.record_redirect(position, way, answer)


TOO_MANY = "too many redirects"
KEYS = "abcdefgh"
SITES = st.builds(
    Site,
    st.fixed_dictionaries({key: st.sampled_from(["page", "page", "HTTP 404", "timeout", *KEYS]) for key in KEYS}),
    st.lists(st.sampled_from(KEYS), max_size=10),
)
CHAIN = Site(dict(zip("abcdefgh", ["b", "c", "d", "page", "f", "g", "e", "HTTP 404"], strict=True)), list("dcbaefgh"))


@given(SITES, st.randoms(use_true_random=False), st.integers(1, 10))
@example(CHAIN, Random(1), 8)
def test_turns_do_not_depend_on_the_order_of_arrival(site: Site, random: Random, window: int) -> None:
    expected = list(site.turns())
    assert list(Crawl(site, Random(0)).turns(window=1)) == expected
    kept = MemoryFacts()
    crawl = Crawl(site, random, ReadingOrder(kept))
    assert list(crawl.turns(window)) == expected
    # Nothing about past turns stays in memory.
    assert vars(crawl.order) == vars(ReadingOrder(kept, start=len(site.asked)))
