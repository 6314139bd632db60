"""Links of a page with a user name and a password in them: never followed, and the password is nowhere to be found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.crawls import captured, plain, webcapture
from tests.support.http_server import SiteServer, page, redirect
from tests.system.refresh.crawling import refreshed

SECRET = "s3cret-pw"
REASON = "a link with a login, which is not sent (to log in, see WEBCAPTURE_NETRC)"


def test_links_with_a_login_are_skipped_and_the_login_is_never_kept(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    site = server({})
    inside = site.url().replace("://", f"://me:{SECRET}@")
    site.update({
        "/": page(
            f"<title>home</title><a href={inside}private>private</a> <a href=/hop>hop</a> <a href=/open>open</a>"
            f"<img src={inside}picture.png><a href={inside}outside.zip>zip</a>"
            f"<form action={inside}send method=post><input name=a><input type=submit></form>"
        ),
        "/hop": redirect(f"{inside}behind"),
        "/open": page("<title>open</title><p>open"),
        "/private": page("<title>private</title><p>private"),
        "/robots.txt": page(f"Sitemap: {inside}map.xml"),
    })  # fmt: skip
    path = tmp_path / "site.pdf"
    done = captured(site.url(), path, {"LOG_LEVEL": "INFO"}, levels=2)
    assert done.left_out == {
        REASON: [site.url("/private"), site.url("/outside.zip")],
        "a redirect to a URL with a login, which is not sent": [site.url("/hop")],
    }
    again = refreshed(path)
    assert REASON in again.left_out
    assert "/private" not in site.paths()
    assert all(SECRET not in str(request.headers) for request in site.requests)
    assert [SECRET in done.log, SECRET in again.log, SECRET.encode() in plain(path)] == [False] * 3
    told = webcapture("why", path, f"{inside}private")
    assert f"{site.url('/private')} is not in the file: {REASON}" in told.output
    assert SECRET not in told.output
