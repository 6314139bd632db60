"""The pages of a page set as a fragment, read from the file that has them one object at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.graft import Graft
from wcspider.archive.database.link_actions import DESTINATIONS
from wcspider.archive.merge.field_reading import FieldReader
from wcspider.archive.merge.targets import Destinations, LinkTargets
from wcspider.archive.pages.field_objects import FormField
from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.page_extraction import NOT_COPIED
from wcspider.engines.base import Anchor, PageStructure
from wcspider.pdf.file.parents import with_parents
from wcspider.pdf.objects import Name, Ref, Stream, Value, renumbered
from wcspider.pdf.values import read_number, read_text, type_of
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.webcapture.names import encode_identifier

INHERITED = ("Resources", "MediaBox", "CropBox", "Rotate")
"""The inheritable entries of a page (7.7.3.4)."""

STRUCTURE = frozenset({"Page", "Pages", "Catalog"})
"""The types of objects that are not copied with the pages that refer to them."""

Known = Callable[[Ref], Ref | None]
"""Returns the object of the merged file for an object of an input; None if it has to be copied."""


@dataclass(frozen=True, slots=True)
class Extract:
    """Objects of a file, ready to be put into another one."""

    fragment: Fragment
    known: Mapping[int, Ref]
    """The objects of the fragment that the merged file has already. In the fragment, they are null."""

    origins: Mapping[int, Ref]
    """The other objects of the fragment that may be shared between page sets, as objects of the input."""

    lost_links: int = 0
    """The number of links that were left out, because the pages to which they lead are not taken over."""

    external: frozenset[bytes] = frozenset()
    """The URIs of links to pages that the input does not contain."""


def graft_of(database: ContentDatabase, extract: Extract, numbers: Sequence[Ref] = ()) -> Graft:
    """Return the graft that puts an extract into the merged file. Its pages get these numbers."""
    graft = Graft(database.file, extract.fragment, database.shared, numbers)
    for index, existing in extract.known.items():
        graft.use(index, existing)
    return graft


class PageReader:
    """The pages of a file."""

    def __init__(self, source: ContentDatabase, known: Known) -> None:
        self.source = source
        self.file = source.file
        self.known = known
        self.links = LinkTargets(source)
        self.destinations = Destinations(source)
        self.fields = FieldReader(source)

    def close(self) -> None:
        """Remove the temporary files."""
        self.links.close()

    def pages(self, content: PageSet) -> Extract:
        """Return the pages of a page set."""
        return _Walk(self).pages(content)

    def object(self, root: Ref) -> Extract:
        """Return an object that is not a page, with the objects to which it refers; it has the index 0."""
        return _Walk(self).object(root)

    def anchors(self, content: PageSet) -> tuple[Anchor, ...]:
        """Return the positions in a page set that links can name.

        In the files of Acrobat these are named destinations: the identifier, then the name of the anchor.
        """
        if content.anchors is not None:
            flat = self.file.array(content.anchors)
            rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=False)
            return tuple(_anchor(name, page, x, y) for name, page, x, y in rows if isinstance(name, bytes))
        if content.source_digest is not None:
            return ()
        prefix = encode_identifier(content.identifier)
        found = []
        for name, target in self.source.catalog.tree_items(DESTINATIONS, prefix, prefix + b"\xff" * 8):
            place = self.destinations.explicit(target)
            if name.startswith(prefix) and len(name) > len(prefix) and place and place[0] in content.objects:
                x, y = (place[2], place[3]) if len(place) > 3 and place[1] == "XYZ" else (0, 0)
                found.append(_anchor(name.removeprefix(prefix), content.objects.index(place[0]), x, y))
        return tuple(found)


class _Walk:
    """Collects the objects to which some objects refer, each once."""

    def __init__(self, reader: PageReader) -> None:
        self.reader = reader
        self.file = reader.file
        self.indices: dict[Ref, int] = {}
        self.objects: list[Value] = []
        self.pending: list[tuple[int, Ref]] = []
        self.known: dict[int, Ref] = {}
        self.origins: dict[int, Ref] = {}
        self.lost_links = 0
        self.external: set[bytes] = set()

    def object(self, root: Ref) -> Extract:
        self._reserve(root)
        self.objects[0] = self._local(self._read(root))
        self._follow()
        return self._extract(Fragment(tuple(self.objects), (), {}, ()))

    def pages(self, content: PageSet) -> Extract:
        pages = tuple(dict.fromkeys(content.objects))
        for page in pages:
            self._reserve(page)
        fields = self._fields(pages, content.identifier)
        contents = [self._page(page) for page in pages]
        self.objects[: len(pages)] = contents
        self._follow()
        fragment = Fragment(
            objects=tuple(self.objects),
            pages=tuple(range(len(pages))),
            images={},
            page_images=tuple(frozenset() for _ in pages),
            structure=PageStructure(
                language=read_text(self.file.resolve(self.reader.source.catalog.entry("Lang"))),
                anchors=self.reader.anchors(content),
            ),
            fields=fields,
        )
        return self._extract(fragment)

    def _extract(self, fragment: Fragment) -> Extract:
        return Extract(fragment, self.known, self.origins, self.lost_links, frozenset(self.external))

    def _reserve(self, reference: Ref) -> int:
        self.indices[reference] = len(self.objects)
        self.objects.append(None)
        return self.indices[reference]

    def _fields(self, pages: Sequence[Ref], identifier: bytes) -> tuple[FormField, ...]:
        reader = self.reader.fields
        shown = reader.widgets(pages)
        for placed in shown.values():
            for widget, _ in placed:
                index = self._reserve(widget)
                self.objects[index] = self._local(reader.widget_content(widget))
        return reader.fields(shown, identifier, self.indices.__getitem__, self._local)

    def _page(self, page: Ref) -> dict[str, Value]:
        """Return a page with its inherited entries, without entries that are valid only in its file."""
        content = dict(self.file.dictionary(page))
        for _, above in with_parents(self.file, content.get("Parent")):
            content = {**{key: above[key] for key in INHERITED if key in above}, **content}
        annotations = self.file.array(content.pop("Annots", None))
        kept = {key: entry for key, entry in content.items() if key not in NOT_COPIED}
        kept = {"Resources": {}, "MediaBox": [0, 0, 612, 792], **kept}
        found = [self._annotation(entry) for entry in annotations]
        return {**self._local(kept), "Annots": [entry for entry in found if entry is not None]}

    def _annotation(self, entry: Value) -> Value:
        """Return an annotation; None if it is left out."""
        content = self.file.resolve(entry)
        if not isinstance(content, dict):
            return None
        if content.get("Subtype") == "Link":
            return self._link(content)
        return self._local(
            entry if isinstance(entry, Ref) else {k: v for k, v in content.items() if k != "StructParent"}
        )

    def _link(self, annotation: dict[str, Value]) -> Value:
        """Return a Link annotation; a jump to a page set becomes a link to its URL, until the store makes it a jump."""
        kept = {k: v for k, v in annotation.items() if k not in ("A", "Dest", "P", "StructParent")}
        uri = self.reader.links.uri(annotation.get("A"))
        if uri is not None:
            self._note_external(annotation["A"], uri)
            return {**self._local(kept), "A": {"S": Name("URI"), "URI": uri}}
        action = self.file.dictionary(annotation.get("A"))
        if "Dest" not in annotation and action.get("S") != "GoTo":
            return self._local({**kept, "A": action} if action else kept)
        place = self.reader.destinations.explicit(annotation.get("Dest", action.get("D")))
        if place is None or (place[0] not in self.indices and self.reader.known(place[0]) is None):
            self.lost_links += 1
            return None
        return self._local({**kept, "A": {**action, "S": Name("GoTo"), "D": place}})

    def _note_external(self, action: Value, uri: bytes) -> None:
        if self.file.dictionary(action).get("S") == "URI":
            self.external.add(uri)

    # The objects

    def _local(self, value: Value) -> Any:
        """Replace the references of a value with indices; objects without an index get one."""
        return renumbered(value, self._index)

    def _index(self, reference: Ref) -> Ref:
        index = self.indices.get(reference)
        if index is None:
            index = self._reserve(reference)
            existing = self.reader.known(reference)
            if existing is not None:
                self.known[index] = existing
            else:
                self.pending.append((index, reference))
        return Ref(index)

    def _follow(self) -> None:
        """Read every object with an index, and the objects to which it refers in turn."""
        while self.pending:
            index, reference = self.pending.pop()
            self.origins[index] = reference
            self.objects[index] = self._local(self._read(reference))

    def _read(self, reference: Ref) -> Value:
        value = self.file.get(reference)
        if isinstance(value, Stream):
            kept = {key: entry for key, entry in value.dictionary.items() if key not in ("Length", "StructParent")}
            return Stream(kept, value.data)
        if isinstance(value, dict) and (type_of(value) in STRUCTURE or self._is_other_field(reference, value)):
            return None
        return {k: v for k, v in value.items() if k != "StructParent"} if isinstance(value, dict) else value

    def _is_other_field(self, reference: Ref, value: dict[str, Value]) -> bool:
        """Tell whether an object is a field of another page set, to which for instance an action refers."""
        return ("FT" in value or value.get("Subtype") == "Widget") and self.reader.source.forms.is_listed(reference)


def _anchor(name: bytes, page: Value, x: Value, y: Value) -> Anchor:
    index = page if type(page) is int and page >= 0 else 0
    return Anchor(name.decode("utf-8", "replace"), index, read_number(x), read_number(y))
