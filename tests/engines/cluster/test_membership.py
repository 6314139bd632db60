"""The places of the accepted workers, without a cluster."""

from __future__ import annotations

import asyncio
import os

from wcspider.engines.cluster.member import Counts, Member
from wcspider.engines.cluster.membership import Membership, Terms
from wcspider.engines.workers.process import WorkerLimits


def test_a_call_waits_while_as_many_are_made_as_there_may_be_connections() -> None:
    async def use() -> list[str]:
        terms = Terms({}, WorkerLimits(60.0), os.getpid, system_fonts=False, wait=60.0, calls=3)
        membership = Membership(None, terms, Counts())
        for name in ("first", "second"):
            membership.members[name] = Member(None, name, 8, Counts())
        taken = [await membership.place() for _ in range(3)]
        fourth = asyncio.ensure_future(membership.place())
        await asyncio.wait([fourth], timeout=0.05)
        assert not fourth.done()
        membership.give_back(taken[1])
        return [member.address for member in (*taken, await fourth)]

    assert asyncio.run(use()) == ["first", "second", "first", "second"]
