"""The cluster as a pool: the interface of `WorkerPool`, with the processes of other machines."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import cast

from wcspider.engines.cluster.attachments import PackedCall, packed
from wcspider.engines.cluster.cluster_settings import STOP, ClusterSettings
from wcspider.engines.cluster.member import Counts, Terms
from wcspider.engines.cluster.membership import ClusterLostError, MemberLostError, Membership
from wcspider.engines.cluster.scheduler_link import SchedulerLink, cancelled
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.pool_interface import Effort, P, Pool, T
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import EngineCrashedError, WorkersError, WorkersFailedError, WorkersStoppedError, one_line
from wcspider.units import format_count, format_size

logger = logging.getLogger(__name__)

DEATHS = 3
"""How many Dask workers may be lost during a call before the call is blamed for it."""

RETURN_PAUSES = (5.0, 10.0, 20.0, 40.0, 80.0, *[160.0] * 15)
"""The seconds before each attempt to use a lost cluster again, about three quarters of an hour in total."""

ADVICE = "start the scheduler and its workers, see docs/scale.md in the sources; then repeat the command to continue"


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
        self._counts = Counts()
        self._new_link = partial(SchedulerLink, settings, Terms(limits, warm_up, system_fonts), self._counts)
        self._link = self._new_link()
        self._membership: Membership | None = None
        self._returning: asyncio.Task[None] | None = None
        self._make_spare = spare
        self._spare: WorkerPool | None = None
        self._losses: list[str] = []
        """Why the cluster was lost, each time."""

        self._is_lost = self._is_stopped = False

    def phrases(self) -> list[str]:
        """Return the state of the cluster as phrases."""
        members = self._membership
        if self._is_lost:
            return ["cluster lost"]
        if members is None:
            return ["no cluster yet"]
        return [
            format_count(len(members.members), "cluster worker"),
            f"{members.in_flight} in flight",
            f"{self._counts.repeated} repeated",
            f"{self._counts.lost} lost",
        ]

    def summary(self) -> list[str]:
        """Return the lines about the cluster for the summary."""
        if self._membership is None:
            return [f"Cluster: not used ({self._losses[-1]})"] if self._losses else []
        total = self._counts
        workers = f"{format_count(total.most_workers, 'worker')}, {total.lost} lost, {total.refused} refused"
        calls = f"{format_count(total.made, 'call')}, {total.repeated} repeated"
        sent = f"{format_size(total.bytes_sent)} of attachments sent"
        lines = [f"Cluster: {workers}; {calls}, {sent}; dashboard: {self._membership.dashboard}"]
        if self._is_lost:
            lines.append(f"Cluster: lost during the crawl ({self._losses[-1]})")
        elif self._losses:
            lines.append(f"Cluster: lost and used again during the crawl ({'; '.join(self._losses)})")
        return lines

    async def run_sized(self, effort: Effort, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function as `run` does, with the time limit and the place among other calls that its effort needs."""
        with self._accepted():
            if not self._is_lost:
                link = self._link
                try:
                    return cast(T, await self._called(packed(function, args, kwargs, effort.patience), effort.size))
                except ClusterLostError as error:
                    self._give_up(link, str(error))
            return await self._spare_pool().run_sized(effort, function, *args, **kwargs)

    async def stop(self) -> None:
        """Break off all calls at once: they raise `WorkersStoppedError`."""
        self._accept_no_more()
        self._is_stopped = True
        await cancelled(self._returning)
        await self._link.give_up()
        if self._spare is not None:
            await self._spare.stop()
        await self._ended()
        await self._link.close(is_lost=self._is_lost)

    async def _called(self, call: PackedCall, size: int) -> object:
        """Have a Dask worker make a call; repeat the call elsewhere if the Dask worker is lost."""
        loss: MemberLostError | None = None
        losses = 0
        while losses < DEATHS:
            self._membership = membership = await self._link.opened()
            try:
                async with membership.place(size) as member:
                    answer = await membership.answer(member, call)
            except MemberLostError as error:
                loss = error
                losses += 1
                self._counts.repeated += 1
                continue
            if isinstance(answer.error, WorkersError):  # not the fault of the page
                membership.leave(member, answer.error.problem)
                continue
            self._counts.made += 1
            if answer.error is not None:
                raise answer.error
            return answer.value
        raise EngineCrashedError(f"{DEATHS} workers of the cluster were lost during the conversion ({loss})")

    def _give_up(self, link: SchedulerLink, reason: str) -> None:
        """Note the loss of the cluster, unless another connection has taken the place of `link`."""
        if link is not self._link or self._is_lost or self._is_stopped:
            return
        self._is_lost = True
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
        try:
            membership = await self._link.opened()
            async with membership.place(0):
                return True
        except Exception as error:  # whatever Dask raises, the crawl goes on without it
            logger.info("Cluster: still lost: %s", one_line(error))
            await self._link.close(is_lost=True)
            return False

    async def _leave_spare(self) -> None:
        """Use the cluster for all further calls; those that were begun on this machine end there."""
        logger.info("Cluster: used again after its loss (%s)", self._losses[-1])
        self._is_lost = False
        spare, self._spare = self._spare, None
        if spare is not None:
            try:
                await spare.close()
            finally:
                await spare.stop()

    def _spare_pool(self) -> WorkerPool:
        """Return the pool on this machine. Raise `WorkersFailedError` if the crawl must stop instead."""
        if self._is_stopped:
            raise WorkersStoppedError
        if self._settings.on_loss == STOP:
            raise WorkersFailedError(f"the cluster is lost: {self._losses[-1]}", ADVICE)
        if self._spare is None:
            self._spare = self._make_spare()
        return self._spare
