"""The behaviour of the test server on which tests rely."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.http_server import PATIENCE_SECONDS, Reply, SiteServer, page, redirect


def ask(
    server: SiteServer,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[http.client.HTTPResponse, bytes]:
    """One request over a connection of its own."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def test_replies_by_path_query_and_method(server):
    site = server(
        {
            "/": page("<p>start"),
            "/q?b=2&a=1": page("<p>query"),
            "/q": page("<p>no query"),
            "POST /": page("<p>posted"),
            "/old": redirect("/", 301),
        }
    )
    assert ask(site, "/")[1] == b"<p>start"
    assert ask(site, "/q?b=2&a=1")[1] == b"<p>query"
    assert ask(site, "/q?a=1&b=2")[1] == b"<p>no query"
    assert ask(site, "/", "POST", b"x")[1] == b"<p>posted"
    assert ask(site, "/gone")[0].status == 404
    old, _ = ask(site, "/old")
    assert (old.status, old.headers["Location"]) == (301, "/")
    head, body = ask(site, "/", "HEAD")
    assert (head.headers["Content-Length"], body) == ("8", b"")


def test_log_of_requests(server):
    site = server({"/form": Reply(echo=True)})
    response, body = ask(site, "/form?x=1", "POST", b"\xff\x00", {"Content-Type": "image/x", "X-Name": "value"})
    assert (body, response.headers["Content-Type"]) == (b"\xff\x00", "image/x")
    [request] = site.requests
    assert (request.method, request.path, request.body) == ("POST", "/form?x=1", b"\xff\x00")
    assert request.headers["x-name"] == "value"
    site.forget()
    assert site.paths() == []


def test_replies_change_while_it_runs(server):
    site = server({"/": page("<p>before"), "/other": page("<p>other")})
    site.update({"/": page("<p>after"), "/other": None})
    assert ask(site, "/")[1] == b"<p>after"
    assert ask(site, "/other")[0].status == 404


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({}, 200),
        ({"If-None-Match": '"v1"'}, 304),
        ({"If-None-Match": '"v0", "v1"'}, 304),
        ({"If-None-Match": '"v0"'}, 200),
        ({"If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}, 304),
        ({"If-Modified-Since": "Tue, 02 Jan 2024 00:00:00 GMT"}, 200),
        # The entity tag decides where both are there.
        ({"If-None-Match": '"v0"', "If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}, 200),
    ],
)
def test_conditional_requests(server, asked, status):
    site = server({"/": page("<p>x", etag='"v1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")})
    response, body = ask(site, "/", headers=asked)
    assert (response.status, body) == (status, b"<p>x" if status == 200 else b"")
    assert response.headers["ETag"] == '"v1"'


def test_compression_only_on_request(server):
    site = server({"/": page("<p>x", gzip=True)})
    assert ask(site, "/")[1] == b"<p>x"
    response, body = ask(site, "/", headers={"Accept-Encoding": "gzip"})
    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(body) == b"<p>x"


@pytest.mark.parametrize("reply", [page("0123456789", cut_after=4), page("0123", declared_length=10)])
def test_truncated_body(server, reply):
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(server({"/": reply}), "/")
    assert caught.value.partial == b"0123"


def test_trickled_body_arrives(server):
    assert ask(server({"/": page("0123", trickle=0.001)}), "/")[1] == b"0123"


def test_endless_body(server):
    site = server({"/": page("0123", endless=True)})
    connection = http.client.HTTPConnection(site.host, site.port, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/")
    assert len(connection.getresponse().read(1_000_000)) == 1_000_000
    connection.close()


def test_gate_and_waiting(server):
    site = server({"/": page("<p>x", gate="go")})
    connection = http.client.HTTPConnection(site.host, site.port, timeout=PATIENCE_SECONDS)
    connection.request("GET", "/")
    site.wait_for("/")
    site.open_gate("go")
    assert connection.getresponse().read() == b"<p>x"
    connection.close()


def test_folder_with_links(server, tmp_path: Path):
    folder = tmp_path / "site"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "index.html").write_text("<p>index")
    (folder / "a b.png").write_bytes(b"png")
    (tmp_path / "elsewhere.js").write_text("js")
    (folder / "linked.js").symlink_to(tmp_path / "elsewhere.js")
    site = server(folder, jitter=1, jitter_seconds=0.001)
    assert ask(site, "/sub")[0].headers["Location"] == "/sub/"
    assert ask(site, "/sub/")[1] == b"<p>index"
    image, body = ask(site, "/a%20b.png")
    assert (image.headers["Content-Type"], body) == ("image/png", b"png")
    assert ask(site, "/linked.js")[1] == b"js"
    assert ask(site, "/../elsewhere.js")[0].status == 404
    assert ask(site, "/%2e%2e/elsewhere.js")[0].status == 404


def test_two_hosts(server):
    first = server({"/": page("1")})
    second = server({"/": page("2")}, host="127.0.0.2")
    assert ask(first, "/")[1] + ask(second, "/")[1] == b"12"
    assert first.url() != second.url()
