"""Records of pages that are not in a file. ISO 32000-1 has no place for them, so they are our own."""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.pdf.objects import Ref, Value
from wcspider.pdf.values import ascii_string, read_ascii, read_text, text_string
from wcspider.pdf.webcapture.sources import Resolve

OMITTED = "WCSP_Omitted"
"""The name tree that finds them by URL, in the catalog's Names."""


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """Why what a command (14.10.5.3) asked for is not in the file."""

    reason: str
    command: Ref | None = None
    level: int = 0
    """At which of the command's levels; 0 if that is not known."""

    referrer: str = ""
    """The URL of the page whose link led there."""

    way: tuple[str, ...] = ()
    """The redirections that it was met on, from the URL that was asked for to where they end."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the record, which is the value of a URL in a name tree. What is not known is left out."""
        result: dict[str, Value] = {"Reason": text_string(self.reason)}
        if self.command is not None:
            result["Command"] = self.command
        if self.level:
            result["Level"] = self.level
        if self.referrer:
            result["From"] = ascii_string(self.referrer)
        if self.way:
            result["Way"] = [ascii_string(url) for url in self.way]
        return result

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> SkippedRecord | None:
        """Read a record; None for what is none. Entries of a wrong type are passed over."""
        content = resolve(value)
        if not isinstance(content, dict):
            return None
        reason = read_text(resolve(content.get("Reason")))
        command, level, way = content.get("Command"), resolve(content.get("Level")), resolve(content.get("Way"))
        if not reason:
            return None
        return cls(
            reason=reason,
            command=command if isinstance(command, Ref) else None,
            level=level if type(level) is int else 0,
            referrer=read_ascii(resolve(content.get("From"))),
            way=tuple(read_ascii(resolve(url)) for url in way) if isinstance(way, list) else (),
        )
