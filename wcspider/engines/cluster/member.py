"""A Dask worker, as the crawl sees it: accepted, given calls, lost."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wcspider.engines.cluster import node
from wcspider.engines.cluster.attachments import CACHE_BYTES, PackedCall, recently_used
from wcspider.engines.cluster.fingerprint import differences, fingerprint
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import one_line

HANDSHAKE_SECONDS = 120.0
"""How long a Dask worker may take to tell its versions and fonts; it reads all of its font files."""

ALIVE_SECONDS = 30.0
"""How long a Dask worker may take to show that it runs."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The conditions of the work, the same for all Dask workers of a crawl."""

    limits: WorkerLimits
    warm_up: Callable[[], object]
    system_fonts: bool


@dataclass(slots=True)
class Counts:
    """The counts of a crawl, for all of its connections to the cluster."""

    most_workers: int = 0
    """How many Dask workers were used at the same time at most."""

    lost: int = 0
    """How many Dask workers were lost."""

    refused: int = 0
    made: int = 0
    """How many calls were made."""

    repeated: int = 0
    bytes_sent: int = 0
    """The size of the attachments that were sent, in bytes."""


class Member:
    """A Dask worker that was accepted, and the calls that it has been given.

    `client` is the asynchronous client of Dask.
    """

    def __init__(self, client: Any, address: str, threads: int, counts: Counts) -> None:
        self.address = address
        self.threads = threads
        self.in_flight = 0
        self._client = client
        self._counts = counts
        self._token = uuid.uuid4().hex
        self._lost: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        """A future that gets an exception when the Dask worker can no longer be used."""

        self._sent = recently_used(CACHE_BYTES, int)
        """The sizes of the attachments that were sent, as far as the Dask worker keeps them."""

    @property
    def places(self) -> int:
        """How many calls it gets at once: a few more than it can make, so that none of its processes waits."""
        return self.threads + max(1, self.threads // 4)

    @property
    def load(self) -> float:
        """The calls that it has been given for each of its threads."""
        return self.in_flight / self.threads

    async def refusal(self, terms: Terms) -> str:
        """Let the Dask worker prepare, and return an empty text; return the reason why it must not be used if any."""
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                found = await self._run(node.describe, system_fonts=terms.system_fonts)
                if differs := differences(fingerprint(system_fonts=terms.system_fonts), found):
                    return f"its pages would differ ({differs}); install the same on all machines"
                await self._run(node.introduce, self._token, terms.limits, terms.warm_up)
        except TimeoutError:
            return f"it did not tell its versions and fonts in {HANDSHAKE_SECONDS:g} seconds"
        except Exception as error:  # the Dask worker raises whatever goes wrong there, such as a missing package
            return f"it cannot run wcspider ({one_line(error)})"
        return ""

    async def call(self, call: PackedCall) -> node.Answer:
        """Send a call and return the answer."""
        absent = {digest: content for digest, content in call.attachments.items() if digest not in self._sent}
        self._sent.update({digest: len(content) for digest, content in call.attachments.items()})
        try:
            answer = await self._answer(call, absent)
        except BaseException:
            for digest in absent:
                self._sent.pop(digest, None)
            raise
        if answer.missing:
            # Lost with another call, or dropped by the Dask worker. With the call itself they cannot be lost again.
            answer = await self._answer(call, call.attachments)
        return answer

    async def is_alive(self) -> bool:
        """Tell whether the Dask worker answers at all. It may be busy with other calls, also of other crawls."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await self._run(node.answer)
        except Exception:  # whatever Dask raises, the worker cannot be used
            return False
        return True

    def end(self, error: Exception) -> None:
        """Break off all calls: they raise an error."""
        if not self._lost.done():
            self._lost.set_exception(error)
            self._lost.exception()  # or Python complains if there is no call

    async def dismiss(self) -> None:
        """End the processes of the Dask worker, also after `end`."""
        await self._client.run(node.dismiss, self._token, workers=[self.address])

    async def _answer(self, call: PackedCall, attachments: Mapping[bytes, bytes]) -> node.Answer:
        """Have the Dask worker make a call, and return the answer.

        The call is not a task of Dask. A task takes several messages to and from the scheduler, which needs the
        processors for longer than some pages.
        """
        self._counts.bytes_sent += sum(map(len, attachments.values()))
        digests = tuple(call.attachments)
        answer = await self._run(node.call, self._token, call.request, digests, dict(attachments), call.patience)
        assert isinstance(answer, node.Answer)
        return answer

    async def _run(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Run a function in the Dask worker, beside its tasks, unless the Dask worker is lost before."""
        running = asyncio.ensure_future(self._client.run(function, *args, workers=[self.address], **kwargs))
        try:
            await asyncio.wait((running, self._lost), return_when=asyncio.FIRST_COMPLETED)
            return (running if running.done() else self._lost).result()[self.address]
        finally:
            running.cancel()
