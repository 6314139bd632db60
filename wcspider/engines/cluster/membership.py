"""The Dask workers of a cluster that a crawl uses: those that joined and were accepted, without those that left."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wcspider.engines.cluster.ending import ClusterLostError, Ending, MemberLostError
from wcspider.engines.cluster.member import Counts, Member, RefusedError
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import one_line

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""The interval at which the scheduler is asked for its workers."""

SILENCE_SECONDS = 30.0
"""How long the scheduler may take to answer that."""

HANDSHAKES = 32
"""How many Dask workers are greeted at once, so that a large cluster does not keep its scheduler from answering."""

RUNNING = "running"
"""The status of Dask's client while it is connected to the scheduler."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The conditions of the work, the same for all Dask workers of a crawl."""

    fingerprint: Mapping[str, str]
    """The versions and fonts of the coordinator."""

    limits: WorkerLimits
    warm_up: Callable[[], object]
    system_fonts: bool
    wait: float
    """For how many seconds the crawl waits while it has no worker."""

    calls: int
    """How many calls may be made at once, because each has a connection to the scheduler."""


class Membership:
    """The accepted Dask workers. `watch` follows joins and leaves, and notices the loss of the scheduler."""

    def __init__(self, client: Any, terms: Terms, counts: Counts) -> None:
        self.members: dict[str, Member] = {}
        self.ending = Ending()
        self._client = client
        self._terms = terms
        self._counts = counts
        self._known: dict[str, asyncio.Task[None]] = {}
        """The handshakes by address, with those of Dask workers that were refused or given up."""

        self._greetings = asyncio.Semaphore(HANDSHAKES)
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._alone_since = time.monotonic()

    @property
    def in_flight(self) -> int:
        """The number of calls that Dask workers have been given."""
        return sum(member.in_flight for member in self.members.values())

    async def watch(self) -> None:
        """Follow joins and leaves until the cluster is lost."""
        while not self.ending.has_come:
            try:
                await self.look()
            except Exception as error:  # without a watch, the loss of the scheduler would not be noticed
                self._lose(one_line(error))
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Ask the scheduler for its workers once."""
        present = await self._present()
        for address in self._known.keys() - present.keys():
            self._known.pop(address).cancel()
            if address in self.members:
                self.leave(self.members[address], "its connection ended")
        for address in present.keys() - self._known.keys():
            self._known[address] = asyncio.ensure_future(self._welcome(address, present[address]))
        if not self.members and time.monotonic() - self._alone_since > self._terms.wait:
            self._lose(f"no worker that can be used for {self._terms.wait:g} seconds")

    async def place(self) -> Member:
        """Return the Dask worker with the least load, for one more call; wait until one has a place.

        The caller gives the place back with `give_back`.
        """
        while (member := self._least_loaded()) is None:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await self.ending.before(waiter)
            except BaseException:
                if waiter.done() and not waiter.cancelled():
                    self._wake(1)
                raise
        member.in_flight += 1
        return member

    def give_back(self, member: Member) -> None:
        """Take back the place of a call that is over."""
        member.in_flight -= 1
        self._wake(1)

    def leave(self, member: Member, reason: str) -> None:
        """Use a Dask worker no longer; its calls raise `MemberLostError`."""
        if self.members.pop(member.address, None) is None:
            return
        self._counts.lost += 1
        if not self.members:
            self._alone_since = time.monotonic()
        logger.warning(
            "Cluster: lost the worker %s: %s (%d calls go to other workers)", member.address, reason, member.in_flight
        )
        member.ending.come(lambda: MemberLostError(f"{member.address}: {reason}"))

    def forget(self, member: Member) -> None:
        """Greet a Dask worker with the same address again."""
        self._known.pop(member.address, None)

    def end(self, error: Callable[[], Exception]) -> None:
        """Give up the cluster; all calls raise the error that a function makes."""
        self.ending.come(error)
        for member in self.members.values():
            member.ending.come(error)
        for handshake in self._known.values():
            handshake.cancel()

    def _lose(self, reason: str) -> None:
        """Give up the cluster for a reason."""
        self.end(lambda: ClusterLostError(reason))

    async def _present(self) -> Mapping[str, int]:
        """Return the threads of all Dask workers by address; give up the cluster if the scheduler does not answer."""
        if self._client.status != RUNNING:
            self._lose("the connection to the scheduler ended")
        try:
            self.ending.check()
            async with asyncio.timeout(SILENCE_SECONDS):
                present: Mapping[str, int] = await self._client.scheduler.ncores()
        except TimeoutError:
            self._lose(f"the scheduler did not answer for {SILENCE_SECONDS:g} seconds")
        except OSError as error:  # also all errors of Dask's connections
            self._lose(f"the connection to the scheduler ended ({one_line(error)})")
        else:
            return present
        self.ending.check()
        raise AssertionError("the cluster is lost")

    async def _welcome(self, address: str, threads: int) -> None:
        """Accept a Dask worker that joined, or refuse it with one line."""
        member = Member(self._client, address, threads, self._counts)
        terms = self._terms
        try:
            async with self._greetings:
                await member.accept(terms.fingerprint, terms.limits, terms.warm_up, system_fonts=terms.system_fonts)
        except RefusedError as error:
            self._refuse(address, str(error))
        except Exception as error:  # the Dask worker raises whatever goes wrong there, such as a missing package
            self._refuse(address, f"it cannot run wcspider ({one_line(error)})")
        else:
            self.members[address] = member
            logger.info("Cluster: the worker %s joined; processes: %d", address, threads)
            self._wake(member.places)

    def _refuse(self, address: str, reason: str) -> None:
        """Leave out a Dask worker for as long as it runs."""
        self._counts.refused += 1
        logger.warning("Cluster: refused the worker %s: %s", address, reason)

    def _least_loaded(self) -> Member | None:
        """Return the Dask worker with the least load, None if all places are taken."""
        self.ending.check()
        if self.in_flight >= self._terms.calls:
            return None
        member = min(self.members.values(), key=lambda found: found.load, default=None)
        return member if member is not None and member.in_flight < member.places else None

    def _wake(self, places: int) -> None:
        """Let calls that wait look for a place again, as many as there are new places."""
        while places and self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                places -= 1
