"""Fonts whose text is shaped by HarfBuzz.

Most glyphs stand for one character. Such a glyph has a fixed code, which depends on the font alone, so that the pages
of a site share the subsets of a font. Several glyphs that show a text together become a form, a glyph that is created
for the document. So ToUnicode maps each code to exactly one text (9.10.3).

PDF readers extract text in the order in which it is drawn, from left to right, and reverse runs of right-to-left
characters. They also reverse the characters of a single code. For this reason a code of a right-to-left script stands
for one character only. The other characters of a ligature, or of a letter with marks, are on codes without an outline.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import Any
from weakref import WeakKeyDictionary

import uharfbuzz
from xhtml2pdf.bidi import bidi_class

from wcspider.engines.text.common_characters import (
    EVERYDAY,
    GROUPS,
    WIN_ANSI,
    common_characters,
    is_compatible,
    is_form,
    plain,
)
from wcspider.engines.text.fixed_subsets import CODES, SPACE, FixedSubsets, FontUse, SubsetProgram, face_of, to_unicode
from wcspider.engines.text.font_folder import shared
from wcspider.engines.text.glyph_outlines import Form, program, tag_of
from wcspider.engines.text.scripts import SHAPED, extends, is_ignorable, is_rtl

ZWNJ, ZWJ = "\u200c", "\u200d"
_LAM, _ALEFS = "\u0644", "\u0627\u0622\u0623\u0625\u0671"
_SILENT = {character: code for code, character in enumerate((ZWNJ, ZWJ, *_ALEFS), 1)}
"""The codes, equal in all subsets, of characters that often have no glyph: joiners, and the alef of a ligature."""

NO_BREAK_SPACE = 0xA0
ANY_LANGUAGE = "und"
"""The language of a text whose language is not known."""

_USUAL: Mapping[str, bool] = {}
PLAIN: Mapping[str, bool] = dict.fromkeys(("liga", "clig", "hlig", "dlig", "calt"), False)
"""The features of OpenType that are off in text without ligatures (CSS Fonts 4, 6.4)."""

_CODES = tuple(code for code in CODES if code > len(_SILENT))
_CACHED = 5_000
"""The largest number of shaped runs in the cache of a font."""

FORMS = 1_000
"""The number of the first subset with forms."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A glyph with a fixed code. Lengths are in thousandths of the font size."""

    subset: int
    """-1 for glyphs with the same code in each subset: the space and glyphs without an outline."""

    code: int
    width: float = 0
    advance: float = 0
    index: int = 0
    """The number of the glyph in the font."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Characters that HarfBuzz draws together, such as a ligature."""

    glyphs: tuple[int, ...]
    """The numbers of the glyphs that HarfBuzz draws, from left to right."""

    offset: tuple[float, float]
    """The position of the first glyph relative to the position of the text, in thousandths of the font size."""

    shown: tuple[Glyph | Form, ...]
    """The glyphs and forms that show the characters."""

    advance: float
    """The distance from the position of the text to that of the next cluster, in thousandths of the font size."""

    is_rtl: bool


