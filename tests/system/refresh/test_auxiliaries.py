"""A page is laid out again after a change of an auxiliary resource, with the file's copies of the others."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from tests.support.crawls import Archive, Run, captured, tool
from tests.support.http_server import Reply, Request, Site, SiteServer, page
from tests.system.refresh.crawling import Crawls, refreshed
from tests.system.refresh.state import differences, state_of
from wcspider.archive.check.checker import check_file


def picture(colour: str, kind: str = "PNG", size: tuple[int, int] = (90, 60)) -> Reply:
    """A picture with a validator."""
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, kind)
    return Reply(out.getvalue(), content_type=f"image/{kind.lower()}", etag=f'"{colour}"')


def sheet(rules: str) -> Reply:
    return Reply(rules.encode(), content_type="text/css", etag=f'"{len(rules)}"')


HEAD = '<link rel=stylesheet href="/style.css">'
SITE: Site = {
    "/": page(
        f"<title>home</title>{HEAD}<p><img src=/one.png> and <img src=/two.jpg><a href=/other>other</a>", etag='"h"'
    ),
    "/other": page(f"<title>other</title>{HEAD}<p><img src=/two.jpg> and <img src=/drawn.svg>", etag='"o"'),
    "/style.css": sheet("@import url(/more.css); p { margin: 10pt; background: url(/one.png) }"),
    "/more.css": sheet("p { font-size: 14pt }"),
    "/one.png": picture("red"),
    "/two.jpg": picture("green", "JPEG", (50, 70)),
    "/drawn.svg": Reply(
        b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="30" height="30"/></svg>',
        content_type="image/svg+xml",
        etag='"s"',
    ),
}
CHANGES: dict[str, Site] = {
    "a picture": {"/one.png": picture("blue")},
    "another size": {"/one.png": picture("blue", size=(30, 30))},
    "a style sheet": {"/style.css": sheet("p { margin: 30pt }")},
    "an imported one": {"/more.css": sheet("p { font-size: 20pt; text-align: right }")},
    "one that is gone": {"/two.jpg": None},
}


@dataclass(frozen=True)
class Changed:
    """A file before and after a refresh of a site of which an auxiliary has changed."""

    site: SiteServer
    before: Path
    after: Path
    fresh: Path
    done: Run
    requests: list[Request]

    def whole(self) -> set[str]:
        """The paths whose bytes were sent."""
        return {entry.path for entry in self.requests if "if-none-match" not in entry.headers} - {"/robots.txt"}


@pytest.fixture(scope="module")
def captured_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing yet."""
    return tmp_path_factory.mktemp("auxiliaries")


@pytest.fixture(scope="module", params=CHANGES)
def changed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Changed:
    """The site captured, changed, refreshed, and captured anew, with the real engine."""
    folder = tmp_path_factory.mktemp("auxiliaries")
    before, after, fresh = (folder / f"{name}.pdf" for name in ("before", "after", "fresh"))
    with SiteServer(SITE) as site:
        captured(site.url(), before, levels=2)
        after.write_bytes(before.read_bytes())
        site.update(CHANGES[request.param])
        site.forget()
        done = refreshed(after)
        requests = site.requests
        captured(site.url(), fresh, levels=2)
        return Changed(site, before, after, fresh, done, requests)


def test_the_page_is_what_a_capture_would_make_of_it(changed: Changed) -> None:
    found = differences(state_of(changed.after), state_of(changed.fresh))
    assert found == [], "\n".join(found)
    assert list(check_file(changed.after)) == []
    tool("qpdf", "--check", changed.after)


def test_what_has_not_changed_is_not_downloaded(changed: Changed) -> None:
    pages = {"/", "/other"}
    assert changed.whole() - pages <= {"/drawn.svg"}  # a drawing is not in the file as a picture
    assert {"/one.png", "/two.jpg", "/more.css"} & changed.whole() == set()


