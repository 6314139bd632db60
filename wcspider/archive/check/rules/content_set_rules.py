"""The rules for content sets: those for all, for page sets, and for image sets (14.10.4)."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import ContentSet, Document
from wcspider.archive.check.reading.entries import (
    Entry,
    check_entries,
    cite,
    is_array,
    is_content_type,
    is_date,
    is_dictionary,
    is_image,
    is_integer,
    is_string,
    items,
    one_or_more,
    ref,
    string,
)
from wcspider.archive.check.rules.source_rules import check_sources
from wcspider.pdf.objects import Ref

_MD5_BYTES = 16


def _is_sources(value: object) -> bool:
    found = one_or_more(value)
    return bool(found) and all(is_dictionary(source) for source in found)


def _is_counts(value: object) -> bool:
    return is_integer(value) or (is_array(value) and all(is_integer(count) for count in items(value)))


_COMMON = (
    Entry("/Type", Rule.SET_TYPE, lambda value: value == pikepdf.Name.SpiderContentSet, "SpiderContentSet"),
    Entry(
        "/S",
        Rule.SET_S,
        lambda value: value in (pikepdf.Name.SPS, pikepdf.Name.SIS),
        "SPS or SIS",
        required=True,
    ),
    Entry("/ID", Rule.SET_ID, is_string, "a byte string", required=True),
    Entry("/O", Rule.SET_O, is_array, "an array", required=True),
    Entry(
        "/SI",
        Rule.SET_SI,
        _is_sources,
        "a source information dictionary or an array of one or more of them",
        required=True,
    ),
    Entry("/CT", Rule.SET_CT, is_content_type, "a content type"),
    Entry("/TS", Rule.SET_TS, is_date, "a date"),
)

_PAGE_SET = (
    Entry("/T", Rule.SET_T, is_string, "a text string"),
    Entry("/TID", Rule.SET_TID, is_string, "a byte string"),
)

_IMAGE_SET = (Entry("/R", Rule.R, _is_counts, "an integer or an array of integers", required=True),)


def check_content_sets(document: Document) -> Iterator[Finding]:
    """Check each content set and its sources."""
    _ = document.pages, document.images.counts, document.listed_commands  # read before the objects of the first step
    for content_set in document.sets:
        document.file.step()
        yield from check_entries(content_set.obj, content_set.where, _COMMON)
        yield from _check_digests(content_set)
        yield from _check_objects(content_set)
        if content_set.is_page_set:
            yield from _check_page_set(document, content_set)
        elif content_set.is_image_set:
            yield from _check_image_set(document, content_set)
        yield from check_sources(document, content_set)
    yield from _check_membership(document)


def _check_digests(content_set: ContentSet) -> Iterator[Finding]:
    for key in ("/ID", "/TID"):
        digest = string(content_set.obj.get(key))
        if digest is not None and len(digest) != _MD5_BYTES:
            yield Rule.MD5.broken(content_set.where, f"{key[1:]} has {len(digest)} bytes; an MD5 has 16")


def _check_objects(content_set: ContentSet) -> Iterator[Finding]:
    if content_set.lists_members and not content_set.members:
        yield Rule.SET_O_EMPTY.broken(content_set.where, "O is empty")
    if any(ref(member) is None for member in content_set.members):
        yield Rule.SET_O_INDIRECT.broken(content_set.where, "an element of O is not an indirect reference")


def _check_page_set(document: Document, content_set: ContentSet) -> Iterator[Finding]:
    yield from check_entries(content_set.obj, content_set.where, _PAGE_SET)
    if "/R" in content_set.obj:
        yield Rule.IMAGE_SET_ONLY.broken(content_set.where, "a page set has R")
    references = _references(content_set)
    pages = [document.pages[reference] for reference in references if reference in document.pages]
    if len(pages) < len(references):
        yield Rule.PAGE.broken(content_set.where, "an element of O is not a page of the document")
    numbers = [page.number for page in pages]
    if numbers != sorted(numbers):
        yield Rule.PAGE_ORDER.broken(content_set.where, f"its pages are in the order {numbers}")


def _check_image_set(document: Document, content_set: ContentSet) -> Iterator[Finding]:
    yield from check_entries(content_set.obj, content_set.where, _IMAGE_SET)
    for key in ("/T", "/TID"):
        if key in content_set.obj:
            yield Rule.PAGE_SET_ONLY.broken(content_set.where, f"an image set has {key[1:]}")
    if not all(is_image(member) for member in content_set.members if ref(member)):
        yield Rule.IMAGE.broken(content_set.where, "an element of O is not an image XObject")
    if content_set.members and _is_counts(content_set.obj.get("/R")):
        yield from _check_counts(document, content_set)


def _check_counts(document: Document, content_set: ContentSet) -> Iterator[Finding]:
    counts = content_set.obj.get("/R")
    members = content_set.members
    if is_array(counts) and len(members) == 1:
        yield Rule.R_INTEGER.broken(content_set.where, "R is an array though there is one XObject")
    if len(one_or_more(counts)) != len(members):
        yield Rule.R_PARALLEL.broken(content_set.where, "R and O are of different lengths")
        return
    for member, count in zip(members, one_or_more(counts), strict=True):
        if (reference := ref(member)) and count != (pages := document.images.counts[reference]):
            yield Rule.R_COUNT.broken(
                content_set.where,
                f"the reference count of {cite(reference)} is {count}; {pages} pages refer to it",
            )


def _check_membership(document: Document) -> Iterator[Finding]:
    for reference, parents in document.parents.items():
        yield from _check_once(Rule.PAGE_ONCE, reference, [p for p in parents if p.is_page_set])
        yield from _check_once(Rule.IMAGE_ONCE, reference, [p for p in parents if p.is_image_set])


def _check_once(rule: Rule, reference: Ref, parents: list[ContentSet]) -> Iterator[Finding]:
    if len(parents) > 1:
        others = ", ".join(dict.fromkeys(parent.where for parent in parents))
        yield rule.broken(f"object {cite(reference)}", f"it is listed more than once: {others}")


def _references(content_set: ContentSet) -> list[Ref]:
    return [reference for member in content_set.members if (reference := ref(member))]
