"""Text set again in the fixed subsets of `engines.text`, in place of the fonts that cairo embedded."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any

import pikepdf
from pikepdf import Name

from wcspider.engines.plutobook.text import absent_characters, content_text, unicode_maps
from wcspider.engines.plutobook.text.clipped_lines import without_clipped_lines
from wcspider.engines.plutobook.text.clusters import words
from wcspider.engines.plutobook.text.codes import ANY, KEEP, Recoding, Segment
from wcspider.engines.plutobook.text.content_text import Shown
from wcspider.engines.plutobook.text.embedded_fonts import EmbeddedFont
from wcspider.engines.plutobook.text.font_objects import FontObjects
from wcspider.engines.plutobook.text.shaped_text import ShapedText


def retype(
    pdf: pikepdf.Pdf, streams: Sequence[tuple[Any, Any]], texts: Sequence[str], stand_ins: Mapping[str, str]
) -> None:
    """Set the text of all pages of a document that cairo wrote in fixed subsets.

    `streams` are the content streams of the document with their resources.
    `texts` are the texts of the page's source, each in one piece; they tell which text shaped glyphs stand for.
    `stand_ins` are the private characters in the layout, each with the character of the source that it stands for.
    """
    document = _Document(pdf, words(texts))
    for container, following in zip_longest(streams, streams[1:]):
        document.retype(container, following)
    document.embed()
    document.correct(texts, stand_ins)


_CAIRO = re.compile(r"/f-\d+-\d+")
"""The resource names of cairo's fonts. Streams with other fonts were not written by cairo."""


class _Document:
    def __init__(self, pdf: pikepdf.Pdf, found: list[str]) -> None:
        self.subsets = FontObjects(pdf)
        self._recodings: dict[str, Recoding] = {}
        self._writer = _Writer(self._recodings, self.subsets, ShapedText(self.subsets, self._recodings, found))
        self._previous = b""
        self._uses: list[tuple[Any, Mapping[str, str]]] = []
        """Font dictionaries, each with the resource names that its stream uses, and the names of their fonts."""

    def retype(self, container: tuple[Any, Any], following: tuple[Any, Any] | None) -> None:
        stream, resources = container
        fonts = resources.get(Name.Font, {})
        if not any(_CAIRO.fullmatch(name) for name in fonts):
            return
        for name, font in fonts.items():
            if name[1:] not in self._recodings:
                self._recodings[name[1:]] = Recoding(EmbeddedFont(font))
        written = stream.read_bytes()
        content = without_clipped_lines(written, lambda: self._neighbours(following))
        self._previous = written
        names = self._writer.ascii_names(content)
        if content is written and all(names.values()) and not content_text.is_encoded(content):
            # All text is ASCII, so it is enough to put the subsets into the resources.
            uses = {font.decode(): name.decode() for font, name in names.items()}
        else:
            content, used = self._writer.content(content, names)
            # qpdf would take six times as long to compress it.
            stream.write(zlib.compress(content), filter=Name.FlateDecode)
            uses = {font: font for font in used}
        self._uses.append((fonts, uses))

    def _neighbours(self, following: tuple[Any, Any] | None) -> list[bytes]:
        """Return the content of the stream before, as cairo wrote it, and of the stream behind."""
        return [self._previous, *([following[0].read_bytes()] if following else [])]

    def embed(self) -> None:
        """Put the fonts that are used into the resources."""
        for fonts, uses in self._uses:
            for name in [name for name in fonts if name[1:] not in uses]:
                del fonts[name]
            for name, font in sorted(uses.items()):
                if font not in self._recodings:
                    fonts[f"/{name}"] = self.subsets.object(font)

    def correct(self, texts: Sequence[str], stand_ins: Mapping[str, str]) -> None:
        """Correct the texts of the embedded fonts that are still used, on a page with `texts`."""
        used = set[str]().union(*(uses.values() for _, uses in self._uses))
        kept = [recoding.embedded for name, recoding in self._recodings.items() if name in used]
        characters = set(chain.from_iterable(texts)) if kept else set()
        for font in kept:
            if font.name.startswith(absent_characters.FAMILY):
                unicode_maps.correct(font.object, lambda text: stand_ins.get(text, text))
            else:
                unicode_maps.correct(font.object, lambda text: unicode_maps.spelled(text, characters))


