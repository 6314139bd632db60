"""The side of a Dask worker: a worker pool of its own for each crawl, so that a page cannot end the Dask worker.

Dask calls the functions of this module by name, in the event loop of the Dask worker.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from wcspider.engines import registry
from wcspider.engines.cluster.attachments import CACHE_BYTES, recently_used, unpacked
from wcspider.engines.cluster.fingerprint import fingerprint
from wcspider.engines.pool import WorkerPool
from wcspider.engines.workers.pool_interface import Effort
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import EngineError, WebCaptureError, one_line

REST_SECONDS = 300.0
"""How long a node keeps its processes and attachments without a call, since a coordinator may end without a word."""

ARRIVAL_SECONDS = 2.0
"""How long a call waits for attachments that another call brings."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a call."""

    value: Any = None
    error: WebCaptureError | None = None
    missing: tuple[bytes, ...] = ()
    """The digests of attachments without which the call could not be made."""

    is_unknown: bool = False
    """Whether the Dask worker does not know the crawl, because it was started again."""


class Node:
    """The processes and the attachments of one crawl in a Dask worker. It needs the event loop of the Dask worker."""

    def __init__(
        self, workers: int, limits: WorkerLimits, warm_up: Callable[[], object], places: asyncio.Semaphore
    ) -> None:
        """Use up to `workers` processes, as far as there are places, which all crawls of the Dask worker share."""
        self._places = places
        self._workers = workers
        self._limits = limits
        self._warm_up = warm_up
        self._pool: WorkerPool | None = None
        self._used = time.monotonic()
        self._watch = asyncio.get_running_loop().create_task(self._rest())
        self._has_ended = False
        self.attachments: MutableMapping[bytes, bytes] = recently_used(CACHE_BYTES, len)
        self._arrival = asyncio.Event()
        """Set for a moment when attachments have arrived."""

    async def call(
        self, request: bytes, digests: Sequence[bytes], attachments: Mapping[bytes, bytes], patience: float = 1.0
    ) -> Answer:
        """Make a packed call, with attachments from the cache and those that come with it."""
        self._used = time.monotonic()
        self.attachments.update(attachments)
        self._arrival.set()
        self._arrival.clear()
        found = {**await self._found(digests, attachments.keys()), **attachments}
        if missing := tuple(digest for digest in digests if digest not in found):
            return Answer(missing=missing)
        try:
            function, args, kwargs = unpacked(request, found)
            async with self._places:
                if self._has_ended:
                    return Answer(is_unknown=True)
                return Answer(await self._working().run_sized(Effort(patience=patience), function, *args, **kwargs))
        except WebCaptureError as error:
            return Answer(error=error)
        except Exception as error:
            return Answer(error=EngineError(f"the conversion cannot be read: {one_line(error)}"))
        finally:
            self._used = time.monotonic()

    async def _found(self, digests: Sequence[bytes], inline: Set[bytes]) -> dict[bytes, bytes]:
        """Return attachments from the cache; wait a little for those that are not there and not in `inline`."""
        wanted = [digest for digest in digests if digest not in inline]
        with suppress(TimeoutError):
            async with asyncio.timeout(ARRIVAL_SECONDS):
                while not all(digest in self.attachments for digest in wanted):
                    await self._arrival.wait()
        return {digest: self.attachments[digest] for digest in wanted if digest in self.attachments}

    async def end(self) -> None:
        """End the processes, whatever they do."""
        self._has_ended = True
        self._watch.cancel()
        await self._release()

    def _working(self) -> WorkerPool:
        """Return the pool of processes, a new one if there is none."""
        if self._pool is None:
            registry.prepare()
            self._pool = WorkerPool(self._workers, self._limits, self._warm_up)
        return self._pool

    async def _rest(self) -> None:
        """End the processes and drop the attachments after a while without a call. The next call starts new ones."""
        while True:
            left = self._used + REST_SECONDS - time.monotonic()
            if left <= 0 and (self._pool is None or not self._pool.busy):
                await self._release()
            await asyncio.sleep(left if left > 0 else REST_SECONDS)

    async def _release(self) -> None:
        """End the processes and drop the attachments."""
        pool, self._pool = self._pool, None
        self.attachments.clear()
        if pool is not None:
            await pool.stop()


_nodes: dict[str, Node] = {}
"""The nodes by the token that the coordinator chose."""

_places: dict[str, asyncio.Semaphore] = {}
"""The places for calls by the address of the Dask worker, one for each of its threads."""


async def describe(*, system_fonts: bool) -> dict[str, str]:
    """Return the versions and fonts of this machine."""
    return dict(await asyncio.to_thread(fingerprint, system_fonts=system_fonts))


async def introduce(token: str, limits: WorkerLimits, warm_up: Callable[[], object], dask_worker: Any) -> None:
    """Begin to work for a crawl, with as many processes as the Dask worker has threads."""
    workers = dask_worker.state.nthreads
    places = _places.setdefault(dask_worker.address, asyncio.Semaphore(workers))
    _nodes[token] = Node(workers, limits, warm_up, places)


async def call(
    token: str, request: bytes, digests: Sequence[bytes], attachments: Mapping[bytes, bytes], patience: float = 1.0
) -> Answer:
    """Make a call for a crawl."""
    if token not in _nodes:
        return Answer(is_unknown=True)
    return await _nodes[token].call(request, digests, attachments, patience)


async def answer() -> None:
    """Show that the Dask worker runs, even if all of its threads are busy."""


async def dismiss(token: str) -> None:
    """End the work for a crawl."""
    node = _nodes.pop(token, None)
    if node is not None:
        await node.end()
