"""Each command of a file is repeated unchanged: its POST data, headers, scope and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.crawls import Archive, Run, captured, plain, webcapture
from tests.support.http_server import Reply, Request, SiteServer, page
from tests.support.pictures import grey_png
from tests.system.refresh.crawling import Crawls, refreshed
from tests.system.refresh.state import state_of

DATA, OTHER_DATA = "name=anna&age=30", "name=ben"
ECHO = Reply(echo=True)
KEPT = "Pages that could not be fetched and are unchanged"
WITHHELD = "posted with data that was not kept"
KEEP = "capture the page again with -a keep_data=true"
ON_A_BUSY_MACHINE = {"wcspider.crawl.session.CaptureSession": 100, "tests.support.short_slices.ShortSlices": 200}
SECRETS = {"Authorization": "Bearer t0pSecret", "Cookie": "session=v3rySecret", "X-Token": "als0Secret"}


def done(crawls: Crawls, spider: str, path: Path, **arguments: object) -> Run:
    """Run a crawl that comes to a good end."""
    run = crawls.run(spider, pdf=path, **arguments)
    assert run.status == 0, run.log
    return run


def asked(server: SiteServer, path: str) -> list[Request]:
    """The requests for a path."""
    return [request for request in server.requests if request.path == path]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "site.pdf"


def test_posted_data_is_posted_again(crawls: Crawls, server, path: Path) -> None:
    site = server({"POST /ask": page("<title>one</title><p>one"), "/ask": page("<p>nothing posted")})
    for data in (DATA, OTHER_DATA):
        done(crawls, "capture", path, url=site.url("/ask"), data=data, keep_data="true", content_type="text/plain")
    site.update({"POST /ask": page("<title>two</title><p>two")})
    site.forget()
    done(crawls, "refresh", path)
    requests = asked(site, "/ask")
    assert [(request.method, request.body) for request in requests] == [
        ("POST", DATA.encode()),
        ("POST", OTHER_DATA.encode()),
    ]
    assert {request.headers["content-type"] for request in requests} == {"text/plain"}
    with Archive(path) as archive:
        [found] = archive.page_sets
        assert (found.title, found.sources[0].form, len(archive.commands)) == ("two", 2, 2)


def test_what_different_data_gave_stays_apart(crawls: Crawls, server, path: Path) -> None:
    site = server({"POST /ask": ECHO, "/ask": page("<title>got</title>")})
    kind = {"content_type": "text/html"}
    for data in ("<title>a</title>", "<title>b</title>"):
        done(crawls, "capture", path, url=site.url("/ask"), data=data, keep_data="true", **kind)
    done(crawls, "capture", path, url=site.url("/ask"))
    for _ in range(2):
        run = done(crawls, "refresh", path, gone="drop")
        assert "  unchanged        3" in run.summary
        with Archive(path) as archive:
            found = {(found.title, found.sources[0].form) for found in archive.page_sets}
        assert found == {("a", 2), ("b", 2), ("got", 0)}


@pytest.mark.parametrize(
    ("changes", "counts", "kinds"),
    [
        ({"/ask": page("GET 2")}, "1 changed, 0 gone", ["changed"]),
        ({"POST /ask": page("POST 2")}, "1 changed, 0 gone", ["changed"]),
        ({"/ask": page("GET 2"), "POST /ask": page("POST 2")}, "2 changed, 0 gone", ["changed", "changed"]),
        ({"/ask": Reply(status=404)}, "0 changed, 1 gone", ["gone"]),
    ],
)
@pytest.mark.parametrize("is_get_first", [False, True])
def test_the_pages_of_one_url_by_get_and_by_post_are_compared_one_by_one(
    crawls: Crawls,
    server,
    path: Path,
    changes: dict[str, Reply],
    counts: str,
    kinds: list[str],
    is_get_first: bool,
) -> None:
    site = server({"POST /ask": page("POST 1"), "/ask": page("GET 1")})
    runs: list[dict[str, object]] = [{}, {"data": DATA, "keep_data": "true"}]
    for arguments in runs if is_get_first else reversed(runs):
        done(crawls, "capture", path, url=site.url("/ask"), **arguments)
    site.update(changes)
    done(crawls, "refresh", path)
    assert counts in webcapture("history", path).output.rpartition("\nrevision")[2]
    changed = json.loads(webcapture("diff", path, "--json").output)["changes"]
    assert [change["change"] for change in changed] == kinds
    assert {change["url"] for change in changed} == {site.url("/ask")}
    assert all(change["page_before"] == change["page_after"] for change in changed if change["change"] == "changed")
    assert webcapture("diff", path, "--url", site.url("/ask"), "--json").status == 1
    for command in ("versions", "why"):
        shown = webcapture(command, path, site.url("/ask")).output
        assert "form, POST" in shown, command


def test_two_requests_that_get_one_answer_have_changed(crawls: Crawls, server, path: Path) -> None:
    site = server({"POST /ask": ECHO})
    for data in ("one", "two"):
        done(crawls, "capture", path, url=site.url("/ask"), data=data, keep_data="true", content_type="text/html")
    site.update({"POST /ask": page("closed")})
    assert "  changed          2" in done(crawls, "refresh", path).summary
    changed = json.loads(webcapture("diff", path, "--json").output)["changes"]
    assert [(change["change"], change["page_before"], change["page_after"]) for change in changed] == [
        ("changed", 1, 1),
        ("changed", 2, 1),
    ]


def test_two_requests_with_one_answer_are_one_page(crawls: Crawls, server, path: Path) -> None:
    """A page set has one source for a URL, which names one of the two commands."""
    site = server({"POST /ask": page("no results 1")})
    for data in (DATA, OTHER_DATA):
        done(crawls, "capture", path, url=site.url("/ask"), data=data, keep_data="true")
    assert webcapture("diff", path).output.startswith("no page differs")
    site.update({"POST /ask": page("no results 2")})
    summary = done(crawls, "refresh", path).summary
    assert {"  changed          1", "  new              0"} <= set(summary)
    changed = json.loads(webcapture("diff", path, "--json").output)["changes"]
    assert [change["change"] for change in changed] == ["changed"]


def test_a_page_whose_data_was_not_kept_is_kept(crawls: Crawls, server, path: Path) -> None:
    answer = page("<p>answer <a href=/more>more</a>")
    site = server({"POST /ask": answer, "/": page("<p>home"), "/more": page("<p>more")})
    done(crawls, "capture", path, url=site.url("/ask"), data=DATA, levels=2)
    done(crawls, "capture", path, url=site.url("/"))
    site.forget()
    run = done(crawls, "refresh", path, gone="drop")
    assert run.section(KEPT) == {f"{WITHHELD} ({KEEP})": [site.url("/ask")]}
    assert asked(site, "/ask") == asked(site, "/more") == []
    with Archive(path) as archive:
        assert archive.order(site.url("")) == ["/ask", "/more", "/"]
    only = crawls.run("refresh", pdf=path, command=0)
    assert f"{path}: its command cannot be repeated: {WITHHELD}; {KEEP}" in only.problem


def test_headers_that_were_kept_are_sent_again_and_others_may_be_given(crawls: Crawls, server, path: Path) -> None:
    site = server({"/": page("<p>home<img src=/i.png>"), "/i.png": Reply(grey_png(2, 2, 9), content_type="image/png")})
    headers = '{"Accept-Language": "nb", "X-Token": "secret"}'
    done(crawls, "capture", path, url=site.url(), headers=headers, keep_headers="Accept-Language")
    site.forget()
    run = done(crawls, "refresh", path)
    assert {request.headers.get("accept-language") for request in site.requests} == {"nb"}
    assert run.messages("WARNING") == [
        f"{path}: was captured with headers, which the file does not contain. The server may answer with other pages "
        "now: add -a headers=JSON"
    ]
    site.forget()
    run = done(crawls, "refresh", path, headers='{"X-Token": "secret"}')
    assert {request.headers.get("x-token") for request in site.requests} == {"secret"}
    assert run.messages("WARNING") == []


def test_cookies_and_logins_that_are_missing_are_named(crawls: Crawls, server, tmp_path: Path, path: Path) -> None:
    site = server({"/": page("<p>home"), "/open": page("<p>open")})
    cookies, netrc, others = tmp_path / "cookies.txt", tmp_path / "netrc", tmp_path / "others.txt"
    line = "{0}\tFALSE\t/\tFALSE\t0\tsession\tt0pSecret\n"
    cookies.write_text(f"# Netscape HTTP Cookie File\n{line.format('127.0.0.1')}")
    others.write_text(f"# Netscape HTTP Cookie File\n{line.format('other.example')}")
    netrc.write_text("machine 127.0.0.1 login me password v3rySecret\n")
    login = {"WEBCAPTURE_NETRC": netrc}
    assert crawls.run("capture", login, pdf=path, url=site.url(), cookies=cookies).status == 0
    done(crawls, "capture", path, url=site.url("/open"), cookies=others)
    listed = webcapture("list", path)
    assert f"command 0  {site.url()}  (levels 1, SameSite, not stored: cookies, login)" in listed.output
    assert [row["withheld"] for row in json.loads(webcapture("list", path, "--json").output)["commands"]] == [
        ["cookies", "login"],
        [],
    ]
    found = "which the file does not contain. The server may answer with other pages now: add"
    given: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        f"cookies and a login, {found} -a cookies=FILE and -s WEBCAPTURE_NETRC=FILE": ({}, {"cookies": others}),
        f"a login, {found} -s WEBCAPTURE_NETRC=FILE": ({}, {"cookies": cookies}),
        f"cookies, {found} -a cookies=FILE": (login, {}),
    }
    for warning, (settings, arguments) in given.items():
        run = crawls.run("refresh", settings, pdf=path, **arguments)
        assert run.messages("WARNING") == [f"{path}: was captured with {warning}"]
    for settings, arguments in ((login, {"cookies": cookies}), ({}, {"command": 1})):
        assert crawls.run("refresh", settings, pdf=path, **arguments).messages("WARNING") == []
    assert not any(secret in plain(path) for secret in (b"t0pSecret", b"v3rySecret"))


def test_a_login_in_a_url_may_be_given_in_a_netrc_file_later(crawls: Crawls, server, tmp_path: Path) -> None:
    site = server({"/": page("<p>home")})
    path, netrc = tmp_path / "site.pdf", tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password v3rySecret\n")
    done(crawls, "capture", path, url=site.url().replace("//", "//me:v3rySecret@"))
    [warning] = done(crawls, "refresh", path).messages("WARNING")
    assert warning.startswith(f"{path}: was captured with a login, which ")
    assert warning.endswith(": add -s WEBCAPTURE_NETRC=FILE")
    header = '{"Authorization": "Basic bWU6djNyeVNlY3JldA=="}'
    for settings, arguments in (({"WEBCAPTURE_NETRC": netrc}, {}), ({}, {"headers": header})):
        assert crawls.run("refresh", settings, pdf=path, **arguments).messages("WARNING") == []


def test_headers_of_one_run_are_not_sent_with_another(crawls: Crawls, server, path: Path) -> None:
    site = server({"/de": page("<p>eins"), "/nb": page("<p>en"), "/all": page("<p>all")})
    for language in ("de", "nb"):
        headers = {"headers": f'{{"Accept-Language": "{language}"}}', "keep_headers": "true"}
        done(crawls, "capture", path, url=site.url(f"/{language}"), **headers)
    done(crawls, "capture", path, url=site.url("/all"))
    site.forget()
    done(crawls, "refresh", path)
    sent = {request.path: request.headers.get("accept-language") for request in site.requests}
    assert (sent["/de"], sent["/nb"]) == ("de", "nb")
    assert sent["/all"] not in ("de", "nb")


def test_secrets_are_nowhere_in_the_file(crawls: Crawls, server, path: Path) -> None:
    site = server({"/": page("<p>one"), "POST /ask": page("<p>answer")})
    headers = str(SECRETS).replace("'", '"')
    done(crawls, "capture", path, url=site.url(), headers=headers, keep_headers="Authorization,Cookie")
    done(crawls, "capture", path, url=site.url("/ask"), data="pin=1234567890")
    site.update({"/": page("<p>two")})
    done(crawls, "refresh", path, headers=headers)
    text = plain(path)
    for secret in ("t0pSecret", "v3rySecret", "als0Secret", "1234567890"):
        assert secret.encode() not in text


def test_forms_and_the_default_charset_are_as_in_the_capture(server, path: Path) -> None:
    form = "<title>{0}</title><p>{0}<form><input name=shown value=visible><input type=hidden name=t value=t0ken></form>"
    site = server({"/": Reply(form.format("раз").encode("koi8-r"), content_type="text/html")})
    settings = {"WEBCAPTURE_FORMS": "false", "WEBCAPTURE_DEFAULT_CHARSET": "koi8-r"}
    captured(site.url(), path, settings)
    site.update({"/": Reply(form.format("два").encode("koi8-r"), content_type="text/html")})
    refreshed(path)
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["два"]
    text = plain(path)
    assert b"t0ken" not in text
    assert b"/AcroForm" not in text


SITE = {
    "/": page("<title>home</title><a href=/a></a><a href=/b></a>"),
    "/a": page("<title>a</title><a href=/a1></a>"),
    "/b": page("<title>b</title><a href=/b1></a><a href=/a></a>"),
    "/b1": page("<title>b1</title><a href=/b2></a>"),
    "/b2": page("<title>b2</title><a href=/b3></a>"),
    "/b3": page("<title>b3</title>"),
    "/a1": page("<title>a1</title><a href=/b></a>"),
}


@pytest.mark.parametrize(
    "commands",
    [
        [("/", 1), ("/b", 2)],  # what the second reaches begins with a page that the first stops at
        [("/", 2), ("/b", 3)],
        [("/", 2), ("/a", 4)],  # by a page that the first met and did not go on from
        [("/b", 3), ("/", 2)],
        [("/a", 2), ("/", 1), ("/b1", 3)],
    ],
)
def test_each_command_reaches_as_far_as_it_did(crawls: Crawls, server, path: Path, commands) -> None:
    site = server(SITE)
    for start, levels in commands:
        done(crawls, "capture", path, url=site.url(start), levels=levels)
    before = state_of(path)
    run = done(crawls, "refresh", path, gone="drop")
    after = state_of(path)
    assert after["page sets"].keys() == before["page sets"].keys()
    assert ("  dropped          0" in run.summary, "  new              0" in run.summary) == (True, True)
    site.update({"/b3": page("<title>changed</title>"), "/a1": page("<title>changed too</title>")})
    done(crawls, "refresh", path, gone="drop")
    assert {found["title"] for found in state_of(path)["page sets"].values()} <= {
        "changed" if found["title"] == "b3" else "changed too" if found["title"] == "a1" else found["title"]
        for found in before["page sets"].values()
    }


def test_commands_of_one_run_reach_together(crawls: Crawls, server, path: Path) -> None:
    first, second = server({}), server({}, host="127.0.0.2")
    first.update({"/": page(f"<p>first <a href={second.url('/deep')}>deep</a>")})
    second.update({"/": page("<p>second"), "/deep": page("<p>deep")})
    done(crawls, "capture", path, url=f"{first.url()},{second.url()}", levels=2)
    before = state_of(path)
    done(crawls, "refresh", path, gone="drop")
    assert state_of(path) == before


def test_every_command_is_repeated_on_a_busy_machine(crawls: Crawls, server, path: Path) -> None:
    """The pages of each run take several slices to store, although the later runs request nothing."""
    site = server(SITE)
    for levels in (2, 3, 4, 5):
        done(crawls, "capture", path, url=site.url(), levels=levels)
    site.update({"/b1": page("<title>b1</title>")})
    run = crawls.run("refresh", {"EXTENSIONS": ON_A_BUSY_MACHINE}, pdf=path)
    assert (run.status, run.left_out) == (0, {}), run.log
    assert set(run.section("Pages gone from the site")["no longer linked"]) == {site.url("/b2"), site.url("/b3")}


def test_settings_of_commands_are_those_that_they_were_captured_with(crawls: Crawls, server, path: Path) -> None:
    site = server({"/a4": page("<p>one"), "/letter": page("<p>two")})
    for name in ("A4", "Letter"):
        run = crawls.run("capture", {"WEBCAPTURE_PAGE_SIZE": name}, pdf=path, url=site.url(f"/{name.lower()}"))
        assert run.status == 0
    sizes = boxes(path)
    assert len(set(sizes.values())) == 2
    site.update({"/a4": page("<p>changed"), "/letter": page("<p>changed as well")})
    assert crawls.run("refresh", {"WEBCAPTURE_PAGE_SIZE": "A3"}, pdf=path).status == 0
    assert boxes(path) == sizes


def boxes(path: Path) -> dict[str, tuple[float, ...]]:
    """The size of the first page of each page set, by its URL."""
    with Archive(path) as archive:
        firsts = {found.urls[0]: archive.pdf.pages[found.pages[0]] for found in archive.page_sets}
        return {url: tuple(map(float, first.mediabox)) for url, first in firsts.items()}
