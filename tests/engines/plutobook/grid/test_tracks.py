"""Track lists and lengths (CSS Grid 2, 7.2; CSS Values 4, 10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.plutobook.css.lengths import Basis, pixels
from wcspider.engines.plutobook.grid.tracks import MAX_TRACKS, track_list
from wcspider.engines.plutobook.grid.tracks import sizes as sizes_of

BASIS = Basis(container=600, viewport=680)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("10px", 10),
        ("0", 0),
        ("1in", 96),
        ("2rem", 32),
        ("50%", 300),
        ("10vw", 68),
        ("10dvw", 68),
        ("calc(100% - 2 * 20px)", 560),
        ("calc(2px + 3px * 4)", 14),
        ("calc((2px + 3px) * 4)", 20),
        ("calc(100% / 3 - 10px)", 190),
        ("calc(1px - -1px)", 2),
        ("calc(10px / 0)", None),
        ("min(100%, 40ch)", 320),
        ("max(10px, 2rem)", 32),
        ("clamp(1rem, 50%, 100px)", 100),
        ("auto", None),
        ("1px 2px", None),
        ("", None),
        ("calc()", None),
        ("calc(" * 60 + "1px" + ")" * 60, None),  # nested deeper than anybody writes
    ],
)
def test_lengths(value: str, expected: float | None) -> None:
    assert pixels(value, BASIS) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1fr 1fr", [295, 295]),
        ("200px 1fr", [200, 390]),
        ("25% 75%", [150, 450]),
        ("1fr 3fr", [147.5, 442.5]),
        ("repeat(3, 1fr)", [580 / 3] * 3),
        ("repeat(2, 100px 1fr)", [100, 185, 100, 185]),
        ("minmax(0, 1fr) 300px", [290, 300]),
        ("minmax(400px, 1fr) 1fr", [400, 190]),
        ("[a] 100px [b c] 1fr [d]", [100, 490]),
        # As many as fit: three of 190 and two gaps of 10 are 590, four would be 790.
        ("repeat(auto-fill, minmax(190px, 1fr))", [580 / 3] * 3),
        ("repeat(auto-fit, 140px)", [140] * 4),
        ("repeat(auto-fill, minmax(min(190px, 100%), 1fr))", [580 / 3] * 3),
        ("repeat(auto-fill, minmax(900px, 1fr))", [900]),
        ("none", []),
    ],
)
def test_sizes_of_tracks(value: str, expected: list[float]) -> None:
    found = track_list(value, BASIS, gap=10)
    assert found is not None
    room = BASIS.container - 10 * (len(found.tracks) - 1)
    assert sizes_of(found.tracks, [0] * len(found.tracks), room) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "contents", "expected"),
    [
        ("max-content 1fr", [50, 900], [50, 550]),
        ("auto auto", [50, 150], [250, 350]),  # what is left is shared alike
        ("max-content auto", [50, 150], [50, 550]),
        ("max-content max-content", [50, 150], [50, 150]),
        ("auto auto", [50, 5000], [50, 550]),
        ("auto auto auto", [50, 5000, 7000], [50, 275, 275]),
        ("auto 1fr", [5000, 10], [520, 80]),
        ("fit-content(30%) auto", [50, 5000], [50, 550]),
        ("fit-content(30%) auto", [500, 100], [180, 420]),
        ("minmax(200px, max-content) auto", [50, 5000], [200, 400]),
        ("minmax(100px, auto) 100px", [50, 0], [500, 100]),
        # A fixed size leaves the room that other tracks need, down to its minimum.
        ("auto minmax(80%, 95%)", [70, 5000], [70, 530]),
        ("auto minmax(80%, 95%)", [20, 5000], [30, 570]),
        ("auto minmax(80%, 95%)", [500, 5000], [120, 480]),
        ("minmax(100px, 200px) minmax(100px, 300px)", [0, 0], [200, 300]),
        ("minmax(100px, 400px) minmax(100px, 500px)", [0, 0], [300, 300]),
        # Margins beside a text: the text has its width, and the margins share the rest.
        (
            "minmax(4vw, auto) minmax(auto, 240px) min(400px, 90%) minmax(0, 240px) minmax(4vw, auto)",
            [0, 0, 5000, 0, 0],
            [27.2, 72.8, 400, 72.8, 27.2],
        ),
    ],
)
def test_tracks_with_the_sizes_of_their_contents(value: str, contents: list[float], expected: list[float]) -> None:
    found = track_list(value, BASIS, gap=0)
    assert found is not None
    assert sizes_of(found.tracks, contents, BASIS.container) == pytest.approx(expected)


@pytest.mark.parametrize("value", ["subgrid", "masonry", "repeat(x, 1fr)", "1fr nonsense", "repeat(0, 1fr)"])
def test_what_is_not_understood_has_no_tracks(value: str) -> None:
    assert track_list(value, BASIS, gap=0) is None


def test_the_number_of_tracks_is_limited() -> None:
    found = track_list("repeat(99999999, 1fr)", BASIS, gap=0)
    assert found is not None
    assert len(found.tracks) == MAX_TRACKS


@given(st.lists(st.sampled_from(["1fr", "2fr", "minmax(50px, 1fr)", "auto", "80px"]), min_size=1, max_size=6))
def test_tracks_with_a_share_fill_the_room(values: list[str]) -> None:
    found = track_list(" ".join(values), BASIS, gap=0)
    assert found is not None
    sizes = sizes_of(found.tracks, [20] * len(values), 600)
    assert all(size >= 0 for size in sizes)
    if any("fr" in value for value in values):
        assert sum(sizes) == pytest.approx(600)


@given(st.text(max_size=60))
def test_any_text_is_read(value: str) -> None:
    track_list(value, BASIS, gap=0)
    pixels(value, BASIS)
