"""Records of auxiliary resources: the style sheets, fonts and images of pages, as a refresh needs them.

They have second-class names, because ISO 32000-1, 14.10, mentions auxiliary files only in identifiers (14.10.3.3).
A record describes the content of a URL when a page was captured; other content of the URL gets another record.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wcspider.pdf.objects import Name, Ref, Resolve, Value
from wcspider.pdf.values import ascii_string, read_ascii, read_bytes, read_integer, read_reference
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.resources import AuxiliaryKind, Resource
from wcspider.webcapture.chains import Chain

TYPE = Name("WCSP_Auxiliary")


@dataclass(frozen=True, slots=True)
class AuxiliaryRecord:
    """An auxiliary resource at the time when a page was captured."""

    url: str
    """The canonical URL by which pages refer to it."""

    kind: AuxiliaryKind
    digest: bytes | None = None
    """The MD5 of its bytes; None if it could not be fetched."""

    source: SourceInformation = field(default_factory=lambda: SourceInformation(""))
    """The URL of the bytes, its alias chain, the date of expiry, and the validators."""

    length: int = 0
    """The number of bytes, which counts towards the limit of a page."""

    content_type: str = ""
    charset: str = ""
    data: Ref | None = None
    """The stream of its bytes, for style sheets and fonts. Images are in the file as image sets."""

    uses: int = 0
    """The number of sources of page sets that refer to it."""

    @property
    def hops(self) -> Chain:
        """The redirect to the URL of the bytes."""
        return self.source.chains[0] if self.source.chains else ()

    def holds(self, resource: Resource | None) -> bool:
        """Tell whether a resource has the same bytes, URL and redirect; None stands for a resource without content."""
        if resource is None or self.digest is None:
            return resource is None and self.digest is None
        return (self.digest, self.source.url, self.hops) == (resource.digest, resource.url, resource.hops)

    def describes_same(self, other: AuxiliaryRecord) -> bool:
        """Tell whether another record has the same kind, bytes, URL and redirect."""
        mine, theirs = ((entry.kind, entry.digest, entry.source.url, entry.hops) for entry in (self, other))
        return mine == theirs

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
        """Read a dictionary that `as_pdf` returned."""
        digest = read_bytes(resolve(value.get("ID")))
        return cls(
            url=read_ascii(value.get("URL")),
            kind=_read_kind(resolve(value.get("Kind"))),
            digest=digest,
            source=SourceInformation.from_pdf(value, resolve) if digest is not None else SourceInformation(""),
            length=read_integer(resolve(value.get("Bytes"))),
            content_type=read_ascii(value.get("CT")),
            charset=read_ascii(value.get("Charset")),
            data=read_reference(value.get("Data")),
            uses=read_integer(resolve(value.get("Uses"))),
        )


def _read_kind(value: Value) -> AuxiliaryKind:
    """Return the kind of a record; that of an image, which has no bytes of its own, if it is damaged."""
    return AuxiliaryKind(value) if value in list(AuxiliaryKind) else AuxiliaryKind.IMAGE
