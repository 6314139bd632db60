"""Name trees (7.9.6): their entries, with the findings on their nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.entries import (
    Handle,
    entry,
    is_array,
    is_dictionary,
    items,
    name_of,
    ref,
    string,
    traverse,
    unresolved,
)
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.pdf.objects import Ref


@dataclass(frozen=True)
class NameTree:
    """A name tree of the name dictionary (7.9.6, 7.7.4)."""

    name: str
    """Its key in the name dictionary, such as ``URLS``."""

    entries: list[tuple[bytes, Handle]] = field(default_factory=list)
    """The pairs of key and value in the order of the leaves."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every node could be read, so that ``entries`` is complete."""
        return not any(finding.rule in _LOSSES for finding in self.findings)


_LOSSES = frozenset(rule.id for rule in (Rule.TREE_NODE, Rule.TREE_KIDS, Rule.TREE_NAMES, Rule.TREE_ENTRIES))


def read_name_tree(name: str, file: CheckedFile, root: Handle) -> NameTree:
    """Return the name tree below ``root``, with findings if it is damaged."""
    reader = _Reader(NameTree(name), file)
    found = file.get(root)
    if is_dictionary(found):
        reader.read(root)
    elif found is not None:
        reader.report(Rule.TREE_NODE, root, "the root is not a dictionary")
    return reader.tree


class _Reader:
    """A reader of one name tree."""

    def __init__(self, tree: NameTree, file: CheckedFile) -> None:
        self.tree = tree
        self._file = file
        self._root: Handle | None = None
        self._seen: set[Ref] = set()

    def report(self, rule: Rule, node: Handle, message: str) -> None:
        """Add a finding."""
        self.tree.findings.append(rule.broken(name_of(f"name tree {self.tree.name}", node), message))

    def read(self, root: Handle) -> None:
        """Read the nodes."""
        self._root = root
        starts: list[int] = []
        for node, done in traverse(root, self._kids):
            if done:
                self._check_limits(node, starts.pop())
            else:
                self._file.step()
                starts.append(len(self.tree.entries))
                self._check_node(node)
                self._read_names(node)
        self._check_order(root)

    def _check_node(self, node: Handle) -> None:
        if reference := node.own_reference:
            self._seen.add(reference)
        content = self._file.get(node)
        kids, names = entry(content, "/Kids"), entry(content, "/Names")
        if kids is not None and names is not None:
            self.report(Rule.TREE_ENTRIES, node, "a node has both Kids and Names")
        elif kids is None and names is None:
            if node == self._root:
                self.report(Rule.TREE_EMPTY, node, "the tree is empty and could be removed")
            else:
                self.report(Rule.TREE_ENTRIES, node, "a node has neither Kids nor Names")

    def _kids(self, node: Handle) -> list[Handle]:
        kids = entry(self._file.get(node), "/Kids")
        if kids is not None and not items(kids):
            self.report(Rule.TREE_KIDS, node, "Kids is not an array of one or more nodes")
        array = node.child("/Kids", kids)
        handles = ((kid, array.child(index, kid)) for index, kid in enumerate(items(kids)))
        return [handle for kid, handle in handles if self._is_new_node(kid, handle, node)]

    def _is_new_node(self, kid: object, handle: Handle, node: Handle) -> bool:
        reference = ref(kid)
        if reference is not None:
            self._file.note(reference)
        if not is_dictionary(kid):
            self.report(Rule.TREE_NODE, node, "an element of Kids is not a dictionary")
        elif reference is None:
            self.report(Rule.TREE_KIDS_INDIRECT, node, "an element of Kids is not an indirect reference")
            return True
        elif reference in self._seen:
            self.report(Rule.TREE_NODE, handle, "a node has two parents")
        else:
            self._seen.add(reference)
            return True
        return False

    def _read_names(self, node: Handle) -> None:
        names = entry(self._file.get(node), "/Names")
        if names is None:
            return
        elements = unresolved(names)
        if not is_array(names) or len(elements) % 2:
            self.report(Rule.TREE_NAMES, node, "Names is not an array of pairs")
        array = node.child("/Names", names)
        for index, (key, value) in enumerate(zip(elements[::2], elements[1::2], strict=False)):
            data = string(self._file.get(Handle(key))) if isinstance(key, Ref) else key
            if not isinstance(data, bytes):
                self.report(Rule.TREE_NAMES, node, "a key is not a string")
            else:
                direct = Handle(array.reference, (*array.path, 2 * index + 1))
                self.tree.entries.append((data, Handle(value) if isinstance(value, Ref) else direct))

    def _check_limits(self, node: Handle, start: int) -> None:
        limits = entry(self._file.get(node), "/Limits")
        if node == self._root:
            if limits is not None:
                self.report(Rule.TREE_ROOT_LIMITS, node, "the root has Limits")
            return
        keys = [key for key, _ in self.tree.entries[start:]]
        if not keys:
            return
        if [string(limit) for limit in items(limits)] != [min(keys), max(keys)]:
            self.report(Rule.TREE_LIMITS, node, "Limits are not the least and the greatest key below")

    def _check_order(self, root: Handle) -> None:
        keys = [key for key, _ in self.tree.entries]
        for before, key in pairwise(keys):
            if before > key:
                self.report(Rule.TREE_ORDER, root, f"the key {key!r} follows {before!r}")
        keys.sort()
        for key in sorted({key for before, key in pairwise(keys) if before == key}):
            self.report(Rule.TREE_DUPLICATE, root, f"the key {key!r} occurs more than once")
