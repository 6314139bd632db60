"""robots.txt, also for requests that wait for it at the same time."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.http import Response
from scrapy.robotstxt import RobotParser
from scrapy.utils.httpobj import urlparse_cached

from wcspider.downloading.errors import reason_of

logger = logging.getLogger(__name__)


class StrictRobotsTxtMiddleware(RobotsTxtMiddleware):
    """Obeys robots.txt with each request.

    Requests that wait for the robots.txt of their host share a Deferred. It loses its result with the first of them, so
    that Scrapy allows everything to the others: to all requests but two of a crawl that begins with several URLs, or
    that is resumed.
    """

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parser of the robots.txt of a request's host; None if there is none."""
        await super().robot_parser(request)
        parser = self._parsers[urlparse_cached(request).netloc]
        assert parser is None or isinstance(parser, RobotParser)
        return parser

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        """Read the robots.txt of a host. The body of an error page contains no rules (RFC 9309, 2.3.1.3)."""
        if response.status >= 500:
            logger.info("The robots.txt of %s cannot be fetched: HTTP %d", netloc, response.status)
        is_found = response.status < 300
        await super()._parse_robots(response if is_found else response.replace(body=b""), netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        """Log that the robots.txt of a host cannot be fetched; its pages are then fetched as if there were none."""
        logger.info("The robots.txt of %s cannot be fetched: %s", netloc, reason_of(exc))
        super()._robots_error(exc, netloc)
