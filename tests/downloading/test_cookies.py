"""CookieFileMiddleware: the hosts that get cookies, determined without network access."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import Response

from tests.support.crawlers import make_crawler
from tests.support.crawls import crawl_arguments, started
from tests.support.http_server import SiteServer, page
from wcspider.downloading.headers import CookieFileMiddleware

# where a cookie comes from, its Domain, where the next request goes, whether the cookie goes along
CASES = [
    ("http://shop.example.com/", "", "http://shop.example.com/", True),
    ("http://shop.example.com/", "", "http://example.com/", False),
    ("http://shop.example.com/", "", "http://www.shop.example.com/", False),
    ("http://shop.example.com/", "example.com", "http://www.example.com/", True),
    ("http://shop.example.com/", ".example.com", "http://www.example.com/", True),
    ("http://shop.example.com/", "other.com", "http://other.com/", False),
    ("http://shop.co.uk/", ".co.uk", "http://other.co.uk/", False),
    ("http://shop.co.uk/", "CO.UK", "http://other.co.uk/", False),
    ("http://shop.co.uk/", "shop.co.uk", "http://www.shop.co.uk/", True),
    ("http://me.github.io/", "github.io", "http://you.github.io/", False),  # the private part of the list
    ("http://github.io/", "github.io", "http://github.io/", True),
    ("http://github.io/", "github.io", "http://you.github.io/", False),
    ("http://127.0.0.1/", "", "http://127.0.0.1:8000/", True),
    ("http://127.0.0.1/", "", "http://127.0.0.2/", False),
]


@pytest.mark.parametrize(("url", "domain", "following", "goes"), CASES)
def test_cookies_go_to_hosts_of_one_owner(url: str, domain: str, following: str, goes: bool) -> None:
    middleware = CookieFileMiddleware.from_crawler(make_crawler())
    header = f"session=1; Domain={domain}" if domain else "session=1"
    middleware.process_response(Request(url), Response(url, headers={"Set-Cookie": header}))
    request = Request(following)
    middleware.process_request(request)
    assert request.headers.get("Cookie") == (b"session=1" if goes else None)


def test_cookies_beyond_those_that_browsers_keep_are_not_sent() -> None:
    """Otherwise a site that sets another cookie on each page would at last refuse the headers of all requests."""
    middleware = CookieFileMiddleware.from_crawler(make_crawler())
    url = "http://shop.example.com/"
    headers = {"Set-Cookie": [f"page{number}=seen" for number in range(1000)] + ["large=" + "x" * 5000]}
    middleware.process_response(Request(url), Response(url, headers=headers))
    request = Request(url)
    middleware.process_request(request)
    sent = (request.headers.get("Cookie") or b"").decode().split("; ")
    assert sent == [f"page{number}=seen" for number in range(820, 1000)]


class Canary:
    """A proxy that must not be used. It counts its connections and closes them."""

    def __init__(self) -> None:
        self.visitors = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._count)
        self._thread.start()

    def _count(self) -> None:
        while True:
            visitor, _ = self._listener.accept()
            with visitor:
                if visitor.recv(1) == b"!":
                    return
            self.visitors += 1

    def close(self) -> None:
        """End, after all who came were counted."""
        with socket.create_connection(self._listener.getsockname()) as last:
            last.sendall(b"!")
        self._thread.join()
        self._listener.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    found = Canary()
    yield found
    if found._thread.is_alive():
        found.close()


def test_a_cookie_asks_nothing_of_the_network(
    server: Callable[..., SiteServer], canary: Canary, tmp_path: Path
) -> None:
    """Scrapy's own middleware would download the public suffix list, past the SSRF guard."""
    site = server({"/": page("<p>text", headers={"Set-Cookie": "session=1; Domain=127.0.0.1"})})
    environment = {
        "http_proxy": canary.url,
        "https_proxy": canary.url,
        "no_proxy": "127.0.0.1",
        "TLDEXTRACT_CACHE": str(tmp_path / "cache"),
    }
    with started(
        *crawl_arguments(site.url(), tmp_path / "site.pdf"), environment=environment, is_forked=False
    ) as crawl:
        done = crawl.end()
    canary.close()
    assert done.status == 0, done.log
    assert canary.visitors == 0
    assert not (tmp_path / "cache").exists()
