"""Content that a page shows with a script, and content that stays hidden."""

from __future__ import annotations

import pytest

from tests.support.pictures import grey_png
from tests.support.rendered_pages import Asset, task, text
from wcspider.engines.plutobook.engine import PlutoBookEngine

HIDDEN = "<style>.h { opacity: 0 }</style>"


@pytest.mark.parametrize(
    "source",
    [
        "<style>html { opacity: 0 }</style><p>found",
        "<style>body { opacity: 0 }</style><p>found",
        "<body style='opacity: 0'><p>found",
        f"{HIDDEN}<div class=h>found</div>",
        f"{HIDDEN}<main class=h style='transition: opacity 1s'><p>found</main>",
        "<style>[data-aos^=fade] { opacity: 0 } [data-aos=fade-up] { transform: translate3d(0, 9999px, 0) }</style>"
        "<h2 data-aos=fade-up>found</h2>",
        "<style>.wow { visibility: hidden }</style><section class=wow><p>found</section>",
        "<style>:root { --start: 0 } p { opacity: var(--start) }</style><p>found",
    ],
)
def test_content_that_has_its_room_is_shown(source: str) -> None:
    assert "found" in text(PlutoBookEngine().render(task(source)))


@pytest.mark.parametrize(
    "source",
    [
        f"{HIDDEN}<div class=h style='position: absolute'>hidden</div>",
        f"{HIDDEN}<style>div {{ position: fixed; top: 0 }}</style><div class=h>hidden</div>",
        f"{HIDDEN}<div class=h style='visibility: hidden'>hidden</div>",
        "<div style='visibility: hidden; position: absolute'>hidden</div>",
        "<h2>Title <span style='visibility: hidden'>hidden</span></h2>",
        f"{HIDDEN}<ul class=h style='height: 0'><li>hidden</ul>",
        f"{HIDDEN}<div class=h aria-hidden=true>hidden</div>",
        f"{HIDDEN}<h2>Title <a class=h href=a>hidden</a></h2>",  # such as the link to a heading
        f"{HIDDEN}<style>.h {{ display: none }}</style><div class=h>hidden</div>",
    ],
)
def test_boxes_above_the_page_stay_hidden(source: str) -> None:
    assert "hidden" not in text(PlutoBookEngine().render(task(f"{source}<p>shown")))


def test_an_image_that_a_script_fades_in_is_shown() -> None:
    asset = Asset(grey_png(9, 9, 50), "image/png")
    rendering = PlutoBookEngine().render(task(f"{HIDDEN}<p><img class=h src=i>", {"https://example.com/dir/i": asset}))
    assert [image.url for image in rendering.images] == ["https://example.com/dir/i"]
