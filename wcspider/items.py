"""What travels from a spider through the pipelines: a page to keep."""

from __future__ import annotations

from dataclasses import dataclass

from wcspider.capture.records import Auxiliary, FormCode, Resource
from wcspider.capture.references import Reference
from wcspider.store.fragments import Fragment


@dataclass(slots=True)
class CaptureItem:
    """A page, image or document that was fetched. Each pipeline fills in what the next one needs."""

    resource: Resource
    encoding: str = ""
    """The name of the encoding that the charset decision chose; empty for what is not text."""

    references: tuple[Reference, ...] = ()
    """The auxiliary resources that the page names, in order of first reference."""

    title: str = ""
    text_identifier: bytes | None = None
    key: str | None = None
    """By which turn of a crawl's reading order it is called for; None for an item that comes as it arrives."""

    command: int = 0
    """Which of the run's commands fetched it."""

    form: FormCode = FormCode.NONE

    auxiliaries: tuple[Auxiliary, ...] = ()
    """Filled in by the auxiliary pipeline."""

    identifier: bytes = b""
    """The digital identifier of the page set; filled in by the auxiliary pipeline."""

    fragment: Fragment | None = None
    """The rendered pages; filled in by the render pipeline. None where the file holds them already."""

    problem: str = ""
    """Why it could not be made into pages; filled in by the render pipeline."""
