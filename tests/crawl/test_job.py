"""The workers of a crawl."""

from __future__ import annotations

import asyncio

import pytest

from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.job import pool_for
from wcspider.engines.plutobook.font_setup import can_use


@pytest.mark.parametrize("system_fonts", [True, False])
def test_workers_start_with_the_fonts_of_the_crawl(system_fonts: bool) -> None:
    config = CaptureConfig.from_settings(
        {**defaults(), "WEBCAPTURE_ENGINE": "plutobook", "WEBCAPTURE_SYSTEM_FONTS": system_fonts}
    )

    async def usable() -> list[bool]:
        pool = pool_for(config)
        try:
            return [await pool.run(can_use, system_fonts=value) for value in (system_fonts, not system_fonts)]
        finally:
            await pool.close()

    assert asyncio.run(usable()) == [True, False]