class _Writer:
    """Writes the text objects of content streams."""

    def __init__(self, recodings: dict[str, Recoding], subsets: FontObjects, shaped: ShapedText) -> None:
        self._recodings = recodings
        self._subsets = subsets
        self._shaped = shaped
        self._segments: dict[tuple[str, bytes], list[Segment]] = {}
        self._ascii_names: dict[bytes, bytes] = {}
        self._used: set[str] = set()
        """The resource names of the fonts that the content stream uses."""

        self._font, self._size = "", b"1"
        self._selected: tuple[str, bytes] = "", b""
        """The resource name and the size of the font that the text object has selected last."""

    def ascii_names(self, content: bytes) -> dict[bytes, bytes]:
        """Return the fonts of a content stream, each with the subset in which its ASCII codes are the same.

        The name of the subset is empty if there is none.
        """
        fonts = dict.fromkeys(font for font, _ in content_text.SELECTION.findall(content))
        return {font: self._ascii_name(font) for font in fonts}

    def content(self, content: bytes, names: Mapping[bytes, bytes]) -> tuple[bytes, set[str]]:
        """Return a content stream with the codes of the fixed subsets, and the names of the fonts that it uses.

        `names` are its `ascii_names`.
        """
        self._used = set()
        if not all(names.values()):
            return content_text.TEXT_OBJECT.sub(self._text_object, content), self._used
        # cairo selects a font in each text object, so where all text is ASCII, it is enough to change the selections.
        parts, done = [], 0
        for start, end in content_text.encoded_parts(content):
            parts.append(self._in_ascii_only(content[done:start], names))
            parts.append(content_text.TEXT_OBJECT.sub(self._text_object, content[start:end]))
            done = end
        return b"".join((*parts, self._in_ascii_only(content[done:], names))), self._used

    def _in_ascii_only(self, content: bytes, names: Mapping[bytes, bytes]) -> bytes:
        """Return a part of a content stream, in which all text is ASCII, with the subsets selected."""
        for font, name in names.items():
            selected = b"\n/%b " % font
            if selected in content:
                self._used.add(name.decode())
                content = content.replace(selected, b"\n/%b " % name)
        return content

    def _text_object(self, match: re.Match[bytes]) -> bytes:
        self._selected = "", b""
        fonts = {font for font, _ in content_text.SELECTION.findall(match[1])}
        if fonts and all(map(self._ascii_name, fonts)) and not content_text.is_encoded(match[1]):
            return b"BT\n" + content_text.SELECTION.sub(self._in_ascii, match[1]) + b"ET\n"
        if any(self._recodings[name.decode()].is_shaped for name in fonts):
            found = self._shaped.set_again(match[1])
            if found is not None:
                operators, used = found
                self._used |= used
                return b"BT\n" + operators + b"ET\n"
        return b"BT\n" + content_text.OPERATOR.sub(self._operator, match[1]) + b"ET\n"

    def _ascii_name(self, font: bytes) -> bytes:
        """Return the resource name of the subset in which ASCII characters are the codes of a font; b"" for none."""
        if font not in self._ascii_names:
            recoding = self._recodings[font.decode()]
            self._ascii_names[font] = self._name(recoding, 0).encode() if recoding.keeps_ascii else b""
        return self._ascii_names[font]

    def _in_ascii(self, match: re.Match[bytes]) -> bytes:
        """Return a selection of the subset in which the codes of a text object are the same."""
        self._font, self._size = match[1].decode(), match[2]
        name = self._ascii_name(match[1])
        self._used.add(name.decode())
        return b"/" + name + b" " + match[2] + b" Tf\n"

    def _operator(self, match: re.Match[bytes]) -> bytes:
        kind = match.lastgroup
        if kind == "size":
            self._font, self._size = match["font"].decode(), match["size"]
            return b""
        if kind not in ("string", "array"):
            return match[0]
        recoding, operand = self._recodings[self._font], match[kind]
        if recoding.keeps_ascii and operand.isascii() and b"\\" not in operand:
            return self._select(self._name(recoding, 0)) + match[0]
        tokens = content_text.tokens(operand)
        return b"".join(self._show(recoding, [part for token in tokens for part in self._part(recoding, token)]))

    def _part(self, recoding: Recoding, token: bytes) -> list[Segment]:
        if token[:1] not in b"(<":
            return [(ANY, float(token))]
        key = self._font, token
        found = self._segments.get(key)
        if found is None:
            found = self._segments[key] = list(recoding.segments(content_text.string(token)))
        return found

    def _show(self, recoding: Recoding, parts: list[Segment]) -> Iterator[bytes]:
        """Yield the operators that show codes and move between them."""
        shown: list[Shown] = []
        for subset, part in parts:
            name = self._name(recoding, subset)
            if isinstance(part, bytes) and (name, self._size) != self._selected:
                if shown:
                    yield content_text.array(shown)
                shown = []
                yield self._select(name)
            if shown and isinstance(part, bytes) and isinstance(shown[-1], bytes):
                shown[-1] += part
            else:
                shown.append(part)
        yield content_text.array(shown)

    def _name(self, recoding: Recoding, subset: int) -> str:
        """Return the resource name of the font for a subset; any subset is the one that is selected, if possible."""
        if subset == KEEP or recoding.font is None:
            return self._font
        if subset == ANY:
            own = f"{recoding.font.fontName}+"
            subset = recoding.home
            return self._selected[0] if self._selected[0].startswith(own) else self._subsets.use(recoding.font, subset)
        return self._subsets.use(recoding.font, subset)

    def _select(self, name: str) -> bytes:
        if self._selected == (name, self._size):
            return b""
        self._selected = name, self._size
        self._used.add(name)
        return b"/" + name.encode() + b" " + self._size + b" Tf\n"
