"""Font objects (9.6.3) of the fixed subsets, the same in each document."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream

from wcspider.engines.plutobook.text.embedded_fonts import ANY
from wcspider.engines.text.fixed_subsets import FixedSubsets, FontUse, SubsetProgram


class FontObjects:
    """The fixed subsets that one document uses, by their resource names."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self._pdf = pdf
        self._made: dict[str, Any] = {}
        self._used: dict[str, tuple[FixedSubsets, int]] = {}
        self._uses: dict[str, FontUse] = {}

    def use(self, font: FixedSubsets, subset: int) -> str:
        """Return the resource name of a subset, which is noted as used.

        `ANY` stands for a subset of the font that the document uses anyway, or else for the first one.
        """
        if subset == ANY:
            subset = next((number for other, number in self._used.values() if other is font), 0)
        name = f"{font.fontName}+{subset}"
        self._used[name] = font, subset
        return name

    def use_in(self, font: FixedSubsets) -> FontUse:
        """Return the parts of a font that this document uses."""
        return self._uses.setdefault(font.fontName, FontUse(font.fontName))

    def object(self, name: str) -> Any:
        """Return the font object of a resource name; to be called when all text has its codes."""
        if name not in self._made:
            font, subset = self._used[name]
            program = font.subset_program(subset, self.use_in(font))
            self._made[name] = self._pdf.make_indirect(self._font(font, program))
        return self._made[name]

    def _font(self, font: FixedSubsets, program: SubsetProgram) -> Dictionary:
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.TrueType,
            BaseFont=Name(f"/{program.name}"),
            FirstChar=0,
            LastChar=255,
            Widths=self._pdf.make_indirect(pikepdf.Object.parse(_array(program.widths))),
            ToUnicode=self._deflated(program.to_unicode),
            FontDescriptor=self._pdf.make_indirect(self._descriptor(font, program)),
        )

    def _descriptor(self, font: FixedSubsets, program: SubsetProgram) -> Dictionary:
        entries = font.descriptor(program).items()
        made = Dictionary({f"/{key}": Name(value) if isinstance(value, str) else value for key, value in entries})
        made.FontBBox = Array(font.face.bbox)
        made.FontFile2 = self._deflated(program.font_file, Length1=program.length)
        return made

    def _deflated(self, content: bytes, **entries: Any) -> Any:
        stream = Stream(self._pdf, b"")
        stream.write(content, filter=Name.FlateDecode)
        for key, value in entries.items():
            stream[f"/{key}"] = value
        return stream


@lru_cache(maxsize=1_000)
def _array(numbers: tuple[float, ...]) -> bytes:
    """Return the syntax of an array of numbers."""
    return Array(numbers).unparse()
