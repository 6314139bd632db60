"""What a server answered, and what a page refers to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property


class AuxiliaryKind(StrEnum):
    """What an auxiliary resource is to the page that refers to it."""

    IMAGE = "image"
    STYLESHEET = "stylesheet"
    FONT = "font"


@dataclass(frozen=True)
class Resource:
    """What a server answered for one URL, after content decoding and redirects."""

    url: str
    """The URL that gave the bytes, absolute, with no fragment: the last of any redirects."""

    body: bytes = field(repr=False)
    """The bytes as received, after content decoding (gzip and so on), before charset decoding."""

    content_type: str
    """The media type in lower case and without parameters, such as ``text/html``."""

    charset: str | None = None
    """The charset parameter of the Content-Type header, as it was given."""

    hops: tuple[str, ...] = ()
    """The URLs that redirected here, first first; ``url`` is not among them."""

    fetched: datetime | None = None
    """When it was fetched; aware, in UTC."""

    expires: datetime | None = None
    """Until when the server said explicitly that the bytes hold."""

    etag: str | None = None
    last_modified: str | None = None
    held: bytes | None = None
    """The MD5 of what the file holds, where that still holds: then the body may not be at hand."""

    held_length: int = 0
    """The length of what the file holds."""

    @cached_property
    def digest(self) -> bytes:
        """The MD5 of the body, 16 bytes."""
        return self.held or hashlib.md5(self.body, usedforsecurity=False).digest()

    @property
    def length(self) -> int:
        """The length of the body, in bytes."""
        return len(self.body) if self.held is None else self.held_length


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary resource of a page (14.10.3.3): where it was asked for, and what came."""

    url: str
    """The absolute URL by which the page refers to it, without fragment."""

    kind: AuxiliaryKind
    resource: Resource | None
    """What was fetched; None if it could not be."""

    problem: str = ""
    """Why it could not be fetched, in a few words."""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another page."""

    url: str
    """The canonical URL, absolute and without fragment."""

    element: str
    """The name of the element: ``a``, ``area``, ``frame`` or ``iframe``."""

    nofollow: bool = False
    """The author asks robots not to follow this link."""

    charset: str | None = None
    """The charset attribute: the encoding of the page that is linked to, by the one who links."""
