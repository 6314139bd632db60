"""A node in the event loop of the test instead of that of a Dask worker."""

from __future__ import annotations

import asyncio
import os

import pytest

from tests.support import cluster_faults, engine_faults
from tests.support.dask_cluster import page_processes
from wcspider.engines.cluster import node
from wcspider.engines.cluster.attachments import packed
from wcspider.engines.cluster.node import Answer, Node
from wcspider.engines.workers.process import WorkerLimits
from wcspider.exceptions import EngineError


def test_attachments_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "ARRIVAL_SECONDS", 0.05)
    call = packed(cluster_faults.size, (bytes(5_000), b"a" * 3_000, b"b"), {})
    [first, second] = call.attachments

    async def use() -> list[Answer]:
        started = Node(1, WorkerLimits(60.0), os.getpid, asyncio.Semaphore(1))
        started.attachments[second] = call.attachments[second]
        try:
            alone = await started.call(call.request, [first, second], {})
            return [alone, await started.call(call.request, [first, second], {first: call.attachments[first]})]
        finally:
            await started.end()

    assert asyncio.run(use()) == [Answer(missing=(first,)), Answer(8_001)]


def test_a_call_waits_for_attachments_that_another_call_brings() -> None:
    call = packed(cluster_faults.size, (bytes(5_000),), {})

    async def use() -> list[Answer]:
        started = Node(2, WorkerLimits(60.0), os.getpid, asyncio.Semaphore(2))
        try:
            waiting = asyncio.ensure_future(started.call(call.request, [*call.attachments], {}))
            await asyncio.sleep(0)
            return [await started.call(call.request, [*call.attachments], call.attachments), await waiting]
        finally:
            await started.end()

    assert asyncio.run(use()) == [Answer(5_000), Answer(5_000)]


def test_request_that_cannot_be_read() -> None:
    async def use() -> Answer:
        return await Node(1, WorkerLimits(60.0), os.getpid, asyncio.Semaphore(1)).call(b"nonsense", [], {})

    answer = asyncio.run(use())
    assert isinstance(answer.error, EngineError)
    assert "the conversion cannot be read: UnpicklingError" in str(answer.error)


def test_processes_end_when_nobody_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed coordinator cannot announce its end, and a slow coordinator may call again."""
    monkeypatch.setattr(node, "REST_SECONDS", 0.5)
    call = packed(engine_faults.double, (21,), {})

    async def use() -> list[object]:
        started = Node(1, WorkerLimits(60.0), os.getpid, asyncio.Semaphore(1))
        values = [(await started.call(call.request, [], {})).value]
        assert len(page_processes(os.getpid())) == 1
        async with asyncio.timeout(30):
            while page_processes(os.getpid()):
                await asyncio.sleep(0.05)
        values.append((await started.call(call.request, [], {})).value)
        await started.end()
        return values

    assert asyncio.run(use()) == [42, 42]
    assert page_processes(os.getpid()) == []


def test_attachments_are_dropped_when_nobody_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if no call could be made, so that there are no processes."""
    monkeypatch.setattr(node, "REST_SECONDS", 0.1)
    call = packed(cluster_faults.size, (bytes(5_000),), {})

    async def use() -> dict[bytes, bytes]:
        started = Node(1, WorkerLimits(60.0), os.getpid, asyncio.Semaphore(1))
        for _ in range(2):
            await started.call(b"nonsense", [*call.attachments], call.attachments)
            assert dict(started.attachments) == call.attachments
            async with asyncio.timeout(30):
                while found := dict(started.attachments):
                    await asyncio.sleep(0.05)
        await started.end()
        return found

    assert asyncio.run(use()) == {}


def test_crawls_that_are_unknown() -> None:
    async def use() -> object:
        await node.dismiss("unknown")
        return await node.call("unknown", b"", [], {})

    assert asyncio.run(use()) == Answer(is_unknown=True)


def test_crawls_share_the_places_of_a_dask_worker() -> None:
    """A call that waits for a place is not made if its crawl ends meanwhile."""
    call = packed(engine_faults.double, (21,), {})

    async def use() -> tuple[list[int], list[Answer]]:
        places = asyncio.Semaphore(1)
        crawls = [Node(1, WorkerLimits(60.0), os.getpid, places) for _ in range(2)]
        async with places:
            waiting = [asyncio.ensure_future(crawl.call(call.request, [], {})) for crawl in crawls]
            await crawls[0].end()
            await asyncio.wait(waiting, timeout=0.1)
            begun = page_processes(os.getpid())
        answers = await asyncio.gather(*waiting)
        await crawls[1].end()
        return begun, answers

    assert asyncio.run(use()) == ([], [Answer(is_unknown=True), Answer(42)])
