"""The page tree (7.7.3.2): the pages in order, with the findings on its nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeGuard

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.entries import Ref, describe, is_array, is_dictionary, items, ref, traverse


@dataclass(frozen=True)
class Page:
    """A page of the document (7.7.3.3)."""

    obj: pikepdf.Dictionary
    number: int
    """Its page number, from 1."""

    resources: object
    """Its own or inherited resource dictionary (7.7.3.4)."""

    @property
    def where(self) -> str:
        """Its number and reference, for findings."""
        return describe(f"page {self.number}", self.obj)


@dataclass(frozen=True)
class PageTree:
    """The pages of the document, in order."""

    pages: list[Page] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def by_ref(self) -> dict[Ref, Page]:
        """Return the pages by their references."""
        return {reference: page for page in self.pages if (reference := ref(page.obj))}


def read_page_tree(root: object) -> PageTree:
    """Return the pages below ``root``, the Pages entry of the catalog, with findings if the tree is damaged."""
    reader = _Reader()
    if is_dictionary(root):
        reader.read(root)
    return reader.tree


class _Reader:
    """A reader of the page tree."""

    def __init__(self) -> None:
        self.tree = PageTree()
        self._seen: set[Ref] = set()
        self._above: list[tuple[int, object]] = []
        """For each ancestor node: the number of pages before it, and the resources that its pages inherit."""

    def report(self, rule: Rule, node: object, message: str) -> None:
        """Add a finding."""
        self.tree.findings.append(rule.broken(describe("page tree node", node), message))

    def read(self, root: pikepdf.Dictionary) -> None:
        """Read the nodes."""
        if reference := ref(root):
            self._seen.add(reference)
        for node, done in traverse(root, self._kids):
            if not _is_node(node):
                if not done:
                    self._add_page(node)
            elif done:
                start, _ = self._above.pop()
                if node.get("/Count") != len(self.tree.pages) - start:
                    self.report(Rule.PAGES_COUNT, node, "Count is not the number of pages below the node")
            else:
                self._above.append((len(self.tree.pages), node.get("/Resources", self._inherited)))

    @property
    def _inherited(self) -> object:
        return self._above[-1][1] if self._above else None

    def _add_page(self, page: pikepdf.Dictionary) -> None:
        resources = page.get("/Resources", self._inherited)
        self.tree.pages.append(Page(page, len(self.tree.pages) + 1, resources))

    def _kids(self, node: pikepdf.Dictionary) -> list[pikepdf.Dictionary]:
        if not _is_node(node):
            return []
        if not is_array(kids := node.get("/Kids")):
            self.report(Rule.PAGES_KIDS, node, "Kids is not an array")
        return [kid for kid in items(kids) if self._is_new_kid(kid, node)]

    def _is_new_kid(self, kid: object, node: pikepdf.Dictionary) -> TypeGuard[pikepdf.Dictionary]:
        reference = ref(kid)
        if not is_dictionary(kid) or reference is None:
            self.report(Rule.PAGES_KIDS, node, "an element of Kids is not a reference to a dictionary")
            return False
        if reference in self._seen:
            self.report(Rule.PAGES_KIDS, kid, "a page or node has two parents")
            return False
        self._seen.add(reference)
        if ref(kid.get("/Parent")) != ref(node):
            self.report(Rule.PAGES_PARENT, kid, "Parent is not the node that lists it")
        return True


def _is_node(node: pikepdf.Dictionary) -> bool:
    """Return whether a dictionary in the page tree is a node, by its Type or else by its Kids."""
    kind = node.get("/Type")
    return kind == pikepdf.Name.Pages or (kind != pikepdf.Name.Page and "/Kids" in node)
