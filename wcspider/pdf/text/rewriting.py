"""The rewriting of pages so that PDFium reads their text as ISO 32000-1, 9.10 and 14.9.4 require.

PDFium finds the positions of text, and so the words and lines. Information that it lacks is put into the page: the
characters of some fonts (`wcspider.pdf.text.glyphs`), and marks around content that has an ActualText
(`wcspider.pdf.text.marking`). Everything in the page that is not needed for its text is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name

from wcspider.pdf.lru import LruCache
from wcspider.pdf.text.glyphs import FontFix, Recoding, font_fix
from wcspider.pdf.text.marking import GLYPH_FONT, Marker
from wcspider.pdf.text.page_resources import (
    FONTS,
    FORMS,
    PROPERTIES,
    STATES,
    data,
    entries,
    font_of_state,
    fonts,
    inherited,
    is_form,
    items,
    pages_from,
)
from wcspider.pdf.text.structure import Replacement, Structure

CONTENT_LIMIT = 4_000_000
"""The largest length of a content stream, in bytes, that is rewritten."""

FONTS_KEPT = 128
"""The number of fonts whose corrections are cached."""
_ACTUAL_TEXT = re.compile(rb"ActualText|/[A-Za-z]*#[0-9A-Fa-f]{2}")  # a name may contain escapes (7.3.5)

Place = tuple[int, int]
"""The number and generation of an object; (0, 0) for a direct object."""


@dataclass(slots=True)
class RewrittenPage:
    """A rewritten page, as a PDF file with one page."""

    pdf: bytes
    replacements: list[Replacement] = field(default_factory=list)
    """The replacements, at the indices that the marks contain."""


class PageRewriter:
    """A rewriter of the pages of one file that PDFium would misread."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pdf = pdf
        self.structure = Structure(pdf)
        self._index = -1
        self._walk = pages_from(pdf, 0)
        self._current: pikepdf.Object
        self._font_fixes: LruCache[Place, tuple[FontFix | None]] = LruCache(FONTS_KEPT)

    def rewrite(self, index: int) -> RewrittenPage | None:
        """Return a rewritten page; None if PDFium reads it correctly, or if its content is too long."""
        page = self.page(index)
        contents, resources = data(page.get("/Contents")), inherited(page, "/Resources")
        if len(contents) > CONTENT_LIMIT or not self._is_misread(page, contents, resources, set()):
            return None
        return _Rewriting(self).run(page, resources)

    def page(self, index: int) -> pikepdf.Object:
        """Return a page, from 0. It is fast for the page that was returned last and the one after it."""
        if index != self._index:
            if index != self._index + 1:
                self._walk = pages_from(self.pdf, index)
            self._index, self._current = index, next(self._walk, Dictionary())
        return self._current

    def font_fix(self, font: pikepdf.Object) -> FontFix | None:
        """Return the changes that a font needs."""
        place = font.objgen
        if place == (0, 0):
            return font_fix(font)
        known = self._font_fixes.get(place) or self._font_fixes.put(place, (font_fix(font),))
        return known[0]

    def recoding(self, font: pikepdf.Object) -> Recoding | None:
        """Return the codes that replace those of a font."""
        found = self.font_fix(font)
        return None if found is None else found.recoding

    def _is_misread(self, owner: pikepdf.Object, content: bytes, resources: Any, seen: set[Place]) -> bool:
        """Return whether a page or form XObject, or a form in it, has a font or an ActualText that PDFium misreads."""
        return (
            _ACTUAL_TEXT.search(content) is not None
            or bool(self.structure.replacements(owner))
            or any("/ActualText" in properties for properties in entries(resources, PROPERTIES))
            or any(self.font_fix(font) is not None for font in fonts(resources))
            or any(self._is_drawn_misread(drawn, resources, seen) for drawn in entries(resources, FORMS))
        )

    def _is_drawn_misread(self, drawn: pikepdf.Object, outer: Any, seen: set[Place]) -> bool:
        if drawn.objgen in seen:
            return False
        seen.add(drawn.objgen)
        if self.structure.replacement(drawn) is not None:
            return True
        return is_form(drawn) and self._is_misread(drawn, data(drawn), drawn.get("/Resources", outer), seen)


