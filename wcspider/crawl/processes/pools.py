"""The worker pools of a crawl: one lays out pages, the other reads them."""

from __future__ import annotations

from functools import cached_property, partial

from wcspider.config import CaptureConfig
from wcspider.crawl.processes.fork_servers import fork_server, load, memory_limit
from wcspider.crawl.reading.source_contents import prepare
from wcspider.engines import registry
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.fork_server import ForkServer
from wcspider.engines.workers.pool_interface import Pool
from wcspider.engines.workers.process import WorkerLimits


class Pools:
    """The worker pools of a crawl. All their processes on this machine come from one fork server."""

    def __init__(self, config: CaptureConfig) -> None:
        self._config = config
        self._limits = WorkerLimits(config.render_timeout, memory_limit(config))

    @cached_property
    def layout(self) -> Pool:
        """The pool that lays out pages: processes of this machine, or a cluster."""
        config = self._config
        if not config.cluster:
            return WorkerPool(config.worker_count, self._limits, shared_server=self._server)
        from wcspider.engines.cluster.cluster_pool import ClusterPool  # here, so that other crawls do not load it

        registry.prepare()
        limits, loading = self._limits, load(config)
        processes = partial(WorkerPool, config.worker_count, limits, loading)
        return ClusterPool(config.cluster_settings, limits, loading, processes, system_fonts=config.system_fonts)

    @cached_property
    def reading(self) -> Pool:
        """The pool of one process that reads pages, always on this machine."""
        return WorkerPool(1, self._limits, prepare, None if self._config.cluster else self._server)

    @cached_property
    def _server(self) -> ForkServer:
        return fork_server(self._config)

    async def close(self, *, at_once: bool) -> None:
        """End the processes: at once, or after the calls for layout that were accepted."""
        if "layout" in self.__dict__:
            await (self.layout.stop() if at_once else self.layout.close())
        if "_server" in self.__dict__:
            self._server.close()
