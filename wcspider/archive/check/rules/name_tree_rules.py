"""The rules for the content database (14.10.3): URLS and IDS, the name trees that lead to the content sets."""

from __future__ import annotations

from collections.abc import Iterator

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import DESTINATIONS, ContentSet, Document
from wcspider.archive.check.reading.entries import entry, is_dictionary, unresolved
from wcspider.archive.check.reading.name_trees import NameTree
from wcspider.archive.check.rules.source_rules import set_urls
from wcspider.archive.check.rules.url_key_rules import check_url_keys, lookup_key
from wcspider.pdf.objects import Ref


def check_database(document: Document) -> Iterator[Finding]:
    """Check the content database as a whole (14.10.3), and all name trees (7.9.6)."""
    for tree in (document.urls, document.ids):
        yield from tree.findings
        yield from _check_values(document, tree)
    for tree in document.other_trees():
        yield from tree.findings
        if tree.name == DESTINATIONS:
            yield from _check_destinations(document, tree)
    yield from check_url_keys(document.urls)
    yield from _check_ids(document)
    yield from _check_urls(document)


def _check_values(document: Document, tree: NameTree) -> Iterator[Finding]:
    for key, value in tree.entries:
        where = f"name tree {tree.name}, key {_shown(key)}"
        found = document.elements[value]
        sets = [handle for handle in found if document.content_set(handle) is not None]
        if not found or len(sets) < len(found):
            yield Rule.VALUE.broken(where, "the value is not a content set or an array of content sets")
        references = [reference for handle in sets if (reference := handle.own_reference)]
        if len(references) < len(sets):
            yield Rule.TREE_VALUE_INDIRECT.broken(where, "a content set is not an indirect reference")
        if len(set(references)) < len(references):
            yield Rule.VALUE_ONCE.broken(where, "the same content set is listed twice")


def _check_destinations(document: Document, tree: NameTree) -> Iterator[Finding]:
    """Check that named destinations lead to pages (12.3.2.3). Those of a wrong type are no matter of Web Capture."""
    for key, value in tree.entries:
        document.file.step()
        found = document.file.get(value)
        target = unresolved(entry(found, "/D") if is_dictionary(found) else found)[:1]
        if target and isinstance(target[0], Ref) and target[0] not in document.pages:
            where = f"name tree {tree.name}, key {_shown(key)}"
            yield Rule.DESTINATION.broken(where, "its page is not a page of the document")


def _check_ids(document: Document) -> Iterator[Finding]:
    listed = set()
    for key, content_set in document.by_id:
        listed.add(content_set)
        if content_set.digest is not None and content_set.digest != key:
            yield Rule.IDS_OWN.broken(content_set.where, f"its key in IDS is {key.hex()}")
    for content_set in _shared(document, document.ids):
        if content_set not in listed:
            yield Rule.IN_IDS.broken(content_set.where, "it is not in IDS under its identifier")


def _check_urls(document: Document) -> Iterator[Finding]:
    keys: dict[ContentSet, set[bytes]] = {}
    for key, content_set in document.by_url:
        keys.setdefault(content_set, set()).add(lookup_key(key) or key)
    must_be_listed = set(_shared(document, document.urls))
    for content_set in document.sets:
        document.file.step()
        urls, found = _urls(content_set), keys.get(content_set, set())
        for key in sorted(found - urls) if urls else ():
            yield Rule.URLS_OWN.broken(
                content_set.where, f"one of its keys in URLS is {_shown(key)}, which is not its URL"
            )
        if content_set not in must_be_listed:
            continue
        if not found:
            yield Rule.IN_URLS.broken(content_set.where, "it is not in URLS")
        for url in sorted(urls - found) if found else ():
            yield Rule.URLS_COMPLETE.broken(content_set.where, f"it is not in URLS under {_shown(url)}")


def _urls(content_set: ContentSet) -> set[bytes]:
    return {lookup_key(url) or url for url in set_urls(content_set)}


def _shared(document: Document, tree: NameTree) -> list[ContentSet]:
    """Return the content sets that must be in a tree.

    If a part of the tree cannot be read, no content set is known to be missing. A direct object can only be in the
    tree that contains it.
    """
    return [found for found in document.sets if found.handle.own_reference] if tree.whole else []


def _shown(key: bytes) -> str:
    """Return a key for a message: a URL as it is, an identifier in hexadecimal digits."""
    return key.decode("ascii") if key.isascii() and key.decode("ascii").isprintable() else key.hex()
