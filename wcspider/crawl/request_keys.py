"""What a request of a spider that reads in order stands for: its position, the URL that it claims, its command."""

from __future__ import annotations

from scrapy import Request
from scrapy.http.request import VerboseCookie

from wcspider.web.urls import canonical_url
from wcspider.webcapture.keys import key_of
from wcspider.webcapture.records import Command

POSITION = "webcapture_position"
"""The key of a request's meta that holds its position in the reading order."""


def request_key(request: Request) -> str:
    """Return what a request claims, so that it is fetched once: its canonical URL, and what it posts to it.

    Scrapy's fingerprints would take ``/?b=2&a=1`` for ``/?a=1&b=2``; to the algorithm of 14.10.3.2 they are two.
    """
    return key_of(canonical_url(request.url), request.method, request.body)


def command_request(command: Command) -> Request:
    """Return the request for a command's URL; its headers are added by `CommandHeadersMiddleware`."""
    if command.data is None:
        return Request(command.url, cookies=_cookies(command))
    headers = {"Content-Type": _posted_type(command)}
    return Request(command.url, method="POST", body=command.data, headers=headers, cookies=_cookies(command))


def _posted_type(command: Command) -> str:
    """Return the type of a command's posted data; a header of that name goes before the argument."""
    return next((value for name, value in command.headers if name.lower() == "content-type"), command.content_type)


def _cookies(command: Command) -> list[VerboseCookie]:
    """Return the cookies of a command's Cookie header: Scrapy drops the header itself, and keeps a jar.

    So they go to every page and resource of the command's host, until its server gives others.
    """
    pairs = (
        pair.strip().partition("=")
        for name, value in command.headers
        if name.lower() == "cookie"
        for pair in value.split(";")
    )
    return [VerboseCookie(name=name, value=value, path="/") for name, _, value in pairs if name]
