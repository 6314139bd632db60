"""The fragments of which paragraphs of xhtml2pdf consist: text of one face, images, anchors and line breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reportlab.lib.abag import ABag
from reportlab.lib.colors import black
from reportlab.lib.fonts import tt2ps
from reportlab.platypus.paraparser import ParaFrag

from wcspider.engines.text import fonts
from wcspider.engines.text.runs import Runs


class DescribedLink(str):
    """The target of a link with its description (14.9.3). xhtml2pdf passes it to the canvas unchanged."""

    description: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """How text is shown. Lengths are in units of the layout."""

    family: str = fonts.SERIF
    size: float = 12.0
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    rise: float = 0.0
    """The distance of the text from the baseline."""

    link: DescribedLink | None = None

    def text(self, text: str, runs: Runs) -> list[Any]:
        """Return fragments with a text. Nearly all texts need a single face."""
        face = self._face(self.family)
        if fonts.covers(face, text):
            return [self._frag(text, face)]
        faces = [face, *map(self._face, (fonts.SANS, fonts.SYMBOLS))]
        return [self._frag(*run) for run in runs.cut(text, faces, bold=self.bold)]

    def line_break(self) -> Any:
        """Return a fragment that ends a line."""
        return self._frag(lineBreak=1)

    def anchor(self, name: str) -> Any:
        """Return a fragment that marks the place of an anchor."""
        return self._frag(cbDefn=ABag(kind="anchor", name=name))

    def box(self, box: Any, size: tuple[float, float], bottom: float = 0.0) -> Any:
        """Return a fragment that shows an image or a field, whose lower edge is at `bottom` above the baseline."""
        return self._frag(cbDefn=ABag(kind="box", flowable=box, width=size[0], height=size[1], valign=bottom))

    def _face(self, family: str) -> str:
        return str(tt2ps(family, self.bold, self.italic))

    def _frag(self, text: str = "", face: str = "", **more: Any) -> Any:
        return ParaFrag(
            text=text, fontName=face or self._face(self.family), fontSize=self.size, textColor=black, rise=self.rise,
            underline=self.underline, strike=self.strike, link=self.link, **more,
        )  # fmt: skip


_LOOKS: Mapping[tuple[str, ...], Mapping[str, Any]] = {
    ("b", "strong", "th", "legend", "summary"): {"bold": True},
    ("i", "em", "cite", "dfn", "var", "address"): {"italic": True},
    ("u", "ins"): {"underline": True},
    ("s", "strike", "del"): {"strike": True},
    ("code", "kbd", "samp", "tt"): {"family": fonts.MONO},
    ("pre",): {"family": fonts.MONO, "size": 10.0},
    ("small",): {"size": 10.0},
    ("sub",): {"size": 9.0, "rise": -4.0},
    ("sup",): {"size": 9.0, "rise": 4.0},
    ("h1",): {"size": 22.0, "bold": True},
    ("h2",): {"size": 18.0, "bold": True},
    ("h3",): {"size": 14.0, "bold": True},
    ("h4", "h5", "h6"): {"bold": True},
}
"""How the text of elements is shown. Sizes are absolute, so that text is readable in nested elements."""

_LOOK_OF = {tag: look for tags, look in _LOOKS.items() for tag in tags}


def look_of(tag: str, around: Look) -> Look:
    """Return how the text of an element is shown, inside an element whose text looks like `around`."""
    return replace(around, **_LOOK_OF[tag]) if tag in _LOOK_OF else around
