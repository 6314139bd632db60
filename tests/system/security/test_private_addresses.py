"""The addresses that pages from the web may reach: each way into the network, with a server that counts requests."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.crawls import Archive, Run, capture, captured, plain, run
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.system.security.network import CONNECTIONS, INSIDE, OUTSIDE, PUBLIC, SETTINGS
from wcspider.downloading.ssrf_guard import PRIVATE_ADDRESS
from wcspider.web.urls import LOGIN_LINK

HOSTS = {
    "loopback": "127.0.0.1",
    "loopback-other": "127.9.9.9",
    "short": "127.1",
    "decimal": "2130706433",
    "hexadecimal": "0x7f000001",
    "octal": "0177.0.0.01",
    "mixed": "0x7f.1",
    "percent": "%31%32%37.0.0.1",
    "fullwidth": "１２７。０。０。１",
    "dot": "127.0.0.1.",
    "unspecified": "0.0.0.0",
    "zero": "0",
    "login": "public.test@127.0.0.1",
    "link-local": "169.254.169.254",
    "private": "192.168.0.1",
    "carrier": "100.64.0.1",
    "v6": "[::1]",
    "v6-long": "[0:0:0:0:0:0:0:1]",
    "v6-unspecified": "[::]",
    "v6-mapped": "[::ffff:127.0.0.1]",
    "v6-mapped-hexadecimal": "[::ffff:7f00:1]",
    "v6-translated": "[64:ff9b::7f00:1]",
    "v6-local": "[fd00::1]",
    "v6-link-local": "[fe80::1]",
    "localhost": "localhost",
    "localhost-below": "any.localhost",
    "localhost-upper": "LOCALHOST.",
    "name-loopback": "loopback.test",
    "name-metadata": "metadata.test",
    "name-intranet": "intranet.test",
    "name-without-dots": "wiki",
}
"""Hosts inside the network, by what is asked of them."""

NEVER_SENT = {"linked/login"}
"""What Scrapy cannot ask for, whatever is allowed."""

SHOWN = {
    "img": '<img src="{url}">',
    "srcset": '<img srcset="{url} 1x">',
    "picture": '<picture><source srcset="{url}" type="image/png"><img></picture>',
    "input": '<input type="image" src="{url}">',
    "object": '<object data="{url}" type="image/png"></object>',
    "poster": '<video poster="{url}"></video>',
    "svg-image": '<svg><image href="{url}"/></svg>',
    "css": '<link rel="stylesheet" href="{url}">',
    "css-import": '<style>@import "{url}";</style>',
    "css-background": "<style>body {{ background: url({url}) }}</style>",
    "css-font": "<style>@font-face {{ font-family: F; src: url({url}) }} p {{ font-family: F }}</style>",
    "css-attribute": "<p style=\"background-image: url('{url}')\">x</p>",
    "img-redirect": '<img src="/redirects/img-redirect">',
    "css-nested": '<link rel="stylesheet" href="/nested.css">',
}
"""What a page shows, by way; `url` leads inside."""

LED_TO = {
    "link": '<a href="{url}">x</a>',
    "area": '<map><area href="{url}"></map>',
    "iframe": '<iframe src="{url}"></iframe>',
    "frame": '<a href="/frames">x</a>',
    "redirect-301": '<a href="/redirects/redirect-301">x</a>',
    "redirect-307": '<a href="/redirects/redirect-307">x</a>',
    "redirect-refresh": '<a href="/refreshes">x</a>',
    "redirect-named": '<a href="/redirects/redirect-named">x</a>',
}
"""What a page leads to, by way."""

LISTED = {
    "sitemap-entry": "<urlset><url><loc>{url}</loc></url></urlset>",
    "sitemap-index": "<sitemapindex><sitemap><loc>{url}</loc></sitemap></sitemapindex>",
    "sitemap-redirect": "<sitemapindex><sitemap><loc>/redirects/sitemap-redirect</loc></sitemap></sitemapindex>",
}
"""What a sitemap leads to, by way."""


def site(inside: int) -> dict[str, Reply]:
    """A site with all ways in; the server inside has the port `inside`."""

    def url(way: str, host: str = INSIDE) -> str:
        return f"http://{host}:{inside}/{way}"

    ways = [html.format(url=url(way)) for way, html in {**SHOWN, **LED_TO}.items()]
    shown = [f'<img src="{url(way, host)}">' for way, host in HOSTS.items()]
    linked = [f'<a href="{url(f"linked/{way}", host)}">x</a>' for way, host in HOSTS.items()]
    return {
        "/": page("<title>ways</title>" + "".join([*ways, *shown, *linked, '<a href="/sound">x</a>'])),
        "/sound": page("<title>sound</title><p>text of a page that is sound"),
        "/frames": page(f'<frameset><frame src="{url("frame")}"></frameset>'),
        "/refreshes": page(f'<meta http-equiv="refresh" content="0; url={url("redirect-refresh")}">'),
        "/nested.css": Reply(f"p {{ background: url({url('css-nested')}) }}".encode(), content_type="text/css"),
        "/redirects/img-redirect": redirect(url("img-redirect")),
        "/redirects/redirect-301": redirect(url("redirect-301"), 301),
        "/redirects/redirect-307": redirect(url("redirect-307"), 307),
        **{
            f"/{way}.xml": Reply(xml.format(url=url(way)).encode(), content_type="text/xml")
            for way, xml in LISTED.items()
        },
        "/sitemap.xml": Reply(
            "".join(
                [
                    "<sitemapindex>",
                    *(f"<sitemap><loc>/{way}.xml</loc></sitemap>" for way in LISTED),
                    "<sitemap><loc>/hosts.xml</loc></sitemap></sitemapindex>",
                ]
            ).encode(),
            content_type="text/xml",
        ),
        "/hosts.xml": Reply(
            "\n".join([*(url(f"listed/{way}", host) for way, host in HOSTS.items()), "file:///etc/hostname"]).encode(),
            content_type="text/plain",
        ),
        "/redirects/sitemap-redirect": redirect(url("sitemap-redirect")),
        "/redirects/redirect-named": redirect(url("redirect-named", "loopback.test")),
        "/robots.txt": Reply(f"Sitemap: {url('sitemap.xml')}\n".encode(), content_type="text/plain"),
    }


@pytest.fixture
def inside() -> object:
    """The server that counts."""
    with SiteServer({}, host=INSIDE) as server:
        yield server


@pytest.fixture
def outside(inside: SiteServer) -> object:
    """The server of the pages."""
    with SiteServer(site(inside.port), host=OUTSIDE) as server:
        yield server


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Captures in the network of the tests, three levels of pages of any site."""
    monkeypatch.setenv(CONNECTIONS, str(tmp_path / "connections"))

    def crawl(url: str, sitemap: str | None = None, **settings: object) -> Run:
        named = {f"WEBCAPTURE_{name.upper()}": value for name, value in settings.items()}
        return captured(url, tmp_path / "site.pdf", {**SETTINGS, **named}, levels=3, same_site="false", sitemap=sitemap)

    return crawl


