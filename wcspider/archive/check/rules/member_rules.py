"""The rules for the Web Capture entries of pages and image XObjects (14.10.6)."""

from __future__ import annotations

from collections.abc import Iterator

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import ContentSet, Document
from wcspider.archive.check.reading.entries import (
    TRAILER,
    Handle,
    Keyed,
    children,
    describe,
    entry,
    is_image,
    is_keyed,
    is_number,
    one_or_more,
    ref,
    string,
)
from wcspider.pdf.objects import Ref


def check_members(document: Document) -> Iterator[Finding]:
    """Check the pages of the document and the image XObjects of its pages and image sets."""
    finder = _Finder(document)
    for page in document.page_tree.pages:
        document.file.step()
        content = document.file.get(page.handle)
        if is_keyed(content):
            yield from finder.check(content, page.where)
        zoom = entry(content, "/PZ")
        if zoom is not None and not (is_number(zoom) and zoom > 0):
            yield Rule.PAGE_PZ.broken(page.where, "PZ is not a number greater than 0")
    for reference in sorted(_images(document)):
        document.file.step()
        image = document.file.get(Handle(reference))
        if is_keyed(image):
            yield from finder.check(image, describe("image XObject", image))


def _images(document: Document) -> set[Ref]:
    """Return the image XObjects of the pages and of the image sets."""
    images = set(document.images.counts)
    for content_set in document.sets:
        if content_set.is_page_set:
            continue
        document.file.step()
        images.update(reference for member in content_set.members if is_image(member) and (reference := ref(member)))
    return images


class _Finder:
    """A finder of the parent content set of an object, by the ID of the object in IDS (14.10.6)."""

    def __init__(self, document: Document) -> None:
        self._parents = document.parents
        self._sets = {reference for found in document.sets if (reference := found.handle.own_reference)}
        self._whole = document.ids.whole
        self._unreadable = set(_without_members(document))

    def check(self, member: Keyed, where: str) -> Iterator[Finding]:
        parents = self._parents.get(ref(member) or TRAILER, [])
        value = member.get("/ID")
        digest = string(value)
        if value is None:
            if parents:
                yield Rule.MEMBER_ID_ABSENT.broken(where, f"it has no ID; it belongs to {parents[0].where}")
        elif digest is None:
            yield Rule.MEMBER_ID.broken(where, "ID is not a byte string")
        elif parents:
            yield from _check_own(digest, parents, where)
        elif self._whole and digest not in self._unreadable:
            yield Rule.MEMBER_PARENT.broken(where, f"its ID is {digest.hex()}, but no content set lists it")
        if any(ref(item) in self._sets for value in children(member) for item in one_or_more(value)):
            yield Rule.MEMBER_POINTER.broken(where, "it points to a content set")


def _without_members(document: Document) -> Iterator[bytes]:
    """Yield the keys in IDS of content sets without an array of members."""
    listing = set()
    for content_set in document.sets:
        document.file.step()
        if content_set.lists_members:
            listing.add(content_set)
    yield from (key for key, found in document.by_id if found not in listing)


def _check_own(digest: bytes, parents: list[ContentSet], where: str) -> Iterator[Finding]:
    digests = {parent.digest for parent in parents}
    if digest not in digests and None not in digests:
        yield Rule.MEMBER_ID.broken(where, f"its ID is {digest.hex()}; it belongs to {parents[0].where}")
