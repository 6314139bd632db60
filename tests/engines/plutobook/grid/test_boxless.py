"""Elements with ``display: contents``: their children stand where those of the box around them stand."""

from __future__ import annotations

import pytest

from tests.support.grid_places import Places, assert_places, items
from wcspider.engines.plutobook.grid import boxless

ROWS = "<div class=g><div class=c>{}</div><div class=c>{}</div></div>".format(items("AB"), items("CD"))


@pytest.mark.parametrize(
    ("css", "body", "expected"),
    [
        pytest.param(
            ".g { display: grid; grid-template-columns: 200px 1fr; gap: 10px }",
            ROWS,
            {"A": (0, 0), "B": (210, 0), "C": (0, 1), "D": (210, 1)},
            id="rows of a grid",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: auto 1fr } .C { padding-left: 100px } .A { width: 300px }",
            ROWS,
            {"A": (0, 0), "B": (300, 0), "C": (100, 1), "D": (300, 1)},
            id="a column that is as wide as the contents of all rows",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: [a] 200px [b] 1fr } .g i { grid-row: 1; grid-column: a } "
            ".A, .D { grid-column: b !important }",
            "<div class=g><div class=c>{}</div><div class=c>{}</div></div>".format(items("AB", "i"), items("CD", "i")),
            {"A": (200, 0), "B": (0, 0), "C": (0, 1), "D": (200, 1)},
            id="rows with places by the names of lines",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 200px 1fr } .E, .F { grid-area: 1 / 1 / 2 / 2 }",
            f"<div class=g>{items('EF')}<div class=c>{items('AB')}</div></div>",
            {"E": (0, 0), "F": (0, 1), "A": (0, 2), "B": (200, 2)},
            id="a row of a grid whose items cover each other",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr 1fr 1fr }",
            f"<div class=g><div class=c><div class=c>{items('AB')}</div></div><div class=c>{items('CD')}</div></div>",
            {"A": (0, 0), "B": (170, 0), "C": (0, 1), "D": (170, 1)},
            id="rows in a part of a grid",
        ),
        pytest.param(
            ".g { display: grid; grid-template-columns: 1fr 1fr 1fr 1fr } .A { grid-column: span 2 }",
            f"<div class=g><div class=c>{items('A')}</div>{items('B')}<div class=c>{items('C')}</div></div>",
            {"A": (0, 0), "B": (340, 0), "C": (510, 0)},
            id="elements around one item of a grid each",
        ),
        pytest.param(
            ".g { display: flex; gap: 10px } .g [class] { width: 90px; flex-shrink: 0 }",
            f"<div class=g>{items('A')}<p class=c>{items('B', 'i')}<b class=c>{items('C', 'i')}</b></p></div>",
            {"A": (0, 0), "B": (100, 0), "C": (200, 0)},
            id="items of a flexible box",
        ),
        pytest.param(
            ".g { display: flex } .A, .B, .C { flex: 1 }",
            f"<div class=g><div class=c>{items('AB')}</div>{items('C')}</div>",
            {"A": (0, 0), "B": (227, 0), "C": (453, 0)},
            id="items that share the room of a flexible box",
        ),
        pytest.param(
            ".g { display: flex; flex-direction: column }",
            f"<div class=g><div class=c>{items('AB', 'span')}</div></div>",
            {"A": (0, 0), "B": (0, 1)},
            id="a column",
        ),
        pytest.param(
            ".g { display: flex; flex-direction: column } .c > .A, .c > .C { order: 1 } .B, .D { order: 2 }",
            ROWS,
            {"A": (0, 0), "C": (0, 1), "B": (0, 2), "D": (0, 3)},
            id="items with an order among those of another element",
        ),
        pytest.param(
            ".g { display: flex } .g [class] { width: 90px; flex-shrink: 0 } .C { order: -1 }",
            f"<div class=g>{items('A')}<div class=c id=i>{items('BC')}</div></div>",
            {"C": (0, 0), "A": (90, 0), "B": (180, 0)},
            id="an item with an order before the others",
        ),
        pytest.param("", "<p>A<div class=c>B</div></p>", {"A": (0, 0), "B": (0, 1)}, id="a text in a block"),
        pytest.param(
            "body { margin: 0 }",
            f"<div class=c>{items('AB')}</div>",
            {"A": (0, 0), "B": (0, 1)},
            id="blocks in a block",
        ),
    ],
)
def test_places(css: str, body: str, expected: Places) -> None:
    plain = ".c { display: contents; margin: 7px; padding: 9px; border: 5px solid; width: 50px }"
    assert_places(f"* {{ margin: 0 }} {css} {plain}", body, expected)


def test_the_number_of_ordered_children_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxless, "MAX_ORDERED", 1)
    assert_places(
        ".g { display: flex; flex-direction: column } .c { display: contents } .A, .C { order: 2 } .B, .D { order: 1 }",
        ROWS,
        {"B": (0, 0), "A": (0, 1), "D": (0, 2), "C": (0, 3)},
    )
