"""The chains of a URL alias dictionary (14.10.5.2), made of redirects.

All kinds of redirects count alike: HTTP 301, 302, 303, 307, 308 and META refresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from wcspider.exceptions import RedirectLoop, RedirectTooLong
from wcspider.web.urls import canonical_url

MAX_HOPS = 20
"""How many hops a chain may have by default: as many as Scrapy and browsers follow."""

Chain: TypeAlias = tuple[str, ...]
"""The canonical URLs that redirected, in order, without the destination."""


def chain(urls: Sequence[str], destination: str, *, max_hops: int = MAX_HOPS) -> Chain:
    """One chain of an alias dictionary (14.10.5.2): the canonical form of each URL that redirected.

    ``urls`` may end with the destination or not; it is left off. Hops that only change the spelling of a URL
    (``http://h`` to ``http://h/``, or a fragment) fall together. Empty if nothing redirected. Raises
    `RedirectLoop` if a URL comes back, `RedirectTooLong` for more than ``max_hops`` hops, and
    `InvalidURLError`.
    """
    hops: list[str] = []
    for url in (*urls, destination):
        canonical = canonical_url(url)
        if not hops or hops[-1] != canonical:
            hops.append(canonical)
    seen: set[str] = set()
    for hop in hops:
        if hop in seen:
            raise RedirectLoop(f"{hops[0]} redirects in a loop, through {hop}")
        seen.add(hop)
    if len(hops) - 1 > max_hops:
        raise RedirectTooLong(f"{hops[0]} redirects more than {max_hops} times, to {hops[-1]} at last")
    return tuple(hops[:-1])


def keys(destination: str, chains: Iterable[Chain]) -> tuple[str, ...]:
    """Return the destination and every URL of the chains, each once: the keys in URLS (14.10.3.2)."""
    return tuple(dict.fromkeys((destination, *(url for hops in chains for url in hops))))