class ShapedFont(FixedSubsets):
    """A font that HarfBuzz reads, with the interface that reportlab and xhtml2pdf expect."""

    _dynamicFont, _multiByte, shapable = 1, 0, False  # noqa: N815
    encName = ""  # noqa: N815
    substitutionFonts: tuple[Any, ...] = ()  # noqa: N815

    def __init__(self, name: str, file: uharfbuzz.Blob, index: int = 0, variant: str = "") -> None:
        self.fontName = name
        self.uses = WeakKeyDictionary()
        self._shaper = uharfbuzz.Font(uharfbuzz.Face(file, index))
        self.unit = 1000 / self._shaper.face.upem
        """The length of a unit of the font, in thousandths of the font size."""

        self.characters = frozenset(self._shaper.face.unicodes)
        self.face = face_of(self._shaper, self.unit, name, self.characters)
        self._space = self._shaper.get_nominal_glyph(SPACE) or 0
        self._spaces = frozenset((self._space, self._shaper.get_nominal_glyph(NO_BREAK_SPACE)))
        self._key = f"{name}-{self._shaper.face.glyph_count}{variant}"
        self._texts = shared(f"{self._key}-texts", lambda: self._texts_of_glyphs(variant))
        self._subsets = shared(f"{self._key}-subsets", lambda: list(map(self._coded, self._ordered(variant))))
        self._places = {
            glyph: (number, code) for number, subset in enumerate(self._subsets) for code, glyph in subset.items()
        }
        self._shapes: dict[str, tuple[Glyph | Form, ...]] = {}
        self._singles: dict[str, Glyph | Form | None] = {}
        self._programs: dict[int, SubsetProgram] = {}

    def stringWidth(self, text: str | bytes, size: float, encoding: str = "utf-8") -> float:  # noqa: N802
        """Return the width of `text` in points."""
        if isinstance(text, bytes):
            text = text.decode(encoding)
        shown = self.shape(text)
        return sum(g.advance * (self.unit if isinstance(g, Form) else 1) for g in shown) * size / 1000

    def shape(self, text: str) -> tuple[Glyph | Form, ...]:
        """Return the glyphs for `text` from left to right; `text` is in logical order and has one direction."""
        found = self._shapes.get(text) if text else ()
        if found is None:
            if len(self._shapes) >= _CACHED:
                self._shapes.clear()
            found = self._shapes[text] = tuple(self._shaped(text.replace("\xa0", " ")))
        return found

    def _shaped(self, text: str) -> Iterable[Glyph | Form]:
        for character in set(text).difference(self._singles):
            self._singles[character] = self._single(character)
        singles = [self._singles[character] for character in text]
        shown = [glyph for glyph in singles if glyph is not None]
        if len(shown) == len(singles):
            return shown
        rtl = is_rtl(text)
        shown = [glyph for part, members in self._clusters(text, rtl=rtl) for glyph in self._shown(part, members, rtl)]
        return self.in_one_subset(shown) if rtl else shown

    def _single(self, character: str) -> Glyph | Form | None:
        """Return the glyph of a character; None if it depends on the neighbours of the character."""
        if SHAPED.match(character) or extends(character) or is_ignorable(character):
            return None
        glyph = self.glyph_of(character) or 0
        fixed = self.fixed(glyph)
        if fixed is None or self.text_of(glyph) != character:
            return self.form(character, glyph)
        return fixed

    def form(self, character: str, glyph: int) -> Form:
        """Return a form for one of several characters with the same glyph."""
        return Form(character, ((glyph, 0, 0),), self._shaper.get_glyph_h_advance(glyph))

    def in_one_subset(self, shown: Iterable[Glyph | Form]) -> Iterator[Glyph | Form]:
        """Yield glyphs; a word with a form gets only forms, because PDFium skips single glyphs without a width."""
        for _, word in groupby(shown, lambda glyph: isinstance(glyph, Glyph) and glyph.code == SPACE):
            glyphs = list(word)
            if any(isinstance(glyph, Form) for glyph in glyphs):
                yield from (self._fixed(g.index) if isinstance(g, Glyph) and g.subset >= 0 else g for g in glyphs)
            else:
                yield from glyphs

    def place(self, use: FontUse, form: Form) -> tuple[int, int]:
        """Return the subset and the code of a form in the document of `use`."""
        forms = use.forms
        subset, index = divmod(forms.setdefault(form, len(forms)), len(_CODES))
        return FORMS + subset, _CODES[index]

    def clusters(
        self, text: str, language: str = ANY_LANGUAGE, features: Mapping[str, bool] = _USUAL
    ) -> Iterator[Cluster]:
        """Yield the clusters of `text`, which is in logical order and of one direction, from left to right.

        A font may have other glyphs for some characters in a language, which is a tag of BCP 47.
        `features` of OpenType are switched on or off.
        """
        rtl = is_rtl(text)
        for part, members in self._clusters(text, rtl=rtl, language=language, features=features):
            drawn = _without_ignorables(members, self._space)
            offset = (drawn[0][1].x_offset * self.unit, drawn[0][1].y_offset * self.unit) if drawn else (0.0, 0.0)
            shown = tuple(self._shown(part, members, rtl))
            advance = sum(place.x_advance for _, place in drawn) * self.unit
            yield Cluster(tuple(info.codepoint for info, _ in drawn), offset, shown, advance, rtl)

    def _clusters(
        self, text: str, *, rtl: bool, language: str = ANY_LANGUAGE, features: Mapping[str, bool] = _USUAL
    ) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
        """Yield the clusters of `text` from left to right: characters with their glyphs and positions."""
        buffer = uharfbuzz.Buffer()
        buffer.flags = uharfbuzz.BufferFlags.DO_NOT_INSERT_DOTTED_CIRCLE
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if rtl else "ltr"
        buffer.language = language
        uharfbuzz.shape(self._shaper, buffer, features)
        starts = sorted({info.cluster for info in buffer.glyph_infos})
        ends = dict(zip(starts, [*starts[1:], len(text)], strict=True))
        glyphs = zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
        for start, members in groupby(glyphs, lambda glyph: glyph[0].cluster):
            yield text[start : ends[start]], list(members)

    def _shown(self, text: str, members: list[tuple[Any, Any]], rtl: bool) -> Iterator[Glyph | Form]:
        """Yield the glyphs of a cluster. In right-to-left text, further characters get forms without an outline."""
        if text == " ":
            width = members[0][1].x_advance * self.unit
            yield Glyph(-1, SPACE, self._width(self._space), width)
            return
        drawn = _without_ignorables(members, self._space)
        first, rest = (text[:1], text[1:]) if rtl else (text, "")
        for character in reversed(rest):
            yield Glyph(-1, _SILENT[character]) if character in _SILENT else Form(character, (), 0)
        if len(drawn) == 1 and self._texts.get(drawn[0][0].codepoint) == first and _is_in_place(drawn[0][1]):
            glyph = drawn[0][0].codepoint
            yield Glyph(*self._places[glyph], self._width(glyph), drawn[0][1].x_advance * self.unit, glyph)
        else:
            yield _form(first, drawn)

    def fixed(self, glyph: int) -> Glyph | None:
        """Return a glyph with its fixed code, given its number; None if it does not stand for a single character."""
        if glyph in self._spaces:
            width = self._width(glyph)
            return Glyph(-1, SPACE, width, width, glyph)
        if glyph not in self._places:
            return None
        return Glyph(*self._places[glyph], self._width(glyph), self._width(glyph), glyph)

    @cached_property
    def has_languages(self) -> bool:
        """Whether the font has other glyphs for some characters in certain languages."""
        face = self._shaper.face
        return any(
            face.get_script_language_tags("GSUB", script) for script in range(len(face.get_table_script_tags("GSUB")))
        )

    @property
    def space_width(self) -> float:
        """The width of the space in thousandths of the font size."""
        return self._width(self._space)

    @cached_property
    def keeps_win_ansi(self) -> bool:
        """Whether the first subset has all characters of `WIN_ANSI`, with these codes."""
        return all(self._places.get(self.glyph_of(text) or 0) == (0, code) for text, code in WIN_ANSI.items())

    def glyph_of(self, character: str) -> int | None:
        """Return the number of the glyph for a single character; None if there is none."""
        return self._shaper.get_nominal_glyph(ord(character))  # type: ignore[no-any-return]

    def text_of(self, glyph: int) -> str:
        """Return the character of a glyph; empty if it stands for no character or for several."""
        return " " if glyph in self._spaces else self._texts.get(glyph, "")

    @cached_property
    def twins(self) -> Mapping[int, Sequence[str]]:
        """The characters of each glyph that several characters have in common."""
        return shared(f"{self._key}-twins", self._twins)

    def _twins(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for character in map(chr, sorted(self.characters)):
            found.setdefault(self.glyph_of(character) or 0, []).append(character)
        return {glyph: characters for glyph, characters in found.items() if len(characters) > 1}

    def _width(self, glyph: int) -> float:
        return self._shaper.get_glyph_h_advance(glyph) * self.unit  # type: ignore[no-any-return]

    def _coded(self, glyphs: Sequence[int]) -> dict[int, int]:
        """Return the glyphs of a subset by their codes."""
        own = {WIN_ANSI[text]: glyph for glyph in glyphs if (text := self._texts[glyph]) in WIN_ANSI}
        others = set(glyphs).difference(own.values())
        free = (code for code in _CODES if code not in own)
        return own | dict(zip(free, filter(others.__contains__, glyphs), strict=False))

    def _ordered(self, variant: str) -> Iterator[list[int]]:
        """Yield the glyphs of each subset: common characters first."""
        spelled = sorted((text not in EVERYDAY, text < "\u0370", text, glyph) for glyph, text in self._texts.items())
        common = common_characters(variant) if variant else ()
        *groups, last = (map(self._shaper.get_nominal_glyph, group) for group in (*GROUPS, common))
        done = set(self._spaces)
        for group in (*groups, chain(last, (glyph for *_, glyph in spelled))):
            glyphs = [glyph for glyph in dict.fromkeys(group) if glyph in self._texts and glyph not in done]
            done.update(glyphs)
            yield from (glyphs[start : start + len(_CODES)] for start in range(0, len(glyphs), len(_CODES)))

    def _texts_of_glyphs(self, variant: str) -> dict[int, str]:
        """Return the characters of glyphs that stand for one character, by the cmap and by shaping joined letters."""
        texts: dict[int, str] = {}
        common = frozenset(map(chr, common_characters(variant))) if variant else frozenset[str]()
        for character in sorted(map(chr, self.characters), key=lambda c: (c not in common, is_compatible(c))):
            glyph = self._shaper.get_nominal_glyph(ord(character))
            if glyph:
                texts.setdefault(glyph, plain(character))
        letters = [c for c in map(chr, sorted(self.characters)) if bidi_class(c) == "AL" and not is_form(ord(c))]
        for letter in letters:
            for joined in (letter, letter + ZWJ, ZWJ + letter, ZWJ + letter + ZWJ):
                for glyph in self._single_glyphs(joined, letter):
                    texts.setdefault(glyph, letter)
        for ligature in (_LAM + alef for alef in _ALEFS if _LAM in letters):
            for joined in (ligature, ZWJ + ligature):
                texts.update(dict.fromkeys(self._single_glyphs(joined, ligature), _LAM))
        return {glyph: text for glyph, text in texts.items() if len(text) == 1}

    def _single_glyphs(self, text: str, part: str) -> Iterator[int]:
        """Yield the glyphs of the clusters of `text` that contain `part` and are drawn with a single glyph."""
        for characters, members in self._clusters(text, rtl=True):
            drawn = _without_ignorables(members, self._space)
            if part in characters and len(drawn) == 1:
                yield drawn[0][0].codepoint

    def subset_program(self, number: int, use: FontUse) -> SubsetProgram:
        """Return the font program of a subset; programs of fixed subsets are created once in a process."""
        if number >= FORMS:
            start = (number - FORMS) * len(_CODES)
            forms = list(use.forms)[start : start + len(_CODES)]
            return self._program(dict(zip(_CODES, forms, strict=False)))
        found = self._programs.get(number)
        if found is None:
            found = self._programs[number] = shared(f"{self._key}-{number}", lambda: self._fixed_program(number))
        return found

    def _fixed_program(self, number: int) -> SubsetProgram:
        return self._program({code: self._fixed(glyph) for code, glyph in self._subsets[number].items()})

    def _fixed(self, glyph: int) -> Form:
        return self.form(" " if glyph == self._space else self._texts[glyph], glyph)

    def _program(self, forms: dict[int, Form]) -> SubsetProgram:
        silent = {code: Form(character, (), 0) for character, code in _SILENT.items()}
        forms = {**silent, SPACE: self._fixed(self._space), **forms}
        data = program(self._shaper, forms)
        # Subsets of one name must be equal (9.6.4), so the name depends on the bytes of the program.
        name = f"{tag_of(data)}+{self.fontName}"
        advances = [forms[code].advance if code in forms else 0 for code in range(256)]
        texts = [forms[code].text if code in forms else "" for code in range(256)]
        widths = tuple(round(advance * self.unit, 3) for advance in advances)
        return SubsetProgram(name, widths, zlib.compress(data), len(data), zlib.compress(to_unicode(name, texts)))


def _without_ignorables(members: list[tuple[Any, Any]], space: int) -> list[tuple[Any, Any]]:
    """Return the glyphs with an outline; HarfBuzz uses a space of width 0 for ignorable characters."""
    return [(info, place) for info, place in members if info.codepoint != space or place.x_advance]


def _is_in_place(position: Any) -> bool:
    return not position.x_offset and not position.y_offset


def _form(text: str, members: list[tuple[Any, Any]]) -> Form:
    """Return the form of several glyphs, each at its position."""
    parts, pen = [], 0
    for info, position in members:
        parts.append((info.codepoint, pen + position.x_offset, position.y_offset))
        pen += position.x_advance
    return Form(text, tuple(parts), pen)
