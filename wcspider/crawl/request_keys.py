"""The requests of the capture and refresh spiders: their position in the reading order, and their request key."""

from __future__ import annotations

from scrapy import Request
from scrapy.http.request import VerboseCookie

from wcspider.web.urls import canonical_url
from wcspider.webcapture.keys import key_of
from wcspider.webcapture.records import Command

POSITION = "webcapture_position"
"""The request meta key of the position in the reading order."""


def request_key(request: Request) -> str:
    """Return the request key: the canonical URL, and the posted data if there is any.

    Scrapy's fingerprints do not distinguish ``/?b=2&a=1`` from ``/?a=1&b=2``, but the algorithm of 14.10.3.2 does.
    """
    return key_of(canonical_url(request.url), request.method, request.body)


def command_request(command: Command) -> Request:
    """Return the request for the URL of a command; `CommandHeadersMiddleware` adds the headers."""
    if command.data is None:
        return Request(command.url, cookies=_cookies(command))
    headers = {"Content-Type": _posted_type(command)}
    return Request(command.url, method="POST", body=command.data, headers=headers, cookies=_cookies(command))


def _posted_type(command: Command) -> str:
    """Return the media type of a command's posted data; a Content-Type header takes precedence over the argument."""
    return next((value for name, value in command.headers if name.lower() == "content-type"), command.content_type)


def _cookies(command: Command) -> list[VerboseCookie]:
    """Return the cookies of a command's Cookie header: Scrapy ignores the header itself, and keeps a cookie jar.

    The cookies go to every page and resource of the command's host, until the server sets others. Those of a command
    for an https URL are not sent by http.
    """
    is_secure = command.url.startswith("https:")
    pairs = (
        pair.strip().partition("=")
        for name, value in command.headers
        if name.lower() == "cookie"
        for pair in value.split(";")
    )
    return [VerboseCookie(name=name, value=value, path="/", secure=is_secure) for name, _, value in pairs if name]
