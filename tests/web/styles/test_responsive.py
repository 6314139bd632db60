"""web/styles/responsive.py: which image a page shows and which sheets apply."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from wcspider.web import responsive
from wcspider.web.documents.html import MAX_SOURCES, parse
from wcspider.web.styles.responsive import Viewport, applies, candidates, densest, image_url, shown_image, tag_name

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
    monkeypatch.setattr(responsive, "tag_name", lambda element: asked.append(element) or tag_name(element))

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


@pytest.mark.parametrize(
    ("media", "answer"),
    [
        ("", True),
        (" all ", True),
        ("SCREEN", True),
        ("print", False),
        ("print, screen", True),
        ("handheld", False),
        ("not print", True),
        ("not screen", False),
        ("only screen", True),
        ("screen and (min-width: 1000px)", True),
        ("screen and (min-width: 1000.5px)", False),
        ("print and (min-width: 1px)", False),
        ("(max-width:1000px) and (color)", True),
        ("(max-width: 62.4em)", False),
        ("(min-width: 20cm)", True),
        ("(width >= 1000px)", True),
        ("(width < 1000px)", False),
        ("(width > 999px)", True),
        ("(width <= 10in)", False),
        ("(width: 1000px)", True),
        ("(width = 999px)", False),
        ("(min-device-width: 1px)", True),
        ("(orientation: landscape)", True),
        ("(orientation: portrait)", False),
        ("(prefers-color-scheme: dark)", False),
        ("(prefers-color-scheme: light)", True),
        ("(hover)", False),  # unknown here
        ("not (hover)", False),  # what is unknown does not become true by a "not"
        ("not (min-width: 2000px)", True),
        ("(min-width: calc(1px + 1px))", False),
        ("(min-width: 1furlong)", False),
        ("(400px <= width <= 1200px)", True),
        ("(1200px > width >= 1000px)", True),
        ("(400px < width < 1000px)", False),
        ("(400px < width > 500px)", False),  # both have to go one way
        ("(400px <= width <= calc(1px))", False),
        ("(400px<=width)", True),
        ("not (width < 400px)", True),
        ("(400px: width)", False),
        ("(width: 0 : 1px)", False),
        ("(width <= width)", False),
        ("(width)", True),
        ("(max-width:1024px) or (min-width:1px)", True),
        ("(max-width:1px) or (min-width:2000px)", False),
        ("(hover) or (min-width:1px)", True),
        ("(hover) and (max-width:1px)", False),
        ("not ((hover) and (max-width:1px))", True),  # whatever the unknown one is
        ("not ((hover) or (max-width:1px))", False),
        ("(min-width:1px) and (color) or (color)", False),  # no query: the two are not mixed
        ("screen and (min-width:1px) or (color)", False),
        ("not print and (hover)", False),
        ("not (color) and (color)", False),
        ("not not (color)", False),
        ("not", False),
        ("only (color)", False),
        ("((min-width:1px))", True),
        ("(not (min-width:2000px)) and ((color) or (hover))", True),
        ("not selector(:has(a))", False),
        ("not (prefers-color-scheme: dark)", True),
        ("not (prefers-color-scheme: sepia)", False),
        ("(prefers-color-scheme)", True),
        ("(prefers-reduced-motion)", False),
        ("not (prefers-reduced-motion: reduce)", True),
        ("(scripting)", False),
        ("not (scripting: enabled)", True),
        ("not (orientation: portrait)", True),
        ("not all and (monochrome)", True),
        ("screen and not (monochrome)", True),
        ("(MIN-WIDTH: 62EM) /* wide */", True),
        ("/**/", True),
        ("(min-width", False),
        ("screen and", False),
        ("screen print", False),
        (",", False),
    ],
)
def test_applies(media: str, answer: bool) -> None:
    assert applies(media, SCREEN) is answer


def test_print_is_portrait() -> None:
    assert applies("print and (orientation: portrait)", Viewport("print"))
    assert not applies("screen", Viewport("print"))


@given(st.text("ab ,0123.x wh()\t"), st.text("(min-width:1p) ,vwcal0"))
def test_any_srcset_and_sizes_are_read(srcset: str, sizes: str) -> None:
    offered = list(candidates(srcset, sizes, SCREEN))
    chosen = densest(offered)
    assert (chosen in dict(offered)) is bool(offered)
    assert all(not set(url) & set(" \t") for url, _ in offered)


@given(st.text() | st.text("()and not,min-width:1px "))
def test_any_media_is_answered(media: str) -> None:
    assert applies(media, SCREEN) in (True, False)
    assert applies(f"all, {media}", SCREEN)


@pytest.mark.parametrize(
    "media",
    [
        "," * 200_000,
        "(" * 200_000,
        "(not " * 50_000,
        "(width:" + "1" * 1_000_000 + "!)",
        "a(" * 100_000,
        "a" * 1_000_000,
    ],
)
def test_the_work_grows_with_the_length_of_media_and_sizes(media: str) -> None:
    assert not applies(media, SCREEN)
    assert list(candidates("a 1000w", media + ")", SCREEN)) == [("a", 1)]
