"""The author's fonts: the files that they name (CSS Fonts 4, 4.3), and whether a file can be used."""

from __future__ import annotations

import hashlib
import io
import logging
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple

import uharfbuzz
from fontTools.ttLib import TTFont

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import asset_key, in_quotes
from wcspider.engines.plutobook.css import data_urls
from wcspider.engines.plutobook.fonts.emboldening import emboldened
from wcspider.engines.plutobook.fonts.font_weights import Weight
from wcspider.engines.text.font_folder import shared
from wcspider.engines.text.scripts import SHAPED
from wcspider.web.styles.css import SHOWN_FORMATS
from wcspider.web.styles.tokens import split_commas, url_of

# Its remarks are about fonts that can be used.
logging.getLogger("fontTools").setLevel(logging.CRITICAL)

MAX_FONT = 5_000_000
"""The size of the largest font file that is used, in bytes."""

_SIGNATURES = (b"wOFF", b"wOF2", b"OTTO", b"true", b"ttcf", b"\x00\x01\x00\x00")
_URL = re.compile(r'url\("[^"]*"\)')
_SPECIAL_FORMS = uharfbuzz.Set(map(int.from_bytes, (b"locl", b"ccmp", b"rlig")))
"""The features of OpenType for forms of letters in certain languages, parts of letters, and several letters."""

_NEEDED = ("cmap", "head", "hhea", "hmtx", "maxp")
_USES_TYPO_METRICS = 1 << 7
"""The flag of the table OS/2 whose ascender and descender count instead of those of the table hhea."""

_LEAST_HEIGHT = 0.2
"""The height of a line, as a share of the font size, that is more than a pixel for all text that can be read."""


class Family(NamedTuple):
    """A font family that a style sheet declares."""

    name: str
    urls: tuple[str, ...]
    """The URLs of its files, each with the weight for which it is used; see `font_weights`."""


def problems(families: Iterable[Family], assets: Mapping[str, Asset]) -> Iterator[str]:
    """Yield a line for each family if a file was fetched, but no file can be used."""
    for family in families:
        files = _fetched(family.urls, assets)
        if files and not any(map(font_file, files)):
            yield f"the font {family.name} cannot be used"


def in_data_urls(families: Iterable[Family]) -> dict[str, Asset]:
    """Return the fonts of a page that its style sheets contain, by their data: URLs."""
    return data_urls.assets_in(url.partition("#")[0] for url in _urls(families) if url.startswith("data:"))


def with_usable_sources(
    sheets: Iterable[str], families: Iterable[Family], assets: Mapping[str, Asset]
) -> tuple[str, ...]:
    """Return style sheets without the files of fonts that were not fetched or cannot be used.

    PlutoBook would write a message for each of them on each page, but the summary of the crawl lists them already.
    """
    sources: dict[str, str] = {}
    for url in set(_urls(families)):
        source = f'url("{in_quotes(url, url)}")'
        if not any(map(font_file, _fetched([url], assets))):
            sources[source] = 'local("")'
        elif url.startswith("data:"):
            data, hash_sign, weight = url.partition("#")
            sources[source] = f'url("{data_urls.private_url(data)}{hash_sign}{weight}")'
    return tuple(_URL.sub(lambda match: sources.get(match[0], match[0]), sheet) for sheet in sheets)


def _urls(families: Iterable[Family]) -> Iterator[str]:
    return chain.from_iterable(family.urls for family in families)


def _fetched(urls: Iterable[str], assets: Mapping[str, Asset]) -> list[bytes]:
    """Return the files at URLs, except for those that were not fetched."""
    found = (assets.get(asset_key(url, url.partition("#")[0])) for url in urls)
    return [asset.body for asset in found if asset is not None]


def is_font(body: bytes) -> bool:
    """Tell whether a file begins like a font."""
    return body.startswith(_SIGNATURES)


@dataclass(frozen=True, slots=True)
class FontFile:
    """The characters of a complete font."""

    shaped: frozenset[str]
    """The characters whose glyphs depend on their neighbours; see `scripts.SHAPED`."""

    twins: dict[str, list[str]]
    """Each character that has its glyph in common with others, with all characters of this glyph."""

    is_flat: bool
    """Whether its lines are so low that PlutoBook would not draw small text."""

    weights: tuple[float, float, float] | None
    """The smallest, the usual, and the largest weight of a variable font; None for other fonts."""

    def instance(self, weight: Weight | None) -> float | None:
        """Return the weight of the instance for text of a weight; None if the font can be used as it is."""
        if weight is None or self.weights is None:
            return None
        least, usual, most = self.weights
        found = min(max(weight.of_face, least), most)
        return None if found == usual else found


# The next page names the same fonts. A family for Chinese, Japanese or Korean has up to two hundred files.
@lru_cache(maxsize=512)
def font_file(body: bytes) -> FontFile | None:
    """Return the characters of a font; None if a file is no font or not complete."""
    if len(body) > MAX_FONT:
        return None
    try:
        with TTFont(io.BytesIO(body), lazy=True, fontNumber=0) as font:
            reader = font.reader
            # A table of a WOFF file is compressed: its length in the file is not its own.
            is_whole = body[:4] == b"wOF2" or all(
                len(reader[tag]) == getattr(entry, "origLength", entry.length) for tag, entry in reader.tables.items()
            )
            glyphs = font.getBestCmap() if is_whole and all(tag in reader for tag in _NEEDED) else None
            is_flat = bool(glyphs) and _height(font) < _LEAST_HEIGHT
            weights = _weights(font) if glyphs else None
    except Exception:  # fontTools raises exceptions of many classes for a damaged font
        return None
    if not glyphs:
        return None
    shown: dict[str, list[str]] = {}
    for code, glyph in sorted(glyphs.items()):
        shown.setdefault(glyph, []).append(chr(code))
    return FontFile(
        shaped=frozenset(filter(SHAPED.match, map(chr, glyphs))),
        twins={character: group for group in shown.values() if len(group) > 1 for character in group},
        is_flat=is_flat,
        weights=weights,
    )


