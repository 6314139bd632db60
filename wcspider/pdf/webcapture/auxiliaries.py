"""Records of auxiliary resources: what a refresh has to know of the style sheets, fonts and images of pages.

They are our own: ISO 32000-1, 14.10 makes auxiliary files part of an identifier (14.10.3.3) and keeps nothing else of
them. A record says what a URL gave when a page was captured; when the URL gives something else, that is another
record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import ascii_string, read_ascii
from wcspider.pdf.webcapture.sources import Resolve, SourceInformation
from wcspider.web.resources import AuxiliaryKind, Resource
from wcspider.webcapture.chains import Chain

TYPE = Name("WCSP_Auxiliary")


@dataclass(frozen=True, slots=True)
class AuxiliaryRecord:
    """An auxiliary resource as it was when a page was captured."""

    url: str
    """The canonical URL by which pages refer to it."""

    kind: AuxiliaryKind
    digest: bytes | None = None
    """The MD5 of its bytes; None if it could not be fetched."""

    source: SourceInformation = field(default_factory=lambda: SourceInformation(""))
    """Where the bytes came from, by which redirections, until when they hold, and their validators."""

    length: int = 0
    """How many bytes it has: a page may have so many."""

    content_type: str = ""
    charset: str = ""
    data: Ref | None = None
    """The stream of its bytes. Of style sheets and fonts: images are in the file as they are shown."""

    uses: int = 0
    """How many sources of page sets refer to it."""

    @property
    def hops(self) -> Chain:
        """The redirections that led to the bytes."""
        return self.source.chains[0] if self.source.chains else ()

    def holds(self, resource: Resource | None) -> bool:
        """Tell whether the URL gives what it gave: the same bytes, found at the same place; None: nothing."""
        if resource is None or self.digest is None:
            return resource is None and self.digest is None
        return (self.digest, self.source.url, self.hops) == (resource.digest, resource.url, resource.hops)

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary."""
        result = {"Type": TYPE, "URL": ascii_string(self.url), "Kind": Name(self.kind), "Uses": self.uses}
        if self.digest is not None:
            result |= {**self.source.as_pdf(), "ID": self.digest, "CT": ascii_string(self.content_type)}
            result["Bytes"] = self.length
        if self.charset:
            result["Charset"] = ascii_string(self.charset)
        if self.data is not None:
            result["Data"] = self.data
        return result

    @classmethod
    def from_pdf(cls, value: Mapping[str, Value], resolve: Resolve) -> AuxiliaryRecord:
        """Read a dictionary that `as_pdf` made."""
        digest = value.get("ID")
        return cls(
            url=read_ascii(value.get("URL")),
            kind=AuxiliaryKind(value["Kind"]),
            digest=digest,
            source=SourceInformation.from_pdf(value, resolve) if digest is not None else SourceInformation(""),
            length=value.get("Bytes", 0),
            content_type=read_ascii(value.get("CT")),
            charset=read_ascii(value.get("Charset")),
            data=value.get("Data"),
            uses=value.get("Uses", 0),
        )
