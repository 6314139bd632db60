"""The page tree (ISO 32000-1, 7.7.3), balanced, with one node for each page set.

The node of a page set contains its pages; the nodes above contain nodes. So adding, replacing or moving a page set
changes only the nodes above it. The page tree of another program's file becomes the first branch of a new tree; its
pages are replaced and removed in place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set

from wcspider.pdf.file.page_branches import DEEPEST, INHERITABLE, branches_below, endless, is_node
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.steps import portions

FANOUT = 32
HELD_KEPT = 512
"""The number of page sets for which it is remembered that their pages are in the tree."""


class PageTree:
    """The page tree below a catalog's Pages entry."""

    def __init__(self, file: RevisionFile, root: Ref) -> None:
        self.file = file
        self.root = root
        self._held: LruCache[tuple[Ref, ...], bool] = LruCache(HELD_KEPT)
        """Page sets whose pages are in the tree, since pages were last removed."""

        self._has_right_counts = False

    @classmethod
    def create(cls, file: RevisionFile) -> PageTree:
        """Create an empty page tree."""
        return cls(file, file.add({"Type": Name("Pages"), "Kids": [], "Count": 0}))

    def append(self, node: Ref, pages: list[Ref]) -> None:
        """Add the node of a page set, with its pages, at the end of the tree.

        The caller has allocated `node`, which is the Parent of the pages.
        """
        self._correct_counts()
        self.file.put(node, {"Type": Name("Pages"), "Kids": list(pages), "Count": len(pages)})
        branch = node
        path = self._right_edge()
        while path:
            content = self.file.get(path[-1])
            kids = self.file.array(content.get("Kids"))
            if len(kids) < FANOUT:
                self._link(branch, path[-1])
                self.file.put(path[-1], {**content, "Kids": [*kids, branch]})
                self._count_up(path, len(pages))
                return
            branch = self._above([branch], len(pages))
            path.pop()
        self.root = self._above([self.root, branch], self.count + len(pages))

    def lead(self, node: Ref, pages: list[Ref]) -> None:
        """Put a node with these pages at the beginning of the tree; a node of the tree stays in place."""
        self._correct_counts()
        self._held = LruCache(HELD_KEPT)
        before = self.file.get(node) or {"Type": Name("Pages"), "Count": 0}
        self.file.put(node, {**before, "Kids": list(pages), "Count": len(pages)})
        if "Parent" in before:
            self._count_up(self._above_and(node)[1:], len(pages) - self._count(before))
            return
        content = self.file.get(self.root)
        if INHERITABLE.isdisjoint(content):
            self._link(node, self.root)
            self.file.put(self.root, {**content, "Kids": [node, *self.file.resolve(content["Kids"])]})
            self._count_up([self.root], len(pages))
        else:
            self.root = self._above([node, self.root], self.count + len(pages))

    def _above(self, kids: list[Ref], count: int) -> Ref:
        """Add a node with these `kids`, which contain `count` pages."""
        node = self.file.add({"Type": Name("Pages"), "Kids": list(kids), "Count": count})
        for kid in kids:
            self._link(kid, node)
        return node

    def _link(self, branch: Ref, parent: Ref) -> None:
        self.file.put(branch, {**self.file.get(branch), "Parent": parent})

    def _count_up(self, nodes: list[Ref], pages: int) -> None:
        for node in nodes:
            content = self.file.get(node)
            self.file.put(node, {**content, "Count": self._count(content) + pages})

    def _right_edge(self) -> list[Ref]:
        """Return the nodes from the root down to which a page set can be added: they contain nodes, not pages."""
        path: list[Ref] = []
        node = self.root
        while len(path) < DEEPEST:
            content = self.file.dictionary(node)
            kids = self.file.array(content.get("Kids"))
            if not INHERITABLE.isdisjoint(content) or (kids and not is_node(self.file, kids[-1])):
                return path
            path.append(node)
            if not kids:
                return path
            node = kids[-1]
        raise endless(self.file)

    def _correct_counts(self) -> None:
        """Correct the Counts of another program's tree before its first change: readers skip nodes by their Counts."""
        if not self._has_right_counts and not self.file.is_own(self.root):
            self._correct_count(self.root, set())
        self._has_right_counts = True

    def _correct_count(self, node: Value, seen: set[Ref], depth: int = 0) -> int:
        """Correct the Counts of a node and of those below it; return the number of its pages."""
        if depth > DEEPEST:
            raise endless(self.file)
        if not isinstance(node, Ref) or node in seen:
            return 0
        if not is_node(self.file, node):
            return int(self.file.entry(node, "Type") is not None or isinstance(self.file.get(node), dict))
        seen.add(node)
        kids = self.file.array(self.file.entry(node, "Kids"))
        count = sum(self._correct_count(kid, seen, depth + 1) for kid in kids)
        content = self.file.dictionary(node)
        if self.file.resolve(content.get("Count")) != count:
            self.file.put(node, {**content, "Count": count})
        return count

    # Replacing, removing, moving

    def replace(self, old: Sequence[Ref], new: Sequence[Ref]) -> list[Ref]:
        """Replace the pages `old` with `new`; return the Parent node for each of the new pages.

        As far as both go, the two are equal: a page keeps its object number, so that destinations still lead to it.
        """
        self._correct_counts()
        parents: list[Ref] = []
        for page in new[: len(old)]:  # a page without a Parent is listed by the node of the others
            parents.append(self._parent(page) or parents[-1])
        extra = new[len(old) :]
        if extra:
            content = self.file.get(parents[-1])
            kids = self.file.resolve(content["Kids"])
            at = kids.index(new[len(old) - 1]) + 1
            self.file.put(parents[-1], {**content, "Kids": [*kids[:at], *extra, *kids[at:]]})
            self._count_up(self._above_and(parents[-1]), len(extra))
        self.remove(old[len(new) :])
        return parents + parents[-1:] * len(extra)

    def remove(self, pages: Iterable[Ref]) -> None:
        """Remove pages from the tree, and nodes that become empty."""
        self._correct_counts()
        self._held = LruCache(HELD_KEPT)
        removed: dict[Ref, set[Ref]] = {}
        for page in pages:
            parent = self._parent(page)
            if parent is not None:
                removed.setdefault(parent, set()).add(page)
        for parent, gone in removed.items():
            found = gone & self._kids_of(parent)
            if found:
                self._count_up(self._above_and(parent), -len(found))
                self._remove_kids(found, parent)

    def _remove_kids(self, gone: Set[Ref], parent: Ref) -> None:
        content = self.file.get(parent)
        kids = [
            entry for entry in self.file.resolve(content["Kids"]) if not isinstance(entry, Ref) or entry not in gone
        ]
        self.file.put(parent, {**content, "Kids": kids})
        above = self._parent(parent)
        if not kids and above is not None and parent in self._kids_of(above) and parent != self.root:
            self._remove_kids({parent}, above)

    def holds(self, pages: Sequence[Ref]) -> bool:
        """Tell whether all of these pages are in the tree: other programs may have removed some."""
        key = tuple(pages)
        return self._held.get(key) or (self._finds(key) and self._held.put(key, True))

    def _finds(self, pages: Sequence[Ref]) -> bool:
        left = list(dict.fromkeys(pages))
        while left:
            node = self._parent(left[0])
            kids = self._kids_of(node)
            if node is None or left[0] not in kids or not self._is_below_root(node):
                return False
            left = [page for page in left if page not in kids]
        return True

    def _is_below_root(self, node: Ref) -> bool:
        for _ in range(DEEPEST):
            if node == self.root:
                return True
            above = self._parent(node)
            if above is None or node not in self._kids_of(above):
                return False
            node = above
        return False

    def _kids_of(self, node: Ref | None) -> Set[Ref]:
        """Return the kids of a node; none if it is not a node."""
        content = None if node is None else self.file.get(node)
        kids = self.file.resolve(content.get("Kids")) if isinstance(content, dict) else None
        return frozenset(kid for kid in kids if isinstance(kid, Ref)) if isinstance(kids, list) else frozenset()

    def node_of(self, page: Ref) -> Ref | None:
        """Return the node that contains a page."""
        return self._parent(page)

    @property
    def is_empty(self) -> bool:
        """True if the tree has neither pages nor nodes below its root."""
        return not self._kids_of(self.root)

    def kids(self, node: Ref) -> list[Ref]:
        """Return the kids of a node."""
        return list(self.file.array(self.file.dictionary(node).get("Kids")))

    def arrange(self, page_sets: Iterable[Sequence[Ref]]) -> bool:
        """Put the nodes of page sets, given by their pages, in an order. True if anything was moved.

        A page set that has no node to itself stays in place. Anything else stays behind the node that precedes it.
        """
        owners = {pages[0]: tuple(pages) for pages in page_sets}
        before: list[Ref] = []
        behind: dict[Ref, list[Ref]] = {}
        group = before
        branches = list(branches_below(self.file, self.root, owners))
        for branch, _, owner in branches:
            if owner is not None:
                group = behind.setdefault(owner, [])
            group.append(branch)
        wanted = [*before, *(branch for owner in owners for branch in behind.get(owner, ()))]
        if wanted == [branch for branch, _, _ in branches]:
            return False
        self._rebuild(wanted, list(dict.fromkeys(parent for _, parent, _ in branches)))
        return True

    def _rebuild(self, level: list[Ref], reused: list[Ref]) -> None:
        """Rebuild the nodes above `level`, up to the root; existing nodes are reused."""
        spare = [node for node in reused if node != self.root]
        while len(level) > FANOUT:
            groups = portions(level, FANOUT)
            level = [self._put_node(spare.pop(0) if spare else self.file.allocate(), group) for group in groups]
        self._put_node(self.root, level)

    def _put_node(self, node: Ref, kids: list[Ref]) -> Ref:
        """Put a node with `kids`, unless it has these already."""
        count = sum(self._count(self.file.get(kid)) for kid in kids)
        have = self.file.get(node) or {"Type": Name("Pages")}
        wanted = {**have, "Kids": kids, "Count": count}
        if wanted != have:
            self.file.put(node, wanted)
        for kid in kids:
            if self._parent(kid) != node and isinstance(self.file.get(kid), dict):
                self._link(kid, node)
        return node

    def _above_and(self, node: Ref) -> list[Ref]:
        """Return a node and those above it."""
        nodes = [node]
        while nodes[-1] != self.root:
            above = self._parent(nodes[-1])
            if above is None or above in nodes or not isinstance(self.file.get(above), dict):
                break
            nodes.append(above)
        return nodes

    @property
    def count(self) -> int:
        """The number of pages in the tree."""
        return self._count(self.file.get(self.root))

    def _count(self, content: Value) -> int:
        """Return the number of pages of a node; 1 for a page."""
        count = self.file.resolve(content.get("Count", 1)) if isinstance(content, dict) else 1
        return count if type(count) is int and count > 0 else 0

    def _size(self, node: Value) -> int:
        """Return the number of pages of a node; 1 for a page, which is not read for this."""
        if not isinstance(node, Ref):
            return self._count(node)
        count = self.file.entry(node, "Count")
        return 1 if count is None else self._count({"Count": count})

    def page_number(self, page: Ref) -> int | None:
        """Return the number of a page, from 1; None if it is not in the tree. Reads only nodes on the path to it."""
        number = 1
        child, parent = page, self._parent(page)
        for _ in range(DEEPEST):
            if parent is None:
                break
            for kid in self.file.array(self.file.dictionary(parent).get("Kids")):
                if kid == child:
                    break
                number += self._size(kid)
            else:
                return None
            if parent == self.root:
                return number
            child, parent = parent, self._parent(parent)
        return None

    def page_numbers(self, pages: Collection[Ref]) -> dict[Ref, int]:
        """Return the numbers of several pages, from 1.

        Reads each node of the tree once, and none of these pages; of few pages, only the nodes above them.
        """
        if len(pages) * FANOUT < self.count:
            return self.numbers_of_siblings(pages)
        numbers = enumerate(self._pages(pages), 1)
        return {page: number for number, page in numbers if isinstance(page, Ref) and page in pages}

    def numbers_of_siblings(self, pages: Collection[Ref]) -> dict[Ref, int]:
        """Return the numbers of pages that are below few nodes, such as those of a page set. Reads no page."""
        found: dict[Ref, int] = {}
        for page in pages:
            parent = None if page in found else self._parent(page)
            number = None if parent is None else 1 if parent == self.root else self.page_number(parent)
            if number is None:
                continue
            for kid in self.file.array(self.file.dictionary(parent).get("Kids")):
                if isinstance(kid, Ref):
                    found.setdefault(kid, number)
                number += self._size(kid)
        return {page: found[page] for page in pages if page in found}

    def _pages(self, known: Collection[Ref]) -> Iterator[Value]:
        """Yield the pages in order; those in `known` are not read."""
        seen: set[Ref] = set()
        stack: list[Value] = [self.root]
        while stack:
            node = stack.pop()
            if not isinstance(node, Ref) or node in known:
                yield node
            elif node not in seen:
                seen.add(node)
                kids = self.file.entry(node, "Kids")  # a page is not read for this
                if kids is None:
                    yield node
                else:
                    stack += reversed(self.file.array(kids))

    def _parent(self, node: Ref) -> Ref | None:
        parent = self.file.entry(node, "Parent")
        return parent if isinstance(parent, Ref) else None
