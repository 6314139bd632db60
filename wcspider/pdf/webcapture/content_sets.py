"""Page sets and image sets: the content sets of the content database (ISO 32000-1, 14.10.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from wcspider.pdf.objects import Name, Ref, Resolve, Value
from wcspider.pdf.values import (
    UNDATED,
    ascii_string,
    date_string,
    read_array,
    read_ascii,
    read_bytes,
    read_date,
    read_integer,
    read_reference,
    read_text,
    text_string,
)
from wcspider.pdf.webcapture.sources import SourceInformation

NONE_WRITTEN: Mapping[int, Value] = {}


@dataclass(frozen=True, slots=True)
class ContentSet:
    """The PDF objects made from one source (14.10.4.1, Table 352)."""

    identifier: bytes
    """ID: the digital identifier, 16 bytes."""

    objects: tuple[Ref, ...]
    """O: the pages or image XObjects, in the order in which they were added."""

    sources: tuple[SourceInformation, ...]
    """SI: one for each distinct URL."""

    content_type: str = ""
    """CT: the media type of the source."""

    created: datetime | None = None
    """TS: when the set was created."""

    subtype = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """All URLs that find the content set."""
        return tuple(dict.fromkeys(url for source in self.sources for url in source.keys))

    def source(self, url: str) -> SourceInformation | None:
        """Return the source with a URL; None if there is none."""
        return next((source for source in self.sources if source.url == url), None)

    def updated_at(self, url: str) -> datetime:
        """Return when the set was last known to be up to date as the content of a URL; the first date if unknown."""
        moments = [source.updated for source in self.sources if url in source.keys and source.updated is not None]
        return max(moments, default=UNDATED)

    def with_source(self, source: SourceInformation) -> Self:
        """Return the set with another source; it updates a source with the same URL."""
        known = {have.url: have for have in self.sources}
        known[source.url] = known[source.url].renewed(source) if source.url in known else source
        return replace(self, sources=tuple(known.values()))

    def as_pdf(self, written: Mapping[int, Value] = NONE_WRITTEN) -> dict[str, Value]:
        """Return the entries of both kinds of content sets (Table 352). SI is an array only for several sources.

        `written` has the dictionaries of sources that were made before, by the `id` of the source.
        """
        sources = [written[id(source)] if id(source) in written else source.as_pdf() for source in self.sources]
        result: dict[str, Value] = {
            "Type": Name("SpiderContentSet"),
            "S": Name(self.subtype),
            "ID": self.identifier,
            "O": list(self.objects),
            "SI": sources[0] if len(sources) == 1 else sources,
        }
        if self.content_type:
            result["CT"] = ascii_string(self.content_type)
        if self.created is not None:
            result["TS"] = date_string(self.created)
        return result


@dataclass(frozen=True, slots=True)
class PageSet(ContentSet):
    """The PDF pages made from one source (14.10.4.2, Table 353)."""

    title: str = ""
    text_identifier: bytes | None = None
    source_digest: bytes | None = None
    """Second-class: the MD5 of the source alone, without its auxiliary resources; None in sets of other programs."""

    outline: Ref | None = None
    """Second-class: its item in the document outline (12.3.3)."""

    anchors: Ref | None = None
    """Second-class: the anchors of the page, to which links may lead."""

    subtype = "SPS"

    def reads_as(self, content_type: str, text_identifier: bytes | None) -> bool:
        """Tell whether the source was read with this media type and this text; unknown values count as equal."""
        known = self.text_identifier
        is_same_text = text_identifier is None or known is None or known == text_identifier
        return self.source_digest is None or (self.content_type == content_type and is_same_text)

    def as_pdf(self, written: Mapping[int, Value] = NONE_WRITTEN) -> dict[str, Value]:
        """Return the dictionary (Tables 352 and 353)."""
        result = ContentSet.as_pdf(self, written)
        if self.title:
            result["T"] = text_string(self.title)
        if self.text_identifier is not None:
            result["TID"] = self.text_identifier
        if self.source_digest is not None:
            result["WCSP_Digest"] = self.source_digest
        if self.outline is not None:
            result["WCSP_Outline"] = self.outline
        if self.anchors is not None:
            result["WCSP_Anchors"] = self.anchors
        return result


@dataclass(frozen=True, slots=True)
class ImageSet(ContentSet):
    """The image XObjects made from one image file (14.10.4.3, Table 354)."""

    counts: tuple[int, ...] = ()
    """R: the number of pages that refer to each of the objects."""

    subtype = "SIS"

    def counted(self, index: int, pages: int) -> ImageSet:
        """Return the set with `pages` more references (fewer, if negative) to an object."""
        counts = (*self.counts[:index], self.counts[index] + pages, *self.counts[index + 1 :])
        return replace(self, counts=counts)

    def as_pdf(self, written: Mapping[int, Value] = NONE_WRITTEN) -> dict[str, Value]:
        """Return the dictionary (Tables 352 and 354)."""
        counts = list(self.counts)
        return {**ContentSet.as_pdf(self, written), "R": counts[0] if len(counts) == 1 else counts}


def read_content_set(value: Value, resolve: Resolve) -> PageSet | ImageSet | None:
    """Read a content set of any program; None if it is invalid. Entries of a wrong type are ignored."""
    if not isinstance(value, dict) or resolve(value.get("S")) not in ("SPS", "SIS"):
        return None
    identifier = resolve(value.get("ID"))
    objects = read_array(resolve(value.get("O")))
    sources = resolve(value.get("SI"))
    common: dict[str, Any] = {
        "identifier": read_bytes(identifier) or b"",
        "objects": tuple(entry for entry in objects if isinstance(entry, Ref)),
        "sources": tuple(
            SourceInformation.from_pdf(source, resolve)
            for source in map(resolve, sources if isinstance(sources, list) else [sources])
            if isinstance(source, dict)
        ),
        "content_type": read_ascii(resolve(value.get("CT"))),
        "created": read_date(resolve(value.get("TS"))),
    }
    if resolve(value["S"]) == "SIS":
        return ImageSet(**common, counts=_read_counts(value, len(common["objects"]), resolve))
    return PageSet(
        **common,
        title=read_text(resolve(value.get("T"))),
        text_identifier=read_bytes(resolve(value.get("TID"))),
        source_digest=read_bytes(resolve(value.get("WCSP_Digest"))),
        outline=read_reference(value.get("WCSP_Outline")),
        anchors=read_reference(value.get("WCSP_Anchors")),
    )


def _read_counts(value: dict[str, Value], objects: int, resolve: Resolve) -> tuple[int, ...]:
    counts = resolve(value.get("R"))
    entries = [resolve(entry) for entry in (counts if isinstance(counts, list) else [counts])]
    known = [read_integer(entry) for entry in entries[:objects]]
    return tuple(known + [0] * (objects - len(known)))
