"""Redirects in whole captures: their number, their failures, and the URLs that users may give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.support.crawls import Archive, capture, captured
from tests.support.http_server import SiteServer, page, redirect


def test_as_many_redirects_are_followed_as_the_user_allows(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    steps = {f"/{number}": redirect(f"/{number - 1}") for number in range(1, 26)}
    site = server({"/0": page("<p>the last step"), **steps})
    pdf = tmp_path / "site.pdf"
    captured(site.url("/25"), pdf, {"REDIRECT_MAX_TIMES": 30})
    with Archive(pdf) as archive:
        [source] = archive.page_set(site.url("/0")).sources
        assert source.chains == (tuple(site.url(f"/{number}") for number in range(25, 0, -1)),)


def test_a_url_that_redirects_to_itself_is_a_loop(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    site = server(
        {
            "/": page("<p>text<a href='/self'>self</a><img src='/self.png'><img src='/round.png'><img src='/1.png'>"),
            "/self": redirect("/self"),
            "/self.png": redirect("/self.png"),
            "/round.png": redirect("/again.png"),
            "/again.png": redirect("/round.png"),
            **{f"/{number}.png": redirect(f"/{number + 1}.png") for number in range(1, 30)},
        }
    )
    done = captured(site.url(), tmp_path / "site.pdf", levels=2)
    assert done.left_out == {"redirect loop": [site.url("/self")]}
    assert done.section("Resources skipped") == {
        "redirect loop": [site.url("/self.png"), site.url("/round.png")],
        "too many redirects": [site.url("/1.png")],
    }


def test_slides_that_readers_see_for_seconds_are_pages(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    """Each shows the next, and the last shows the first again."""
    slides = {
        f"/{number}": page(f"<meta http-equiv=refresh content='8; url=/{(number + 1) % 3}'><p>slide {number}")
        for number in range(3)
    }
    site = server(slides)
    pdf = tmp_path / "site.pdf"
    captured(site.url("/0"), pdf, levels="all")
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == list(slides)


def test_the_refresh_of_an_error_page_does_not_hide_the_error(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    refresh = "<meta http-equiv=refresh content='0; url=/'>"
    site = server(
        {
            "/": page("<p>text<a href=/gone>gone</a><img src=/lost.png>"),
            "/gone": replace(page(refresh), status=404),
            "/lost.png": replace(page(refresh), status=404),
        }
    )
    done = captured(site.url(), tmp_path / "site.pdf", levels=2)
    assert done.left_out == {"HTTP 404": [site.url("/gone")]}
    assert done.section("Resources skipped") == {"HTTP 404": [site.url("/lost.png")]}
    site.update({"/robots.txt": replace(page(refresh), status=503)})
    done = capture(site.url(), tmp_path / "other.pdf", {"RETRY_TIMES": 0})
    assert done.left_out == {"robots.txt cannot be fetched: HTTP 503": [site.url()]}


def test_a_url_from_the_user_may_have_any_length(server: Callable[..., SiteServer], tmp_path: Path) -> None:
    path = "/" + "x" * 3000
    site = server({path: page("<p>text")})
    pdf = tmp_path / "site.pdf"
    captured(site.url(path), pdf)
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == [path]


def test_redirected_answers_to_forms_differ_from_the_pages_at_their_urls(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """A redirect with the status 308 keeps the method POST."""
    site = server(
        {
            "POST /a": redirect("/b", status=308),
            "POST /other": redirect("/b", status=308),
            "POST /b": redirect("/c", status=307),
            "POST /c": page("<title>Answer</title><a href=/b>page</a> <a href=/guide>guide</a>"),
            "/b": page("<title>Page</title>"),
            "/guide": page("<title>Guide</title>"),
        }
    )
    pdf = tmp_path / "site.pdf"
    done = captured(f"{site.url('/a')},{site.url('/other')}", pdf, levels=2, data="q=1")
    assert done.left_out == {}
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/c", "/b", "/guide"]
        [source] = archive.page_set(site.url("/c")).sources
        assert source.chains == tuple((site.url(first), site.url("/b")) for first in ("/a", "/other"))


def test_the_first_page_may_redirect_to_a_url_without_the_pattern(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """Only `deny` applies to the URL that takes the place of the user's URL."""
    site = server(
        {
            "/": redirect("/home"),
            "/home": page("<a href=/guide/a>a</a> <a href=/b>b</a>"),
            "/guide/a": page("<title>a</title>"),
            "/account": redirect("/login"),
            "/login": page("<title>log in</title>"),
        }
    )
    pdf = tmp_path / "site.pdf"
    done = captured(f"{site.url('/')},{site.url('/account')}", pdf, levels=2, allow="/guide/", deny="/login")
    reason = f"redirected to {site.url('/login')} that is denied: it matches the pattern /login (deny)"
    assert done.left_out == {reason: [f"{site.url('/account')} -> {site.url('/login')}"]}
    with Archive(pdf) as archive:
        assert archive.order(site.url("")) == ["/home", "/guide/a"]


def test_a_redirect_to_itself_is_in_scope_whatever_the_patterns(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server({"/start": redirect("/start")})
    done = capture(site.url("/start"), tmp_path / "site.pdf", deny="/start")
    assert done.left_out == {"redirect loop": [site.url("/start")]}
