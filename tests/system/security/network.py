"""A network for tests: names, and where their addresses lead. Scrapy takes it for its resolver.

The names are answered from a table. A router stands behind: the public address leads to the server of pages on
`OUTSIDE`, and every other to `INSIDE`, whatever it is. So what asks for an address inside, or for one that nobody has,
reaches the server that counts, and each connection is listed in the file `CONNECTIONS`. What is tested sits between
the two: the guard gets the answers of the table, and what it lets through gets to the router.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

PUBLIC = "93.184.215.14"
OUTSIDE = "127.0.0.9"
INSIDE = "127.0.0.1"
CONNECTIONS = "WCSPIDER_CONNECTIONS"

NAMES: Mapping[str, Sequence[str]] = {
    "public.test": [PUBLIC],
    "elsewhere.test": [PUBLIC],
    "loopback.test": ["127.0.0.1"],
    "metadata.test": ["169.254.169.254"],
    "intranet.test": ["10.1.2.3"],
    "wiki": ["10.1.2.4"],
    "rebinding.test": [PUBLIC, "127.0.0.1"],
}
"""The answers to the first, the second and so on; the last holds from then on."""

SETTINGS = {"TWISTED_DNS_RESOLVER": "tests.system.security.network.Names", "DOWNLOAD_TIMEOUT": 20, "RETRY_TIMES": 0}


class Names(CachingThreadedResolver):
    """Answers from `NAMES`, and gives addresses in any notation as the system does."""

    def install_on_reactor(self) -> None:
        super().install_on_reactor()
        self._asked: dict[str, int] = {}
        _put_behind_router(self.reactor)

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> defer.Deferred[str]:  # noqa: N802
        answers = NAMES.get(name.rstrip("."))
        if answers is not None:
            number = self._asked[name] = self._asked.get(name, -1) + 1
            return defer.succeed(answers[min(number, len(answers) - 1)])
        try:
            found = socket.getaddrinfo(name, None)
        except OSError:  # a resolver that knows everything, and says that it is here
            return defer.succeed(INSIDE)
        return defer.succeed(str(found[0][4][0]))


def _put_behind_router(reactor: Any) -> None:
    connect = reactor.connectTCP

    def routed(host: str, *arguments: Any, **options: Any) -> Any:
        with Path(os.environ[CONNECTIONS]).open("a") as connections:
            connections.write(f"{host}\n")
        return connect(OUTSIDE if host == PUBLIC else INSIDE, *arguments, **options)

    reactor.connectTCP = routed
