"""The fork server of a crawl. A command starts it before it loads the modules of the crawl, which takes as long."""

from __future__ import annotations

from functools import partial

from wcspider.archive.pages.loading import warm_up
from wcspider.config import CaptureConfig
from wcspider.engines import registry
from wcspider.engines.workers.fork_server import ForkServer

MEGABYTE = 1024 * 1024

_early: list[ForkServer] = []
"""The server that was started early, until a crawl uses it."""


def start_early(config: CaptureConfig) -> None:
    """Start the fork server of the next crawl of this process, without waiting for it."""
    if not config.cluster:
        server = _new(config)
        _early.append(server)
        server.start()


def fork_server(config: CaptureConfig) -> ForkServer:
    """Return the server that was started early if it fits the settings of the crawl, otherwise a new one."""
    server = _new(config)
    while _early:
        early = _early.pop()
        if early.is_like(server):
            return early
        early.close()
    return server


def memory_limit(config: CaptureConfig) -> int | None:
    """Return the limit of the address space of worker processes in bytes."""
    return config.render_memory * MEGABYTE or None


def load(config: CaptureConfig) -> partial[None]:
    """Return the call that loads the libraries and fonts for the layout of pages."""
    return partial(warm_up, config.engine, system_fonts=config.system_fonts)


def _new(config: CaptureConfig) -> ForkServer:
    registry.prepare()
    return ForkServer(load(config), memory_limit(config))
