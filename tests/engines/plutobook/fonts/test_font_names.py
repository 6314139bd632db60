"""Names of the author's fonts in upper and lower case."""

from __future__ import annotations

import pytest

from tests.support.paths import ROOT
from tests.support.rendered_pages import Asset, font_names, task
from wcspider.engines.plutobook.engine import PlutoBookEngine
from wcspider.engines.plutobook.fonts.font_names import with_spellings

ASSETS = {
    "https://example.com/dir/a": Asset((ROOT / "wcspider/fonts/WcspiderSans-Regular.ttf").read_bytes(), "font/ttf"),
    "https://example.com/dir/b": Asset((ROOT / "wcspider/fonts/WcspiderSans-Bold.ttf").read_bytes(), "font/ttf"),
}


def fonts(html: str) -> set[str]:
    """The names of the fonts on the pages, without tags."""
    return set(font_names(PlutoBookEngine().render(task(html, ASSETS))))


@pytest.mark.slow
@pytest.mark.parametrize("declared", ["Feather", "'Feather'", '"feather"', "FEATHER"])
@pytest.mark.parametrize(
    "rule",
    [
        "<style>p { font-family: feather }</style><p>a",
        "<style>p { font: 20px/1 'Feather', serif }</style><p>a",
        "<style>:root { --icons: 'feather' } p { font-family: var(--icons) }</style><p>a",
        "<p style='font-family: fEATHER'>a",
    ],
)
def test_upper_and_lower_case_are_the_same(declared: str, rule: str) -> None:
    face = f"<style>@font-face {{ src: url(a); font-family: {declared} }}</style>"
    assert fonts(f"{face}{rule}") == {"WcspiderSans-Regular"}


@pytest.mark.slow
def test_families_with_several_files() -> None:
    faces = "".join(f"@font-face {{ font-family: Open Letters; src: url({n}); font-weight: {w} }}"
                    for n, w in (("a", 400), ("b", 700)))  # fmt: skip
    found = fonts(f"<style>{faces} p {{ font-family: 'open letters' }}</style><p>a <b>b</b>")
    assert found == {"WcspiderSans-Regular", "WcspiderSans-Bold"}


FACE = '@font-face{font-family:Own;src:url("http://h/{a}")}'


@pytest.mark.parametrize(
    ("sheets", "attributes"),
    [
        ((), ""),
        (("p{font-family:own}",), ""),
        ((FACE, "p{font-family:Own}"), "font-family:Own"),
        ((FACE, "p{font-family:own-name}"), "font-family:downowns"),
        (("@font-face{src:url(a)}", "p{font-family:own}"), ""),
    ],
)
def test_other_sheets_are_unchanged(sheets: tuple[str, ...], attributes: str) -> None:
    assert with_spellings(sheets, attributes) == sheets


def test_each_spelling_gets_a_rule() -> None:
    *others, added = with_spellings((FACE, "p{font-family:own}"), "font-family:OWN")
    assert others == [FACE, "p{font-family:own}"]
    assert added == FACE.replace("Own", '"OWN"') + FACE.replace("Own", '"own"')
