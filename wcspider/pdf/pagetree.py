"""The page tree (ISO 32000-1, 7.7.3), balanced, with one node for each page set.

A page set's node holds its pages; the nodes above hold nodes. So a page set can be added, replaced or moved by
changing the nodes above it, and nothing else. The tree of somebody else's file becomes the first branch of a tree
of ours, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.revision import RevisionFile

FANOUT = 32

INHERITABLE = frozenset({"Resources", "MediaBox", "CropBox", "Rotate"})
"""What a page takes from the nodes above it (Table 30). A node with one of these is somebody else's."""


class PageTree:
    """The page tree below a catalogue's Pages entry."""

    def __init__(self, file: RevisionFile, root: Ref) -> None:
        self.file = file
        self.root = root

    @classmethod
    def create(cls, file: RevisionFile) -> PageTree:
        """Make an empty page tree."""
        return cls(file, file.add({"Type": Name("Pages"), "Kids": [], "Count": 0}))

    def append(self, node: Ref, pages: list[Ref]) -> None:
        """Add a page set's node, with its pages, as the last of the tree.

        `node` is allocated by the caller, whose pages name it as their Parent.
        """
        self.file.put(node, {"Type": Name("Pages"), "Kids": list(pages), "Count": len(pages)})
        branch = node
        path = self._right_edge()
        while path:
            content = self.file.get(path[-1])
            kids = self.file.resolve(content["Kids"])
            if len(kids) < FANOUT:
                self._link(branch, path[-1])
                self.file.put(path[-1], {**content, "Kids": [*kids, branch]})
                self._count_up(path, len(pages))
                return
            branch = self._above([branch], len(pages))
            path.pop()
        self.root = self._above([self.root, branch], self.count + len(pages))

    def _above(self, kids: list[Ref], count: int) -> Ref:
        """Make a node that holds `kids`, which hold `count` pages."""
        node = self.file.add({"Type": Name("Pages"), "Kids": list(kids), "Count": count})
        for kid in kids:
            self._link(kid, node)
        return node

    def _link(self, branch: Ref, parent: Ref) -> None:
        self.file.put(branch, {**self.file.get(branch), "Parent": parent})

    def _count_up(self, nodes: list[Ref], pages: int) -> None:
        for node in nodes:
            content = self.file.get(node)
            self.file.put(node, {**content, "Count": content["Count"] + pages})

    def _right_edge(self) -> list[Ref]:
        """Return the nodes from the root down that hold nodes, not pages, and that a page set can be added to."""
        path: list[Ref] = []
        node = self.root
        while True:
            content = self.file.get(node)
            kids = self.file.resolve(content["Kids"])
            if not INHERITABLE.isdisjoint(content) or (kids and not self._is_node(kids[-1])):
                return path
            path.append(node)
            if not kids:
                return path
            node = kids[-1]

    def _is_node(self, kid: Value) -> bool:
        return "Kids" in (self.file.resolve(kid) or {})

    @property
    def count(self) -> int:
        """How many pages the tree holds."""
        count: int = self.file.get(self.root)["Count"]
        return count

    def page_number(self, page: Ref) -> int | None:
        """Return the number of a page, from 1; None if it is not in the tree. Reads only the nodes above it."""
        number = 1
        child, parent = page, self._parent(page)
        while parent is not None:
            for kid in self.file.resolve(self.file.get(parent)["Kids"]):
                if kid == child:
                    break
                number += (self.file.resolve(kid) or {}).get("Count", 1)
            else:
                return None
            if parent == self.root:
                return number
            child, parent = parent, self._parent(parent)
        return None

    def page_numbers(self, pages: Collection[Ref]) -> dict[Ref, int]:
        """Return the numbers of many pages, from 1. Reads each node of the tree once, and none of these pages."""
        numbers = enumerate(self._pages(pages), 1)
        return {page: number for number, page in numbers if isinstance(page, Ref) and page in pages}

    def _pages(self, known: Collection[Ref]) -> Iterator[Value]:
        """Yield the pages in order; what is known to be one is not read."""
        seen: set[Ref] = set()
        stack: list[Value] = [self.root]
        while stack:
            node = stack.pop()
            if not isinstance(node, Ref) or node in known:
                yield node
            elif node not in seen:
                seen.add(node)
                kids = self.file.resolve((self.file.get(node) or {}).get("Kids"))
                if kids is None:
                    yield node
                else:
                    stack += reversed(kids)

    def _parent(self, node: Ref) -> Ref | None:
        content = self.file.get(node)
        parent = content.get("Parent") if isinstance(content, dict) else None
        return parent if isinstance(parent, Ref) else None
