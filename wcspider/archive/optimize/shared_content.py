"""What pages draw with, stored once: equal streams, fonts and resource dictionaries of a file.

Two objects are equal if they are so byte for byte once the references in them are to what is kept. What has an
identity of its own is never merged: the members of content sets, optional content, whatever the logical structure
leads to; nor is anything that leads back to itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator

from wcspider.archive.optimize.survey import Marks, Source
from wcspider.pdf.objects import Ref, Stream, Value, references, renumbered, write

SHARED_TYPES = frozenset(
    {"CMap", "Encoding", "ExtGState", "Font", "FontDescriptor", "Group", "Halftone", "Mask", "Pattern", "XObject"}
)
"""The types of what may be merged. Resource dictionaries, functions and the like have none."""

STRUCTURE = frozenset({"StructParent", "StructParents"})
"""By these the logical structure finds an object again (14.7.4.4)."""

PART = frozenset({"Parent", "Subtype"})
"""These make a dictionary without a type a part of something else: an annotation, a field."""


class Merger:
    """Finds, for one page after the other, the objects for which an equal one can stand.

    `distinct` are those that must not be merged, whatever they look like.
    """

    def __init__(self, source: Source, distinct: Collection[Ref]) -> None:
        self.source = source
        self.distinct = distinct
        self.same: dict[Ref, Ref] = {}
        """For each object that is not kept, the one that stands for it."""

        self._first: dict[bytes, Ref] = {}
        self._seen = Marks()

    def page(self, content: dict[str, Value]) -> None:
        """Take in what a page, or a node of the page tree, draws with."""
        for reference in references([content.get("Contents"), _drawn({"Resources": content.get("Resources")})]):
            self._merge_below(reference)

    def kept(self, reference: Ref) -> Ref:
        """Return the object that stands for another, which may be itself."""
        return self.same.get(reference, reference)

    def _merge_below(self, root: Ref) -> None:
        """Merge an object, after what it refers to. Without recursion: chains may be long."""
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
        """Fetch an object, and what comes before it: nothing at all for one that cannot be merged."""
        self._seen.add(reference.number)
        value = self.source.get(reference)
        return (reference, value, references(_drawn(value))) if _is_shared(value) else (reference, None, iter(()))

    def _merge(self, reference: Ref, value: Value) -> None:
        if value is None or reference in self.distinct:
            return
        first = self._first.setdefault(_digest(renumbered(value, self.kept)), reference)
        if first != reference:
            self.same[reference] = first


def _drawn(value: Value) -> Value:
    """Leave property lists out of a value (14.6.2): they lead to optional content and to the structure."""
    content = value.dictionary if isinstance(value, Stream) else value
    if not isinstance(content, dict):
        return content
    left = {key: entry for key, entry in content.items() if key != "Properties"}
    return {**left, "Resources": _drawn(left["Resources"])} if "Resources" in left else left


def _is_shared(value: Value) -> bool:
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
