"""Text set again in the fixed subsets of `engines.text`, in place of the fonts that cairo embedded."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import pikepdf
from pikepdf import Name

from wcspider.engines.plutobook.text import absent_characters, unicode_maps
from wcspider.engines.plutobook.text.clipped_lines import without_clipped_lines
from wcspider.engines.plutobook.text.clusters import Vocabulary
from wcspider.engines.plutobook.text.embedded_fonts import EmbeddedFont
from wcspider.engines.plutobook.text.font_objects import FontObjects
from wcspider.engines.plutobook.text.text_setting import TextSetter


def retype(
    pdf: pikepdf.Pdf,
    streams: Sequence[tuple[Any, Any]],
    texts: Sequence[str],
    languages: Sequence[str],
    stand_ins: Mapping[str, str],
    twins: Mapping[str, Sequence[str]],
    edges: Sequence[float],
) -> None:
    """Set the text of all pages of a document that cairo wrote in fixed subsets.

    `streams` are the content streams of the document with their resources.
    `texts` are the texts of the page's source, each in one piece; with the `languages` of the page, they tell which
    text shaped glyphs stand for.
    `stand_ins` are the private characters in the layout, each with the character of the source that it stands for.
    `twins` are the characters of the author's fonts that have one glyph; see `author_fonts.FontFile`.
    `edges` are those of the page area; see `without_clipped_lines`.
    """
    document = _Document(pdf, Vocabulary.of(texts, languages), frozenset(chain.from_iterable(texts)))
    written = [stream.read_bytes() for stream, _ in streams]
    for place, (stream, resources) in enumerate(streams):
        if any(_CAIRO.fullmatch(name) for name in resources.get(Name.Font, {})):
            neighbours = written[max(place - 1, 0) : place] + written[place + 1 : place + 2]
            document.retype(stream, resources[Name.Font], without_clipped_lines(written[place], neighbours, edges))
    document.embed()
    document.correct(stand_ins, twins)


_CAIRO = re.compile(r"/f-\d+-\d+")
"""The resource names of cairo's fonts. Streams with other fonts were not written by cairo."""


class _Document:
    def __init__(self, pdf: pikepdf.Pdf, vocabulary: Vocabulary, characters: frozenset[str]) -> None:
        """`characters` are those of the page."""
        self._characters = characters
        self._subsets = FontObjects(pdf)
        self._fonts: dict[str, EmbeddedFont] = {}
        self._setter = TextSetter(self._subsets, self._fonts, vocabulary)
        self._uses: list[tuple[Any, set[str]]] = []
        """Font dictionaries, each with the resource names that its stream uses."""

    def retype(self, stream: Any, fonts: Any, written: bytes) -> None:
        """Set the text of a content stream, which cairo has written, and note its fonts."""
        for name, font in fonts.items():
            if name[1:] not in self._fonts:
                self._fonts[name[1:]] = EmbeddedFont(font, self._characters, self._subsets.use_in)
        content, used = self._setter.content(written)
        # qpdf would take six times as long to compress it.
        stream.write(zlib.compress(content), filter=Name.FlateDecode)
        self._uses.append((fonts, used))

    def embed(self) -> None:
        """Put the fonts that are used into the resources."""
        for fonts, used in self._uses:
            for name in [name for name in fonts if name[1:] not in used]:
                del fonts[name]
            for name in sorted(used.difference(self._fonts)):
                fonts[f"/{name}"] = self._subsets.object(name)

    def correct(self, stand_ins: Mapping[str, str], twins: Mapping[str, Sequence[str]]) -> None:
        """Correct the texts of the embedded fonts that are still used."""
        used = set[str]().union(*(used for _, used in self._uses))
        kept = [font for name, font in self._fonts.items() if name in used]
        for font in kept:
            if font.name.startswith(absent_characters.FAMILY):
                unicode_maps.correct(font.object, lambda text: stand_ins.get(text, text))
            else:
                unicode_maps.correct(font.object, lambda text: unicode_maps.spelled(text, self._characters, twins))