def connections(folder: Path) -> set[str]:
    """The addresses that a crawl has connected to."""
    return set((folder / "connections").read_text().split())


def test_no_way_leads_inside(
    inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run], tmp_path: Path
) -> None:
    done = crawl(f"http://public.test:{outside.port}/", report_limit=200)
    assert inside.requests == []
    assert connections(tmp_path) == {PUBLIC}
    pages, resources = done.left_out[PRIVATE_ADDRESS], done.section("Resources skipped")[PRIVATE_ADDRESS]
    assert {url.rpartition("/")[2] for url in resources} >= {*SHOWN, *HOSTS} - {"img-redirect"}
    assert any(url.endswith("/redirects/img-redirect") for url in resources)
    assert {url.rpartition("/")[2] for url in pages} >= {*LED_TO, *HOSTS} - {"login"}
    assert any(url.endswith("/linked/login") for url in done.left_out[LOGIN_LINK])
    with Archive(tmp_path / "site.pdf") as archive:
        assert {"ways", "sound"} <= {found.title for found in archive.page_sets}


def test_no_way_of_a_sitemap_leads_inside(
    inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run], tmp_path: Path
) -> None:
    base = f"http://public.test:{outside.port}"
    done = crawl(f"{base}/sound", report_limit=200, sitemap=f"{base}/sitemap.xml,{base}/robots.txt")
    assert inside.requests == []
    assert connections(tmp_path) == {PUBLIC}
    pages = {url.rpartition("/")[2] for url in done.left_out[PRIVATE_ADDRESS]}
    assert pages >= {"sitemap-entry", *HOSTS} - {"login"}
    assert done.left_out["in a sitemap: a local file or an FTP server"] == ["file:///etc/hostname"]
    sitemaps = {url.rpartition("/")[2] for url in done.left_out[f"sitemap: {PRIVATE_ADDRESS}"]}
    assert sitemaps == {"sitemap-index", "sitemap-redirect", "sitemap.xml"}  # the last is what robots.txt names


