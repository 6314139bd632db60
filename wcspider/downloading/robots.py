"""robots.txt, also for requests that wait for it at the same time, and on hosts that do not answer."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, IgnoreRequest
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached

from wcspider.downloading.decompress import UndecodableError
from wcspider.downloading.errors import NOT_SECURE, reason_of
from wcspider.downloading.retry import BUSY, LongPauseError

logger = logging.getLogger(__name__)

UNREACHABLE = "robots.txt cannot be fetched"
"""The beginning of the reason for the pages of a host whose rules are not known."""

_WITHOUT_SERVER = (CannotResolveHostError, DownloadConnectionRefusedError)
"""Errors of hosts that answer no request at all. Like an insecure connection, they are the reason for the pages too."""

_UNREAD = (LongPauseError, UndecodableError)
"""Errors of our own middlewares for answers whose rules are not known."""


class StrictRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt with each request.

    Requests that wait for the robots.txt of their host share a Deferred. It loses its result with the first of them, so
    that Scrapy allows everything to the others: to all requests but two of a crawl that begins with several URLs, or
    that is resumed.

    Scrapy also allows everything if the server fails. Then its rules are not known, and nothing is allowed
    (RFC 9309, 2.3.1.4).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._unreachable: dict[str, str] = {}
        """For each host whose rules are not known, the reason why its pages are not requested."""

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parser of the robots.txt of a request's host; None if there is none.

        Raises IgnoreRequest if the server does not deliver it.
        """
        await super().robot_parser(request)
        netloc = urlparse_cached(request).netloc
        if netloc in self._unreachable:
            raise IgnoreRequest(self._unreachable[netloc])
        parser = self._parsers[netloc]
        assert parser is None or isinstance(parser, RobotParser)
        return parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        """Read the robots.txt of a host. The body of an error page contains no rules (RFC 9309, 2.3.1.3)."""
        if response.status >= 500 or response.status in BUSY:
            self._forbid(netloc, f"HTTP {response.status}")
        is_found = response.status < 300
        await super()._parse_robots(response if is_found else response.replace(body=b""), netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        """Forbid the pages of a host that cannot be reached. A request that was refused here is no such error."""
        if isinstance(exc, _UNREAD) or not isinstance(exc, IgnoreRequest):
            problem = reason_of(exc)
            holds_for_pages = isinstance(exc, _WITHOUT_SERVER) or problem.startswith(NOT_SECURE)
            self._forbid(netloc, problem, problem if holds_for_pages else None)
        super()._robots_error(exc, netloc)

    def _forbid(self, netloc: str, problem: str, reason: str | None = None) -> None:
        """Forbid the pages of a host, for a reason or because the problem leaves its rules unknown."""
        logger.info("The robots.txt of %s cannot be fetched: %s", netloc, problem)
        self._unreachable[netloc] = reason or f"{UNREACHABLE}: {problem}"
