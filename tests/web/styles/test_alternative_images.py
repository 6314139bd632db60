"""web/styles/alternative_images.py: which image a page shows."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from wcspider.web.documents.html_parsing import parse
from wcspider.web.documents.html_reader import MAX_SOURCES
from wcspider.web.styles import alternative_images
from wcspider.web.styles.alternative_images import candidates, densest, image_url, shown_image, tag_name
from wcspider.web.styles.responsive import Viewport

SCREEN = Viewport("screen", 1000)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<img>", ""),
        ("<img src=a>", "a"),
        ("<img srcset=''  src=a>", "a"),
        ("<img srcset='b 2x' src=a>", "a"),  # src is the candidate for 1x
        ("<img srcset='b 2x, c 1x' src=a>", "c"),
        ("<img srcset='b' src=a>", "b"),
        ("<img srcset='b 2x, c 3x'>", "b"),  # the least that is enough
        ("<img srcset='b 0.5x, c .75x'>", "c"),  # none is enough: the most
        ("<img srcset='b 500w, c 1000w, d 2000w' src=a>", "c"),  # shown at the width of the viewport
        ("<img srcset='b 500w, c 1000w' sizes='50vw' src=a>", "b"),
        ("<img srcset='b 500w, c 1000w' sizes='(max-width: 999px) 100vw, 31.25em' src=a>", "b"),
        ("<img srcset='b 500w, c 1000w' sizes='(min-width: 1000px) 501px, 10px' src=a>", "c"),
        ("<img srcset='b 500w, c 1000w' sizes='calc(50vw - 10px)' src=a>", "c"),  # unclear, so the viewport's
        ("<img srcset='b 500w, c 1000w' sizes='auto' src=a>", "c"),
        ("<img srcset='b 500w' sizes='0' src=a>", "b"),
        ("<img srcset='b 500w, c 1000w' sizes='((min-width: 1px) and (width > 2px)) 500px' src=a>", "b"),
        ("<img srcset='b 500w, c 1000w' sizes='min-width: 1px 500px, (width) 100vw' src=a>", "c"),
        ("<img srcset='b 500w, c 1000w' sizes='(width), -5px' src=a>", "c"),
        ("<img srcset='b 100w' src=a>", "b"),  # with widths src counts for nothing
        ("<img srcset='b 1x 2x, c 3q, d -1x' src=a>", "a"),  # invalid ones are left out
        ("<img srcset='b,c 2x' src=a>", "a"),  # one address, with a comma in it
        ("<img srcset=' , b 1x,,c 2x ,' src=a>", "b"),
        ("<img srcset='b foo(1x, 2x), c 1x' src=a>", "c"),
        ("<img srcset='data:image/gif;base64,R0lG 1x' src=a>", "data:image/gif;base64,R0lG"),
        # Lazy images: a script would put them in place of what stands there
        ("<img data-src=b src='data:image/gif;base64,R0lG'>", "b"),
        ("<img data-lazy-src=b>", "b"),
        ("<img data-original=b src=blank.gif>", "b"),
        ("<img data-srcset='b 2x' src=blank.gif>", "b"),
        ("<img data-srcset='' src=a>", "a"),
        ("<img data-src='' src=a>", "a"),
        ("<img data-srcset='b 500w, c 1000w' data-src=d src=a>", "c"),
        ("<picture><source data-srcset=b><img data-src=a></picture>", "b"),
        # PICTURE
        ("<picture><source srcset=b><img src=a></picture>", "b"),
        ("<picture><source srcset=b></source><img src=a></picture>", "b"),
        ("<picture><source srcset=b><source srcset=c><img src=a></picture>", "b"),
        ("<picture><source srcset=b media='(max-width: 600px)'><source srcset=c><img src=a></picture>", "c"),
        ("<picture><source srcset=b type=image/jxl><source srcset=c type=IMAGE/webp><img src=a></picture>", "c"),
        ("<picture><source src=b><img src=a></picture>", "a"),
        ("<picture><img src=a><source srcset=b></picture>", "a"),  # behind the image is too late
        ("<picture><source srcset='b 500w, c 2000w' sizes=400px><img src=a></picture>", "b"),
        ("<video><source srcset=b><img src=a></video>", "a"),
    ],
)
def test_image_url(source: str, shown: str) -> None:
    (image,) = [element for element in parse(source).elements if element.name == "img"]
    assert shown_image(image, image.sources, SCREEN) == shown
    (image,) = etree.HTML(source).iter("img")
    assert image_url(image, SCREEN) == shown


@pytest.mark.parametrize(
    "page",
    [
        "<pre>{}</pre>",  # an index of files with an icon for each
        "<picture>{}</picture>",
        "<picture><source srcset=b>{}",
    ],
)
def test_the_work_grows_with_the_number_of_images(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(alternative_images, "tag_name", lambda element: asked.append(element) or tag_name(element))

    def work(images: int) -> int:
        asked.clear()
        for element in etree.HTML(page.format("<img src=a> <a>b</a>" * images)).iter("img"):
            image_url(element, SCREEN)
        return len(asked)

    assert work(800) < 2.5 * work(400)


def test_an_image_has_a_bounded_number_of_sources() -> None:
    elements = parse("<picture>" + "<source srcset=c><img src=a>" * 400).elements
    images = [element for element in elements if element.name == "img"]
    assert len(images) == 400
    assert max(len(image.sources) for image in images) == MAX_SOURCES


@pytest.mark.parametrize("end", ["", "a", " 1x,", "! "])
@pytest.mark.parametrize("begin", ["", "a ", "a 1", "a 1w "])
@pytest.mark.parametrize("repeated", [",", " ", ", ", "1", "(", "a(", "1."])
def test_the_work_grows_with_the_length_of_a_srcset(begin: str, repeated: str, end: str) -> None:
    assert len(list(candidates(begin + repeated * 100_000 + end, "", SCREEN))) <= 2


@given(st.text("ab ,0123.x wh()\t"), st.text("(min-width:1p) ,vwcal0"))
def test_any_srcset_and_sizes_are_read(srcset: str, sizes: str) -> None:
    offered = list(candidates(srcset, sizes, SCREEN))
    chosen = densest(offered)
    assert (chosen in dict(offered)) is bool(offered)
    assert all(not set(url) & set(" \t") for url, _ in offered)
