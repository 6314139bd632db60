"""The places of the accepted workers, without a cluster."""

from __future__ import annotations

import asyncio
import os

import pytest

from wcspider.engines.cluster.member import Counts, Member, Terms
from wcspider.engines.cluster.membership import ClusterLostError, MemberLostError, Membership
from wcspider.engines.workers.call_slots import STEP_BYTES
from wcspider.engines.workers.process import WorkerLimits


class Call:
    """A call that holds its place until it is told to end."""

    def __init__(self, membership: Membership, size: int = 0) -> None:
        self.address = ""
        self._end = asyncio.Event()
        self.task = asyncio.ensure_future(self._run(membership, size))

    async def _run(self, membership: Membership, size: int) -> None:
        async with membership.place(size) as member:
            self.address = member.address
            await self._end.wait()

    async def end(self) -> None:
        self._end.set()
        await self.task


async def _membership(calls: int, **threads: int) -> Membership:
    """Dask workers that were accepted, by name, with their numbers of threads."""
    terms = Terms(WorkerLimits(60.0), os.getpid, system_fonts=False)
    membership = Membership(None, terms, Counts(), wait=60.0, calls=calls)
    for name, number in threads.items():
        membership.members[name] = Member(None, name, number, Counts())
    membership._count_places()
    return membership


async def _turns() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_call_waits_while_as_many_are_made_as_there_may_be_connections() -> None:
    async def use() -> list[str]:
        membership = await _membership(3, first=8, second=8)
        calls = [Call(membership) for _ in range(4)]
        await _turns()
        assert not calls[3].address
        await calls[1].end()
        await _turns()
        for call in (calls[0], *calls[2:]):
            await call.end()
        return [call.address for call in calls]

    assert asyncio.run(use()) == ["first", "second", "first", "second"]


def test_calls_with_large_inputs_overtake_others() -> None:
    async def use() -> list[bool]:
        membership = await _membership(1, only=1)
        first, small, large = Call(membership), Call(membership), Call(membership, 10 * STEP_BYTES)
        await _turns()
        await first.end()
        await _turns()
        found = [bool(small.address), bool(large.address)]
        await large.end()
        await small.end()
        return found

    assert asyncio.run(use()) == [False, True]


def test_calls_wait_for_the_places_that_are_left_after_a_loss() -> None:
    """A place that becomes free at the same time does not count if its Dask worker is the one that was lost."""

    async def use() -> list[str]:
        membership = await _membership(100, lost=1, left=1)
        calls = [Call(membership) for _ in range(4)]
        waiting = Call(membership)
        await _turns()
        assert sorted(call.address for call in calls) == ["left", "left", "lost", "lost"]
        of_lost = [call for call in calls if call.address == "lost"]
        of_left = [call for call in calls if call.address == "left"]
        of_lost[0]._end.set()
        membership.leave(membership.members["lost"], "killed")
        await _turns()
        assert of_lost[0].task.done()
        assert not waiting.address
        await of_lost[1].end()
        await _turns()
        assert not waiting.address
        await of_left[0].end()
        await _turns()
        await of_left[1].end()
        await waiting.end()
        return [waiting.address]

    assert asyncio.run(use()) == ["left"]


def test_the_end_reaches_calls_that_wait_and_calls_that_come_later() -> None:
    async def use() -> None:
        membership = await _membership(100)
        waiting = Call(membership)
        await _turns()
        membership.end(lambda: ClusterLostError("gone"))
        for call in (waiting, Call(membership)):
            with pytest.raises(ClusterLostError, match="gone"):
                await call.task

    asyncio.run(use())


def test_a_lost_worker_answers_no_more() -> None:
    class Client:
        async def run(self, *_: object, **__: object) -> None:
            await asyncio.sleep(60)

    async def use() -> None:
        member = Member(Client(), "lost", 1, Counts())
        waiting = asyncio.ensure_future(member._run(os.getpid))
        await _turns()
        member.end(MemberLostError("killed"))
        member.end(ClusterLostError("too late"))
        for call in (waiting, asyncio.ensure_future(member._run(os.getpid))):
            with pytest.raises(MemberLostError, match="killed"):
                await call
        assert not await member.is_alive()

    asyncio.run(use())
