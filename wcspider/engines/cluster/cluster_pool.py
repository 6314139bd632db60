"""The cluster as a pool: the interface of `WorkerPool`, with the processes of other machines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from wcspider.engines.cluster.attachments import PackedCall, packed
from wcspider.engines.cluster.cluster_settings import STOP, ClusterSettings
from wcspider.engines.cluster.ending import ClusterLostError, CrawlUnknownError, Ending, MemberLostError
from wcspider.engines.cluster.member import Counts, Member
from wcspider.engines.cluster.membership import Membership
from wcspider.engines.cluster.node import Answer
from wcspider.engines.cluster.scheduler_link import SchedulerLink
from wcspider.engines.pool import ATTEMPTS, WorkerPool
from wcspider.engines.workers.pool_interface import Effort, P, Pool, T
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import EngineCrashedError, WorkersError, WorkersFailedError, WorkersStoppedError, one_line

logger = logging.getLogger(__name__)

DEATHS = 3
"""How many Dask workers may be lost during a call before the call is blamed for it."""

TRANSFER_SECONDS = 60.0
"""How much longer than its processes need a Dask worker may take for a call."""

LATE_ANSWERS = 10
"""For how many times its time limit a call waits for a Dask worker that is busy."""

RETURN_PAUSES = (5.0, 10.0, 20.0, 40.0, 80.0, *[160.0] * 15)
"""The seconds before each attempt to use a lost cluster again, about three quarters of an hour in total."""

CANCELLATION_SECONDS = 0.5
"""How long the cancellation of a task may take before the task is cancelled again."""

ADVICE = "start the scheduler and its workers, see docs/scale.md; then repeat the command to go on"


class ClusterPool(Pool):
    """A pool whose workers are those of a Dask cluster. It connects with the first call.

    A call is blamed for the third Dask worker that is lost during it.
    `spare` makes the pool on this machine that takes over when the cluster is lost, until the cluster is back.
    """

    def __init__(
        self,
        settings: ClusterSettings,
        limits: WorkerLimits,
        warm_up: Callable[[], object],
        spare: Callable[[], WorkerPool],
        *,
        system_fonts: bool,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._limits = limits
        self._counts = Counts()
        self._new_link = partial(SchedulerLink, settings, limits, warm_up, self._counts, system_fonts=system_fonts)
        self._link = self._new_link()
        self._connecting: asyncio.Task[Membership] | None = None
        self._membership: Membership | None = None
        self._returning: asyncio.Task[None] | None = None
        self._make_spare = spare
        self._spare: WorkerPool | None = None
        self._loss = ""
        """Why the cluster is lost; empty while it is used."""

        self._losses: list[str] = []
        self._dashboard = ""
        self._stopping = Ending()
        self._most_patience = 1.0
        self._made = self._repeated = self._most_workers = 0

    def start_ahead(self, workers: int) -> None:
        """Do nothing: the workers of a cluster are started by others."""

    def phrases(self) -> list[str]:
        """Return the state of the cluster as phrases."""
        members = self._membership
        if self._loss:
            return ["cluster lost"]
        if members is None:
            return ["no cluster yet"]
        return [
            _counted(len(members.members), "cluster worker"),
            f"{members.in_flight} in flight",
            f"{self._repeated} repeated",
            f"{self._counts.lost} lost",
        ]

    def summary(self) -> list[str]:
        """Return the lines about the cluster for the summary."""
        members = self._membership
        if members is None:
            return [f"Cluster: not used ({self._loss})"] if self._loss else []
        total = self._counts
        workers = f"{_counted(self._most_workers, 'worker')}, {total.lost} lost, {total.refused} refused"
        calls = f"{_counted(self._made, 'call')}, {self._repeated} repeated"
        sent = f"{total.bytes_sent / 1e6:.1f} MB of attachments sent"
        lines = [f"Cluster: {workers}; {calls}, {sent}; dashboard: {self._dashboard}"]
        if self._loss:
            lines.append(f"Cluster: lost during the crawl ({self._loss})")
        elif self._losses:
            lines.append(f"Cluster: lost and used again during the crawl ({'; '.join(self._losses)})")
        return lines

    async def run_sized(self, effort: Effort, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function as `run` does, with the time limit and the place among other calls that its effort needs."""
        with self._accepted():
            self._most_patience = max(self._most_patience, effort.patience)
            if not self._loss:
                link = self._link
                try:
                    return cast(T, await self._called(packed(function, args, kwargs, effort.patience)))
                except ClusterLostError as error:
                    self._give_up(link, str(error))
            return await self._spare_pool().run_sized(effort, function, *args, **kwargs)

    async def stop(self) -> None:
        """Break off all calls at once: they raise `WorkersStoppedError`."""
        self._accept_no_more()
        self._stopping.come(WorkersStoppedError)
        if self._membership is not None:
            self._membership.end(WorkersStoppedError)
        if self._spare is not None:
            await self._spare.stop()
        await _cancelled(self._returning)
        await self._ended()
        if self._connecting is not None:
            await _cancelled(self._connecting)
            await self._link.close(is_lost=bool(self._loss))

    async def _called(self, call: PackedCall) -> object:
        """Have a Dask worker make a call; repeat the call elsewhere if the Dask worker is lost."""
        loss: MemberLostError | None = None
        losses = 0
        while losses < DEATHS:
            membership = await self._members()
            member = await membership.place()
            self._most_workers = max(self._most_workers, len(membership.members))
            try:
                answer = await self._answer(membership, member, call)
            except MemberLostError as error:
                loss = error
                losses += 1
                self._repeated += 1
                continue
            finally:
                membership.give_back(member)
            if isinstance(answer.error, WorkersError):  # not the fault of the page
                membership.leave(member, answer.error.problem)
                continue
            self._made += 1
            if answer.error is not None:
                raise answer.error
            return answer.value
        raise EngineCrashedError(f"{DEATHS} workers of the cluster were lost during the conversion ({loss})")

    async def _answer(self, membership: Membership, member: Member, call: PackedCall) -> Answer:
        """Return the answer of a Dask worker. Raise `MemberLostError` if there is none."""
        try:
            return await member.ending.before(self._in_time(member, call))
        except TimeoutError:
            membership.leave(member, f"no answer for {self._time_limit:g} seconds")
            raise MemberLostError(f"{member.address}: no answer") from None
        except CrawlUnknownError as error:
            membership.leave(member, str(error))
            membership.forget(member)
            raise
        except (MemberLostError, ClusterLostError, WorkersStoppedError):
            raise
        except Exception as error:  # of Dask, whose reason the scheduler knows, or will know soon
            await membership.look()
            if not await member.ending.before(member.is_alive()):
                membership.leave(member, one_line(error))
            raise MemberLostError(f"{member.address}: {one_line(error)}") from error

    async def _in_time(self, member: Member, call: PackedCall) -> Answer:
        """Return the answer of a Dask worker. Raise `TimeoutError` if it is late, and nothing else is heard either.

        A Dask worker may be busy with the pages of several crawls, so a late answer alone says little.
        """
        answering = asyncio.ensure_future(member.call(call))
        try:
            for _ in range(LATE_ANSWERS):
                done, _ = await asyncio.wait((answering,), timeout=self._time_limit)
                if done or not await member.is_alive():
                    break
            if not answering.done():
                raise TimeoutError
            return answering.result()
        finally:
            answering.cancel()

    @property
    def _time_limit(self) -> float:
        """The time limit of a call in seconds, with the wait for another call that was sent to the same processes."""
        calls = ATTEMPTS * self._limits.seconds * self._most_patience
        return 2 * (calls + self._limits.start_seconds) + TRANSFER_SECONDS

    async def _members(self) -> Membership:
        """Return the workers of the cluster; connect to it before the first call."""
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._connected())
        return await self._stopping.before(asyncio.shield(self._connecting))

    async def _connected(self) -> Membership:
        """Connect to the cluster. Raise `ClusterLostError` if that fails."""
        membership = await self._link.open()
        self._membership, self._dashboard = membership, self._link.dashboard
        return membership

    def _give_up(self, link: SchedulerLink, reason: str) -> None:
        """Note the loss of the cluster, unless another connection has taken the place of `link`."""
        if link is not self._link or self._loss or self._stopping.has_come:
            return
        self._loss = reason
        self._losses.append(reason)
        if self._settings.on_loss != STOP:
            logger.warning("Cluster: lost: %s. The crawl continues with processes of this machine", reason)
            self._returning = asyncio.ensure_future(self._return())

    async def _return(self) -> None:
        """Try to use the cluster again, with growing pauses."""
        await self._link.close(is_lost=True)
        for pause in RETURN_PAUSES:
            await asyncio.sleep(pause)
            if await self._is_back():
                await self._leave_spare()
                return
        logger.warning("Cluster: not reached again; the crawl continues with processes of this machine to its end")

    async def _is_back(self) -> bool:
        """Connect to the cluster, and tell whether it has a worker that can be used."""
        self._link = self._new_link()
        self._connecting = asyncio.ensure_future(self._connected())
        try:
            membership = await self._connecting
            membership.give_back(await membership.place())
        except Exception as error:  # whatever Dask raises, the crawl goes on without it
            logger.info("Cluster: still lost: %s", one_line(error))
            await self._link.close(is_lost=True)
            return False
        return True

    async def _leave_spare(self) -> None:
        """Use the cluster for all further calls; those that were begun on this machine end there."""
        logger.info("Cluster: used again after its loss (%s)", self._loss)
        self._loss = ""
        spare, self._spare = self._spare, None
        if spare is not None:
            try:
                await spare.close()
            finally:
                await spare.stop()

    def _spare_pool(self) -> WorkerPool:
        """Return the pool on this machine. Raise `WorkersFailedError` if the crawl must stop instead."""
        self._stopping.check()
        if self._settings.on_loss == STOP:
            raise WorkersFailedError(f"the cluster is lost: {self._loss}", ADVICE)
        if self._spare is None:
            self._spare = self._make_spare()
        return self._spare


def _counted(number: int, noun: str) -> str:
    """Return a number with a noun in the singular or the plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


async def _cancelled(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task, and wait for its end. Dask ignores a cancellation while it closes a connection."""
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCELLATION_SECONDS)
