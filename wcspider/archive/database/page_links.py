"""The links of pages, stored with their sources: a refresh follows the links of a page that has not changed.

One stream for each source of a page set, with a line for each link.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from wcspider.archive.database.catalog import decoded
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Stream
from wcspider.web.resources import Link

SEPARATOR = "\t"
NOFOLLOW = "nofollow"
LOGIN = "login"
LINKS_KEPT = 4096
"""The number of links that stay in memory."""


def store_links(file: RevisionFile, links: Iterable[Link]) -> Ref | None:
    """Put links into the file; None if there are none."""
    text = "\n".join(SEPARATOR.join(_fields(link)) for link in links)
    return file.add(Stream.deflated({}, text.encode())) if text else None


def _fields(link: Link) -> list[str]:
    flags = NOFOLLOW if link.nofollow else "", LOGIN if link.has_login else ""
    fields = [link.url, link.element, flags[0], link.charset or "", flags[1]]
    while not fields[-1]:
        fields.pop()
    return [" ".join(field.split()) for field in fields]


def read_links(file: RevisionFile, reference: Ref | None) -> tuple[Link, ...]:
    """Return the links that `store_links` put into the file."""
    stream = None if reference is None else file.get(reference)
    if not isinstance(stream, Stream):
        return ()
    return tuple(map(_link_of, decoded(stream, file.resolve).decode().split("\n")))


@lru_cache(maxsize=LINKS_KEPT)
def _link_of(line: str) -> Link:
    """Return the link of a line. The pages of a site have many links in common."""
    return _link(*line.split(SEPARATOR))


def _link(url: str, element: str = "a", nofollow: str = "", charset: str = "", login: str = "") -> Link:
    return Link(url, element, nofollow == NOFOLLOW, charset or None, login == LOGIN)
