"""The reasons why pages and resources could not be fetched, in the same words for the same cause."""

from __future__ import annotations

from collections.abc import Iterator

from OpenSSL import SSL
from scrapy import exceptions as scrapy_errors
from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError
from service_identity import CertificateError, VerificationError
from twisted.internet import error as network_errors
from twisted.web._newclient import ParseError
from twisted.web.client import ResponseFailed

from wcspider.downloading.redirect import OutOfScopeError
from wcspider.exceptions import one_line
from wcspider.web.codings import CUT_SHORT

NOT_FOUND_HOST = "host not found"
REFUSED = "connection refused"
TIMED_OUT = "timed out"
BROKEN_OFF = "the connection broke off"
INVALID_ANSWER = "the answer is not valid HTTP"
OTHER_HOST = "the certificate is for another host"
NO_HOST = "the certificate names no valid host"
NOT_SECURE = "no secure connection"


class ProxyUnreachableError(scrapy_errors.DownloadConnectionRefusedError):
    """An error for a request whose proxy does not exist or refuses connections."""


_REASONS: list[tuple[type[BaseException], str]] = [
    (OutOfScopeError, "redirected out of scope"),
    (ProxyUnreachableError, "the proxy cannot be reached (http_proxy, https_proxy)"),
    (scrapy_errors.CannotResolveHostError, NOT_FOUND_HOST),
    (scrapy_errors.DownloadConnectionRefusedError, REFUSED),
    (scrapy_errors.DownloadTimeoutError, TIMED_OUT),
    (scrapy_errors.ResponseDataLossError, CUT_SHORT),
    (scrapy_errors.UnsupportedURLSchemeError, "unsupported scheme"),
    (scrapy_errors.DownloadCancelledError, "larger than DOWNLOAD_MAXSIZE"),
    (scrapy_errors.DownloadFailedError, BROKEN_OFF),
    (network_errors.DNSLookupError, NOT_FOUND_HOST),
    (network_errors.ConnectionRefusedError, REFUSED),
    (network_errors.TimeoutError, TIMED_OUT),
    (network_errors.TCPTimedOutError, TIMED_OUT),
    (network_errors.ConnectionLost, BROKEN_OFF),
    (ResponseFailed, BROKEN_OFF),
    (FileNotFoundError, "no such file"),
    (IsADirectoryError, "a folder, not a file"),
    (PermissionError, "a file that may not be read"),
]

_IGNORED = {
    "Forbidden by robots.txt": "forbidden by robots.txt",
    "max redirections reached": "too many redirects",
}


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions that ended a connection."""
    for failed in (error, error.__cause__):
        if isinstance(failed, ResponseFailed):
            yield from (reason.value for reason in failed.reasons)


def _reason_of_connection(error: BaseException) -> str:
    """Return why a connection was given up; empty if the other side closed it."""
    if isinstance(error, VerificationError | CertificateError):
        return f"{NOT_SECURE}: {OTHER_HOST if isinstance(error, VerificationError) else NO_HOST}"
    if isinstance(error, SSL.Error):
        problems = [entry[-1] for entry in (error.args[0] if error.args else ()) if entry[-1]]
        return f"{NOT_SECURE}: {problems[0]}" if problems else NOT_SECURE
    return INVALID_ANSWER if isinstance(error, ParseError | ValueError | KeyError) else ""


def reason_of(error: BaseException) -> str:
    """Return why a request failed."""
    if isinstance(error, HttpError):
        return f"HTTP {error.response.status}"
    if reason := next(filter(None, map(_reason_of_connection, _causes(error))), ""):
        return reason
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, IgnoreRequest):
        return _IGNORED.get(str(error), str(error) or "ignored by a middleware")
    return one_line(error)
