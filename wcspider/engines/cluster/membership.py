"""The Dask workers of a cluster that a crawl uses: those that joined and were accepted, without those that left."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from wcspider.engines.cluster.attachments import PackedCall
from wcspider.engines.cluster.member import Counts, Member, Terms
from wcspider.engines.cluster.node import Answer
from wcspider.engines.workers.call_slots import Slots
from wcspider.exceptions import WorkersStoppedError, one_line

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""The interval at which the scheduler is asked for its workers."""

SILENCE_SECONDS = 30.0
"""How long the scheduler may take to answer that."""

STATUS_SECONDS = 0.1
"""The interval at which the connection to the scheduler is looked at while it is asked."""

HANDSHAKES = 32
"""How many Dask workers are compared and accepted at once, so that the scheduler of a large cluster still answers."""

RUNNING = "running"
"""The status of Dask's client while it is connected to the scheduler."""


class MemberLostError(Exception):
    """A Dask worker died, left, or does not answer."""


class ClusterLostError(Exception):
    """The scheduler is gone, or no worker can be used."""


class Membership:
    """The accepted Dask workers. `watch` follows joins and leaves, and notices the loss of the scheduler."""

    def __init__(self, client: Any, terms: Terms, counts: Counts, *, wait: float, calls: int) -> None:
        """Wait for up to `wait` seconds while there is no worker.

        At most `calls` are made at once, because each has a connection to the scheduler.
        """
        self.members: dict[str, Member] = {}
        self.dashboard = "" if client is None else str(client.dashboard_link)
        """The address of Dask's dashboard."""

        self._client = client
        self._terms = terms
        self._counts = counts
        self._wait = wait
        self._calls = calls
        self._places = Slots(0)
        self._is_over = False
        self._known: dict[str, asyncio.Task[None]] = {}
        """The handshakes by address, with those of Dask workers that were refused or given up."""

        self._greetings = asyncio.Semaphore(HANDSHAKES)
        self._alone_since = time.monotonic()

    @property
    def in_flight(self) -> int:
        """The number of calls that Dask workers have been given."""
        return sum(member.in_flight for member in self.members.values())

    async def watch(self) -> None:
        """Follow joins and leaves until the cluster is lost."""
        while not self._is_over:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Ask the scheduler for its workers once, and give up the cluster if there is no answer."""
        try:
            present = await self._present()
        except Exception as error:  # without a watch, the loss of the scheduler would not be noticed
            self._lose(str(error) if isinstance(error, ClusterLostError) else one_line(error))
            return
        for address in self._known.keys() - present.keys():
            self._known.pop(address).cancel()
            if address in self.members:
                self.leave(self.members[address], "its connection ended")
        for address in present.keys() - self._known.keys():
            self._known[address] = asyncio.ensure_future(self._welcome(address, present[address]))
        if not self.members and time.monotonic() - self._alone_since > self._wait:
            self._lose(f"no worker that can be used for {self._wait:g} seconds")

    @asynccontextmanager
    async def place(self, size: int) -> AsyncIterator[Member]:
        """Lend the Dask worker with the least load for a call whose input has a size in bytes."""
        while True:
            async with self._places.one(size):
                member = min(self.members.values(), key=lambda found: found.load, default=None)
                if member is None or member.in_flight >= member.places:
                    continue  # a Dask worker left just before
                self._counts.most_workers = max(self._counts.most_workers, len(self.members))
                member.in_flight += 1
                try:
                    yield member
                finally:
                    member.in_flight -= 1
                return

    async def answer(self, member: Member, call: PackedCall) -> Answer:
        """Return the answer of a Dask worker. Raise `MemberLostError` if there is none."""
        try:
            answer = await member.call(call)
        except (MemberLostError, ClusterLostError, WorkersStoppedError):
            raise
        except Exception as error:  # of Dask, whose reason the scheduler knows, or will know soon
            await self.look()
            if not await member.is_alive():
                self.leave(member, one_line(error))
            raise MemberLostError(f"{member.address}: {one_line(error)}") from error
        if answer.is_unknown:
            self.leave(member, "it was started again")
            self._known.pop(member.address, None)  # it is greeted again
            raise MemberLostError(f"{member.address}: it was started again")
        return answer

    def leave(self, member: Member, reason: str) -> None:
        """Use a Dask worker no longer; its calls raise `MemberLostError`."""
        if self.members.pop(member.address, None) is None:
            return
        self._count_places()
        self._counts.lost += 1
        if not self.members:
            self._alone_since = time.monotonic()
        logger.warning(
            "Cluster: lost the worker %s: %s (%d calls go to other workers)", member.address, reason, member.in_flight
        )
        member.end(MemberLostError(f"{member.address}: {reason}"))

    def end(self, error: Callable[[], Exception]) -> None:
        """Give up the cluster; all calls raise the error that a function makes."""
        self._is_over = True
        self._places.close(error)
        for member in self.members.values():
            member.end(error())
        for handshake in self._known.values():
            handshake.cancel()

    def _lose(self, reason: str) -> None:
        """Give up the cluster for a reason."""
        if not self._is_over:
            self.end(lambda: ClusterLostError(reason))

    async def _present(self) -> Mapping[str, int]:
        """Return the threads of all Dask workers by address.

        Raise `ClusterLostError` if the scheduler does not answer.
        """
        # Dask tries for half a minute to connect to a scheduler that is gone, but its client notices the loss at once.
        asking = asyncio.ensure_future(self._client.scheduler.ncores())
        end = time.monotonic() + SILENCE_SECONDS
        try:
            while not asking.done():
                if self._client.status != RUNNING:
                    raise ClusterLostError("the connection to the scheduler ended")
                if time.monotonic() > end:
                    raise ClusterLostError(f"the scheduler did not answer for {SILENCE_SECONDS:g} seconds")
                await asyncio.wait([asking], timeout=STATUS_SECONDS)
            present: Mapping[str, int] = await asking
            return present
        except OSError as error:  # also all errors of Dask's connections
            raise ClusterLostError(f"the connection to the scheduler ended ({one_line(error)})") from error
        finally:
            asking.cancel()

    async def _welcome(self, address: str, threads: int) -> None:
        """Accept a Dask worker that joined, or refuse it with one line for as long as it runs."""
        member = Member(self._client, address, threads, self._counts)
        async with self._greetings:
            reason = await member.refusal(self._terms)
        if reason:
            self._counts.refused += 1
            logger.warning("Cluster: refused the worker %s: %s", address, reason)
        else:
            self.members[address] = member
            self._count_places()
            logger.info("Cluster: the worker %s joined; processes: %d", address, threads)

    def _count_places(self) -> None:
        """Let as many calls be made as the members have places."""
        self._places.resize(min(self._calls, sum(member.places for member in self.members.values())))
