"""The Web Capture structures of a file for the checks.

Objects are read from the file whenever they are needed. In memory are only their handles, identifiers and numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import pikepdf

from wcspider.archive.check.reading.entries import (
    TRAILER,
    Handle,
    element_handles,
    entry,
    is_array,
    is_dictionary,
    items,
    list_references,
    name_of,
    ref,
    string,
)
from wcspider.archive.check.reading.image_references import ImageReferences
from wcspider.archive.check.reading.name_trees import NameTree, read_name_tree
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.archive.check.reading.page_trees import Page, PageTree, read_page_tree
from wcspider.pdf.objects import Ref

_KINDS = {"/SPS": "page set", "/SIS": "image set"}
_ROOT = Handle(TRAILER, ("/Root",))

DESTINATIONS = "Dests"
OTHER_TREES = (DESTINATIONS, "AP", "JavaScript", "Pages", "Templates", "EmbeddedFiles", "AlternatePresentations",
                "Renditions", "WCSP_Links", "WCSP_Omitted")  # fmt: skip
"""The name trees of the name dictionary (7.7.4) besides URLS and IDS, and those of wcspider."""


class ContentSet:
    """A content set that a name tree leads to (14.10.4)."""

    def __init__(self, file: CheckedFile, handle: Handle) -> None:
        self._file = file
        self.handle = handle

    @property
    def obj(self) -> pikepdf.Dictionary:
        """The dictionary, valid until the next step of the file."""
        found = self._file.get(self.handle)
        return found if is_dictionary(found) else pikepdf.Dictionary()

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

    @property
    def where(self) -> str:
        """Its kind, identifier and reference, for findings."""
        name = _KINDS.get(self.subtype or "", "content set")
        return name_of(f"{name} {self.digest.hex()}" if self.digest else name, self.handle)

    @property
    def members(self) -> list[object]:
        """The pages or image XObjects: the elements of O."""
        return items(self.obj.get("/O"))

    @property
    def lists_members(self) -> bool:
        """Whether O is an array."""
        return is_array(self.obj.get("/O"))

    @property
    def source_handles(self) -> list[Handle]:
        """The handles of the source information dictionaries (14.10.5.1)."""
        value = self.obj.get("/SI")
        handles = element_handles(self.handle.child("/SI", value), value)
        return [handle for handle in handles if is_dictionary(self._file.get(handle))]

    @property
    def sources(self) -> list[pikepdf.Dictionary]:
        """The source information dictionaries (14.10.5.1), valid until the next step of the file."""
        found = (self._file.get(handle) for handle in self.source_handles)
        return [source for source in found if is_dictionary(source)]


class Document:
    """The Web Capture structures of a PDF file. Objects of the wrong type never raise an exception."""

    def __init__(self, file: CheckedFile) -> None:
        self.file = file
        self.root = _ROOT if ref(file.pdf.trailer.get("/Root")) is None else Handle(Ref(*file.pdf.trailer.Root.objgen))
        self.info = self.root.child("/SpiderInfo", entry(file.get(self.root), "/SpiderInfo"))
        self._names = self.root.child("/Names", entry(file.get(self.root), "/Names"))
        self._sets: dict[Handle, ContentSet] = {}

    def _tree_handle(self, key: str) -> Handle:
        return self._names.child(key, entry(self.file.get(self._names), key))

    @property
    def has_web_capture(self) -> bool:
        """Whether the file has an information dictionary or a content database (14.10.1)."""
        handles = (self.info, self._tree_handle("/URLS"), self._tree_handle("/IDS"))
        return any(self.file.get(handle) is not None for handle in handles)

    @cached_property
    def page_tree(self) -> PageTree:
        """The page tree (7.7.3.2)."""
        return read_page_tree(self.file, self.root.child("/Pages", entry(self.file.get(self.root), "/Pages")))

    @cached_property
    def pages(self) -> dict[Ref, Page]:
        """The pages by their references."""
        return self.page_tree.by_ref()

    @cached_property
    def urls(self) -> NameTree:
        """The name tree URLS (14.10.3.1)."""
        return read_name_tree("URLS", self.file, self._tree_handle("/URLS"))

    @cached_property
    def ids(self) -> NameTree:
        """The name tree IDS (14.10.3.1)."""
        return read_name_tree("IDS", self.file, self._tree_handle("/IDS"))

    def other_trees(self) -> Iterator[NameTree]:
        """Yield the other name trees of the file (7.7.4), of which none stays in memory."""
        for name in OTHER_TREES:
            yield read_name_tree(name, self.file, self._tree_handle(f"/{name}"))

    @cached_property
    def elements(self) -> dict[Handle, list[Handle]]:
        """The elements of each value in URLS and IDS: of an array, or of a single content set (14.10.3.1)."""
        found = {}
        for handle in sorted({value for tree in (self.ids, self.urls) for _, value in tree.entries}, key=_in_file):
            self.file.step()
            found[handle] = element_handles(handle, self.file.get(handle))
        return found

    @cached_property
    def _by_handle(self) -> dict[Handle, ContentSet]:
        found = {}
        for handle in sorted({element for group in self.elements.values() for element in group}, key=_in_file):
            self.file.step()
            if is_dictionary(self.file.get(handle)):
                content_set = found[handle] = ContentSet(self.file, handle)
                _ = content_set.subtype, content_set.digest  # read now, while the object is in memory
        return found

    def content_set(self, handle: Handle) -> ContentSet | None:
        """Return the content set of a handle; None if it is not a dictionary."""
        return self._by_handle.get(handle)

    @property
    def by_url(self) -> Iterator[tuple[bytes, ContentSet]]:
        """Each key of URLS with each content set under it."""
        return self._content_sets(self.urls)

    @property
    def by_id(self) -> Iterator[tuple[bytes, ContentSet]]:
        """Each key of IDS with each content set under it."""
        return self._content_sets(self.ids)

    @cached_property
    def sets(self) -> list[ContentSet]:
        """Every content set that IDS or URLS leads to, once, in the order of the file."""
        return list(self._by_handle.values())

    @cached_property
    def parents(self) -> dict[Ref, list[ContentSet]]:
        """The content sets that list a page or image XObject, repeated for each time it is listed."""
        parents: dict[Ref, list[ContentSet]] = {}
        for content_set in self.sets:
            self.file.step()
            for reference in list_references(content_set.obj.get("/O")):
                parents.setdefault(reference, []).append(content_set)
        return parents

    @cached_property
    def images(self) -> ImageReferences:
        """The image XObjects of the pages."""
        return ImageReferences(self.file, self.page_tree.pages)

    @cached_property
    def listed_commands(self) -> dict[Handle, None]:
        """The commands in the C array of the information dictionary (14.10.2)."""
        found = items(entry(self.file.get(self.info), "/C"))
        references = (reference for item in found if is_dictionary(item) and (reference := ref(item)))
        return dict.fromkeys(map(Handle, references))

    @cached_property
    def commands(self) -> list[Handle]:
        """Every command that is listed, or that a source refers to, once."""
        commands = dict(self.listed_commands)
        for content_set in self.sets:
            self.file.step()
            for handle in content_set.source_handles:
                command = entry(self.file.get(handle), "/C")
                if is_dictionary(command):
                    commands[handle.child("/C", command)] = None
        return list(commands)

    def _content_sets(self, tree: NameTree) -> Iterator[tuple[bytes, ContentSet]]:
        for key, value in tree.entries:
            for handle in self.elements[value]:
                content_set = self.content_set(handle)
                if content_set is not None:
                    yield key, content_set


def _in_file(handle: Handle) -> tuple[Ref, str]:
    """Return a sort key: objects are read in the order of their numbers."""
    return handle.reference, str(handle.path)