def _height(font: TTFont) -> float:
    """Return the height of the lines of a font as a share of its size, by the table that FreeType reads."""
    lines, other = font["hhea"], font.get("OS/2", None)
    height = lines.ascent - lines.descent
    if other is not None and (not height or other.fsSelection & _USES_TYPO_METRICS):
        height = other.sTypoAscender - other.sTypoDescender or other.usWinAscent + other.usWinDescent
    return float(height) / float(font["head"].unitsPerEm)


def _weights(font: TTFont) -> tuple[float, float, float] | None:
    axes = font["fvar"].axes if "fvar" in font else ()
    found = (axis for axis in axes if axis.axisTag == "wght")
    return next(((axis.minValue, axis.defaultValue, axis.maxValue) for axis in found), None)


def twins(families: Iterable[Family], assets: Mapping[str, Asset]) -> Mapping[str, Sequence[str]]:
    """Return the characters with the same glyph in the fonts of a page; see `FontFile.twins`."""
    files = map(font_file, _fetched(_urls(families), assets))
    found = [file.twins for file in files if file is not None and file.twins]
    return ChainMap(*reversed(found))  # a font may have a million characters


@lru_cache(maxsize=64)
def for_layout(body: bytes, *, keeps_forms: bool, weight: Weight | None = None) -> bytes | None:
    """Return a font as PlutoBook can draw its text; None if the file cannot be used.

    - A variable font becomes its instance with the given weight (CSS Fonts 4, 5.2), because PlutoBook draws all text in
      the usual weight of the font.
    - A font that stands in for a bold one gets bolder outlines.
    - Lines become at least a pixel high, because PlutoBook does not draw a line whose height is rounded to 0. The fonts
      of MathJax declare a height of 0.06, and its style sheet a line height of 0.
    - Unless `keeps_forms` is true, the font loses the forms of letters in certain languages, and those for parts of
      letters. No character of the font has their glyphs, so their text could not be extracted: the ``i`` of Turkish
      pages, or the ``ij`` of Dutch ones. Fonts of scripts whose glyphs depend on their neighbours need these features.
    """
    file = font_file(body)
    if file is None:
        return None
    keeps_forms, instance = keeps_forms or bool(file.shaped), file.instance(weight)
    is_emboldened = weight is not None and weight.is_emboldened
    if keeps_forms and instance is None and not file.is_flat and not is_emboldened:
        return body
    make = partial(_changed, body, instance, keeps_forms=keeps_forms, is_emboldened=is_emboldened)
    try:
        return shared(f"font-{_digest(body)}-{instance}-{keeps_forms}-{is_emboldened}", make)
    except Exception:  # fontTools and HarfBuzz raise exceptions of many classes for a damaged font
        return body


def _changed(body: bytes, weight: float | None, *, keeps_forms: bool, is_emboldened: bool) -> bytes:
    """Return a font with visible lines, in one weight, with the usual values of its other axes."""
    out = io.BytesIO()
    with TTFont(io.BytesIO(body), lazy=True, fontNumber=0, recalcBBoxes=False, recalcTimestamp=False) as font:
        if _height(font) < _LEAST_HEIGHT:
            _make_lines_visible(font)
        font.flavor = None  # HarfBuzz reads no compressed fonts
        font.save(out, reorderTables=None)
    face, plan = uharfbuzz.Face(out.getvalue()), uharfbuzz.SubsetInput()
    plan.keep_everything()
    if not keeps_forms:
        plan.layout_feature_tag_set.difference_update(_SPECIAL_FORMS)
    for axis in face.axis_infos:
        is_weight = axis.tag == "wght" and weight is not None
        plan.pin_axis_location(face, axis.tag, weight if is_weight else axis.default_value)
    made = bytes(uharfbuzz.subset(face, plan).blob.data)
    return emboldened(made) if is_emboldened else made


def _make_lines_visible(font: TTFont) -> None:
    """Make the lines of a font higher. The middle of a line stays at the same place."""
    more = round((_LEAST_HEIGHT - _height(font)) / 2 * font["head"].unitsPerEm) + 1
    font["hhea"].ascent += more
    font["hhea"].descent -= more
    if "OS/2" in font:
        font["OS/2"].sTypoAscender, font["OS/2"].sTypoDescender = font["hhea"].ascent, font["hhea"].descent


def _digest(value: bytes) -> str:
    return hashlib.md5(value, usedforsecurity=False).hexdigest()


def plain_sources(tokens: Sequence[Any]) -> list[Any]:
    """Return the value of a ``src`` descriptor without format() and tech(), and without formats that cannot be used.

    PlutoBook reads WOFF 2 files, but ignores a source that declares this format.
    """
    comma = [token for token in tokens if token == ","][:1]
    kept: list[Any] = []
    for alternative in filter(_is_shown, split_commas(tokens)):
        kept += [*(comma if kept else []), *(token for token in alternative if not _is_hint(token))]
    return kept


def _is_hint(token: Any) -> bool:
    return token.type == "function" and token.lower_name in ("format", "tech")


def _is_shown(alternative: Sequence[Any]) -> bool:
    if not any(url_of(token) is not None or token.type == "function" for token in alternative):
        return False
    formats = [token for token in alternative if token.type == "function" and token.lower_name == "format"]
    said = {str(part.value).lower() for token in formats for part in token.arguments if hasattr(part, "value")}
    return not said or not said.isdisjoint(SHOWN_FORMATS)
