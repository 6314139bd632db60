"""A Dask worker, as the crawl sees it: accepted, given calls, lost."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from wcspider.engines.cluster import node
from wcspider.engines.cluster.attachments import CACHE_BYTES, LARGEST_KEPT, PackedCall
from wcspider.engines.cluster.ending import CrawlUnknownError, Ending
from wcspider.engines.cluster.fingerprint import differences
from wcspider.engines.workers.process import WorkerLimits

HANDSHAKE_SECONDS = 120.0
"""How long a Dask worker may take to tell its versions and fonts; it reads all of its font files."""

SEND_SECONDS = 120.0
"""How long attachments may take to arrive, so that a frozen Dask worker does not keep others from getting theirs."""

ARRIVAL_SECONDS = 1.0
"""How long a call waits for attachments that are sent with another call, and are there before the answer to that."""

ALIVE_SECONDS = 30.0
"""How long a Dask worker may take to show that it runs."""


class RefusedError(Exception):
    """A Dask worker is not used, because its pages would differ or it cannot run wcspider."""


class Member:
    """A Dask worker that was accepted, and the calls that it has been given.

    `client` is the asynchronous client of Dask. `sends` limits how many Dask workers get attachments at once.
    """

    def __init__(self, client: Any, address: str, threads: int, sends: asyncio.Semaphore) -> None:
        self.address = address
        self.threads = threads
        self.ending = Ending()
        self.in_flight = 0
        self.bytes_sent = 0
        """The size of the attachments that were sent, in bytes."""

        self._client = client
        self._sends = sends
        self._token = uuid.uuid4().hex
        self._sent: OrderedDict[bytes, tuple[int, asyncio.Future[None]]] = OrderedDict()
        self._sent_bytes = 0

    @property
    def places(self) -> int:
        """How many calls it gets at once: a few more than it can make, so that none of its processes waits."""
        return self.threads + max(1, self.threads // 4)

    @property
    def load(self) -> float:
        """The calls that it has been given for each of its threads."""
        return self.in_flight / self.threads

    async def accept(
        self, expected: Mapping[str, str], limits: WorkerLimits, warm_up: Callable[[], object], *, system_fonts: bool
    ) -> None:
        """Compare versions and fonts, and let the Dask worker prepare. Raise `RefusedError` if it cannot be used."""
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                found = await self._run(node.describe, system_fonts=system_fonts)
                if differs := differences(expected, found):
                    raise RefusedError(f"its pages would differ ({differs}); install the same on all machines")
                await self._run(node.introduce, self._token, limits, warm_up)
        except TimeoutError:
            raise RefusedError(f"it did not tell its versions and fonts in {HANDSHAKE_SECONDS:g} seconds") from None

    async def call(self, call: PackedCall) -> node.Answer:
        """Send a call and return the answer. Raise `CrawlUnknownError` if the Dask worker does not know the crawl."""
        digests = tuple(call.attachments)
        if call.size > LARGEST_KEPT:
            answer = await self._answer(call, digests, call.attachments)
        else:
            inline = {digest: call.attachments[digest] for digest in call.fresh if digest not in self._sent}
            with self._sending(inline):
                await self._supply({digest: call.attachments[digest] for digest in digests if digest not in inline})
                answer = await self._answer(call, digests, inline)
        if answer.missing:
            # Dropped by the Dask worker meanwhile. With the call itself they cannot be dropped again.
            answer = await self._answer(call, digests, call.attachments)
        return answer

    async def is_alive(self) -> bool:
        """Tell whether the Dask worker answers at all. It may be busy with other calls, also of other crawls."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await self._run(node.answer)
        except Exception:  # whatever Dask raises, the worker cannot be used
            return False
        return True

    async def dismiss(self) -> None:
        """End the processes of the Dask worker."""
        await self._run(node.dismiss, self._token)

    async def _answer(
        self, call: PackedCall, digests: tuple[bytes, ...], attachments: Mapping[bytes, bytes]
    ) -> node.Answer:
        """Have the Dask worker make a call, and return the answer.

        The call is not a task of Dask. A task takes several messages to and from the scheduler, which needs the
        processors for longer than some pages.
        """
        self.bytes_sent += sum(map(len, attachments.values()))
        answer = await self._run(node.call, self._token, call.request, digests, dict(attachments), call.patience)
        assert isinstance(answer, node.Answer)
        if answer.is_unknown:
            raise CrawlUnknownError("it was started again")
        return answer

    async def _supply(self, attachments: Mapping[bytes, bytes]) -> None:
        """Send attachments that the Dask worker does not have, each once, and wait for those that are on their way."""
        absent = {digest: content for digest, content in attachments.items() if digest not in self._sent}
        arrivals = [self._sent[digest][1] for digest in attachments if digest in self._sent]
        for digest in attachments.keys() - absent.keys():
            self._sent.move_to_end(digest)
        if absent:
            sending = asyncio.ensure_future(self._send(absent))
            sending.add_done_callback(_noted)
            arrivals.append(sending)
            self._keep(absent, sending)
        await asyncio.gather(*map(asyncio.shield, arrivals))

    @contextmanager
    def _sending(self, inline: Mapping[bytes, bytes]) -> Iterator[None]:
        """Note that attachments are sent with a call. Other calls that need them wait for its answer, but not long."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Future[None] = loop.create_future()

        def arrive() -> None:
            if not arrived.done():
                arrived.set_result(None)

        timer = loop.call_later(ARRIVAL_SECONDS, arrive)
        self._keep(inline, arrived)
        try:
            yield
        except BaseException:
            self._forget(inline)
            raise
        finally:
            timer.cancel()
            arrive()

    def _keep(self, attachments: Mapping[bytes, bytes], arrival: asyncio.Future[None]) -> None:
        """Note which attachments the Dask worker has, or gets."""
        for digest, content in attachments.items():
            self._sent[digest] = len(content), arrival
            self._sent_bytes += len(content)
        while self._sent_bytes > CACHE_BYTES:
            self._sent_bytes -= self._sent.popitem(last=False)[1][0]

    async def _send(self, attachments: Mapping[bytes, bytes]) -> None:
        """Send attachments; those that do not arrive are sent again with the next call."""
        self.bytes_sent += sum(map(len, attachments.values()))
        try:
            async with self._sends, asyncio.timeout(SEND_SECONDS):
                is_known = await self._run(node.keep, self._token, dict(attachments))
            if not is_known:
                raise CrawlUnknownError("it was started again")
        except BaseException:
            self._forget(attachments)
            raise

    def _forget(self, attachments: Mapping[bytes, bytes]) -> None:
        """Note that attachments have not arrived."""
        for digest in attachments.keys() & self._sent.keys():
            self._sent_bytes -= self._sent.pop(digest)[0]

    async def _run(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Run a function in the Dask worker, beside its tasks."""
        answers = await self._client.run(function, *args, workers=[self.address], **kwargs)
        return answers[self.address]


def _noted(task: asyncio.Task[Any]) -> None:
    """Take note of the error of a task that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
