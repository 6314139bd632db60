"""The Web Capture structures of a file for the checks, each read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pikepdf

from wcspider.archive.check.reading.entries import (
    Ref,
    describe,
    entry,
    is_array,
    is_dictionary,
    items,
    one_or_more,
    ref,
    string,
)
from wcspider.archive.check.reading.image_references import ImageReferences
from wcspider.archive.check.reading.name_trees import NameTree, read_name_tree
from wcspider.archive.check.reading.page_trees import Page, PageTree, read_page_tree

_KINDS = {"/SPS": "page set", "/SIS": "image set"}


@dataclass(frozen=True, eq=False)
class ContentSet:
    """A content set that a name tree leads to (14.10.4)."""

    obj: pikepdf.Dictionary

    @cached_property
    def subtype(self) -> str | None:
        """``/SPS``, ``/SIS``, or None for anything else."""
        value = self.obj.get("/S")
        return str(value) if isinstance(value, pikepdf.Name) and str(value) in _KINDS else None

    @property
    def is_page_set(self) -> bool:
        """Whether it is a page set."""
        return self.subtype == "/SPS"

    @property
    def is_image_set(self) -> bool:
        """Whether it is an image set."""
        return self.subtype == "/SIS"

    @cached_property
    def digest(self) -> bytes | None:
        """The digital identifier."""
        return string(self.obj.get("/ID"))

    @cached_property
    def where(self) -> str:
        """Its kind, identifier and reference, for findings."""
        name = _KINDS.get(self.subtype or "", "content set")
        return describe(f"{name} {self.digest.hex()}" if self.digest else name, self.obj)

    @cached_property
    def members(self) -> list[object]:
        """The pages or image XObjects: the elements of O."""
        return items(self.obj.get("/O"))

    @property
    def lists_members(self) -> bool:
        """Whether O is an array."""
        return is_array(self.obj.get("/O"))

    @cached_property
    def sources(self) -> list[pikepdf.Dictionary]:
        """The source information dictionaries (14.10.5.1)."""
        return [source for source in one_or_more(self.obj.get("/SI")) if is_dictionary(source)]


class Document:
    """The Web Capture structures of a PDF file. Objects of the wrong type never raise an exception."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        self.pdf = pdf
        self.info: object = entry(pdf.Root, "/SpiderInfo")
        self._names: object = entry(pdf.Root, "/Names")
        self._sets: dict[object, ContentSet] = {}

    @property
    def has_web_capture(self) -> bool:
        """Whether the file has an information dictionary or a content database (14.10.1)."""
        trees = (entry(self._names, key) for key in ("/URLS", "/IDS"))
        return self.info is not None or any(tree is not None for tree in trees)

    @cached_property
    def page_tree(self) -> PageTree:
        """The page tree (7.7.3.2)."""
        return read_page_tree(entry(self.pdf.Root, "/Pages"))

    @cached_property
    def pages(self) -> dict[Ref, Page]:
        """The pages by their references."""
        return self.page_tree.by_ref()

    @cached_property
    def urls(self) -> NameTree:
        """The name tree URLS (14.10.3.1)."""
        return read_name_tree("URLS", entry(self._names, "/URLS"))

    @cached_property
    def ids(self) -> NameTree:
        """The name tree IDS (14.10.3.1)."""
        return read_name_tree("IDS", entry(self._names, "/IDS"))

    @cached_property
    def by_url(self) -> list[tuple[bytes, ContentSet]]:
        """Each key of URLS with each content set under it."""
        return list(self._content_sets(self.urls))

    @cached_property
    def by_id(self) -> list[tuple[bytes, ContentSet]]:
        """Each key of IDS with each content set under it."""
        return list(self._content_sets(self.ids))

    @cached_property
    def sets(self) -> list[ContentSet]:
        """Every content set that IDS or URLS leads to, once."""
        return list(dict.fromkeys(found for _, found in self.by_id + self.by_url))

    @cached_property
    def parents(self) -> dict[Ref, list[ContentSet]]:
        """The content sets that list a page or image XObject, repeated for each time it is listed."""
        parents: dict[Ref, list[ContentSet]] = {}
        for content_set in self.sets:
            for member in content_set.members:
                if reference := ref(member):
                    parents.setdefault(reference, []).append(content_set)
        return parents

    @cached_property
    def images(self) -> ImageReferences:
        """The image XObjects of the pages."""
        return ImageReferences(self.page_tree.pages)

    @cached_property
    def listed_commands(self) -> dict[Ref, pikepdf.Dictionary]:
        """The commands in the C array of the information dictionary (14.10.2)."""
        found = items(entry(self.info, "/C"))
        return {reference: item for item in found if is_dictionary(item) and (reference := ref(item))}

    @cached_property
    def commands(self) -> list[pikepdf.Dictionary]:
        """Every command that is listed, or that a source refers to, once."""
        commands: dict[object, pikepdf.Dictionary] = {}
        for reference, command in self.listed_commands.items():
            commands[reference] = command
        for content_set in self.sets:
            for source in content_set.sources:
                if is_dictionary(found := source.get("/C")):
                    commands.setdefault(ref(found) or id(source), found)
        return list(commands.values())

    def _content_sets(self, tree: NameTree) -> Iterator[tuple[bytes, ContentSet]]:
        for number, (key, value) in enumerate(tree.entries):
            for place, item in enumerate(one_or_more(value)):
                if is_dictionary(item):
                    identity = ref(item) or (tree.name, number, place)
                    yield key, self._sets.setdefault(identity, ContentSet(item))
