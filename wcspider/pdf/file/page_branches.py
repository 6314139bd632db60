"""The nodes of a page tree (ISO 32000-1, 7.7.3.2) that can be moved: those of page sets, and of other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from wcspider.exceptions import TargetDamagedError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Ref, Value

INHERITABLE = frozenset({"Resources", "MediaBox", "CropBox", "Rotate"})
"""The inheritable entries of a page (Table 30). A node with one of these was written by another program."""


DEEPEST = 64
"""The maximum depth of a tree. A deeper tree must have a cycle."""


class Branch(NamedTuple):
    """A kid of a node that contains only nodes."""

    kid: Ref
    parent: Ref
    owner: Ref | None = None
    """The first page of the page set to which the kid belongs; None for any other kid."""


def endless(file: RevisionFile) -> TargetDamagedError:
    """Return the error of a tree with a cycle."""
    return TargetDamagedError(f"{file.path}: the page tree contains itself", "use an older copy of the file")


def branches_below(
    file: RevisionFile, node: Ref, owners: Mapping[Ref, tuple[Ref, ...]], depth: int = 0
) -> Iterator[Branch]:
    """Yield the kids of a node, and of the nodes below it that contain only nodes, in order.

    `owners` are the pages of page sets, by the first of them.
    """
    if depth >= DEEPEST:
        raise endless(file)
    for kid in file.array(file.dictionary(node).get("Kids")):
        content = file.dictionary(kid)
        kids = file.array(content.get("Kids"))
        first = kids[0] if kids and isinstance(kids[0], Ref) else None
        if first is not None and owners.get(first) == tuple(kids):
            yield Branch(kid, node, first)
        elif kids and INHERITABLE.isdisjoint(content) and all(is_node(file, entry) for entry in kids):
            yield from branches_below(file, kid, owners, depth + 1)
        else:
            yield Branch(kid, node)


def is_node(file: RevisionFile, kid: Value) -> bool:
    """Tell whether a kid is a node, not a page. A page is not read for this."""
    kids = file.entry(kid, "Kids") if isinstance(kid, Ref) else file.dictionary(kid).get("Kids")
    return kids is not None
