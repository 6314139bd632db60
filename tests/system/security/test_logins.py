"""Captures with a login: the hosts that get it, and that it is not stored anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy import Request

from tests.support.crawls import Run, capture, captured, crawl_arguments, plain, run, started
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.support.pictures import grey_png
from wcspider.downloading.headers import CookieFileMiddleware, NetrcMiddleware
from wcspider.exceptions import ArgumentError, SettingError
from wcspider.web.logins import read_cookies, read_netrc
from wcspider.webcapture.records import Command

SECRET = b"s3cret"
MAGIC = "# Netscape HTTP Cookie File\n"
LATER, EARLIER = 4102444800, 946684800
BASIC = "Basic bWU6czNjcmV0LXB3"
"""me:s3cret-pw"""


def cookie(
    domain: str, name: str, *, value: str = "s3cret-cookie", path: str = "/", secure: bool = False, expires: object = 0
) -> str:
    """A line of a cookie file."""
    below = "TRUE" if domain.removeprefix("#HttpOnly_").startswith(".") else "FALSE"
    return "\t".join([domain, below, path, str(secure).upper(), str(expires), name, value]) + "\n"


def cookie_file(folder: Path, *lines: str, name: str = "cookies.txt") -> Path:
    """A cookie file with lines."""
    file = folder / name
    file.write_text(MAGIC + "\n" + "".join(lines))
    return file


def picture(grey: int) -> Reply:
    """A picture unlike the others."""
    return Reply(grey_png(4, 4, grey), content_type="image/png")


# Which cookies are sent

SENT: list[tuple[str, str, bool]] = [
    (cookie("h.test", "a"), "http://h.test/x", True),
    (cookie("h.test", "a"), "https://h.test:8443/x", True),
    (cookie("h.test", "a"), "http://www.h.test/x", False),  # for its own host only
    (cookie("h.test", "a"), "http://other.test/x", False),
    (cookie("h.test", "a"), "http://evilh.test/x", False),
    (cookie(".h.test", "a"), "http://h.test/x", True),
    (cookie(".h.test", "a"), "http://www.h.test/x", True),
    (cookie(".h.test", "a"), "http://evilh.test/x", False),
    (cookie("h.test", "a", path="/in"), "http://h.test/in/x", True),
    (cookie("h.test", "a", path="/in"), "http://h.test/out", False),
    (cookie("h.test", "a", secure=True), "https://h.test/x", True),
    (cookie("h.test", "a", secure=True), "http://h.test/x", False),
    (cookie("h.test", "a", expires=LATER), "http://h.test/x", True),
    (cookie("h.test", "a", expires=""), "http://h.test/x", True),  # for a session, as Python writes it
    (cookie("#HttpOnly_h.test", "a"), "http://h.test/x", True),
    (cookie("127.0.0.1", "a"), "http://127.0.0.1:8000/x", True),
    (cookie("127.0.0.1", "a"), "http://127.0.0.2:8000/x", False),
    (cookie("wiki", "a"), "http://wiki/x", True),  # a host without dots
]


@pytest.mark.parametrize(("line", "url", "is_sent"), SENT)
def test_cookies_go_to_their_hosts(tmp_path: Path, line: str, url: str, is_sent: bool) -> None:
    cookies = read_cookies(cookie_file(tmp_path, line))
    middleware = CookieFileMiddleware()
    middleware.spider_opened(SimpleNamespace(arguments=SimpleNamespace(cookies=cookies)))
    request = Request(url)
    middleware.process_request(request)
    assert request.headers.get("Cookie") == (b"a=s3cret-cookie" if is_sent else None)


def test_a_cookie_that_has_expired_is_not_taken(tmp_path: Path) -> None:
    file = cookie_file(tmp_path, cookie("h.test", "old", expires=EARLIER), cookie("h.test", "new", expires=LATER))
    assert [found.name for found in read_cookies(file)] == ["new"]


WRONG: list[tuple[bytes | None, str]] = [
    (None, "cookies: {file}: No such file or directory; name a file that can be read"),
    (b"", "cookies: {file} is not a cookie file; export the cookies in Netscape format*"),
    (b'[{"name": "s3cret"}]', "cookies: {file} is not a cookie file; *"),
    (MAGIC.encode() + b"h.test\tFALSE\t/\ts3cret\n", "cookies: {file} is not a cookie file; *"),
    (MAGIC.encode() + b"h.test\tTRUE\t/\tFALSE\ts3cret\ts3cret\ts3cret\n", "cookies: {file} is not a cookie file; *"),
    (b"\xff\xfe\x00s3cret", "cookies: {file}: is not a text file; name a file that can be read"),
    (MAGIC.encode(), "cookies: {file} has no unexpired cookie; log in and export them again"),
    (
        MAGIC.encode() + cookie("h.test", "a", expires=EARLIER).encode(),
        "cookies: {file} has no unexpired cookie; log in and export them again",
    ),
]


@pytest.mark.parametrize(("content", "message"), WRONG)
def test_cookie_files_that_are_refused(
    tmp_path: Path, content: bytes | None, message: str, recwarn: pytest.WarningsRecorder
) -> None:
    file = tmp_path / "cookies.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ArgumentError) as refused:
        read_cookies(file)
    start, _, _ = message.format(file=file).partition("*")
    assert str(refused.value).startswith(start)
    assert "s3cret" not in str(refused.value)
    assert not recwarn.list  # http.cookiejar's quote the line


# Which logins are sent

NETRC = "machine h.test login me password s3cret-pw\nmachine other.test login you password s3cret-2\ndefault login x\n"

LOGINS: list[tuple[str, str, str | None]] = [
    ("http://h.test/", "http://h.test/x", BASIC),
    ("http://h.test/", "http://h.test:8080/x", BASIC),
    ("http://h.test/", "https://h.test/x", BASIC),
    ("https://h.test/", "https://h.test/x", BASIC),
    ("https://h.test/", "http://h.test/x", None),  # a page, or a redirection, has it sent where others can read it
    ("http://elsewhere.test/", "http://h.test/x", None),
    ("http://elsewhere.test/", "https://h.test/x", BASIC),
    ("http://h.test/", "http://www.h.test/x", None),
    ("http://h.test/", "http://elsewhere.test/x", None),  # the entry default is for nobody
    ("http://h.test/", "ftp://h.test/x", None),
]


@pytest.mark.parametrize(("command", "url", "sent"), LOGINS)
@pytest.mark.parametrize("carried", [None, BASIC, "Basic eW91OnMzY3JldC0y"])
def test_logins_go_to_their_hosts(
    tmp_path: Path, command: str, url: str, sent: str | None, carried: str | None
) -> None:
    """Of the crawl, the middleware asks for the commands alone. `carried` came with a redirection from elsewhere."""
    (tmp_path / "netrc").write_text(NETRC)
    crawler = SimpleNamespace(spider=SimpleNamespace(commands=[Command(command)]))
    middleware = NetrcMiddleware(crawler, read_netrc(str(tmp_path / "netrc")))  # type: ignore[arg-type]
    request = Request(url, headers={"Authorization": carried} if carried else None)
    middleware.process_request(request)
    assert request.headers.get("Authorization") == (None if sent is None else sent.encode())


def test_a_login_that_the_user_gave_otherwise_goes_before(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text(NETRC)
    crawler = SimpleNamespace(spider=SimpleNamespace(commands=[Command("http://h.test/")]))
    middleware = NetrcMiddleware(crawler, read_netrc(str(tmp_path / "netrc")))  # type: ignore[arg-type]
    request = Request("http://h.test/", headers={"Authorization": "Bearer token"})
    middleware.process_request(request)
    assert request.headers.get("Authorization") == b"Bearer token"


def test_a_netrc_file_that_cannot_be_understood_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine h.test login me password\n\nmachine h.test s3cret s3cret\n")
    with pytest.raises(SettingError, match="syntax error in line 3") as refused:
        read_netrc(str(tmp_path / "netrc"))
    assert "s3cret" not in str(refused.value)


# Whole captures


@pytest.fixture
def away(server: Callable[..., SiteServer]) -> SiteServer:
    """Another host."""
    return server({"/shown.png": picture(1), "/redirected.png": picture(2)}, host="127.0.0.3")


@pytest.fixture
def site(server: Callable[..., SiteServer], away: SiteServer) -> SiteServer:
    """A site that requires a login, and shows resources of another host."""
    return server(
        {
            "/": page(
                "<title>members</title><p>text of the members"
                f"<img src='/own.png'><img src='{away.url('/shown.png')}'><img src='/to-away'><a href='/two'>two</a>"
            ),
            "/two": page("<title>two</title><p>text of two<img src='/later.png'>"),
            "/own.png": picture(3),
            "/later.png": picture(4),
            "/to-away": redirect(away.url("/redirected.png")),
        }
    )


SETTINGS = {"WEBCAPTURE_ALLOWED_HOSTS": "127.0.0.0/8", "LOG_LEVEL": "DEBUG"}


def login(folder: Path) -> tuple[Path, Path]:
    """A cookie file and a netrc file for the site."""
    netrc = folder / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password s3cret-pw\n")
    secure = cookie("127.0.0.1", "secure", secure=True)
    return cookie_file(folder, cookie("#HttpOnly_127.0.0.1", "session"), secure), netrc


def assert_logged_in(site: SiteServer, away: SiteServer, paths: set[str]) -> None:
    """All requests to the site came with the login, and none to the other host."""
    requests = site.requests
    assert {request.path for request in requests} == {"/robots.txt", *paths}
    assert {request.headers.get("cookie") for request in requests} == {"session=s3cret-cookie"}
    assert {request.headers.get("authorization") for request in requests} == {BASIC}
    assert {"/shown.png", "/redirected.png"} <= set(away.paths())
    assert not any({"cookie", "authorization"} & request.headers.keys() for request in away.requests)


def assert_no_secret(done: Run, *files: Path) -> None:
    """Assert that no secret is in the output or in any of the files."""
    for found in (done.log.encode(), done.output.encode(), *(file.read_bytes() for file in files)):
        for secret in (SECRET, BASIC.partition(" ")[2].encode(), SECRET.hex().encode()):
            assert secret not in found.lower() if secret.islower() else secret not in found


def test_login_for_a_capture_and_a_refresh(site: SiteServer, away: SiteServer, tmp_path: Path) -> None:
    cookies, netrc = login(tmp_path)
    pdf = tmp_path / "site.pdf"
    paths = {"/", "/two", "/own.png", "/later.png", "/to-away"}
    done = captured(site.url(), pdf, {**SETTINGS, "WEBCAPTURE_NETRC": netrc}, levels=2, cookies=cookies)
    assert_logged_in(site, away, paths)
    assert SECRET not in plain(pdf)
    assert_no_secret(done, pdf)

    site.forget()
    away.forget()
    given = ["-a", f"pdf={pdf}", "-a", f"cookies={cookies}", "-s", f"WEBCAPTURE_NETRC={netrc}"]
    settings = [text for name, value in SETTINGS.items() for text in ("-s", f"{name}={value}")]
    done = run("crawl", "refresh", *given, *settings)
    assert done.status == 0, done.log
    assert_logged_in(site, away, paths)
    assert SECRET not in plain(pdf)
    assert_no_secret(done, pdf)


def test_a_crawl_that_is_killed_leaves_no_secret_and_goes_on_with_another_login(
    site: SiteServer, away: SiteServer, tmp_path: Path
) -> None:
    cookies, netrc = login(tmp_path)
    pdf = tmp_path / "site.pdf"
    settings = {**SETTINGS, "WEBCAPTURE_NETRC": netrc, "WEBCAPTURE_BATCH_PAGES": 1}
    site.update({"/later.png": Reply(grey_png(4, 4, 5), content_type="image/png", gate="later")})
    with started(*crawl_arguments(site.url(), pdf, settings, levels=2, cookies=cookies)) as crawl:
        site.wait_for("/later.png")
        crawl.process.kill()
        killed = crawl.end()
    left = [file for file in tmp_path.iterdir() if file not in (cookies, netrc)]
    assert {file.name for file in left} >= {"site.pdf.part", "site.pdf.part.db"}
    assert_no_secret(killed, *left)

    site.open_gate("later")
    site.forget()
    renewed = cookie_file(tmp_path, cookie("127.0.0.1", "session", value="s3cret-renewed"), name="renewed.txt")
    captured(site.url(), pdf, settings, levels=2, cookies=renewed)
    assert {request.headers.get("cookie") for request in site.requests} == {"session=s3cret-renewed"}
    assert SECRET not in plain(pdf)


def test_mistakes_are_refused_in_one_line(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    done = capture("http://127.0.0.1:9/", tmp_path / "x.pdf", cookies=nowhere)
    assert (done.status, done.problem) == (
        2,
        f"cookies: {nowhere}: No such file or directory; name a file that can be read",
    )
    done = capture("http://127.0.0.1:9/", tmp_path / "x.pdf", {"WEBCAPTURE_NETRC": nowhere})
    assert (done.status, done.problem) == (
        2,
        f"WEBCAPTURE_NETRC: {nowhere}: No such file or directory; see docs/settings.md in the sources of wcspider",
    )
    done = capture("http://127.0.0.1:9/", tmp_path / "x.pdf", {"WEBCAPTURE_ALLOWED_HOSTS": "http://wiki/"})
    assert (done.status, done.problem) == (
        2,
        "WEBCAPTURE_ALLOWED_HOSTS is 'http://wiki/', not hosts, addresses or networks separated by commas, or *; "
        "see docs/settings.md in the sources of wcspider",
    )
