"""New targets for the destinations (12.3.2.3) and outline items (12.3.3) that lead to removed pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wcspider.archive.database.catalog import Catalog
from wcspider.archive.database.link_actions import DESTINATIONS
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Value


class Retargeting:
    """Redirects destinations and outline items from the removed pages to their substitutes, as in `pages`."""

    def __init__(self, file: RevisionFile, catalog: Catalog, pages: Mapping[Ref, Ref]) -> None:
        self.file = file
        self.catalog = catalog
        self.pages = pages

    def run(self) -> None:
        """Change the destinations and the outline of the file."""
        for name, target in list(self.catalog.tree_items(DESTINATIONS)):
            renewed = self._renewed(target)
            if renewed != target:
                self.catalog.tree_to_change(DESTINATIONS)[name] = renewed
        for item in self._items():
            content = self.file.get(item)
            renewed = {**content, **{key: self._renewed(content[key]) for key in ("Dest", "A") if key in content}}
            if renewed != content:
                self.file.put(item, renewed)

    def _renewed(self, target: Value, *, may_be_dictionary: bool = True) -> Any:
        """Return a destination, or a dictionary with one in D, with the new page. Changes indirect objects in place."""
        if isinstance(target, Ref):
            content = self.file.get(target)
            renewed = self._renewed(content, may_be_dictionary=may_be_dictionary)
            if renewed != content:
                self.file.put(target, renewed)
            return target
        if may_be_dictionary and isinstance(target, dict) and "D" in target:  # D may refer to the dictionary itself
            return {**target, "D": self._renewed(target["D"], may_be_dictionary=False)}
        if isinstance(target, list) and target and isinstance(target[0], Ref) and target[0] in self.pages:
            return [self.pages[target[0]], Name("XYZ"), None, None, None]
        return target

    def _items(self) -> Iterator[Ref]:
        """Yield the items of the outline, each once."""
        seen: set[Ref] = set()
        stack = [self.catalog.outline_root]
        while stack:
            at = stack.pop()
            content = self.file.get(at) if isinstance(at, Ref) and at not in seen else None
            if not isinstance(at, Ref) or not isinstance(content, dict):
                continue
            seen.add(at)
            yield at
            stack += [content.get("First"), content.get("Next")]
