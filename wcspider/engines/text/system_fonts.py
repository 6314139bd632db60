"""The fonts of the system, as listed by fontconfig, for characters that the bundled fonts lack.

The choice depends only on the installed fonts, so two captures on one machine use the same fonts.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

import uharfbuzz
from reportlab.pdfbase import pdfmetrics

from wcspider.engines.text.font_folder import PRIVATE
from wcspider.engines.text.scripts import script_of
from wcspider.engines.text.shaping import ShapedFont

_FIELDS = ("file", "index", "fontformat", "weight", "slant", "width", "color", "family", "postscriptname", "charset")
_FORMATS = ("TrueType", "CFF")
_TIMEOUT = 30
_REGULAR, _BOLD = 80, 200
"""The weights of regular and bold faces in fontconfig."""

_VARIANTS = {"zh-tw": "TC", "zh-hk": "TC", "zh-hant": "TC", "zh": "SC", "ja": "JP", "ko": "KR"}
_UNWANTED = re.compile(r"Mono|UI|Display|Condensed|Nastaliq|Kufi|Rashi|Looped|Math|Music|Sign|Last ?Resort|Unifont")


@dataclass(frozen=True)
class Face:
    """A face of an installed font."""

    file: str
    index: int
    weight: int
    family: str
    name: str
    charset: str

    @cached_property
    def ranges(self) -> tuple[list[int], list[int]]:
        """The first and the last characters of the ranges that the face covers."""
        pairs = [part.partition("-") for part in self.charset.split()]
        return [int(first, 16) for first, _, _ in pairs], [int(last or first, 16) for first, _, last in pairs]

    def has(self, character: int) -> bool:
        """Tell whether the face has a glyph for a character."""
        firsts, lasts = self.ranges
        place = bisect_right(firsts, character) - 1
        return place >= 0 and character <= lasts[place]


@cache
def faces() -> tuple[Face, ...]:
    """Return the upright faces whose outlines can be embedded; empty if fontconfig is not installed."""
    form = "\\t".join(f"%{{{name}}}" for name in _FIELDS) + "\\n"
    try:
        listed = subprocess.run(
            ["fc-list", "--format", form], env=_environment(), capture_output=True, timeout=_TIMEOUT, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    found = (_face(line.split("\t")) for line in listed.decode("utf-8", "replace").splitlines())
    return tuple(sorted((face for face in found if face is not None), key=lambda face: (face.file, face.index)))


def _environment() -> dict[str, str]:
    """Return the environment of the user, without the path of the private configuration for PlutoBook."""
    return {k: v for k, v in os.environ.items() if k != "FONTCONFIG_PATH" or PRIVATE not in v}


def _face(values: list[str]) -> Face | None:
    if len(values) != len(_FIELDS):
        return None
    file, index, form, weight, slant, width, color, family, name, charset = values
    # An index of more than 16 bits is a named instance of a variable font.
    usable = form in _FORMATS and color == "False" and slant == "0" and width in ("100", "") and index.isdigit()
    if not usable or int(index) > 0xFFFF or not charset:
        return None
    return Face(file, int(index), _weight(weight), family.partition(",")[0], name or "Unnamed", charset)


def _weight(value: str) -> int:
    digits = re.match(r"\d+", value.lstrip("["))
    return int(digits[0]) if digits else _REGULAR


def variant_of(language: str) -> str:
    """Return the font variant for a Chinese, Japanese or Korean language; empty for other languages."""
    tag = language.lower().replace("_", "-")
    return next((variant for prefix, variant in _VARIANTS.items() if tag.startswith(prefix)), "")


@cache
def name_for(character: str, *, bold: bool = False, variant: str = "") -> str | None:
    """Return the name of a system font for a character, after registering it with reportlab; None if there is none."""
    wanted = variant or _variant_by_script(character)
    found = (register(face) for face in _ranked(bold, wanted) if face.has(ord(character)))
    return next((font.fontName for font in found if font is not None), None)


def _variant_by_script(character: str) -> str:
    return {"Japanese": "JP", "Korean": "KR"}.get(script_of(character).name, "SC")


@cache
def _ranked(bold: bool, variant: str) -> list[Face]:
    return sorted(faces(), key=lambda face: _rank(face, bold, variant))


def _rank(face: Face, bold: bool, variant: str) -> tuple[object, ...]:
    """Return a sort key: Noto families for text, of the requested variant and weight, come first."""
    return (
        bool(_UNWANTED.search(face.family)),
        " CJK " in face.family and not face.family.endswith(variant),
        0 if face.family.startswith("Noto Naskh") else 1 if "Sans" in face.family else 2,
        not face.family.startswith("Noto"),
        " CJK " not in face.family,
        abs(face.weight - (_BOLD if bold else _REGULAR)),
        face.file,
        face.index,
    )


@cache
def register(face: Face) -> ShapedFont | None:
    """Register a face with reportlab; None if it cannot be read."""
    name = f"{face.name}-{face.index}" if face.index else face.name
    variant = face.family[-2:] if " CJK " in face.family else ""
    try:
        font = ShapedFont(name, uharfbuzz.Blob.from_file_path(face.file), face.index, variant)
    except (uharfbuzz.HarfBuzzError, OSError, struct.error):  # damaged, or removed since it was listed
        return None
    pdfmetrics.registerFont(font)
    return font


def ranked_families(found: Iterable[Face]) -> list[str]:
    """Return the families of faces, the best fallback first."""
    ordered = sorted(found, key=lambda face: _rank(face, False, "SC"))
    return list(dict.fromkeys(face.family for face in ordered))
