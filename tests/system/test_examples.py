"""The example site is served by its rules, and has the content that the conformance tests need."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest

from examples.make_assets import ENCODINGS, SITE, SOURCES
from examples.serve import Site

SERVE = SITE.parent / "serve.py"
Ask = Callable[..., tuple[http.client.HTTPResponse, bytes]]


@pytest.fixture
def ask(example_site: str) -> Ask:
    def ask(path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(urlsplit(example_site).netloc, timeout=60)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    return ask


@pytest.mark.parametrize(
    ("path", "statuses", "end"),
    [
        ("/about", [301], "/history.html"),
        ("/old/", [301, 302], "/history.html"),
        ("/bulletin", [301, 302], "/bulletin/spring.html"),
        ("/latest", [302], "/bulletin/spring.html"),
        ("/sent", [303], "/thanks.html"),
        ("/museum", [307], "/visit.html"),
        ("/home", [308], "/"),
        ("/images/today.jpg", [302], "/images/lighthouse.jpg"),
        ("/steps/30", [302] * 30, "/thanks.html"),
    ],
)
def test_redirect_chains(ask: Ask, path, statuses, end):
    seen = []
    response, _ = ask(path)
    while "Location" in response.headers:
        seen.append(response.status)
        path = urljoin(path, response.headers["Location"])
        response, _ = ask(path)
    assert (seen, path, response.status) == (statuses, end, 200)


def test_redirect_loop(ask: Ask):
    assert ask("/loop/one")[0].headers["Location"] == "/loop/two"
    assert ask("/loop/two")[0].headers["Location"] == "/loop/one"


@pytest.mark.parametrize(
    ("path", "status", "headers"),
    [
        ("/", 200, {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "public, max-age=3600"}),
        ("/history.html", 200, {"Content-Type": "text/html", "Expires": "Tue, 01 Jan 2036 00:00:00 GMT"}),
        ("/lang/pl.html", 200, {"Content-Type": "text/html; charset=ISO-8859-2"}),
        ("/lang/cs.xhtml", 200, {"Content-Type": "application/xhtml+xml"}),
        ("/lang/fr.html", 200, {"Content-Type": "text/html"}),
        ("/files/guide.pdf", 200, {"Content-Type": "application/pdf"}),
        ("/files/drawings.zip", 200, {"Content-Type": "application/zip"}),
        ("/robots.txt", 200, {"Content-Type": "text/plain"}),
        ("/closed.html", 410, {}),
        ("/ferry.html", 404, {}),
        ("/_rules.json", 404, {}),
        ("/../serve.py", 404, {}),
        ("/%2e%2e/serve.py", 404, {}),
        ("/log", 404, {}),
    ],
)
def test_statuses_and_headers(ask: Ask, path, status, headers):
    response, body = ask(path)
    assert response.status == status
    assert {name: response.headers[name] for name in headers} == headers
    assert len(body) == int(response.headers["Content-Length"])


def test_entity_tag(ask: Ask):
    tag = ask("/history.html")[0].headers["ETag"]
    response, body = ask("/history.html", If_None_Match=tag)
    assert (response.status, body) == (304, b"")


def test_twins_and_queries(ask: Ask):
    assert ask("/press/notice.html")[1] == ask("/press/notice-copy.html")[1]
    assert ask("/images/lighthouse.jpg")[1] == ask("/images/copy/lighthouse.jpg")[1]
    assert ask("/log?b=2&a=1")[1] != ask("/log?a=1&b=2")[1]


@pytest.mark.parametrize("name", ENCODINGS)
def test_encoded_pages_say_what_their_sources_say(name):
    text = (SITE / "lang" / name).read_bytes().decode(ENCODINGS[name]).removeprefix("\ufeff")
    assert text == (SOURCES / name).read_text(encoding="utf-8")


def test_run_gives_the_url_and_the_exit_status():
    script = "import sys, urllib.request as r; sys.exit(7 if r.urlopen(sys.argv[1]).status == 200 else 1)"
    done = subprocess.run(
        [sys.executable, SERVE, "--run", sys.executable, "-c", script, "{url}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (7, "")
    assert done.stdout.startswith("http://127.0.0.1:")


def test_a_folder_without_rules_is_served_by_its_names(tmp_path: Path):
    (tmp_path / "a.html").write_text("<p>a")
    site = Site(tmp_path)
    assert (site.answer("/a.html").status, site.answer("/a.html").headers) == (200, {"Content-Type": "text/html"})
    assert site.answer("/b.html").status == 404


def test_a_missing_folder_is_one_line(tmp_path: Path):
    command = [sys.executable, SERVE, "--site", tmp_path / "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"serve.py: error: {tmp_path}/none: no such folder")


NIGHTLY = SITE.parent / "cluster" / "nightly.py"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "sites.txt: cannot be read: "),
        (b"\xff\xfe", "sites.txt: cannot be read: "),
        (b"# sites\nhttps://example.com/\n", "sites.txt, line 2: write a name and a URL, such as: "),
        (b"one http://127.0.0.1:9/\n", "http://127.0.0.1:9: does not answer "),
    ],
)
def test_mistakes_of_a_nightly_run_are_one_line(tmp_path: Path, text: bytes | None, problem: str):
    if text is not None:
        (tmp_path / "sites.txt").write_bytes(text)
    command = [sys.executable, NIGHTLY, "sites.txt", "night", "--daemon", "http://127.0.0.1:9/"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert done.stderr.startswith(problem)


def test_the_help_of_a_nightly_run_explains_its_operands():
    done = subprocess.run([sys.executable, NIGHTLY, "--help"], capture_output=True, text=True, check=True)
    assert "a name and a URL in each line" in done.stdout
    assert "the files NAME.pdf" in done.stdout