def test_a_setting_opens_all_ways(inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run]) -> None:
    crawl(f"http://public.test:{outside.port}/", allowed_hosts="*")
    reached = {path.removeprefix("/") for path in inside.paths()}
    wanted = {*SHOWN, *LED_TO, *HOSTS, *(f"linked/{way}" for way in HOSTS)}
    assert wanted - reached == NEVER_SENT


def test_a_setting_opens_what_it_names(
    inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run], tmp_path: Path
) -> None:
    crawl(f"http://public.test:{outside.port}/", allowed_hosts="wiki, 10.1.2.3, 192.168.0.0/16, fd00::/8")
    opened = {"name-without-dots", "name-intranet", "private", "v6-local"}
    reached = {path.removeprefix("/") for path in inside.paths()} - {"robots.txt"}
    assert reached == {name for way in opened for name in (way, f"linked/{way}")}
    assert connections(tmp_path) == {PUBLIC, "10.1.2.4", "10.1.2.3", "192.168.0.1", "fd00::1"}


def test_a_host_inside_that_the_user_names_leads_to_itself_only(
    inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run], tmp_path: Path
) -> None:
    port = inside.port
    shows = "".join(
        f'<img src="http://{host}/{way}">'
        for way, host in {
            "same-host": f"wiki:{port}",
            "its-address": f"10.1.2.4:{port}",
            "other": f"intranet.test:{port}",
            "other-address": f"10.1.2.3:{port}",
            "loopback": f"127.0.0.1:{port}",
            "public": f"elsewhere.test:{outside.port}",
        }.items()
    )
    inside.update({"/": page(f"<p>text{shows}")})
    crawl(f"http://wiki:{port}/")
    assert set(inside.paths()) == {"/robots.txt", "/", "/same-host"}
    assert outside.paths() == ["/robots.txt", "/public"]
    assert connections(tmp_path) == {"10.1.2.4", PUBLIC}


def test_a_host_that_turns_inside_is_not_followed(
    inside: SiteServer, outside: SiteServer, crawl: Callable[..., Run], tmp_path: Path
) -> None:
    """The name that the user gave is answered with a public address first, with one inside from then on."""
    outside.update({"/": page(f'<p>text<img src="http://rebinding.test:{inside.port}/rebound.png">')})
    done = crawl(f"http://rebinding.test:{outside.port}/", workers=1)
    assert inside.requests == []
    assert connections(tmp_path) == {PUBLIC}
    assert PRIVATE_ADDRESS in done.section("Resources skipped")


def test_pages_of_one_loopback_address_reach_no_other(tmp_path: Path) -> None:
    """With the resolver that Scrapy has, and no router: the two servers are two hosts of this machine."""
    with SiteServer({}, host=INSIDE) as inside, SiteServer(site(inside.port), host=OUTSIDE) as outside:
        captured(outside.url(), tmp_path / "site.pdf", levels=2, same_site="false")
        assert inside.requests == []


def test_a_refresh_takes_the_urls_of_the_file_for_the_users_own(tmp_path: Path) -> None:
    with SiteServer({}, host=INSIDE) as inside, SiteServer({"/": page("<p>before")}, host=OUTSIDE) as outside:
        captured(outside.url(), tmp_path / "site.pdf")
        outside.update(site(inside.port))
        done = run("crawl", "refresh", "-a", f"pdf={tmp_path / 'site.pdf'}")
        assert done.status == 0, done.log
        assert inside.requests == []
        assert PRIVATE_ADDRESS in done.section("Resources skipped")


