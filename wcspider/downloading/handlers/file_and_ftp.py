"""Limits on local files and FTP servers, which Scrapy's handlers read without a limit on size and time."""

from __future__ import annotations

import asyncio
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from scrapy import Request
from scrapy.core.downloader.handlers.file import FileDownloadHandler
from scrapy.core.downloader.handlers.ftp import FTPDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import run_in_thread
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.protocol import ClientCreator, Protocol
from w3lib.url import file_uri_to_path

NOT_REGULAR = "a device, a pipe or a socket, not a file"
"""The reason of a local file that has no end, or whose end depends on another program."""

FTP_PORT = 21
_CODE_RE = re.compile(r"\d{3}")


class BoundedFileHandler(FileDownloadHandler):
    """Scrapy's handler for local files, for regular files of at most DOWNLOAD_MAXSIZE bytes."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        """Read a file. Raises `IgnoreRequest`, `DownloadCancelledError` if it is too large, and `OSError`."""
        path = file_uri_to_path(request.url)
        body = await run_in_thread(_read, Path(path), _limit(request, self._limit))
        return responsetypes.from_args(filename=path, body=body)(url=request.url, body=body)


class BoundedFtpHandler(FTPDownloadHandler):
    """Scrapy's handler for FTP, with the limits DOWNLOAD_MAXSIZE and DOWNLOAD_TIMEOUT."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._timeout = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")

    async def download_request(self, request: Request) -> Response:
        """Fetch a file. Raises `DownloadTimeoutError`, `DownloadCancelledError` if it is too large, and others."""
        seconds = request.meta.get("download_timeout", self._timeout)
        try:
            async with asyncio.timeout(seconds):
                return await self._fetched(request)
        except TimeoutError as error:
            raise DownloadTimeoutError(f"{request.url} took longer than {seconds} seconds") from error

    async def _fetched(self, request: Request) -> Response:
        from twisted.internet import reactor  # it is chosen when the crawl starts
        from twisted.protocols.ftp import CommandFailed, FTPClient  # few crawls need it

        parsed = urlparse_cached(request)
        user = request.meta.get("ftp_user", self.default_user)
        password = request.meta.get("ftp_password", self.default_password)
        is_passive = int(bool(request.meta.get("ftp_passive", self.passive_mode)))
        make_client: Any = ClientCreator
        creator = make_client(reactor, FTPClient, user, password, passive=is_passive)
        client = await maybe_deferred_to_future(creator.connectTCP(parsed.hostname, parsed.port or FTP_PORT))
        received = _Received(_limit(request, self._limit), client.transport.abortConnection)
        try:
            await maybe_deferred_to_future(client.retrieveFile(unquote(parsed.path), received))
        except CommandFailed as error:
            code = _CODE_RE.search(str(error))
            status = self.CODE_MAPPING.get(code[0] if code else "", self.CODE_MAPPING["default"])
            return Response(request.url, status=int(status), body=str(error).encode())
        except Exception:
            received.check(request.url)  # the connection was closed because of the limit
            raise
        finally:
            received.abort()
            client.transport.abortConnection()
        body = bytes(received.body)
        return responsetypes.from_args(url=request.url, body=body)(request.url, body=body)


class _Received(Protocol):
    """The data of a file, up to a limit."""

    def __init__(self, limit: int, stop: Callable[[], None]) -> None:
        self.body = bytearray()
        self._limit = limit
        self._stop = stop

    def dataReceived(self, data: bytes) -> None:  # noqa: N802 -- Twisted's name
        if self._is_within_limit:
            self.body += data
        if not self._is_within_limit:
            self._stop()

    @property
    def _is_within_limit(self) -> bool:
        return not self._limit or len(self.body) <= self._limit

    def abort(self) -> None:
        """Close the connection, which may still be open after an error."""
        if self.transport is not None:
            self.transport.abortConnection()

    def check(self, url: str) -> None:
        """Raise `DownloadCancelledError` if there was more data than the limit."""
        if not self._is_within_limit:
            raise _too_large(url)


def _read(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes; 0 means no limit."""
    with open(path, "rb", opener=_opened_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise IgnoreRequest(NOT_REGULAR)
        body = file.read(limit + 1 if limit else -1)
    if limit and len(body) > limit:
        raise _too_large(path.as_uri())
    return body


def _opened_without_waiting(path: str, flags: int) -> int:
    """Open a file; to open a pipe would wait for a writer otherwise."""
    return os.open(path, flags | os.O_NONBLOCK)


def _limit(request: Request, default: int) -> int:
    limit: int = request.meta.get("download_maxsize", default)
    return limit


def _too_large(url: str) -> DownloadCancelledError:
    return DownloadCancelledError(f"{url} is larger than DOWNLOAD_MAXSIZE")
