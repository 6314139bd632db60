"""The order in which calls get the slots of a pool."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.workers.call_slots import MOST_OVERTAKEN, STEP_BYTES, Slots


def order(sizes: Sequence[int], slots: int = 1, cancelled: Sequence[int] = ()) -> list[int]:
    """The numbers of calls in the order in which they are made, if all of them ask while the slots are taken."""

    async def run() -> list[int]:
        found: list[int] = []
        places = Slots(slots)

        async def call(number: int, size: int) -> None:
            async with places.one(size):
                found.append(number)
                await asyncio.sleep(0)

        first = [asyncio.create_task(call(-1, 0)) for _ in range(slots)]
        calls = [asyncio.create_task(call(number, size)) for number, size in enumerate(sizes)]
        await asyncio.sleep(0)
        for number in cancelled:
            calls[number].cancel()
        await asyncio.gather(*first, *calls, return_exceptions=True)
        async with asyncio.timeout(10):  # all slots are free again
            async with places.one(0):
                assert places._taken == 1
        return found[slots:]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([0, 1, 2], [0, 1, 2]),
        ([STEP_BYTES - 1] * 3, [0, 1, 2]),
        ([0, 0, 0, 2 * STEP_BYTES], [0, 1, 3, 2]),
        ([0, 0, 10 * STEP_BYTES, 5 * STEP_BYTES], [2, 3, 0, 1]),
    ],
)
def test_large_inputs_overtake(sizes: list[int], expected: list[int]) -> None:
    assert order(sizes) == expected


def test_no_call_waits_for_all_large_inputs() -> None:
    made = order([0] + [10**9] * 2 * MOST_OVERTAKEN)
    assert made.index(0) == MOST_OVERTAKEN - 1


@given(st.lists(st.integers(0, 100 * STEP_BYTES), max_size=12), st.integers(1, 3), st.data())
def test_each_call_gets_a_slot_unless_it_is_cancelled(sizes: list[int], slots: int, data: st.DataObject) -> None:
    cancelled = data.draw(st.lists(st.sampled_from(range(len(sizes))), unique=True)) if sizes else []
    made = order(sizes, slots, cancelled)
    assert sorted({*made, *cancelled}) == list(range(len(sizes)))
    assert len(made) == len(set(made))


def test_slots_that_come_and_go() -> None:
    async def run() -> list[list[int]]:
        places, made, steps = Slots(0), list[int](), list[list[int]]()
        ends = [asyncio.Event() for _ in range(4)]

        async def call(number: int) -> None:
            async with places.one(0):
                made.append(number)
                await ends[number].wait()

        async def note() -> None:
            for _ in range(3):
                await asyncio.sleep(0)
            steps.append(list(made))

        calls = [asyncio.create_task(call(number)) for number in range(4)]
        await note()
        places.resize(2)
        await note()
        places.resize(1)
        ends[0].set()
        await note()
        ends[1].set()
        await note()
        places.close(KeyError)
        ends[2].set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(result) for result in results] == [type(None)] * 3 + [KeyError]
        with pytest.raises(KeyError):
            await call(0)
        return steps

    assert asyncio.run(run()) == [[], [0, 1], [0, 1], [0, 1, 2]]
