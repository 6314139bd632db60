"""Source information and URL alias dictionaries (ISO 32000-1, 14.10.5.1 and 14.10.5.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from wcspider.pdf.objects import Ref, Resolve, Value
from wcspider.pdf.values import (
    ascii_string,
    date_string,
    read_array,
    read_ascii,
    read_date,
    read_integer,
    read_reference,
    read_text,
    text_string,
)
from wcspider.web.resources import Resource
from wcspider.webcapture.chains import Chain, keys
from wcspider.webcapture.records import FormCode


@dataclass(frozen=True, slots=True)
class SourceInformation:
    """The origin of the source data of a content set (14.10.5.1, Table 355)."""

    url: str
    """The URL of the data: the destination of every alias chain."""

    chains: tuple[Chain, ...] = ()
    """The alias chains: the URLs that redirected to `url` (C of the alias dictionary, Table 356)."""

    updated: datetime | None = None
    """TS: the most recent time when the content set was known to be up to date."""

    expires: datetime | None = None
    """E: the time after which the content set is out of date."""

    form: FormCode = FormCode.NONE
    """S: the kind of form submission by which the data was accessed. Page sets only."""

    command: Ref | None = None
    """C: the command that fetched it. Page sets only."""

    etag: str | None = None
    last_modified: str | None = None
    """The validators of a conditional request, kept under second-class names."""

    links: Ref | None = None
    """Second-class: the links of the page (`wcspider.archive.database.page_links`). Page sets only."""

    auxiliaries: tuple[Ref, ...] = ()
    """Second-class: the records of the page's auxiliary resources, in order of first reference. Page sets only."""

    uses: int = 0
    """Second-class: how many sources of page sets show the image from `url`. Image sets only; 0 if unknown."""

    gone: datetime | None = None
    """Second-class: the time of the refresh that found the page gone from the site. Page sets only."""

    notice: str = ""
    """Second-class: the reason for which the content of the page may be missing. Page sets only."""

    encoding: str = ""
    """Second-class: the encoding of the page; empty for UTF-8, or if it is unknown. Page sets only."""

    @property
    def keys(self) -> tuple[str, ...]:
        """All URLs that find the content set, the destination first (14.10.3.1)."""
        return keys(self.url, self.chains) if self.chains else (self.url,)

    def resource(self, content_type: str, digest: bytes | None) -> Resource:
        """Return the source as a resource without its bytes, of which the file holds the digest."""
        return Resource(
            url=self.url,
            body=b"",
            content_type=content_type,
            fetched=self.updated,
            expires=self.expires,
            etag=self.etag,
            last_modified=self.last_modified,
            held=digest,
        )

    def renewed(self, other: SourceInformation) -> SourceInformation:
        """Return this source after it was found again as `other`: with its dates, and the chains of both."""
        chains = tuple(dict.fromkeys([*self.chains, *other.chains]))
        dated = self if other.updated is None else other  # what the file holds may be used without a request
        return replace(other, chains=chains, uses=self.uses + other.uses, updated=dated.updated, expires=dated.expires)

    def as_pdf(self) -> dict[str, Value]:
        """Return the dictionary (Table 355); the alias dictionary in it is a direct object."""
        result: dict[str, Value] = {"AU": self._aliases()}
        if self.updated is not None:
            result["TS"] = date_string(self.updated)
        if self.expires is not None:
            result["E"] = date_string(self.expires)
        if self.form is not FormCode.NONE:
            result["S"] = int(self.form)
        if self.command is not None:
            result["C"] = self.command
        if self.etag is not None:
            result["WCSP_ETag"] = text_string(self.etag)
        if self.last_modified is not None:
            result["WCSP_LastModified"] = text_string(self.last_modified)
        if self.links is not None:
            result["WCSP_Links"] = self.links
        if self.auxiliaries:
            result["WCSP_Auxiliaries"] = list(self.auxiliaries)
        if self.uses:
            result["WCSP_Uses"] = self.uses
        if self.gone is not None:
            result["WCSP_Gone"] = date_string(self.gone)
        if self.notice:
            result["WCSP_Notice"] = text_string(self.notice)
        if self.encoding:
            result["WCSP_Encoding"] = text_string(self.encoding)
        return result

    def _aliases(self) -> Value:
        if not self.chains:
            return ascii_string(self.url)
        chains = [[ascii_string(url) for url in chain] for chain in self.chains]
        return {"U": ascii_string(self.url), "C": chains}

    @classmethod
    def from_pdf(cls, value: Value, resolve: Resolve) -> SourceInformation:
        """Read a dictionary of any program; entries of a wrong type are ignored."""
        entries = {key: resolve(entry) for key, entry in value.items() if key not in ("C", "WCSP_Links")}
        url, chains = _read_aliases(entries.get("AU"), resolve)
        code = read_integer(entries.get("S"))
        return cls(
            url=url,
            chains=chains,
            updated=read_date(entries.get("TS")),
            expires=read_date(entries.get("E")),
            form=FormCode(code) if code in (0, 1, 2) else FormCode.NONE,
            command=read_reference(value.get("C")),
            etag=read_text(entries.get("WCSP_ETag")) or None,
            last_modified=read_text(entries.get("WCSP_LastModified")) or None,
            links=read_reference(value.get("WCSP_Links")),
            auxiliaries=tuple(entry for entry in read_array(entries.get("WCSP_Auxiliaries")) if isinstance(entry, Ref)),
            uses=read_integer(entries.get("WCSP_Uses")),
            gone=read_date(entries.get("WCSP_Gone")),
            notice=read_text(entries.get("WCSP_Notice")),
            encoding=read_text(entries.get("WCSP_Encoding")),
        )


def _read_aliases(value: Value, resolve: Resolve) -> tuple[str, tuple[Chain, ...]]:
    if not isinstance(value, dict):
        return read_ascii(value), ()
    url = read_ascii(resolve(value.get("U")))
    chains = []
    for entry in read_array(resolve(value.get("C"))):
        chain = tuple(read_ascii(resolve(hop)) for hop in read_array(resolve(entry)))
        chain = chain[:-1] if chain[-1:] == (url,) else chain
        if chain:
            chains.append(chain)
    return url, tuple(chains)
