"""The document outline (ISO 32000-1, 12.3.3): an item for each page set, nested as the site is linked.

Below the item of a page set stand its headings, then the pages that it led to. Items are closed, so that the Count of
each depends only on its own kids, and adding an item changes only its parent and the item before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from wcspider.archive.database.catalog import Catalog
from wcspider.engines.base import Heading
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.values import read_integer, read_reference, read_text, text_string
from wcspider.pdf.webcapture.content_sets import PageSet

ITEM = "WCSP_Item"
"""The second-class entry that marks the outline item of a page set. Headings and foreign items do not have it."""

_HIDDEN = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e]")
"""Characters that could send commands to the terminal of a program that prints bookmarks, or reverse the text."""

LONGEST_TITLE = 200
"""The limit of the length of a title in characters; a heading may be a whole paragraph."""

ATTACHED_KEPT = 16384
"""The number of items for which it is remembered that they are in the outline."""


class Outline:
    """The outline of a file. Items of other programs stay, in front of the items of page sets.

    A user may delete the item of a page set. The page set still refers to it then, but it is not in the outline.
    """

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._attached: LruCache[Ref, bool] = LruCache(ATTACHED_KEPT)

    def add(self, page_set: PageSet, headings: Sequence[Heading], parent: Ref | None = None) -> Ref | None:
        """Add the item of a page set below `parent`, or at the top level; None if the page set has no page."""
        if not page_set.objects:
            return None
        item = self.add_item({**self._entries(page_set), ITEM: True}, parent)
        self._add_headings(item, page_set, headings)
        return item

    def add_item(self, entries: dict[str, Value], parent: Ref | None) -> Ref:
        """Add an item below `parent`, or at the top level if that is None or an item that a user has deleted."""
        item = self.file.allocate()
        above = parent if parent is not None and self._is_attached(parent) else self.catalog.outlines()
        self._append(above, item, entries)
        self._attached.put(item, True)
        return item

    def _is_attached(self, item: Ref) -> bool:
        """Tell whether an item is in the outline: its parent and the item before it refer to it, and so on upwards."""
        path: dict[Ref, None] = {}
        at: Value = item
        while isinstance(at, Ref) and at != self.catalog.outline_root and self._attached.get(at) is None:
            content = self.file.dictionary(at)
            above, before = content.get("Parent"), content.get("Prev")
            holder = self.file.dictionary(above if before is None else before)
            if at in path or holder.get("First" if before is None else "Next") != at:
                return False
            path[at] = None
            at = above
        if not isinstance(at, Ref):
            return False
        for found in path:
            self._attached.put(found, True)
        return True

    def update(self, item: Ref, page_set: PageSet, headings: Sequence[Heading]) -> None:
        """Update the title, the destination and the headings of an item; the items of other page sets stay below it."""
        content = self.file.get(item)
        if not isinstance(content, dict) or not page_set.objects:
            return
        pages = [kid for kid in self._kids(item) if ITEM in self.file.get(kid)]
        bare = {key: entry for key, entry in content.items() if key not in ("First", "Last", "Count")}
        self.file.put(item, {**bare, **self._entries(page_set)})
        self._add_headings(item, page_set, headings)
        for kid in pages:
            self._append(item, kid, self.file.get(kid))

    def rename(self, item: Ref, page_set: PageSet) -> None:
        """Update an item whose title is a URL: the page set may have another first source now."""
        content = self.file.get(item)
        is_ours = isinstance(content, dict) and ITEM in content
        shown = read_text(self.file.resolve(content.get("Title"))) if is_ours else ""
        title = read_text(text_string(_title_of(page_set)))
        if "://" in shown and not shown.startswith(title):
            self._set(item, Title=text_string(title))

    def add_date(self, item: Ref, page_set: PageSet) -> None:
        """Add the date of a page set to the title of its item, unless the title is another one already."""
        self._retitle(item, _title_of(page_set), _dated_title_of(page_set))

    def remove_date(self, item: Ref, page_set: PageSet) -> None:
        """Remove the date of a page set from the title of its item, unless the title is another one."""
        self._retitle(item, _dated_title_of(page_set), _title_of(page_set))

    def has_date(self, item: Ref, page_set: PageSet) -> bool:
        """Tell whether the title of an item ends with the date of its page set."""
        return self._has_title(item, _dated_title_of(page_set)) and page_set.created is not None

    def _retitle(self, item: Ref, before: str, after: str) -> None:
        if before != after and self._has_title(item, before):
            self._set(item, Title=text_string(after))

    def _has_title(self, item: Ref, title: str) -> bool:
        """Tell whether an item of a page set has a title."""
        content = self.file.get(item)
        is_ours = isinstance(content, dict) and ITEM in content
        return is_ours and read_text(self.file.resolve(content.get("Title"))) == read_text(text_string(title))

    def remove(self, item: Ref) -> None:
        """Remove an item with its headings; items of page sets below it move to the end of its parent."""
        content = self.file.get(item)
        if not isinstance(content, dict) or not self._is_attached(item):
            return
        parent, before, after = content["Parent"], content.get("Prev"), content.get("Next")
        pages = [kid for kid in self._kids(item) if ITEM in self.file.get(kid)]
        self._set(before, Next=after)
        self._set(after, Prev=before)
        above = self.file.get(parent)
        changes: dict[str, Value] = {"Count": self._count_with(above, -1)}
        if above.get("First") == item:
            changes["First"] = after
        if above.get("Last") == item:
            changes["Last"] = before
        self._set(parent, **changes)
        self.file.put(item, None)
        self._attached.forget(item)
        for kid in pages:
            self._append(parent, kid, self.file.get(kid))

    def arrange(self, ranks: Mapping[Ref, int]) -> None:
        """Put sibling items of page sets in the order of their ranks; all other items stay in place."""
        beside: dict[Ref, list[Ref]] = {}
        for item in sorted(ranks, key=ranks.__getitem__):
            if self._is_attached(item):
                beside.setdefault(self.file.get(item)["Parent"], []).append(item)
        for parent, wanted in beside.items():
            if any(self.file.get(item).get("Next") != after for item, after in pairwise(wanted)):
                self._reorder(parent, wanted)

    def _reorder(self, parent: Ref, wanted: Sequence[Ref]) -> None:
        """Put some kids of an item, or of the outline dictionary, into an order; the other kids stay in place."""
        moved = set(wanted)
        kids = self._kids(parent)
        if not moved.issubset(kids):  # another program has changed the outline
            return
        following = iter(wanted)
        order = [next(following) if kid in moved else kid for kid in kids]
        for before, item, after in zip([None, *order], order, [*order[1:], None], strict=False):
            content = self.file.get(item)
            if (content.get("Prev"), content.get("Next")) != (before, after):
                self._set(item, Prev=before, Next=after)
        if order != kids:
            self._set(parent, First=order[0], Last=order[-1])

    def _kids(self, parent: Ref) -> list[Ref]:
        """Return the kids of an item that another program may have written, up to the first invalid one."""
        above = self.file.get(parent)
        kids: dict[Ref, None] = {}
        at = above.get("First") if isinstance(above, dict) else None
        while isinstance(at, Ref) and at not in kids and isinstance(content := self.file.get(at), dict):
            kids[at] = None
            at = content.get("Next")
        return list(kids)

    def items(self) -> Iterator[tuple[Ref, int]]:
        """Yield the items of page sets, each with its depth and before the items below it."""
        root = self.file.resolve(self.catalog.outline_root)
        stack: list[tuple[Value, int]] = [(root.get("First"), 0)] if isinstance(root, dict) else []
        seen: set[Ref] = set()  # items of other programs may form a cycle
        while stack:
            item, depth = stack.pop()
            if not isinstance(item, Ref) or item in seen or not isinstance(content := self.file.get(item), dict):
                continue
            seen.add(item)
            stack.append((content.get("Next"), depth))
            if ITEM in content:
                yield item, depth
                stack.append((content.get("First"), depth + 1))

    def _add_headings(self, item: Ref, page_set: PageSet, headings: Sequence[Heading]) -> None:
        """Add the headings of a page, each below the last heading of a higher rank; the title is not repeated."""
        path: list[tuple[int, Ref]] = []
        for at, heading in enumerate(headings):
            if heading.page >= len(page_set.objects) or (at == 0 and _shown(heading.title) == _shown(page_set.title)):
                continue
            while path and path[-1][0] >= heading.level:
                path.pop()
            reference = self.file.allocate()
            destination = [page_set.objects[heading.page], Name("XYZ"), None, round(heading.y), None]
            entries: dict[str, Value] = {"Title": text_string(_shown(heading.title)), "Dest": destination}
            self._append(path[-1][1] if path else item, reference, entries)
            path.append((heading.level, reference))

    @staticmethod
    def _entries(page_set: PageSet) -> dict[str, Value]:
        destination = [page_set.objects[0], Name("XYZ"), None, None, None]
        return {"Title": text_string(_title_of(page_set)), "Dest": destination}

    def _append(self, parent: Ref, item: Ref, entries: dict[str, Value]) -> None:
        """Make an item the last kid of another item, or of the outline dictionary."""
        above = self.file.get(parent)
        last = read_reference(above.get("Last"))
        content = {key: entry for key, entry in entries.items() if key not in ("Prev", "Next")}
        self.file.put(item, {**content, "Parent": parent, **({"Prev": last} if last is not None else {})})
        self._set(last, Next=item)
        self._set(parent, First=above.get("First", item), Last=item, Count=self._count_with(above, 1))

    def _set(self, reference: Ref | None, **changes: Value) -> None:
        """Change entries of an item, and remove those whose new value is None."""
        if reference is not None:
            content: dict[str, Any] = {**self.file.dictionary(reference), **changes}
            self.file.put(reference, {key: entry for key, entry in content.items() if entry is not None})

    def _count_with(self, parent: dict[str, Value], change: int) -> int | None:
        """Return the new Count of an outline dictionary, or of a closed item (Tables 152, 153)."""
        count = read_integer(self.file.resolve(parent.get("Count")))
        is_item = "Title" in parent
        changed = count - change if is_item else count + change
        return changed or None


def _title_of(page_set: PageSet) -> str:
    return _shown(page_set.title or (page_set.sources[0].url if page_set.sources else ""))


def _dated_title_of(page_set: PageSet) -> str:
    """Return the title with the date of a page set; without a date, if that is unknown."""
    title, moment = _title_of(page_set), page_set.created
    return title if moment is None else f"{title} ({moment:%Y-%m-%d %H:%M})"


def _shown(title: str) -> str:
    text = " ".join(_HIDDEN.sub("", title).split())
    return text if len(text) <= LONGEST_TITLE else text[: LONGEST_TITLE - 1] + "…"
