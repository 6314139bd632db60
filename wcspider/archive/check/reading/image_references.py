"""The image XObjects that a page refers to (14.10.4.3), directly or through everything that the page can draw.

A page refers to all objects in its resources, even if its content stream does not draw them. To read every content
stream would cost a hundred times as much, and processors that remove an XObject use the resources too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import pikepdf

from wcspider.archive.check.reading.entries import (
    Keyed,
    Ref,
    children,
    is_array,
    is_dictionary,
    is_image,
    is_keyed,
    ref,
)
from wcspider.archive.check.reading.page_trees import Page

Kind = Literal[
    "resources",
    "xobject",
    "alternate",
    "pattern",
    "font",
    "state",
    "mask",
    "annotation",
    "appearance",
    "icons",
]
"""The kinds of dictionaries and streams between a page and an image."""


@dataclass(frozen=True, slots=True)
class _Step:
    """An entry whose value, or whose elements if ``each`` is set, are objects of a kind."""

    key: str
    kind: Kind
    each: bool = False


_STEPS: dict[Kind, tuple[_Step, ...]] = {
    "resources": (  # 7.8.3
        _Step("/XObject", "xobject", each=True),
        _Step("/Pattern", "pattern", each=True),
        _Step("/Font", "font", each=True),
        _Step("/ExtGState", "state", each=True),
    ),
    "xobject": (  # 8.9.5, 8.10.2; and the soft mask, stencil mask and alternates of an image
        _Step("/Resources", "resources"),
        _Step("/SMask", "xobject"),
        _Step("/Mask", "xobject"),
        _Step("/Alternates", "alternate", each=True),
    ),
    "alternate": (_Step("/Image", "xobject"),),  # 8.9.5.4
    "pattern": (_Step("/Resources", "resources"), _Step("/ExtGState", "state")),  # 8.7.3.1, 8.7.4.1
    "font": (_Step("/Resources", "resources"),),  # 9.6.5, Type 3
    "state": (_Step("/SMask", "mask"),),  # 8.4.5
    "mask": (_Step("/G", "xobject"),),  # 11.6.5.2
    "annotation": (_Step("/AP", "appearance"), _Step("/MK", "icons")),  # 12.5.2, 12.5.6.19
    "appearance": (  # 12.5.5: each a form XObject, or a dictionary of them by state
        _Step("/N", "xobject", each=True),
        _Step("/R", "xobject", each=True),
        _Step("/D", "xobject", each=True),
    ),
    "icons": (_Step("/I", "xobject"), _Step("/RI", "xobject"), _Step("/IX", "xobject")),  # 12.5.6.19
}

_Place = tuple[Keyed, Kind]


class ImageReferences:
    """The image XObjects of a document, and the number of pages that refer to each.

    The targets of each indirect object are found once, so a resource that a thousand pages share costs no more than
    one of a single page.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._pages = list(pages)
        self._next: dict[tuple[Ref, Kind], list[_Place]] = {}

    @cached_property
    def objects(self) -> dict[Ref, pikepdf.Stream]:
        """The image XObjects that the pages refer to."""
        return {reference: image for images in self._by_page for reference, image in images.items()}

    @cached_property
    def counts(self) -> Counter[Ref]:
        """The number of pages that refer to each image XObject, each page counted once."""
        return Counter(reference for images in self._by_page for reference in images)

    @cached_property
    def _by_page(self) -> list[dict[Ref, pikepdf.Stream]]:
        return [self.of(page) for page in self._pages]

    def of(self, page: Page) -> dict[Ref, pikepdf.Stream]:
        """Return the image XObjects that a page refers to."""
        images: dict[Ref, pikepdf.Stream] = {}
        seen: set[tuple[Ref, Kind]] = set()
        pending = list(_starts(page))
        while pending:
            place, kind = pending.pop()
            if reference := ref(place):
                if (reference, kind) in seen:
                    continue
                seen.add((reference, kind))
                if kind == "xobject" and is_image(place):
                    images[reference] = place
            pending.extend(self._after(place, kind))
        return images

    def _after(self, place: Keyed, kind: Kind) -> list[_Place]:
        reference = ref(place)
        if reference is None:
            return list(_leads(place, kind))
        if (reference, kind) not in self._next:
            self._next[reference, kind] = list(_leads(place, kind))
        return self._next[reference, kind]


def _starts(page: Page) -> Iterator[_Place]:
    if is_keyed(page.resources):
        yield page.resources, "resources"
    for annotation in _elements(page.obj.get("/Annots")):
        if is_keyed(annotation):
            yield annotation, "annotation"


def _leads(place: Keyed, kind: Kind) -> Iterator[_Place]:
    for step in _STEPS[kind]:
        value = place.get(step.key)
        for found in _elements(value) if step.each else (value,):
            if is_keyed(found):
                yield found, step.kind


def _elements(value: object) -> list[object]:
    return children(value) if is_array(value) or is_dictionary(value) else [value]
