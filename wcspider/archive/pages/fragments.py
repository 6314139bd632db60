"""The pages of a rendering as plain values, which can be pickled and put into another file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from wcspider.archive.pages.field_objects import FormField
from wcspider.archive.pages.link_keys import LinkTargets
from wcspider.engines.base import PageStructure
from wcspider.pdf.objects import Value


@dataclass(frozen=True, slots=True)
class ConversionNotes:
    """Remarks about a conversion for the log, the summary and the record of the run."""

    less_design: str = ""
    """How the page was laid out without some of its design; empty if all of it was used."""

    warnings: tuple[str, ...] = ()
    """The warnings of the engine."""

    unreadable: Mapping[str, str] = field(default_factory=dict)
    """The reasons why images are not shown, by the URLs of the images."""

    messages: tuple[str, ...] = ()
    """The messages that libraries wrote to standard error."""

    removed_active: tuple[str, ...] = ()
    """The kinds of active content that were removed from a PDF source."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """The pages of a rendering with all objects to which they refer, ready to be added to a file."""

    objects: tuple[Value, ...]
    """The objects; ``Ref(i)`` in them refers to ``objects[i]``."""

    pages: tuple[int, ...]
    """The indices of the page dictionaries, in order. Their Link annotations are direct objects, or
    `LinkAnnotations`."""

    images: Mapping[int, str]
    """The indices of the image XObjects that show auxiliary resources, each with the URL of the resource."""

    page_images: tuple[frozenset[int], ...]
    """For each page, the indices of the `images` and `frames` to which it refers, including those in form XObjects."""

    frames: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """For each image of `images` with several frames, the indices of the XObjects of the later ones.

    No page shows the frames of an animated image. Each page of a TIFF file has a page of its own if the file is the
    source; in HTML pages, only the first one is shown."""

    structure: PageStructure = field(default_factory=PageStructure)
    text_identifier: bytes | None = None
    """The text identifier (14.10.3.3) of a PDF source."""

    fields: tuple[FormField, ...] = ()
    """The fields of its forms. Their widget annotations are on the pages, without references to the fields."""

    targets: LinkTargets = field(default_factory=dict)
    """The targets of the `LinkAnnotations`."""

    notes: ConversionNotes = field(default_factory=ConversionNotes)