class _Rewriting:
    """The rewriting of one page."""

    def __init__(self, rewriter: PageRewriter) -> None:
        self._rewriter = rewriter
        self._marker = Marker(rewriter.structure, rewriter.recoding)
        self._made = pikepdf.Pdf.new()
        self._forms: dict[Place, pikepdf.Object | None] = {}
        self._fonts: dict[Place, pikepdf.Object] = {}

    def run(self, page: pikepdf.Object, resources: Any) -> RewrittenPage:
        with self._made as pdf:
            made = Dictionary(Type=Name.Page)
            for key in ("/MediaBox", "/CropBox"):
                box = inherited(page, key)
                if isinstance(box, Array):
                    made[key] = Array(list(box))
            for key in ("/Rotate", "/UserUnit"):
                value = inherited(page, key)
                if value is not None:
                    made[key] = value
            made.Contents = pdf.make_stream(self._marker.content(page, pikepdf.Page(page), resources))
            made.Resources = self._resources(resources)
            pdf.pages.append(pikepdf.Page(pdf.make_indirect(made)))
            out = BytesIO()
            pdf.save(out, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
        return RewrittenPage(out.getvalue(), self._marker.replacements)

    def _resources(self, resources: Any) -> Dictionary:
        made = {key: self._font(font) for key, font in items(resources, FONTS)}
        forms = {key: self._form(drawn, resources) for key, drawn in items(resources, FORMS) if is_form(drawn)}
        states = {
            key: Dictionary(Font=Array([self._font(font), state.Font[1]]))
            for key, state in items(resources, STATES)
            if (font := font_of_state(state)) is not None
        }
        return Dictionary(
            Font=Dictionary({**made, GLYPH_FONT: _em_wide_font()}),
            XObject=Dictionary({key: form for key, form in forms.items() if form is not None}),
            ExtGState=Dictionary(states),
        )

    def _font(self, font: pikepdf.Object) -> pikepdf.Object:
        """Return a copy of a font with the changes that it needs."""
        place = font.objgen
        if place in self._fonts:
            return self._fonts[place]
        copy = self._made.copy_foreign(font if font.is_indirect else self._rewriter.pdf.make_indirect(font))
        needed = self._rewriter.font_fix(font)
        if needed is not None:
            copy.ToUnicode = self._made.make_stream(needed.to_unicode)
            if needed.recoding is not None:
                copy.Encoding = Name("/Identity-H")
            elif needed.drawn:
                copy.Encoding = _with_drawn_codes(copy.get("/Encoding"), needed.drawn)
        if place != (0, 0):
            self._fonts[place] = copy
        return copy

    def _form(self, form: pikepdf.Object, outer: Any) -> pikepdf.Object | None:
        """Return a rewritten form XObject; None if it draws itself, or if its content is too long."""
        place = form.objgen
        if place not in self._forms:
            self._forms[place] = None
            if len(data(form)) <= CONTENT_LIMIT:
                self._forms[place] = self._rewritten_form(form, form.get("/Resources", outer))
        return self._forms[place]

    def _rewritten_form(self, form: pikepdf.Object, resources: Any) -> pikepdf.Object:
        content = self._marker.content(form, form, resources)
        made = self._made.make_stream(content, Type=Name.XObject, Subtype=Name.Form, BBox=Array(list(form.BBox)))
        if "/Matrix" in form:
            made.Matrix = Array(list(form.Matrix))
        made.Resources = self._resources(resources)
        return made


def _em_wide_font() -> Dictionary:
    """Return the font of the glyph that replaces a picture."""
    return Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name.Helvetica,
        Encoding=Name.WinAnsiEncoding,
        FirstChar=65,
        LastChar=65,
        Widths=Array([1000]),
    )


def _with_drawn_codes(encoding: pikepdf.Object | None, codes: Iterable[int]) -> Dictionary:
    """Return an encoding that gives codes a glyph that is in every font. Their text comes from ToUnicode."""
    is_dictionary = isinstance(encoding, Dictionary)
    base = encoding.get("/BaseEncoding") if is_dictionary and encoding is not None else encoding
    differences = encoding.get("/Differences") if is_dictionary and encoding is not None else None
    changed: list[Any] = list(differences) if isinstance(differences, Array) else []
    for code in codes:
        changed += [code, Name.A]
    made = Dictionary(Type=Name.Encoding, Differences=Array(changed))
    if base is not None:
        made.BaseEncoding = base
    return made
