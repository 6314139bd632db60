"""The document outline (ISO 32000-1, 12.3.3) of an input: the items of the page sets that were added, and the others.

An item of another program is taken over if it, or an item below it, leads to a page set that the merge has added. So
merging a file again adds no item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.outline import ITEM
from wcspider.archive.merge.targets import Destinations
from wcspider.archive.run.outline_order import tell_versions_apart
from wcspider.engines.base import Heading
from wcspider.pdf.objects import Name, Ref, Value, renumbered
from wcspider.pdf.values import read_number, read_text
from wcspider.pdf.webcapture.content_sets import PageSet

LOOK = ("C", "F")
"""The entries of an item for its colour and its style (Table 153)."""


@dataclass(slots=True)
class _Branch:
    """An item of the input, and its item in the merged file once there is one."""

    above: _Branch | None = None
    entries: dict[str, Value] | None = None
    """The entries of an item of another program; None for a page set, and at the top."""

    item: Ref | None = None


class OutlineTransfer:
    """Takes over the outline of a file whose page sets were taken over."""

    def __init__(self, database: ContentDatabase, source: ContentDatabase, pages: Mapping[Ref, Ref]) -> None:
        self.database = database
        self.source = source
        self._pages = pages
        self._destinations = Destinations(source)

    def run(self, items: Mapping[Ref, Ref], added: Mapping[Ref, bytes]) -> None:
        """Add the items.

        `items` has the page sets of the input by their items. `added` has the pages of the page sets that were added,
        with the identifiers of these.
        """
        has_others = False
        for item, branch in self._walk():
            content = self.source.file.dictionary(item)
            if item in items:
                self._add_page_set(item, items[item], branch)
            elif ITEM not in content:
                has_others = True
                branch.entries = self._entries(content)
                if self._page_of(content) in added:
                    self._ensure(branch)
        for identifier in dict.fromkeys(added.values()) if not has_others else ():
            stored = self.database.page_set(identifier)
            if stored is not None and stored.content.outline is None:
                self._add(stored, (), None)

    def _walk(self) -> Iterator[tuple[Ref, _Branch]]:
        """Yield the items, except for headings, each before the items below it."""
        root = self.source.file.dictionary(self.source.catalog.outline_root)
        stack: list[tuple[Value, _Branch, bool]] = [(root.get("First"), _Branch(), False)]
        seen: set[Ref] = set()  # items may form a cycle
        while stack:
            item, above, below_page_set = stack.pop()
            content = self.source.file.get(item) if isinstance(item, Ref) and item not in seen else None
            if not isinstance(item, Ref) or not isinstance(content, dict):
                continue
            seen.add(item)
            stack.append((content.get("Next"), above, below_page_set))
            if below_page_set and ITEM not in content:
                continue
            branch = _Branch(above)
            yield item, branch
            stack.append((content.get("First"), branch, ITEM in content))

    def _add_page_set(self, item: Ref, reference: Ref, branch: _Branch) -> None:
        theirs = self.source.page_set_at(reference)
        stored = None if theirs is None else self.database.page_set(theirs.content.identifier)
        if theirs is None or stored is None:
            return
        branch.item = stored.content.outline
        if branch.item is None:
            parent = None if branch.above is None else self._ensure(branch.above)
            branch.item = self._add(stored, tuple(self._headings(item, theirs.content.objects)), parent)
        else:
            self._tell_versions_apart(stored.content)

    def _add(self, stored: Stored[PageSet], headings: tuple[Heading, ...], parent: Ref | None) -> Ref | None:
        item = self.database.outline.add(stored.content, headings, parent)
        self._tell_versions_apart(self.database.update(stored, replace(stored.content, outline=item)).content)
        return item

    def _tell_versions_apart(self, content: PageSet) -> None:
        for source in content.sources:
            tell_versions_apart(self.database, source.url)

    def _ensure(self, branch: _Branch) -> Ref | None:
        """Return the item of a branch, or else of the nearest one above it; items of other programs are added."""
        path = [branch]
        while path[-1].item is None and path[-1].above is not None:
            path.append(path[-1].above)
        parent = path[-1].item
        for at in reversed(path):
            if at.item is None and at.entries is not None:
                at.item = self.database.outline.add_item(at.entries, parent)
            parent = at.item or parent
        return parent

    def _entries(self, content: dict[str, Value]) -> dict[str, Value]:
        """Return the entries of an item of another program, with references of the merged file."""
        resolve = self.source.file.resolve
        title = resolve(content.get("Title"))
        entries: dict[str, Value] = {"Title": title if isinstance(title, bytes) else b""}
        entries |= {key: resolve(content[key]) for key in LOOK if isinstance(resolve(content.get(key)), list | int)}
        place = self._place_of(content)
        if place is not None and place[0] in self._pages:
            entries["Dest"] = renumbered(place, self._pages.get)
        return entries

    def _place_of(self, content: dict[str, Value]) -> list[Value] | None:
        action = self.source.file.dictionary(content.get("A"))
        target = content.get("Dest", action.get("D") if action.get("S") == Name("GoTo") else None)
        return self._destinations.explicit(target)

    def _page_of(self, content: dict[str, Value]) -> Ref | None:
        place = self._place_of(content)
        return None if place is None else place[0]

    def _headings(self, item: Ref, pages: Sequence[Ref]) -> Iterator[Heading]:
        """Yield the headings of a page set: the items below its item that are not items of page sets."""
        indices = {page: index for index, page in enumerate(pages)}
        file = self.source.file
        stack: list[tuple[Value, int]] = [(file.dictionary(item).get("First"), 0)]
        seen: set[Ref] = set()
        while stack:
            at, level = stack.pop()
            content = file.get(at) if isinstance(at, Ref) and at not in seen else None
            if not isinstance(at, Ref) or not isinstance(content, dict):
                continue
            seen.add(at)
            stack.append((content.get("Next"), level))
            place = file.array(content.get("Dest"))
            if ITEM in content or len(place) < 4 or not isinstance(place[0], Ref) or place[0] not in indices:
                continue
            title = read_text(file.resolve(content.get("Title")))
            yield Heading(title, level, indices[place[0]], read_number(place[3]))
            stack.append((content.get("First"), level + 1))
