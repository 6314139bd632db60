"""web/styles/responsive.py: which media queries apply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.web.styles.alternative_images import candidates
from wcspider.web.styles.responsive import Viewport, applies, style_applies

SCREEN = Viewport("screen", 1000, height=None)


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
        ("(max-device-width: 1024px)", False),  # the width of the screen, not of the window
        ("(device-width > 1024px)", True),
        ("(orientation: landscape)", True),
        ("(orientation: portrait)", False),
        ("(prefers-color-scheme: dark)", False),
        ("(prefers-color-scheme: light)", True),
        ("(touch)", False),  # unknown here
        ("not (touch)", False),  # what is unknown does not become true by a "not"
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
        ("(width >)", False),
        ("(min-height: 1px)", False),  # unknown here
        ("(width)", True),
        ("(max-width:1024px) or (min-width:1px)", True),
        ("(max-width:1px) or (min-width:2000px)", False),
        ("(touch) or (min-width:1px)", True),
        ("(touch) and (max-width:1px)", False),
        ("not ((touch) and (max-width:1px))", True),  # whatever the unknown one is
        ("not ((touch) or (max-width:1px))", False),
        ("(min-width:1px) and (color) or (color)", False),  # no query: the two are not mixed
        ("screen and (min-width:1px) or (color)", False),
        ("not print and (touch)", False),
        ("not (color) and (color)", False),
        ("not not (color)", False),
        ("not", False),
        ("only (color)", False),
        ("((min-width:1px))", True),
        ("(not (min-width:2000px)) and ((color) or (touch))", True),
        ("not selector(:has(a))", False),
        ("not (prefers-color-scheme: dark)", True),
        ("not (prefers-color-scheme: sepia)", False),
        ("(prefers-color-scheme)", True),
        ("(prefers-reduced-motion)", False),
        ("not (prefers-reduced-motion: reduce)", True),
        ("(scripting)", False),
        ("not (scripting: enabled)", True),
        ("not (orientation: portrait)", True),
        ("(hover: none) and (pointer: none) and (any-hover: none)", True),  # on paper
        ("(hover)", False),
        ("not (any-pointer: coarse)", True),
        ("(pointer: finger)", False),
        ("(prefers-contrast: more)", False),
        ("(overflow-block: paged)", True),
        ("(resolution: 96dpi)", True),
        ("(max-resolution: 1.5dppx)", True),
        ("(min-resolution: 1.5x)", False),
        ("(1x <= resolution < 2x)", True),
        ("(min-resolution: 96px)", False),
        ("not (min-resolution: 1)", False),  # not a resolution
        ("(max-width: 2dppx)", False),
        ("(resolution < width)", False),
        ("(resolution)", True),
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


@pytest.mark.parametrize(
    ("media", "answer"),
    [
        ("(min-height: 700px)", True),
        ("(max-height: 700px)", False),
        ("(height: 750px) and (height)", True),
        ("(400px < height <= 750px)", True),
        ("(height < width)", False),
        ("not (height >= 751px)", True),
        ("(min-device-height: 750.5px) and (max-device-height: 800px)", True),
    ],
)
def test_heights(media: str, answer: bool) -> None:
    assert applies(media, Viewport("screen", 1000, height=750)) is answer


def test_styles_are_chosen_for_the_height_of_the_paper_as_well() -> None:
    on_paper = Viewport(paper_width=680, paper_height=1000)
    assert [style_applies("(min-height: 900px)", viewport) for viewport in (on_paper, Viewport())] == [True, False]
    assert style_applies("(max-height: 768px)", on_paper)


def test_print_is_portrait() -> None:
    assert applies("print and (orientation: portrait)", Viewport("print"))
    assert not applies("screen", Viewport("print"))


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