def test_a_proxy_is_asked_for_names_only(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """A proxy looks names up itself. It may be inside, for the user says where it is; pages may not reach it there."""
    proxy = server({})
    shown = ["http://127.0.0.1:9/x", "http://2130706433/x", "http://[::1]/x", "http://localhost/x", proxy.url("/x")]
    shows = "".join(f"<img src='{url}'>" for url in [*shown, "http://elsewhere.test/x"])
    proxy.update({"http://public.test/": page(f"<p>text{shows}")})
    done = capture("http://public.test/", tmp_path / "site.pdf", environment={"http_proxy": proxy.url()})
    assert done.status == 0, done.log
    asked = {"http://public.test/robots.txt", "http://public.test/", "http://elsewhere.test/x"}
    assert set(proxy.paths()) - {"http://elsewhere.test/robots.txt"} == asked
    assert sorted(done.section("Resources skipped")[PRIVATE_ADDRESS]) == sorted(shown)


GUEST = """
from scrapy import Request, Spider
from wcspider.items import CaptureItem

class Guest(Spider):
    name = "guest"

    async def start(self):
        yield Request(self.outside, self.keep)
        yield Request(self.inside + "own", self.keep)
        yield Request(self.outside + "to-other", self.keep)

    def keep(self, response):
        yield CaptureItem.from_response(response)
"""


def test_a_spider_of_another_project_asks_for_what_it_likes_and_its_pages_do_not(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    inside, other = server({"/own": page("<p>asked for")}, host=INSIDE), server({}, host="127.0.0.7")
    shows = f"<img src='{inside.url('/shown.png')}'><img src='{other.url('/shown.png')}'>"
    site = {"/": page(f"<p>text{shows}"), "/to-other": redirect(other.url("/redirected"))}
    outside = server(site, host=OUTSIDE)
    (tmp_path / "guest.py").write_text(GUEST)
    given = ["-a", f"outside={outside.url()}", "-a", f"inside={inside.url()}"]
    done = run("runspider", tmp_path / "guest.py", *given, "-s", f"WEBCAPTURE_PDF={tmp_path / 'site.pdf'}")
    assert done.status == 0, done.log
    assert set(inside.paths()) == {"/robots.txt", "/own", "/shown.png"}
    assert other.requests == []
    assert done.section("Resources skipped")[PRIVATE_ADDRESS] == [other.url("/shown.png")]


def test_local_files_and_ftp_servers(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """A page from the web cannot have a file of this machine, in any spelling, shown or linked to or redirected to."""
    secret = tmp_path / "secret.html"
    secret.write_text("<title>secret-title</title><p>secret-text")
    path = str(secret)
    spellings = [f"file://{path}", f"file:{path}", f"FILE://localhost{path}", f"file:////{path}", f"\tfile://{path}"]
    ways = [*spellings, "ftp://127.0.0.1/secret"]
    shown = "".join(
        f'<img src="{way}"><link rel="stylesheet" href="{way}"><object data="{way}"></object><iframe src="{way}">'
        f'</iframe><a href="{way}">x</a><style>@import "{way}"; p {{ background: url({way}) }}</style>'
        for way in ways
    )
    redirects = {f"/{number}": redirect(way.strip()) for number, way in enumerate(ways)}
    led = "".join(f'<a href="{path}">x</a><img src="{path}">' for path in redirects)
    web = server({"/": page(f"<base href='/'><p>text{shown}{led}"), **redirects})
    captured(web.url(), tmp_path / "site.pdf", levels=3, same_site="false")
    with Archive(tmp_path / "site.pdf") as archive:
        assert archive.order(web.url("")) == ["/"]
    assert b"secret-" not in plain(tmp_path / "site.pdf")


@pytest.mark.skipif("not _has_ipv6()", reason="this machine has no IPv6")
def test_a_host_with_an_ipv6_address_is_captured_and_reaches_no_other(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    other = server({"/secret.png": page("secret")})
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as listener:
        body = f"<title>six</title><p>text<img src='{other.url('/secret.png')}'>".encode()
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + body
        threading.Thread(target=_answer, args=(listener, answer), daemon=True).start()
        url = f"http://[::1]:{listener.getsockname()[1]}/"
        done = captured(url, tmp_path / "site.pdf", {"ROBOTSTXT_OBEY": False})
    assert done.section("Resources skipped") == {PRIVATE_ADDRESS: [other.url("/secret.png")]}
    assert other.requests == []
    with Archive(tmp_path / "site.pdf") as archive:
        assert list(archive.urls) == [url]


def _answer(listener: socket.socket, answer: bytes) -> None:
    """Answer one request."""
    with suppress(OSError), listener.accept()[0] as connection:  # the listener is closed at the end of the test
        connection.recv(65536)
        connection.sendall(answer)


def _has_ipv6() -> bool:
    with suppress(OSError), socket.create_server(("::1", 0), family=socket.AF_INET6):
        return True
    return False
