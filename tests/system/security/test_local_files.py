"""Local files: no page from the web reads them, leads to them or lets a reader open them; the user may capture them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.crawls import Archive, capture, captured, plain, tool
from tests.support.http_server import SiteServer, page, redirect
from tests.support.pictures import grey_png

SECRET = "s3cret words of a local file"
ENGINES = ["xhtml2pdf", "plutobook"]


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """A folder with local files."""
    folder = tmp_path / "local"
    folder.mkdir()
    (folder / "secret.html").write_text(f"<title>secret</title><p>{SECRET}")
    (folder / "secret.png").write_bytes(grey_png(5, 5, 77))
    (folder / "secret.css").write_text("p { color: red }")
    return folder


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("base", ["", "<base href='{folder}/'>"])
def test_a_page_from_the_web_cannot_use_local_files(
    engine: str, base: str, server: Callable[..., SiteServer], local: Path, tmp_path: Path
) -> None:
    url = local.as_uri()
    html = (
        f"<title>start</title>{base.format(folder=url)}<link rel=stylesheet href='{url}/secret.css'><p>text of the page"
        f"<a href='{url}/secret.html'>link</a> <a href='FILE:{local}/secret.html'>link</a> <a href='secret.html'>x</a>"
        f"<a href='{url}/secret.html#x'>link</a><img src='{url}/secret.png'><iframe src='{url}/secret.html'></iframe>"
        f"<object data='{url}/secret.png' type=image/png></object><a href='/to-local'>redirect</a>"
        f"<a href='/refresh'>refresh</a>"
    )
    refresh = page(f"<meta http-equiv=refresh content='0; url={url}/secret.html'><p>refresh")
    site = server({"/": page(html), "/to-local": redirect(f"{url}/secret.html"), "/refresh": refresh})
    pdf = tmp_path / "site.pdf"
    captured(site.url(), pdf, {"WEBCAPTURE_ENGINE": engine}, levels=3)
    with Archive(pdf) as archive:
        assert not any(found.startswith("file:") for found in archive.urls)
        for found in archive.page_sets:
            links = archive.links(found.urls[0])
            assert not any(link.lower().startswith("file:") for link in links)
    assert SECRET.encode() not in plain(pdf)


def test_a_local_page_may_lead_to_local_pages(local: Path, tmp_path: Path) -> None:
    (local / "index.html").write_text("<title>index</title><p>text<a href=secret.html>secret</a>")
    pdf = tmp_path / "site.pdf"
    captured((local / "index.html").as_uri(), pdf, levels=2)
    with Archive(pdf) as archive:
        assert [found.title for found in archive.page_sets] == ["index", "secret"]
        link = (local / "secret.html").as_uri()
        assert archive.links((local / "index.html").as_uri()) == {link: "GoTo"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_local_page_does_not_show_the_text_of_other_local_files(engine: str, local: Path, tmp_path: Path) -> None:
    """It may have links to other files and images of them, but no frame, object or style sheet draws their text."""
    (local / "secret.txt").write_text(SECRET)
    (local / "secret.svg").write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'><text y='9'>drawn</text>"
        f"<image xlink:href='{local.as_uri()}/secret.txt'/><use xlink:href='secret.txt#a'/></svg>"
    )
    url = local.as_uri()
    (local / "index.html").write_text(
        f"<!DOCTYPE html [<!ENTITY s SYSTEM '{url}/secret.txt'>]><title>index</title><p>text of the page &s;"
        "<iframe src=secret.txt></iframe><object data=secret.txt type=text/plain></object><embed src=secret.html>"
        "<link rel=stylesheet href=secret.txt><link rel=stylesheet href=secret.txt?.css>"
        "<img src=secret.txt><img src=secret.svg><script src=secret.txt></script>"
        f"<style>@import '{url}/secret.txt'; p::after {{ content: url({url}/secret.txt) }}</style>"
    )
    pdf = tmp_path / "site.pdf"
    done = captured((local / "index.html").as_uri(), pdf, {"WEBCAPTURE_ENGINE": engine}, levels=1)
    [refused] = [urls for reason, urls in done.section("Resources skipped").items() if "suffix" in reason]
    assert sorted(refused) == [f"{url}/secret.txt", f"{url}/secret.txt?.css"]
    text = tool("pdftotext", pdf, "-")
    assert "text of the page" in text
    assert SECRET.split()[0] not in text
    assert SECRET.encode() not in plain(pdf)
    with Archive(pdf) as archive:
        assert [found.title for found in archive.page_sets] == ["index"]


def test_a_redirect_of_the_users_url_to_a_local_file_is_refused(
    server: Callable[..., SiteServer], local: Path, tmp_path: Path
) -> None:
    site = server({"/": redirect(f"{local.as_uri()}/secret.html")})
    done = capture(site.url(), tmp_path / "site.pdf")
    assert done.status == 1
    assert not (tmp_path / "site.pdf").exists()
