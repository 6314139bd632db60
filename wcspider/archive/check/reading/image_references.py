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

from wcspider.archive.check.reading.entries import (
    Handle,
    entry,
    is_array,
    is_dictionary,
    is_image,
    is_keyed,
    items,
    named_items,
)
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.archive.check.reading.page_trees import Page
from wcspider.pdf.objects import Ref

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

_Place = tuple[Handle, Kind]


class ImageReferences:
    """The image XObjects of a document, and the number of pages that refer to each.

    The targets of each indirect object are found once, so a resource that a thousand pages share costs no more than
    one of a single page.
    """

    def __init__(self, file: CheckedFile, pages: Iterable[Page]) -> None:
        self._file = file
        self._pages = pages
        self._next: dict[_Place, list[_Place]] = {}
        self._images: dict[Ref, bool] = {}

    @cached_property
    def counts(self) -> Counter[Ref]:
        """The number of pages that refer to each image XObject, each page counted once."""
        counts: Counter[Ref] = Counter()
        for page in self._pages:
            self._file.step()
            counts.update(self.of(page))
        return counts

    def of(self, page: Page) -> set[Ref]:
        """Return the image XObjects that a page refers to."""
        images: set[Ref] = set()
        seen: set[_Place] = set()
        pending = list(self._starts(page))
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            handle, kind = place
            if kind == "xobject" and handle.own_reference and self._is_image(handle.own_reference):
                images.add(handle.own_reference)
            pending.extend(self._after(handle, kind))
        return images

    def _is_image(self, reference: Ref) -> bool:
        if reference not in self._images:
            self._images[reference] = is_image(self._file.get(Handle(reference)))
        return self._images[reference]

    def _after(self, handle: Handle, kind: Kind) -> list[_Place]:
        if handle.path:
            return list(self._targets(handle, kind))
        if (handle, kind) not in self._next:
            self._next[handle, kind] = list(self._targets(handle, kind))
        return self._next[handle, kind]

    def _starts(self, page: Page) -> Iterator[_Place]:
        if page.resources is not None and is_keyed(self._file.get(page.resources)):
            yield page.resources, "resources"
        annotations = entry(self._file.get(page.handle), "/Annots")
        for handle, value in _elements(page.handle.child("/Annots", annotations), annotations):
            if is_keyed(value):
                yield handle, "annotation"

    def _targets(self, handle: Handle, kind: Kind) -> Iterator[_Place]:
        content = self._file.get(handle)
        for step in _STEPS[kind]:
            value = entry(content, step.key)
            own = handle.child(step.key, value)
            for found, element in _elements(own, value) if step.each else [(own, value)]:
                if is_keyed(element):
                    yield found, step.kind


def _elements(handle: Handle, value: object) -> list[tuple[Handle, object]]:
    """Return the elements of an array or a dictionary with their handles; any other value itself."""
    if is_array(value):
        return [(handle.child(index, item), item) for index, item in enumerate(items(value))]
    if is_dictionary(value):
        return [(handle.child(key, item), item) for key, item in named_items(value)]
    return [(handle, value)]