def test_pictures_that_the_file_has_are_shared_and_untouched(changed: Changed) -> None:
    with Archive(changed.before) as before, Archive(changed.after) as after:
        old = {found.identifier: found.images for found in before.image_sets}
        new = {found.identifier: found.images for found in after.image_sets}
        shared = old.keys() & new.keys()
        assert shared
        assert {identifier: new[identifier] for identifier in shared} == {key: old[key] for key in shared}
        for identifier in shared:
            for image in old[identifier]:
                assert _bytes(before.pdf, image) == _bytes(after.pdf, image)
    length = changed.before.stat().st_size
    assert b"/Subtype /Image" not in changed.after.read_bytes()[length:] or len(new) > len(shared)


def _bytes(pdf: pikepdf.Pdf, image: tuple[int, int]) -> bytes:
    return pdf.get_object(image).read_raw_bytes()


def test_a_picture_that_only_one_page_shows_is_not_lost_when_that_page_changes(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server({"/": page("<p>one<img src=/one.png>"), "/one.png": picture("red")})
    assert crawls.run("capture", pdf=path, url=site.url()).status == 0
    before = state_of(path)["image sets"]
    site.update({"/": page("<p>two<img src=/one.png>")})
    assert crawls.run("refresh", pdf=path).status == 0
    assert state_of(path)["image sets"] == before


def test_a_picture_moves_from_one_page_to_another(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """The page that no longer shows the picture comes before the page that shows it now."""
    path = tmp_path / "site.pdf"
    first, second = "<p>first<a href=/second>second</a>", "<p>second"
    shown = "<img src=/one.png>"
    site = server({"/": page(first + shown), "/second": page(second), "/one.png": picture("red")})
    assert crawls.run("capture", pdf=path, url=site.url(), levels=2).status == 0
    before = state_of(path)["image sets"]
    site.update({"/": page(first), "/second": page(second + shown)})
    site.forget()
    assert crawls.run("refresh", pdf=path).status == 0
    assert state_of(path)["image sets"] == before
    assert [entry.headers.get("if-none-match") for entry in site.requests if entry.path == "/one.png"] == ['"red"']


def test_validators_of_auxiliaries_are_renewed(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server({"/": page("<p>one<img src=/one.png>", etag='"h"'), "/one.png": picture("red")})
    assert crawls.run("capture", pdf=path, url=site.url()).status == 0
    held = Reply(
        SITE["/one.png"].body, content_type="image/png", etag='"red"', headers={"Cache-Control": "max-age=3600"}
    )
    site.update({"/one.png": held})
    for _ in range(2):
        assert crawls.run("refresh", pdf=path).status == 0
    assert [entry.path for entry in site.requests].count("/one.png") == 2


def test_a_drawing_that_fails_on_a_changed_page_is_reported_as_lost(
    server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    """The file has no bytes of drawings, and no image sets of them."""
    path = tmp_path / "site.pdf"
    site = server(SITE)
    captured(site.url("/other"), path)
    changed = page(f"<title>other</title>{HEAD}<p>now <img src=/drawn.svg>", etag='"n"')
    site.update({"/other": changed, "/drawn.svg": Reply(b"sorry", status=500)})
    done = refreshed(path, {"RETRY_TIMES": 0})
    assert done.section("Resources skipped") == {"HTTP 500": [site.url("/drawn.svg")]}
    assert not done.section("Resources that could not be fetched and are unchanged")


def test_a_resource_that_fails_is_taken_as_it_was(
    crawls: Crawls, server: Callable[..., SiteServer], tmp_path: Path
) -> None:
    path = tmp_path / "site.pdf"
    site = server(SITE)
    assert crawls.run("capture", pdf=path, url=site.url(), levels=2).status == 0
    before = state_of(path)
    broken = Reply(b"sorry", status=500)
    site.update({"/style.css": broken, "/one.png": broken, "/two.jpg": page("<p>Please log in")})
    done = crawls.run("refresh", pdf=path)
    assert state_of(path) == before
    kept = done.section("Resources that could not be fetched and are unchanged")
    assert {reason: set(urls) for reason, urls in kept.items()} == {
        "HTTP 500": {site.url("/style.css"), site.url("/one.png")},
        "a page, in the place of the image": {site.url("/two.jpg")},
    }
