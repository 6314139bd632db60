"""The author's style sheets, as all engines for HTML read them."""

from __future__ import annotations

import pytest

from tests.support.rendered_pages import Asset, PageGeometry, Step, sizes, task, text
from wcspider.engines.base import Rendering
from wcspider.engines.registry import ENGINES, render

FOLDER = "https://example.com/dir/css/"
CSS = Asset(b"@import 'more.css'; p { color: #ff0000 } .gone { display: none }", "text/css")
MORE = Asset(b"@media print { .screen { display: none } } @media screen { .print { display: none } }", "text/css")
ASSETS = {f"{FOLDER}a.css": CSS, f"{FOLDER}more.css": MORE}
PAGE = "<link rel=stylesheet href=css/a.css><p>shown</p><p class=gone>gone</p><p class=screen>S<p class=print>P"


@pytest.mark.parametrize("engine", ENGINES)
class TestStyleSheets:
    def words(self, engine: str, page: str, assets: dict[str, Asset], **options: object) -> list[str]:
        return text(self.render(engine, page, assets, **options)).split()

    def render(self, engine: str, page: str, assets: dict[str, Asset] | None = None, **options: object) -> Rendering:
        return render(engine, task(page, assets, **options))

    @pytest.mark.parametrize(("media", "expected"), [("print", ["shown", "P"]), ("screen", ["shown", "S"])])
    def test_media(self, engine: str, media: str, expected: list[str]) -> None:
        assert self.words(engine, PAGE, ASSETS, geometry=PageGeometry(media=media)) == expected

    def test_media_type_with_a_charset(self, engine: str) -> None:
        page = PAGE.replace("href", "type='text/css; charset=utf-8' href")
        assert self.words(engine, page, ASSETS) == ["shown", "P"]

    def test_without_author_styles(self, engine: str) -> None:
        assert self.words(engine, PAGE, ASSETS, step=Step.NO_AUTHOR_STYLES) == ["shown", "gone", "S", "P"]

    def test_relative_to_where_a_redirect_led(self, engine: str) -> None:
        css = Asset(b"@import 'more.css'", "text/css", url="https://cdn.example/v2/a.css")
        more = Asset(b"p { display: none }", "text/css")
        assert self.words(engine, PAGE, {f"{FOLDER}a.css": css, "https://cdn.example/v2/more.css": more}) == []

    def test_page_of_the_author_does_not_change_ours(self, engine: str) -> None:
        own = self.render(engine, "<style>@page { size: A6 landscape; margin: 0 }</style><p>x")
        assert sizes(own) == sizes(self.render(engine, "<p>x"))
