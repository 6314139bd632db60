"""The chains of a URL alias dictionary (14.10.5.2), made of redirects.

All kinds of redirects count alike: HTTP 301, 302, 303, 307, 308 and META refresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from wcspider.exceptions import RedirectLoop
from wcspider.web.urls import canonical_url

Chain: TypeAlias = tuple[str, ...]
"""The canonical URLs that redirected, in order, without the destination."""


def chain(urls: Sequence[str], destination: str) -> Chain:
    """Return one chain of an alias dictionary (14.10.5.2): the canonical form of each URL that redirected.

    The chain does not contain the destination, even if ``urls`` ends with it. Hops that only change the spelling of a
    URL (``http://h`` to ``http://h/``, or a fragment) count once. The chain is empty if nothing redirected. Its length
    is not limited here: REDIRECT_MAX_TIMES decides how many redirects a request follows. Raises `RedirectLoop` if a
    URL occurs twice, and `InvalidURLError`.
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
    return tuple(hops[:-1])


def keys(destination: str, chains: Iterable[Chain]) -> tuple[str, ...]:
    """Return the destination and every URL of the chains, each once: the keys in URLS (14.10.3.2)."""
    return tuple(dict.fromkeys((destination, *(url for hops in chains for url in hops))))
