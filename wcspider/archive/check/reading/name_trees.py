"""Name trees (7.9.6): their entries, with the findings on their nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeGuard

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.entries import Ref, describe, is_array, is_dictionary, items, ref, string, traverse


@dataclass(frozen=True)
class NameTree:
    """A name tree of the name dictionary (7.9.6, 7.7.4)."""

    name: str
    """Its key in the name dictionary, such as ``URLS``."""

    entries: list[tuple[bytes, object]] = field(default_factory=list)
    """The pairs of key and value in the order of the leaves."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether every node could be read, so that ``entries`` is complete."""
        return not any(finding.rule in _LOSSES for finding in self.findings)


_LOSSES = frozenset(rule.id for rule in (Rule.TREE_NODE, Rule.TREE_KIDS, Rule.TREE_NAMES, Rule.TREE_ENTRIES))


def read_name_tree(name: str, root: object) -> NameTree:
    """Return the name tree below ``root``, with findings if it is damaged."""
    reader = _Reader(NameTree(name))
    if is_dictionary(root):
        reader.read(root)
    elif root is not None:
        reader.report(Rule.TREE_NODE, root, "the root is not a dictionary")
    return reader.tree


class _Reader:
    """A reader of one name tree."""

    def __init__(self, tree: NameTree) -> None:
        self.tree = tree
        self._root: pikepdf.Dictionary | None = None
        self._seen: set[Ref] = set()

    def report(self, rule: Rule, node: object, message: str) -> None:
        """Add a finding."""
        self.tree.findings.append(rule.broken(describe(f"name tree {self.tree.name}", node), message))

    def read(self, root: pikepdf.Dictionary) -> None:
        """Read the nodes."""
        self._root = root
        starts: list[int] = []
        for node, done in traverse(root, self._kids):
            if done:
                self._check_limits(node, starts.pop())
            else:
                starts.append(len(self.tree.entries))
                self._check_node(node)
                self._read_names(node)
        self._check_order(root)

    def _check_node(self, node: pikepdf.Dictionary) -> None:
        if reference := ref(node):
            self._seen.add(reference)
        if "/Kids" in node and "/Names" in node:
            self.report(Rule.TREE_ENTRIES, node, "a node has both Kids and Names")
        elif "/Kids" not in node and "/Names" not in node:
            if node is self._root:
                self.report(Rule.TREE_EMPTY, node, "the tree is empty and could be removed")
            else:
                self.report(Rule.TREE_ENTRIES, node, "a node has neither Kids nor Names")

    def _kids(self, node: pikepdf.Dictionary) -> list[pikepdf.Dictionary]:
        kids = node.get("/Kids")
        if kids is not None and not items(kids):
            self.report(Rule.TREE_KIDS, node, "Kids is not an array of one or more nodes")
        return [kid for kid in items(kids) if self._is_new_node(kid, node)]

    def _is_new_node(self, kid: object, node: pikepdf.Dictionary) -> TypeGuard[pikepdf.Dictionary]:
        reference = ref(kid)
        if not is_dictionary(kid):
            self.report(Rule.TREE_NODE, node, "an element of Kids is not a dictionary")
        elif reference is None:
            self.report(Rule.TREE_KIDS_INDIRECT, node, "an element of Kids is not an indirect reference")
            return True
        elif reference in self._seen:
            self.report(Rule.TREE_NODE, kid, "a node has two parents")
        else:
            self._seen.add(reference)
            return True
        return False

    def _read_names(self, node: pikepdf.Dictionary) -> None:
        names = node.get("/Names")
        if names is None:
            return
        pairs = items(names)
        if not is_array(names) or len(pairs) % 2:
            self.report(Rule.TREE_NAMES, node, "Names is not an array of pairs")
        for key, value in zip(pairs[::2], pairs[1::2], strict=False):
            if (data := string(key)) is None:
                self.report(Rule.TREE_NAMES, node, "a key is not a string")
            else:
                self.tree.entries.append((data, value))

    def _check_limits(self, node: pikepdf.Dictionary, start: int) -> None:
        limits = node.get("/Limits")
        if node is self._root:
            if limits is not None:
                self.report(Rule.TREE_ROOT_LIMITS, node, "the root has Limits")
            return
        keys = [key for key, _ in self.tree.entries[start:]]
        if not keys:
            return
        if [string(limit) for limit in items(limits)] != [min(keys), max(keys)]:
            self.report(Rule.TREE_LIMITS, node, "Limits are not the least and the greatest key below")

    def _check_order(self, root: pikepdf.Dictionary) -> None:
        keys = [key for key, _ in self.tree.entries]
        for before, key in pairwise(keys):
            if before > key:
                self.report(Rule.TREE_ORDER, root, f"the key {key!r} follows {before!r}")
        for key in sorted(_repeated(keys)):
            self.report(Rule.TREE_DUPLICATE, root, f"the key {key!r} occurs more than once")


def _repeated(keys: list[bytes]) -> set[bytes]:
    seen: set[bytes] = set()
    return {key for key in keys if key in seen or seen.add(key)}  # type: ignore[func-returns-value]
