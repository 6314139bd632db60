"""A refresh that would replace or remove most pages, because of a login page or an error page, changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import Archive
from tests.support.http_server import Reply, SiteServer, page, redirect
from tests.system.refresh.crawling import Crawls

NAMES = [f"page{number}" for number in range(8)]
LINKS = "".join(f"<a href=/{name}>{name}</a> " for name in NAMES)
START = page(f"<title>home</title>{LINKS}")
SITE = {"/": START, **{f"/{name}": page(f"<title>{name}</title><p>This is {name}") for name in NAMES}}
SORRY = page("<title>Sorry</title><p>We are working on the site")


def fetched(crawls: Crawls, spider: str, path: Path, **arguments: object) -> None:
    done = crawls.run(spider, pdf=path, **arguments)
    assert done.status == 0, done.log


@pytest.fixture
def site(server: Callable[..., SiteServer]) -> SiteServer:
    return server(SITE)


@pytest.fixture
def path(crawls: Crawls, site: SiteServer, tmp_path: Path) -> Path:
    path = tmp_path / "site.pdf"
    fetched(crawls, "capture", path, url=site.url(), levels=2)
    return path


def numbered(reply: Reply) -> dict[str, Reply]:
    """Answers with different bytes for each page, but the same text."""
    return {f"/{name}": page(f"{reply.body.decode()}<!-- {name} -->") if reply.body else reply for name in NAMES}


COLLAPSES: dict[str, dict[str, Reply]] = {
    "one page": dict.fromkeys((f"/{name}" for name in NAMES), SORRY),
    "one text": numbered(SORRY),
    "most pages": dict(list(numbered(SORRY).items())[:6]),
    "a login": {**dict.fromkeys((f"/{name}" for name in NAMES), redirect("/login")), "/login": SORRY},
    "a login elsewhere": dict.fromkeys((f"/{name}" for name in NAMES), redirect("http://127.0.0.2:9/login")),
}


@pytest.mark.parametrize("gone", ["keep", "drop"])
@pytest.mark.parametrize("collapse", COLLAPSES)
def test_most_pages_that_say_the_same_are_refused(
    crawls: Crawls, site: SiteServer, path: Path, collapse: str, gone: str
) -> None:
    before = path.read_bytes()
    site.update(COLLAPSES[collapse])
    done = crawls.run("refresh", pdf=path, gone=gone)
    count = 6 if collapse == "most pages" else 8
    assert done.problem == (
        f"{path}: not written: {count} of 9 pages now have the same text; "
        "look at the site: a login may have expired; -a force=true accepts the result"
    )
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (before, [path.name])
    fetched(crawls, "refresh", path, gone=gone, force="true")
    assert path.read_bytes() != before


@pytest.mark.parametrize("gone", ["keep", "drop"])
@pytest.mark.parametrize(
    "start", [redirect("/login"), page("<title>Home</title><p>Welcome to your new server<a href=/page1>1")]
)
def test_a_first_page_that_leads_to_few_pages_is_refused(
    crawls: Crawls, site: SiteServer, path: Path, start: Reply, gone: str
) -> None:
    before = path.read_bytes()
    site.update({"/": start, "/login": SORRY})
    done = crawls.run("refresh", pdf=path, gone=gone)
    assert "pages are no longer linked, or redirect to other pages; " in done.problem
    assert (path.read_bytes(), [entry.name for entry in path.parent.iterdir()]) == (before, [path.name])
    fetched(crawls, "refresh", path, gone=gone, force="true")
    fetched(crawls, "refresh", path, gone=gone)  # what is marked as gone is not lost again


def test_a_login_page_in_the_place_of_three_pages_is_refused(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """The first page redirects to the login page, and nothing links to the two others."""
    site = server({"/": page("<title>home</title><a href=/a>a</a> <a href=/b>b</a>"), "/a": SORRY, "/b": page("b")})
    path = tmp_path / "site.pdf"
    fetched(crawls, "capture", path, url=site.url(), levels=2)
    before = path.read_bytes()
    site.update({"/": redirect("/login"), "/login": page("<title>Log in</title>")})
    done = crawls.run("refresh", pdf=path, gone="drop")
    assert "3 of 4 pages are no longer linked, or redirect to other pages; " in done.problem
    assert path.read_bytes() == before


@pytest.mark.parametrize(("kept", "status"), [(2, 1), (3, 0)])
def test_a_site_may_lose_two_thirds_of_its_pages(
    crawls: Crawls, site: SiteServer, path: Path, kept: int, status: int
) -> None:
    site.update({"/": page("".join(f"<a href=/{name}>{name}</a> " for name in NAMES[: kept - 1]))})
    assert crawls.run("refresh", pdf=path).status == status


def test_a_first_page_that_leads_to_other_pages_is_taken(crawls: Crawls, site: SiteServer, path: Path) -> None:
    news = {f"/{number}": page(f"<title>News</title><p>News of day {number}") for number in range(8)}
    links = page("".join(f"<a href={path}>{path}</a> " for path in news))
    site.update({"/": links, **news})
    fetched(crawls, "refresh", path)


def test_what_was_refused_is_asked_for_anew_by_the_same_command(crawls: Crawls, site: SiteServer, path: Path) -> None:
    site.update(COLLAPSES["one page"])
    assert crawls.run("refresh", pdf=path).status == 1
    site.update(SITE)
    fetched(crawls, "refresh", path)
    with Archive(path) as archive:
        assert [found.title for found in archive.page_sets] == ["home", *NAMES]


@pytest.mark.parametrize(
    "changes",
    [
        dict(list(COLLAPSES["one page"].items())[:4]),  # not most
        {f"/{name}": page(f"<title>{name}</title><p>All new, and {name} is no exception") for name in NAMES},
        {"/": page(f"<title>home</title>{LINKS}<p>changed")},
    ],
)
def test_other_changes_are_taken(crawls: Crawls, site: SiteServer, path: Path, changes: dict[str, Reply]) -> None:
    site.update(changes)
    fetched(crawls, "refresh", path)


def test_pages_that_always_said_the_same_go_on_saying_it(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server({"/": START, **numbered(SORRY)})
    fetched(crawls, "capture", path, url=site.url(), levels=2)
    site.update({f"/{name}": page(f"<title>Still</title><p>working on it<!-- {name} -->") for name in NAMES})
    fetched(crawls, "refresh", path)
