"""Links between the pages of a file: one action for each target, changed when the target is captured.

All links to one target refer to the same action object. The second-class name tree WCSP_Links finds it by the target's
URL. A link may be written before its target is captured, in this run or an earlier one. It then becomes a jump within
the file by changing this one object from a URI action to a go-to action. A jump leads to a named destination with a
unique name (ISO 32000-1, 14.10.3.4), which is created with the first link to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeGuard

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.pages.link_keys import LinkTargets, uri_action
from wcspider.engines.base import Anchor
from wcspider.pdf.file.name_tree import NameTree
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Name, Ref, Syntax, Value
from wcspider.pdf.values import read_reference
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.webcapture.names import destination_name

LINKS = "WCSP_Links"
TARGET = "WCSP_Target"
"""The entry of a jump with the key of its target.

Without it, the jumps to two URLs of one page set would be equal. A program that merges equal objects (``mutool clean
-ggg``) would then bind the links to both URLs together, also when one of them gets another page.
"""

DESTINATIONS = "Dests"
CACHED_ANCHORS = 64
CACHED_ACTIONS = 16384


class AnchorPosition(NamedTuple):
    """The position of an anchor: the index of its page in the page set, and its coordinates on that page."""

    page: int
    x: Value
    y: Value


class Links:
    """The actions of links, by target, and the named destinations to which they lead."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._anchors: LruCache[Ref, dict[bytes, AnchorPosition]] = LruCache(CACHED_ANCHORS)
        self._actions: LruCache[bytes, Ref] = LruCache(CACHED_ACTIONS)
        self._are_in_order = False

    def actions(self, targets: LinkTargets, page_set_at: Callable[[str], PageSet | None]) -> list[Ref]:
        """Return the action for all links to each target; `page_set_at` finds the page set with a URL."""
        actions = {key: self._actions.get(key) for key in targets}
        unknown = sorted(key for key, action in actions.items() if action is None)
        if unknown:
            tree = self.catalog.tree_to_change(LINKS)
            for key in unknown:  # in order, because neighbours are in the same leaf
                actions[key] = read_reference(tree.get(key))
        return [
            self._actions.put(key, action or self._add_action(key, targets[key], page_set_at))
            for key, action in actions.items()
        ]

    def _add_action(self, key: bytes, uri_action: bytes, page_set_at: Callable[[str], PageSet | None]) -> Ref:
        page_set = page_set_at(key.partition(b"#")[0].decode("latin-1"))
        action = self.file.add(self._jump(key, page_set) if _has_pages(page_set) else Syntax(uri_action))
        self.catalog.tree_to_change(LINKS)[key] = action
        return action

    def retarget(self, url: str, target: PageSet | None) -> None:
        """Make the links to a URL, with or without a fragment, lead to a page set, or to the web for None."""
        page = url_key(url)
        entries = list(self.catalog.tree_items(LINKS, page, page + b"$"))  # "$" is the character behind "#"
        for key, reference in entries:
            if key == page or key.startswith(page + b"#"):
                entry, action = ("D", self._jump(key, target)) if _has_pages(target) else ("URI", uri_action(key))
                if self.file.entry(reference, entry) != action[entry]:  # the rest of the old action is not read
                    self.file.put(reference, action)

    def remove_destinations(self, target: PageSet) -> None:
        """Remove the named destinations in a page set."""
        if self.catalog.tree(DESTINATIONS) is None:
            return
        tree = self._destinations()
        for fragment in (b"", *self._positions(target)):
            name = destination_name(fragment, target.identifier)
            if name in tree:
                del tree[name]

    def store_anchors(self, anchors: tuple[Anchor, ...]) -> Ref | None:
        """Put the anchors of a page set into the file; None if there are none."""
        if not anchors:
            return None
        entries: list[Value] = []
        for anchor in anchors:
            entries += [anchor.name.encode("utf-8", "replace"), anchor.page, round(anchor.x), round(anchor.y)]
        return self.file.add(entries)

    def _jump(self, key: bytes, target: PageSet) -> dict[str, Value]:
        _, _, fragment = key.partition(b"#")
        position = self._positions(target).get(fragment)
        name = destination_name(fragment if position else b"", target.identifier)
        tree = self._destinations()
        if name not in tree:
            tree[name] = self.file.add(self._destination(target, position))
        return {"S": Name("GoTo"), "D": name, TARGET: key}

    def _destinations(self) -> NameTree:
        """Return the name tree of the destinations, in the order of bytes (7.9.6).

        qpdf 12 and the programs that use it compare names as text, and reorder a tree in which they look for a name.
        """
        tree = self.catalog.tree_to_change(DESTINATIONS)
        if not self._are_in_order and not self.file.is_own(tree.root):
            tree.put_in_order()
        self._are_in_order = True
        return tree

    def _destination(self, target: PageSet, position: AnchorPosition | None) -> list[Value]:
        """Return an explicit destination (12.3.2.2): an anchor, or the top of the page set for None."""
        page, x, y = position or (0, None, None)
        return [target.objects[min(page, len(target.objects) - 1)], Name("XYZ"), x, y, None]

    def _positions(self, target: PageSet) -> dict[bytes, AnchorPosition]:
        """Return the positions of the anchors of a page set, by name."""
        if target.anchors is None:
            return {}
        known = self._anchors.get(target.anchors)
        if known is not None:
            return known
        flat = self.file.array(target.anchors)
        rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=False)
        positions = {
            name: AnchorPosition(page, x, y)
            for name, page, x, y in rows
            if isinstance(name, bytes) and type(page) is int and page >= 0
        }
        return self._anchors.put(target.anchors, positions)


def _has_pages(target: PageSet | None) -> TypeGuard[PageSet]:
    """Tell whether a link can lead to a page set; a page set of another program may have no pages (14.10.4.1)."""
    return target is not None and bool(target.objects)


def url_key(url: str) -> bytes:
    """Return a URL as a name tree key. Non-ASCII bytes in files of other programs were read as Latin-1."""
    return url.encode("latin-1", "replace")
