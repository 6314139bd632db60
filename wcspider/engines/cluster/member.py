"""A Dask worker, as the crawl sees it: accepted, given calls, lost."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wcspider.engines.cluster import node
from wcspider.engines.cluster.attachments import CACHE_BYTES, LARGEST_KEPT, PackedCall
from wcspider.engines.cluster.ending import CrawlUnknownError, Ending
from wcspider.engines.cluster.fingerprint import differences
from wcspider.engines.workers.process import WorkerLimits

HANDSHAKE_SECONDS = 120.0
"""How long a Dask worker may take to tell its versions and fonts; it reads all of its font files."""

ALIVE_SECONDS = 30.0
"""How long a Dask worker may take to show that it runs."""


@dataclass(slots=True)
class Counts:
    """The counts of a crawl, for all of its connections to the cluster."""

    lost: int = 0
    """How many Dask workers were lost."""

    refused: int = 0
    bytes_sent: int = 0
    """The size of the attachments that were sent, in bytes."""


class RefusedError(Exception):
    """A Dask worker is not used, because its pages would differ or it cannot run wcspider."""


class Member:
    """A Dask worker that was accepted, and the calls that it has been given.

    `client` is the asynchronous client of Dask.
    """

    def __init__(self, client: Any, address: str, threads: int, counts: Counts) -> None:
        self.address = address
        self.threads = threads
        self.ending = Ending()
        self.in_flight = 0
        self._client = client
        self._counts = counts
        self._token = uuid.uuid4().hex
        self._sent: OrderedDict[bytes, int] = OrderedDict()
        """The sizes of the attachments that were sent and not dropped since, by digest."""

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
        if call.size > LARGEST_KEPT:
            return await self._answer(call, call.attachments)
        absent = self._note(call.attachments)
        try:
            answer = await self._answer(call, absent)
        except BaseException:
            self._forget(absent)
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

    async def dismiss(self) -> None:
        """End the processes of the Dask worker."""
        await self._run(node.dismiss, self._token)

    async def _answer(self, call: PackedCall, attachments: Mapping[bytes, bytes]) -> node.Answer:
        """Have the Dask worker make a call, and return the answer.

        The call is not a task of Dask. A task takes several messages to and from the scheduler, which needs the
        processors for longer than some pages.
        """
        self._counts.bytes_sent += sum(map(len, attachments.values()))
        digests = tuple(call.attachments)
        answer = await self._run(node.call, self._token, call.request, digests, dict(attachments), call.patience)
        assert isinstance(answer, node.Answer)
        if answer.is_unknown:
            raise CrawlUnknownError("it was started again")
        return answer

    def _note(self, attachments: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """Return the attachments that the Dask worker does not have, and note that it gets them."""
        absent = {digest: content for digest, content in attachments.items() if digest not in self._sent}
        for digest, content in attachments.items():
            self._sent[digest] = len(content)
            self._sent.move_to_end(digest)
        self._sent_bytes += sum(map(len, absent.values()))
        while self._sent_bytes > CACHE_BYTES:
            self._sent_bytes -= self._sent.popitem(last=False)[1]
        return absent

    def _forget(self, attachments: Mapping[bytes, bytes]) -> None:
        """Note that attachments have not arrived."""
        for digest in attachments.keys() & self._sent.keys():
            self._sent_bytes -= self._sent.pop(digest)

    async def _run(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        """Run a function in the Dask worker, beside its tasks."""
        answers = await self._client.run(function, *args, workers=[self.address], **kwargs)
        return answers[self.address]
