"""PDF files with text in one font, made by hand, with the text that ISO 32000-1, 9.10, gives.

They are made with pikepdf, never with what is tested. White space between words is as the positions have it, so what
is compared is folded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from typing import Any

from pikepdf import Array, Dictionary, Name, Object, Pdf, String

Font = Callable[[Pdf], Object]
Content = Callable[[Pdf, Object], bytes]
"""Makes the content of a page, and changes the page's dictionary, which is given."""


@dataclass(frozen=True)
class Sample:
    """A page in one font, and its text."""

    rule: str
    font: Font
    content: bytes | Content
    text: str
    pages: int = 1

    def pdf(self) -> bytes:
        """The file."""
        with Pdf.new() as pdf:
            font = pdf.make_indirect(self.font(pdf))
            for _ in range(self.pages):
                pdf.add_blank_page(page_size=(400, 200))
                page = pdf.pages[-1].obj
                page.Resources = Dictionary(Font=Dictionary(F=font))
            for held in pdf.pages:
                content = self.content if isinstance(self.content, bytes) else self.content(pdf, held.obj)
                held.obj.Contents = pdf.make_stream(content)
            out = BytesIO()
            pdf.save(out, static_id=True)
            return out.getvalue()


def shown(*strings: bytes) -> bytes:
    """A line of text: each string is shown behind the one before."""
    return b"BT /F 12 Tf 20 100 Td " + b" ".join(b"<" + text.hex().encode() + b"> Tj" for text in strings) + b" ET"


# Fonts


def simple(base: str = "Helvetica", **entries: Any) -> Font:
    """A simple font, each of whose glyphs is half an em wide."""
    return lambda pdf: Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name(f"/{base}"),
        FirstChar=0,
        LastChar=255,
        Widths=Array([500] * 256),
        FontDescriptor=pdf.make_indirect(
            Dictionary(
                Type=Name.FontDescriptor,
                FontName=Name(f"/{base}"),
                Flags=4 if base in ("Symbol", "ZapfDingbats") else 32,
                FontBBox=[0, -200, 1000, 800],
                ItalicAngle=0,
                Ascent=800,
                Descent=-200,
                CapHeight=700,
                StemV=80,
            )
        ),
        **entries,
    )


def differing(*names: str, first: int = 65, base: str = "Helvetica", encoding: str = "") -> Font:
    """A simple font whose Differences name the glyphs from code 65 on."""
    differences = Array([first, *(Name(f"/{name}") for name in names)])
    entries: dict[str, Any] = {"BaseEncoding": Name(f"/{encoding}")} if encoding else {}
    return simple(base, Encoding=Dictionary(Type=Name.Encoding, Differences=differences, **entries))


def type3(*names: str) -> Font:
    """A Type 3 font whose glyphs are squares."""

    def make(pdf: Pdf) -> Object:
        square = pdf.make_stream(b"500 0 0 0 400 400 d1 0 0 400 400 re f")
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=[0, 0, 500, 500],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            CharProcs=Dictionary({f"/{name}": square for name in names}),
            Encoding=Dictionary(Type=Name.Encoding, Differences=Array([65, *(Name(f"/{name}") for name in names)])),
            FirstChar=65,
            LastChar=64 + len(names),
            Widths=Array([500] * len(names)),
        )

    return make


def composite(ordering: str, encoding: str | bytes, use: str = "", registry: str = "Adobe") -> Font:
    """A composite font of a character collection, with a predefined CMap or an embedded one."""

    def make(pdf: Pdf) -> Object:
        collection = Dictionary(Registry=String(registry), Ordering=String(ordering), Supplement=0)
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType0,
            BaseFont=Name("/Ryumin-Light"),
            CIDSystemInfo=collection,
            DW=1000,
            FontDescriptor=pdf.make_indirect(
                Dictionary(
                    Type=Name.FontDescriptor,
                    FontName=Name("/Ryumin-Light"),
                    Flags=4,
                    FontBBox=[0, -200, 1000, 800],
                    ItalicAngle=0,
                    Ascent=800,
                    Descent=-200,
                    CapHeight=700,
                    StemV=80,
                )
            ),
        )
        if isinstance(encoding, bytes):
            cmap = pdf.make_stream(encoding, Type=Name.CMap, CMapName=Name("/Own-H"), CIDSystemInfo=collection)
            if use:
                cmap.UseCMap = Name(f"/{use}")
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name("/Ryumin-Light"),
            Encoding=cmap if isinstance(encoding, bytes) else Name(f"/{encoding}"),
            DescendantFonts=Array([pdf.make_indirect(descendant)]),
        )

    return make


def with_unicode(font: Font, *cmaps: bytes) -> Font:
    """A font with a ToUnicode CMap; each further CMap is the one that the CMap before it uses."""

    def make(pdf: Pdf) -> Object:
        made = font(pdf)
        streams = [pdf.make_stream(cmap, Type=Name.CMap) for cmap in cmaps]
        for stream, used in pairwise(streams):
            stream.UseCMap = used
        made.ToUnicode = streams[0]
        return made

    return make


def to_unicode(body: bytes, name: bytes = b"Own-UCS", size: int = 1, use: bytes = b"") -> bytes:
    """A ToUnicode CMap, whose codes have `size` bytes."""
    codes = b"<00> <FF>" if size == 1 else b"<0000> <FFFF>"
    return b"""/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
%s
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /%s def
/CMapType 2 def
1 begincodespacerange
%s
endcodespacerange
%s
endcmap
CMapName currentdict /CMap defineresource pop
end
end
""" % (b"/%s usecmap" % use if use else b"", name, codes, body)


def bfchar(*rows: str, **options: Any) -> bytes:
    """A ToUnicode CMap of single codes: in each row a code and its text in UTF-16, as hexadecimal digits."""
    return to_unicode(_block("bfchar", rows), **options)


def bfrange(*rows: str, **options: Any) -> bytes:
    """A ToUnicode CMap of ranges: in each row the first and last code, and the first text or an array of texts."""
    return to_unicode(_block("bfrange", rows), **options)


def _block(kind: str, rows: Sequence[str]) -> bytes:
    strings = (re.sub("[0-9A-F]+", r"<\g<0>>", row) for row in rows)
    return "\n".join([f"{len(rows)} begin{kind}", *strings, f"end{kind}"]).encode()


LATIN = simple(Encoding=Name.WinAnsiEncoding)
IDENTITY = composite("Identity", "Identity-H")
