"""The connection to the scheduler of a cluster; the only module of a crawl that loads Dask."""

from __future__ import annotations

import asyncio
import logging
import resource
from contextlib import suppress
from importlib import import_module
from typing import Any

from wcspider.engines.cluster.cluster_settings import LOCAL, TLS, ClusterSettings
from wcspider.engines.cluster.fingerprint import fingerprint
from wcspider.engines.cluster.local_cluster import LocalCluster
from wcspider.engines.cluster.member import Counts, Terms
from wcspider.engines.cluster.membership import ClusterLostError, Membership
from wcspider.exceptions import WorkersStoppedError, one_line

logger = logging.getLogger(__name__)

FAREWELL_SECONDS, SHORT_FAREWELL_SECONDS = 5.0, 0.5
"""How long each step of the end of a connection may take: usually, and when the cluster is lost."""

CANCELLATION_SECONDS = 0.5
"""How long the cancellation of a task may take before the task is cancelled again."""

MOST_CONNECTIONS = 4096
"""The limit of the number of connections to the scheduler, as far as the system permits so many open files."""


class SchedulerLink:
    """The connection to a scheduler, and the cluster on this machine if there is one."""

    def __init__(self, settings: ClusterSettings, terms: Terms, counts: Counts) -> None:
        self._settings = settings
        self._terms = terms
        self._counts = counts
        self._local: LocalCluster | None = None
        self._client: Any = None
        self._opening: asyncio.Task[Membership] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._membership: Membership | None = None

    async def opened(self) -> Membership:
        """Return the workers of the cluster; connect, and begin to follow the workers, with the first call.

        Raise `ClusterLostError` if there is no connection in time, and `WorkersStoppedError` after `give_up`.
        """
        if self._opening is None:
            self._opening = asyncio.ensure_future(self._open())
        try:
            return await asyncio.shield(self._opening)
        except asyncio.CancelledError:
            if self._opening.cancelled():  # by `give_up`
                raise WorkersStoppedError from None
            raise

    async def give_up(self) -> None:
        """Break off all calls, and the attempt to connect: they raise `WorkersStoppedError`."""
        if self._membership is not None:
            self._membership.end(WorkersStoppedError)
        await cancelled(self._opening)

    async def close(self, *, is_lost: bool) -> None:
        """End the processes of the workers, and the connection; wait less for a cluster that is lost."""
        seconds = SHORT_FAREWELL_SECONDS if is_lost else FAREWELL_SECONDS
        if self._watching is not None:
            self._watching.cancel()
        for farewell in (self._dismiss, self._disconnect):
            with suppress(Exception):  # whatever is wrong with the cluster, the crawl is over
                async with asyncio.timeout(seconds):
                    await farewell(seconds)
        if self._local is not None:
            await self._local.stop()

    async def _open(self) -> Membership:
        """Connect, and begin to follow the workers."""
        try:
            await asyncio.to_thread(_load)
            connections = _most_connections()
            await self._connect(connections)
            await asyncio.to_thread(fingerprint, system_fonts=self._terms.system_fonts)  # kept for the handshakes
        except (OSError, ValueError) as error:  # also the errors of Dask's connections and of certificates
            raise ClusterLostError(f"no connection to the scheduler ({one_line(error)})") from error
        self._membership = Membership(
            self._client, self._terms, self._counts, wait=self._settings.wait,
            calls=connections * 3 // 4,  # the others are for new workers, attachments and the watch
        )  # fmt: skip
        self._watching = asyncio.ensure_future(self._membership.watch())
        return self._membership

    async def _connect(self, connections: int) -> None:
        """Connect to the scheduler; start a local cluster."""
        distributed, settings, address = import_module("distributed"), self._settings, self._settings.address
        ca, certificate, key = settings.ca, settings.certificate, settings.key
        if address == LOCAL:
            self._local = LocalCluster(settings.workers)
            address, certificate, key = await self._local.start()
            ca = certificate
        security = None
        if address.startswith(TLS):
            security = distributed.Security(
                tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
            )
        self._client = distributed.Client(
            address, asynchronous=True, security=security, timeout=settings.wait, set_as_default=False,
            connection_limit=connections,
        )  # fmt: skip
        await self._client
        logger.info("Cluster: connected to %s; dashboard: %s", address, self._client.dashboard_link)

    async def _dismiss(self, _: float) -> None:
        """End the processes of all workers."""
        if self._membership is not None:
            members = self._membership.members.values()
            await asyncio.gather(*(member.dismiss() for member in members), return_exceptions=True)

    async def _disconnect(self, seconds: float) -> None:
        """End the connection."""
        if self._client is not None:
            await self._client.close(timeout=seconds)


async def cancelled(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task, and wait for its end. Dask ignores a cancellation while it closes a connection."""
    while task is not None and not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCELLATION_SECONDS)


def _most_connections() -> int:
    """Return how many connections to the scheduler there may be: half of the files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 2)


def _load() -> None:
    """Load Dask. Its loggers write past Scrapy's log, and report each lost connection with a traceback."""
    import_module("distributed")
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
