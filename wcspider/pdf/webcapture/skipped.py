"""The records of skipped pages. ISO 32000-1 does not define them: they have second-class names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from wcspider.pdf.objects import Ref, Resolve, Value
from wcspider.pdf.values import ascii_string, date_string, read_ascii, read_date, read_text, text_string

SKIPPED = "WCSP_Omitted"
"""The name tree of the records by URL, in the catalog's Names."""


@dataclass(frozen=True, slots=True)
class SkippedRecord:
    """The reason why a page that a command (14.10.5.3) asked for is not in the file."""

    reason: str
    command: Ref | None = None
    level: int = 0
    """The level of the command; 0 if it is not known."""

    referrer: str = ""
    """The URL of the page that links to it."""

    redirects: tuple[str, ...] = ()
    """The redirect from the URL that was asked for to its last URL, both included; empty without a redirect."""

    moment: datetime | None = None
    """The time of the last attempt; None in a record of an older version of wcspider."""

    gone: bool = False
    """True for a page that the file has, or had until a refresh dropped it, and that is gone from the site."""

    excluded: bool = False
    """True for a page in a sitemap that a rule of the command excludes, such as a date. It is not a skipped page."""

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary, which is the value of a URL in a name tree. It has no entries for unknown values."""
        result: dict[str, Value] = {"Reason": text_string(self.reason)}
        if self.command is not None:
            result["Command"] = self.command
        if self.level:
            result["Level"] = self.level
        if self.referrer:
            result["From"] = ascii_string(self.referrer)
        if self.moment is not None:
            result["D"] = date_string(self.moment)
        if self.redirects:
            result["Way"] = [ascii_string(url) for url in self.redirects]
        if self.gone:
            result["Gone"] = True
        if self.excluded:
            result["Excluded"] = True
        return result

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> SkippedRecord | None:
        """Read a record; None if it is invalid. Entries of a wrong type are ignored."""
        content = resolve(value)
        if not isinstance(content, dict):
            return None
        reason = read_text(resolve(content.get("Reason")))
        command, level, redirects = content.get("Command"), resolve(content.get("Level")), resolve(content.get("Way"))
        if not reason:
            return None
        return cls(
            reason=reason,
            command=command if isinstance(command, Ref) else None,
            level=level if type(level) is int else 0,
            referrer=read_ascii(resolve(content.get("From"))),
            redirects=tuple(read_ascii(resolve(url)) for url in redirects) if isinstance(redirects, list) else (),
            moment=read_date(resolve(content.get("D"))),
            gone=resolve(content.get("Gone")) is True,
            excluded=resolve(content.get("Excluded")) is True,
        )
