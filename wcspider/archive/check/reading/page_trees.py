"""The page tree (7.7.3.2): the pages in order, with the findings on its nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.entries import (
    Handle,
    entry,
    is_array,
    is_dictionary,
    items,
    name_of,
    ref,
    traverse,
)
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.pdf.objects import Ref


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the document (7.7.3.3)."""

    handle: Handle
    number: int
    """Its page number, from 1."""

    resources: Handle | None
    """Its own or inherited resource dictionary (7.7.3.4)."""

    @property
    def where(self) -> str:
        """Its number and reference, for findings."""
        return name_of(f"page {self.number}", self.handle)


@dataclass(frozen=True)
class PageTree:
    """The pages of the document, in order."""

    pages: list[Page] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def by_ref(self) -> dict[Ref, Page]:
        """Return the pages by their references."""
        return {reference: page for page in self.pages if (reference := page.handle.own_reference)}


def read_page_tree(file: CheckedFile, root: Handle) -> PageTree:
    """Return the pages below ``root``, the Pages entry of the catalog, with findings if the tree is damaged."""
    reader = _Reader(file)
    if is_dictionary(file.get(root)):
        reader.read(root)
    return reader.tree


class _Reader:
    """A reader of the page tree."""

    def __init__(self, file: CheckedFile) -> None:
        self._file = file
        self.tree = PageTree()
        self._seen: set[Ref] = set()
        self._above: list[tuple[int, Handle | None]] = []
        """For each ancestor node: the number of pages before it, and the resources that its pages inherit."""

    def report(self, rule: Rule, node: Handle, message: str) -> None:
        """Add a finding."""
        self.tree.findings.append(rule.broken(name_of("page tree node", node), message))

    def read(self, root: Handle) -> None:
        """Read the nodes."""
        if reference := root.own_reference:
            self._seen.add(reference)
        for node, done in traverse(root, self._kids):
            if not done:
                self._file.step()
            content = self._file.get(node)
            if not _is_node(content):
                if not done:
                    self._add_page(node, content)
            elif done:
                start, _ = self._above.pop()
                if entry(content, "/Count") != len(self.tree.pages) - start:
                    self.report(Rule.PAGES_COUNT, node, "Count is not the number of pages below the node")
            else:
                self._above.append((len(self.tree.pages), self._resources(node, content)))

    def _resources(self, node: Handle, content: object) -> Handle | None:
        own = entry(content, "/Resources")
        if own is not None:
            return node.child("/Resources", own)
        return self._above[-1][1] if self._above else None

    def _add_page(self, page: Handle, content: object) -> None:
        self.tree.pages.append(Page(page, len(self.tree.pages) + 1, self._resources(page, content)))

    def _kids(self, node: Handle) -> list[Handle]:
        content = self._file.get(node)
        if not _is_node(content):
            return []
        if not is_array(kids := entry(content, "/Kids")):
            self.report(Rule.PAGES_KIDS, node, "Kids is not an array")
        return [Handle(reference) for kid in items(kids) if self._is_new_kid(kid, node) and (reference := ref(kid))]

    def _is_new_kid(self, kid: object, node: Handle) -> bool:
        reference = ref(kid)
        if reference is not None:
            self._file.note(reference)
        if not is_dictionary(kid) or reference is None:
            self.report(Rule.PAGES_KIDS, node, "an element of Kids is not a reference to a dictionary")
            return False
        if reference in self._seen:
            self.report(Rule.PAGES_KIDS, Handle(reference), "a page or node has two parents")
            return False
        self._seen.add(reference)
        if ref(kid.get("/Parent")) != node.own_reference:
            self.report(Rule.PAGES_PARENT, Handle(reference), "Parent is not the node that lists it")
        return True


def _is_node(content: object) -> bool:
    """Return whether a dictionary in the page tree is a node, by its Type or else by its Kids."""
    kind = entry(content, "/Type")
    return kind == pikepdf.Name.Pages or (kind != pikepdf.Name.Page and entry(content, "/Kids") is not None)
