"""The structure of a tagged PDF file (ISO 32000-1, 14.7), which gives marked content its ActualText (14.9.4)."""

from __future__ import annotations

from dataclasses import dataclass

import pikepdf

from wcspider.pdf.lru import LruCache

DEPTH_LIMIT = 200
"""The number of levels of structure elements that are searched for an ActualText."""

ELEMENTS_KEPT = 4096
"""The number of structure elements that are cached."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A text that replaces drawn content."""

    text: str
    element: tuple[int, int] | None = None
    """The structure element with the text, which replaces all content of the element; None for a single sequence."""


class Structure:
    """The structure elements of a file, found by their content."""

    def __init__(self, pdf: pikepdf.Pdf) -> None:
        root = pdf.Root.get("/StructTreeRoot")
        tree = root.get("/ParentTree") if isinstance(root, pikepdf.Dictionary) else None
        self._parents = pikepdf.NumberTree(tree) if isinstance(tree, pikepdf.Dictionary) else None
        self._known: LruCache[tuple[int, int], tuple[Replacement | None]] = LruCache(ELEMENTS_KEPT)

    def replacements(self, content: pikepdf.Object) -> dict[int, Replacement]:
        """Return the replacements of the marked content in a page or form XObject, by marked-content identifier."""
        elements = self._parent(content.get("/StructParents"))
        if not isinstance(elements, pikepdf.Array):
            return {}
        found = ((mcid, self._replacement(element)) for mcid, element in enumerate(elements))
        return {mcid: replacement for mcid, replacement in found if replacement is not None}

    def replacement(self, drawn: pikepdf.Object) -> Replacement | None:
        """Return the replacement of an XObject as a whole."""
        return self._replacement(self._parent(drawn.get("/StructParent")))

    def _parent(self, key: object) -> pikepdf.Object | None:
        return self._parents.get(key) if self._parents is not None and isinstance(key, int) else None

    def _replacement(self, element: object) -> Replacement | None:
        """Return the ActualText of this element or of the outermost element around it that has one."""
        if not isinstance(element, pikepdf.Dictionary):
            return None
        place = element.objgen
        known = self._known.get(place)
        if known is not None:
            return known[0]
        found = None
        above: pikepdf.Object | None = element
        for _ in range(DEPTH_LIMIT):
            if not isinstance(above, pikepdf.Dictionary) or above.get("/Type") == "/StructTreeRoot":
                break
            if isinstance(text := above.get("/ActualText"), pikepdf.String):
                found = Replacement(str(text), above.objgen)
            above = above.get("/P")
        if place != (0, 0):
            self._known.put(place, (found,))
        return found
