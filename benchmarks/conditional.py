"""A bare Scrapy spider that repeats recorded conditional requests, for `benchmarks.refresh`.

    python -m scrapy runspider benchmarks/conditional.py -a requests=FILE

FILE is a JSON list of URLs, each with its If-Modified-Since header or null.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response


class ConditionalSpider(Spider):
    """A spider that sends requests and does nothing with the answers."""

    name = "conditional"
    custom_settings: dict[str, Any] | None = {"HTTPERROR_ALLOW_ALL": True, "LOG_LEVEL": "INFO"}  # noqa: RUF012

    def __init__(self, requests: str) -> None:
        super().__init__()
        self._requests = json.loads(Path(requests).read_text(encoding="utf-8"))

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests."""
        for url, since in self._requests:
            headers = {} if since is None else {"If-Modified-Since": since}
            yield Request(url, headers=headers, dont_filter=True)

    def parse(self, response: Response) -> None:
        """Do nothing with an answer."""
