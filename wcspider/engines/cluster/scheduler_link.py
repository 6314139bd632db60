"""The connection to the scheduler of a cluster; the only module of a crawl that loads Dask."""

from __future__ import annotations

import asyncio
import logging
import resource
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from wcspider.engines.cluster import node
from wcspider.engines.cluster.cluster_settings import LOCAL, ClusterSettings
from wcspider.engines.cluster.ending import ClusterLostError
from wcspider.engines.cluster.fingerprint import fingerprint
from wcspider.engines.cluster.local_cluster import LocalCluster
from wcspider.engines.cluster.member import Counts
from wcspider.engines.cluster.membership import Membership, Terms
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import one_line
from wcspider.version import VERSION

logger = logging.getLogger(__name__)

FAREWELL_SECONDS, SHORT_FAREWELL_SECONDS = 5.0, 0.5
"""How long each step of the end of a connection may take: usually, and when the cluster is lost."""

MOST_CONNECTIONS = 4096
"""The limit of the number of connections to the scheduler, as far as the system permits so many open files."""


class SchedulerLink:
    """The connection to a scheduler, and the cluster on this machine if there is one."""

    def __init__(
        self, settings: ClusterSettings, limits: WorkerLimits, warm_up: Callable[[], object], counts: Counts,
        *, system_fonts: bool,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._counts = counts
        self._limits = limits
        self._warm_up = warm_up
        self._system_fonts = system_fonts
        self._local: LocalCluster | None = None
        self._client: Any = None
        self._watching: asyncio.Task[None] | None = None
        self._membership: Membership | None = None
        self.dashboard = ""
        """The address of Dask's dashboard."""

    async def open(self) -> Membership:
        """Connect, and begin to follow the workers. Raise `ClusterLostError` if there is no connection in time."""
        await asyncio.to_thread(_load)
        connections = _most_connections()
        try:
            address, security = await self._address()
            self._client = import_module("distributed").Client(
                address, asynchronous=True, security=security, timeout=self._settings.wait, set_as_default=False,
                connection_limit=connections,
            )  # fmt: skip
            await self._client
            await self._check_scheduler()
        except (OSError, ValueError) as error:  # also the errors of Dask's connections and of certificates
            raise ClusterLostError(f"no connection to the scheduler ({one_line(error)})") from error
        found = await asyncio.to_thread(fingerprint, system_fonts=self._system_fonts)
        calls = connections * 3 // 4  # the others are for new workers, attachments and the watch
        terms = Terms(found, self._limits, self._warm_up, self._system_fonts, self._settings.wait, calls)
        self._membership = Membership(self._client, terms, self._counts)
        self._watching = asyncio.ensure_future(self._membership.watch())
        self.dashboard = str(self._client.dashboard_link)
        logger.info("Cluster: connected to %s; dashboard: %s", address, self.dashboard)
        return self._membership

    async def close(self, *, is_lost: bool) -> None:
        """End the processes of the workers, and the connection; wait less for a cluster that is lost."""
        seconds = SHORT_FAREWELL_SECONDS if is_lost else FAREWELL_SECONDS
        if self._watching is not None:
            self._watching.cancel()
        with suppress(Exception):  # whatever is wrong with the cluster, the crawl is over
            async with asyncio.timeout(seconds):
                await self._dismiss()
        with suppress(Exception):
            async with asyncio.timeout(seconds):
                if self._client is not None:
                    await self._client.close(timeout=seconds)
        if self._local is not None:
            await self._local.stop()

    async def _address(self) -> tuple[str, Any]:
        """Return the address of the scheduler and Dask's object with the certificates; start a local cluster."""
        settings, address = self._settings, self._settings.address
        files = settings.ca, settings.certificate, settings.key
        if address == LOCAL:
            self._local = LocalCluster(settings.workers)
            address = await self._local.start()
            files = str(self._local.certificate), str(self._local.certificate), str(self._local.key)
        if not address.startswith("tls:"):
            return address, None
        ca, certificate, key = files
        security = import_module("distributed").Security(
            tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key, require_encryption=True
        )
        return address, security

    async def _check_scheduler(self) -> None:
        """Raise `ClusterLostError` unless the scheduler has this version of wcspider, whose calls it passes on."""
        try:
            found = await self._client.run_on_scheduler(node.installed_version)
        except ImportError as error:
            raise ClusterLostError(f"the scheduler has no wcspider {VERSION} ({one_line(error)})") from error
        if found != VERSION:
            raise ClusterLostError(f"the scheduler has wcspider {found}, not {VERSION}")

    async def _dismiss(self) -> None:
        """End the processes of all workers."""
        if self._membership is not None:
            members = self._membership.members.values()
            await asyncio.gather(*(member.dismiss() for member in members), return_exceptions=True)


def _most_connections() -> int:
    """Return how many connections to the scheduler there may be: half of the files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, files // 2)


def _load() -> None:
    """Load Dask. Its loggers write past Scrapy's log, and report each lost connection with a traceback."""
    import_module("distributed")
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
