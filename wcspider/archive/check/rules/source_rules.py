"""The rules for source information and URL alias dictionaries (14.10.5.1, 14.10.5.2)."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import ContentSet, Document
from wcspider.archive.check.reading.entries import (
    Entry,
    Handle,
    ascii_string,
    check_entries,
    is_array,
    is_date,
    is_dictionary,
    is_integer,
    items,
    ref,
    string,
)


def _is_ascii(value: object) -> bool:
    return ascii_string(value) is not None


_SOURCE = (
    Entry(
        "/AU",
        Rule.SI_AU,
        lambda value: _is_ascii(value) or is_dictionary(value),
        "an ASCII string or a URL alias dictionary",
        required=True,
    ),
    Entry("/TS", Rule.SI_TS, is_date, "a date"),
    Entry("/E", Rule.SI_E, is_date, "a date"),
    Entry("/S", Rule.SI_S, lambda value: is_integer(value) and value in (0, 1, 2), "0, 1 or 2"),
    Entry("/C", Rule.SI_C, is_dictionary, "a command dictionary"),
)

_ALIAS = (
    Entry("/U", Rule.ALIAS_U, _is_ascii, "an ASCII string", required=True),
    Entry("/C", Rule.ALIAS_C, lambda value: bool(items(value)), "an array of one or more chains"),
)


def check_sources(document: Document, content_set: ContentSet) -> Iterator[Finding]:
    """Check the sources of a content set."""
    destinations: set[bytes] = set()
    for source in content_set.sources:
        where = f"source information {_name(source)}of {content_set.where}"
        yield from check_entries(source, where, _SOURCE)
        yield from _check_alias(source.get("/AU"), where)
        yield from _check_command(document, source, where)
        if content_set.is_image_set:
            yield from _check_image_source(source, where)
        destination = _destination(source)
        if destination is not None and destination in destinations:
            yield Rule.SI_DISTINCT.broken(where, "another source information dictionary has the same URL")
        destinations.update([destination] if destination is not None else [])


def set_urls(content_set: ContentSet) -> set[bytes]:
    """Return every URL of a content set: those of its sources, and those that redirected to them."""
    return {url for source in content_set.sources for url in _source_urls(source)}


def _source_urls(source: pikepdf.Dictionary) -> Iterator[bytes]:
    if (destination := _destination(source)) is not None:
        yield destination
    alias = source.get("/AU")
    for chain in items(alias.get("/C")) if is_dictionary(alias) else []:
        yield from (url for item in items(chain) if (url := string(item)) is not None)


def _destination(source: pikepdf.Dictionary) -> bytes | None:
    alias = source.get("/AU")
    return string(alias.get("/U") if is_dictionary(alias) else alias)


def _name(source: pikepdf.Dictionary) -> str:
    destination = _destination(source)
    return f"{destination.decode('ascii', 'replace')} " if destination else ""


def _check_alias(alias: object, where: str) -> Iterator[Finding]:
    if not is_dictionary(alias):
        return
    yield from check_entries(alias, where, _ALIAS)
    if ref(alias):
        yield Rule.ALIAS_DIRECT.broken(where, "the URL alias dictionary is not a direct object")
    for chain in items(alias.get("/C")):
        if not is_array(chain) or not items(chain) or not all(_is_ascii(url) for url in items(chain)):
            yield Rule.ALIAS_CHAIN.broken(where, "a chain is not an array of one or more ASCII strings")


def _check_command(document: Document, source: pikepdf.Dictionary, where: str) -> Iterator[Finding]:
    command = source.get("/C")
    if not is_dictionary(command):
        return
    reference = ref(command)
    if reference is None:
        yield Rule.SI_C_INDIRECT.broken(where, "C is not an indirect reference")
    elif Handle(reference) not in document.listed_commands:
        yield Rule.SI_C_LISTED.broken(where, "its command is not in the C array of SpiderInfo")


def _check_image_source(source: pikepdf.Dictionary, where: str) -> Iterator[Finding]:
    if "/S" in source:
        yield Rule.SI_S_PAGE_SET.broken(where, "a source of an image set has S")
    if "/C" in source:
        yield Rule.SI_C_PAGE_SET.broken(where, "a source of an image set has C")
