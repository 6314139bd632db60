"""Answers as browsers read them: a limit on headers, header lines to ignore, bodies that a broken connection ends."""

from __future__ import annotations

import re
import sys
from typing import Any

from scrapy import Request
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    IgnoreRequest,
)
from scrapy.http import Response
from twisted.internet.error import ConnectionLost
from twisted.internet.interfaces import ISSLTransport
from twisted.python.failure import Failure
from twisted.web._newclient import HEADER, STATUS
from twisted.web.http import _IdentityTransferDecoder

from wcspider.config import CaptureConfig
from wcspider.downloading.errors import ProxyUnreachableError
from wcspider.downloading.handlers.certificates import StrictHosts

_HEADER_RE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(:.*)", re.DOTALL)
"""A header line (RFC 9112, 5): a token, in practice sometimes white space, a colon and the value."""

_IDENTITY_RE = re.compile(rb"transfer-encoding[ \t]*:[ \t]*identity\s*", re.IGNORECASE)
"""A header line that says nothing. The coding was removed from HTTP (RFC 9112, 7), and old servers still name it."""


class HeadersTooLargeError(IgnoreRequest):
    """An error for an answer whose headers are too large."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} bytes of headers (WEBCAPTURE_MAX_HEADER_BYTES)")


class BoundedHeadersHandler(HTTP11DownloadHandler):
    """Scrapy's HTTP handler with a limit on headers; Twisted itself would read headers without end into memory."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        most = CaptureConfig.from_settings(crawler.settings).max_header_bytes
        self._pool._factory = _bounded(self._pool._factory, most)
        if crawler.settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"):
            self._contextFactory = StrictHosts(self._contextFactory)  # type: ignore[assignment]

    async def download_request(self, request: Request) -> Response:
        """Fetch a URL. Raises `HeadersTooLargeError`, `ProxyUnreachableError` and Scrapy's exceptions."""
        try:
            return await super().download_request(request)
        except DownloadFailedError as error:
            for failure in getattr(error.__cause__, "reasons", ()):
                if failure.check(HeadersTooLargeError):
                    raise failure.value from error
            raise
        except (CannotResolveHostError, DownloadConnectionRefusedError) as error:
            if request.meta.get("proxy"):
                raise ProxyUnreachableError(request.meta["proxy"]) from error
            raise


def _bounded(factory: type[Any], most: int) -> type[Any]:
    """Return a factory whose connections are closed when headers become too large; 0 means no limit."""

    class BoundedFactory(factory):  # type: ignore[misc]
        def buildProtocol(self, addr: Any) -> Any:  # noqa: N802 -- Twisted's name
            protocol = super().buildProtocol(addr)
            protocol.dataReceived = _Bound(protocol, most)
            protocol.connectionLost = _UncleanEnd(protocol)
            return protocol

    return BoundedFactory


class _Bound:
    """A replacement for the `dataReceived` of a connection that counts the bytes before the body of an answer."""

    def __init__(self, protocol: Any, most: int) -> None:
        self._protocol = protocol
        self._pass_on = protocol.dataReceived
        self._most = most
        self._parser: object = None
        self._received = 0

    def __call__(self, data: bytes) -> None:
        parser = self._protocol._parser
        if parser is not self._parser:
            self._parser, self._received = parser, 0
            if parser is not None:
                parser.MAX_LENGTH = self._most or sys.maxsize  # Twisted's limit for a line is 16 KB
                parser.lineReceived = _ValidHeaders(parser)
        self._pass_on(data)
        if parser is None or self._protocol._parser is not parser or parser.state not in (STATUS, HEADER):
            return
        self._received += len(data)
        if self._received > self._most > 0:
            self._protocol._giveUp(Failure(HeadersTooLargeError(self._most)))  # type: ignore[no-untyped-call]


class _UncleanEnd:
    """A replacement for the `connectionLost` of a connection that reports a body without a length as cut short if the
    connection broke off.

    Such a body ends where the server closes the connection (RFC 9112, 6.3). Twisted does not tell this from a reset.
    With https, a reset and the end of a connection by a server that does not close TLS properly look the same. There
    are many such servers, so their answers count as complete, as in browsers.
    """

    def __init__(self, protocol: Any) -> None:
        self._protocol = protocol
        self._pass_on = protocol.connectionLost

    def __call__(self, reason: Failure) -> None:
        decoder = getattr(self._protocol._parser, "bodyDecoder", None)
        is_broken = isinstance(reason.value, ConnectionLost) and not ISSLTransport.providedBy(self._protocol.transport)
        if is_broken and isinstance(decoder, _IdentityTransferDecoder):
            decoder.contentLength = decoder.contentLength or 1  # at least one byte is missing
        self._pass_on(reason)


class _ValidHeaders:
    """A replacement for the `lineReceived` of a parser that passes only valid header lines on.

    Twisted gives up an answer with a line such as ``X Frame: deny``, which browsers ignore.
    """

    def __init__(self, parser: Any) -> None:
        self._parser = parser
        self._pass_on = parser.lineReceived
        self._is_valid = False

    def __call__(self, line: bytes) -> None:
        if self._parser.state != HEADER:
            self._is_valid = False
        elif line[:1] in (b" ", b"\t"):  # it continues the line before
            if not self._is_valid:
                return
        elif line.rstrip(b"\r"):
            header = None if _IDENTITY_RE.fullmatch(line) else _HEADER_RE.fullmatch(line)
            self._is_valid = header is not None
            if header is None:
                return
            line = header[1] + header[2]
        self._pass_on(line)
