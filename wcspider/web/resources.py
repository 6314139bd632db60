"""Resources that servers sent, and the references of pages to them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple


class AuxiliaryKind(StrEnum):
    """The kinds of auxiliary resources."""

    IMAGE = "image"
    STYLESHEET = "stylesheet"
    FONT = "font"


LOCAL_SUFFIXES: Mapping[AuxiliaryKind, tuple[str, ...]] = {
    AuxiliaryKind.STYLESHEET: (".css",),
    AuxiliaryKind.FONT: (".otc", ".otf", ".ttc", ".ttf", ".woff", ".woff2"),
}
"""The suffixes of local files that may be style sheets and fonts, whose bytes are stored in the file."""


def is_refused_by_name(url: str, kind: AuxiliaryKind) -> bool:
    """Tell whether a local file has another suffix than a style sheet or font, so that it may be a private document."""
    scheme, _, path = url.partition("?")[0].partition(":")
    return scheme == "file" and not path.lower().endswith(LOCAL_SUFFIXES.get(kind, ""))


@dataclass(frozen=True)
class Resource:
    """The answer of a server for one URL, after redirects and content decoding."""

    url: str
    """The URL of the bytes, absolute and without fragment: the destination of any redirects."""

    body: bytes = field(repr=False)
    """The bytes as received, after content decoding (gzip and so on), before charset decoding."""

    content_type: str
    """The media type in lower case and without parameters, such as ``text/html``."""

    charset: str | None = None
    """The charset parameter of the Content-Type header, as given."""

    hops: tuple[str, ...] = ()
    """The URLs that redirected to ``url``, in order, without ``url``."""

    fetched: datetime | None = None
    """When the resource was fetched; aware, in UTC."""

    expires: datetime | None = None
    """When the resource expires, if the server said so explicitly."""

    etag: str | None = None
    last_modified: str | None = None
    nofollow: bool = False
    """True if the headers ask robots not to follow the links of the page (X-Robots-Tag)."""

    held: bytes | None = None
    """The MD5 of the copy in the file, if it is still valid. The body may be empty then."""

    held_length: int = 0
    """The length of the copy in the file."""

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
    """An auxiliary resource of a page (14.10.3.3): the reference, and the answer."""

    url: str
    """The absolute URL of the reference, without fragment."""

    kind: AuxiliaryKind
    resource: Resource | None
    """The fetched resource; None if it could not be fetched."""

    problem: str = ""
    """Why the resource could not be fetched, in a few words."""


class Link(NamedTuple):
    """A link to another page. Pages have hundreds, and a tuple is pickled in a fraction of the time."""

    url: str
    """The canonical URL, absolute and without fragment."""

    element: str
    """The name of the element: ``a``, ``area``, ``frame``, ``iframe``, or ``meta`` for a refresh."""

    nofollow: bool = False
    """True if the author asks robots not to follow the link."""

    charset: str | None = None
    """The charset attribute: the encoding of the linked page, according to the linking page."""

    has_login: bool = False
    """True if the reference contains a login, which `url` does not have: it is neither stored nor sent."""
