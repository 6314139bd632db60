"""The merging of equal streams, fonts and resource dictionaries that pages draw with.

Two objects are equal if their bytes are equal once their references lead to the kept objects. Some objects have an
identity of their own and are never merged: the members of content sets, optional content, and objects to which the
logical structure refers. Objects in a cycle of references are not merged either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from wcspider.archive.optimize.survey import Marks, Source
from wcspider.pdf.objects import Ref, Stream, Value, references, renumbered, write

SHARED_TYPES = frozenset(
    {"CMap", "Encoding", "ExtGState", "Font", "FontDescriptor", "Group", "Halftone", "Mask", "Pattern", "XObject"}
)
"""The types of the objects that may be merged. Resource dictionaries and functions have no type."""

STRUCTURE = frozenset({"StructParent", "StructParents"})
"""The entries by which the logical structure refers to an object (14.7.4.4)."""

PART = frozenset({"Parent", "Subtype"})
"""The entries of a dictionary that is part of another object without a type, such as an annotation or a field."""


class Merger:
    """A map from each object to an equal object that replaces it, built page by page.

    The objects in `distinct` are never merged.
    """

    def __init__(self, source: Source, distinct: Collection[Ref]) -> None:
        self.source = source
        self.distinct = distinct
        self.same: dict[Ref, Ref] = {}
        """For each object that is not kept, the object that replaces it."""

        self._first: dict[bytes, Ref] = {}
        self._seen = Marks()

    def add_page(self, content: dict[str, Value]) -> None:
        """Merge the content and the resources of a page or a node of the page tree."""
        resources = _without_properties({"Resources": content.get("Resources")})
        for reference in references([content.get("Contents"), resources]):
            self._merge_below(reference)

    def kept(self, reference: Ref) -> Ref:
        """Return the object that replaces another; the object itself if it is kept."""
        return self.same.get(reference, reference)

    def _merge_below(self, root: Ref) -> None:
        """Merge an object after the objects that it refers to, without recursion, because chains may be long."""
        stack = [] if root.number in self._seen else [self._opened(root)]
        while stack:
            at, value, children = stack[-1]
            child = next(children, None)
            if child is None:
                stack.pop()
                self._merge(at, value)
            elif child.number not in self._seen:
                stack.append(self._opened(child))

    def _opened(self, reference: Ref) -> tuple[Ref, Value, Iterator[Ref]]:
        """Return an object with its value and the objects to merge first; without both if it cannot be merged."""
        self._seen.add(reference.number)
        value = self.source.get(reference)
        if not _may_be_merged(value):
            return reference, None, iter(())
        return reference, value, references(_without_properties(value))

    def _merge(self, reference: Ref, value: Value) -> None:
        if value is None or reference in self.distinct:
            return
        first = self._first.setdefault(_digest(renumbered(value, self.kept)), reference)
        if first != reference:
            self.same[reference] = first


def _without_properties(value: Value) -> Value:
    """Return a value without property lists (14.6.2), which refer to optional content and to the structure."""
    content = value.dictionary if isinstance(value, Stream) else value
    if not isinstance(content, dict):
        return content
    rest = {key: entry for key, entry in content.items() if key != "Properties"}
    return {**rest, "Resources": _without_properties(rest["Resources"])} if "Resources" in rest else rest


def _may_be_merged(value: Value) -> bool:
    content = value.dictionary if isinstance(value, Stream) else value
    if not isinstance(content, dict):
        return True
    if not STRUCTURE.isdisjoint(content):
        return False
    if "Type" in content:
        return isinstance(content["Type"], str) and content["Type"] in SHARED_TYPES
    return isinstance(value, Stream) or PART.isdisjoint(content)


def _digest(value: Value) -> bytes:
    stream = isinstance(value, Stream)
    state = hashlib.blake2b(write(value.dictionary if stream else value), digest_size=16)
    if stream:
        state.update(b"stream" + value.data)
    return state.digest()
