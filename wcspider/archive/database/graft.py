"""Putting the objects of a fragment into a file; equal objects are stored once.

Streams and dictionaries that are equal byte for byte, after their references were replaced with those of the file, are
stored once: fonts, form XObjects, graphics states. The pages themselves are always new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wcspider.archive.database.shared_objects import SharedObjects
from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.link_keys import LinkTargets, link_target
from wcspider.archive.pages.link_syntax import LinkAnnotations, uri_of
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Stream, Value, real, references, renumbered, write
from wcspider.steps import Steps, portions

Linker = Callable[[LinkTargets], Sequence[Value]]
"""A function that returns the action for each of some link targets, in order."""


class Graft:
    """Puts the objects of one fragment into a file."""

    def __init__(
        self, file: RevisionFile, fragment: Fragment, shared: SharedObjects, replaced: Sequence[Ref] = ()
    ) -> None:
        """Give the pages the object numbers of the pages that they replace, and new numbers to the rest."""
        self.file = file
        self.fragment = fragment
        self.shared = shared
        numbers = [*replaced[: len(fragment.pages)], *(file.allocate() for _ in fragment.pages[len(replaced) :])]
        self._placed: dict[int, Ref] = dict(zip(fragment.pages, numbers, strict=True))
        self._open: set[int] = set()
        self._actions: dict[bytes, bytes] = {}
        """The actions of link targets, by key, or references to them, as syntax."""

    @property
    def pages(self) -> list[Ref]:
        """The pages in the file, in order."""
        return [self._placed[page] for page in self.fragment.pages]

    def member(self, index: int, identifier: bytes) -> Stream:
        """Return an image XObject as a member of the image set with an identifier (14.10.6)."""
        image = self.fragment.objects[index]
        dictionary = {key: entry for key, entry in image.dictionary.items() if key != "Name"}
        return Stream(renumbered({**dictionary, "ID": identifier}, self._place), image.data)

    def place_image(self, index: int, identifier: bytes) -> Ref:
        """Put an image XObject into the file as a member of the image set with an identifier."""
        self._placed[index] = self.file.add(self.member(index, identifier))
        return self._placed[index]

    def place_frames(self, index: int, identifier: bytes) -> list[Ref]:
        """Put the later frames of an image into the file, as members of the same image set."""
        return [self.place_image(frame, identifier) for frame in self.fragment.frames.get(index, ())]

    def use(self, index: int, existing: Ref) -> None:
        """Use an object of the file in place of one of the fragment."""
        self._placed[index] = existing

    def placed(self, index: int) -> Ref | None:
        """Return the object of the file for an object of the fragment; None if nothing has needed it so far."""
        return self._placed.get(index)

    def reserve(self, index: int) -> Ref:
        """Give an object a number of its own, even if the file has an equal object; the caller has to put it."""
        self._placed[index] = self.file.allocate()
        return self._placed[index]

    def local(self, value: Value) -> Value:
        """Return a value of the fragment with references of the file."""
        return renumbered(value, self._place)

    def place_pages(
        self, parents: Sequence[Ref], identifier: bytes | None, zoom: float | None, link: Linker
    ) -> Steps[list[Ref]]:
        """Put the pages into the file in steps, after their images, below the nodes `parents`, one for each page.

        Pages that do not belong to a page set have no identifier. `zoom` is their preferred zoom. `link` returns the
        actions of their links.
        """
        own: dict[str, Value] = {} if identifier is None else {"ID": identifier}
        if zoom is not None:
            own["PZ"] = real(zoom)
        for index, parent in zip(self.fragment.pages, parents, strict=True):
            page = dict(self.fragment.objects[index])
            annotations = page.pop("Annots", None)
            content = renumbered({**page, "Parent": None}, self._place)
            if annotations:
                content["Annots"] = yield from self._annotations(annotations, link)
            self.file.put(self._placed[index], {**content, "Parent": parent, **own})
            yield
        return self.pages

    def _annotations(self, annotations: Sequence[Value], link: Linker) -> Steps[list[Value]]:
        placed: list[Value] = []
        for portion in portions(annotations):
            placed += [self._annotation(annotation, link) for annotation in portion]
            yield
        return placed

    def _annotation(self, annotation: Value, link: Linker) -> Value:
        if isinstance(annotation, LinkAnnotations):
            new = {key: self.fragment.targets[key] for key in annotation.keys if key not in self._actions}
            self._actions |= zip(new, map(write, link(new)), strict=True)
            return annotation.leading_to(self._actions)
        uri = uri_of(annotation)
        if uri is None:
            return renumbered(annotation, self._place)
        [action] = link(dict([link_target(uri)]))
        return {**renumbered({**annotation, "A": None}, self._place), "A": action}

    def _place(self, reference: Ref) -> Ref | None:
        """Return the object of the file for an object of the fragment, and put it there if necessary; None for null."""
        if reference.number not in self._placed:
            self._place_below(reference.number)
        return self._placed.get(reference.number)

    def _place_below(self, index: int) -> None:
        """Put an object into the file, after the objects to which it refers. Chains may be long: no recursion."""
        stack = [self._opened(index)]
        while stack:
            at, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._open.discard(at)
                self._put(at)
            elif child.number in self._placed:
                continue
            elif child.number in self._open:  # a cycle: the object needs a number before it is written
                self._placed[child.number] = self.file.allocate()
            else:
                stack.append(self._opened(child.number))

    def _opened(self, index: int) -> tuple[int, Iterator[Ref]]:
        self._open.add(index)
        return index, references(self.fragment.objects[index])

    def _put(self, index: int) -> None:
        found = self.fragment.objects[index]
        if found is None:  # mutool reads no object stream with a null, so references to it become null
            return
        value = renumbered(found, lambda child: self._placed.get(child.number))
        if index in self._placed:
            self.file.put(self._placed[index], value)
        else:
            self._placed[index] = self.shared.add(value)


def image_urls(fragment: Fragment) -> Mapping[int, str]:
    """Return the images to which the pages of a fragment refer, with their URLs, in order; without later frames."""
    shown = sorted(set().union(*fragment.page_images)) if fragment.page_images else []
    return {index: fragment.images[index] for index in shown if index in fragment.images}
