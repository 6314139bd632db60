"""The rules for command settings dictionaries (14.10.5.4), which no other object may refer into."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pikepdf

from wcspider.archive.check.findings import Finding, Rule
from wcspider.archive.check.reading.checked_document import Document
from wcspider.archive.check.reading.entries import (
    Entry,
    Handle,
    check_entries,
    children,
    cite,
    entry,
    is_dictionary,
    name_of,
    named_items,
    ref,
)
from wcspider.archive.check.reading.opening import CheckedFile
from wcspider.pdf.objects import Ref

_ENGINE_NAME = re.compile(r"/[^:]+:[^:]*:[^:]*:[^:]*", re.DOTALL)
"""``company:product:version:contentType``; only the company is required, by Annex E."""

_SETTINGS = (
    Entry("/G", Rule.SETTINGS_G, is_dictionary, "a dictionary"),
    Entry("/C", Rule.SETTINGS_C, is_dictionary, "a dictionary"),
)


@dataclass(frozen=True)
class _Settings:
    """A command settings dictionary, and the objects that it leads to."""

    handle: Handle
    holders: frozenset[Ref]
    """The commands that have these settings."""

    graph: frozenset[Ref]
    """The indirect objects that the dictionary leads to, with the dictionary if it is indirect."""

    @property
    def where(self) -> str:
        return name_of("command settings", self.handle)

    def admits(self, referrer: Ref, target: Ref) -> bool:
        """Return whether the object ``referrer`` may refer to ``target``, which is in the graph.

        Outside the graph only commands may, and only to the root. A direct root is a part of its command.
        """
        root = self.handle.own_reference
        return referrer in self.graph or (referrer in self.holders and root in (None, target))


def check_settings(document: Document) -> Iterator[Finding]:
    """Check the command settings dictionaries, each once if several commands share it."""
    found = list(_all_settings(document))
    for settings in found:
        obj = document.file.get(settings.handle)
        yield from check_entries(obj, settings.where, _SETTINGS)
        yield from _check_engines(obj, settings.where)
    yield from _check_closed(document.file, [settings for settings in found if settings.graph])


def _all_settings(document: Document) -> Iterator[_Settings]:
    holders: dict[Handle, set[Ref]] = {}
    for command in document.commands:
        settings = entry(document.file.get(command), "/S")
        if is_dictionary(settings):
            handle = command.child("/S", settings)
            holders.setdefault(handle, set()).update(filter(None, [command.own_reference]))
    for handle, references in holders.items():
        yield _Settings(handle, frozenset(references), _graph(document.file.get(handle)))


def _check_engines(obj: object, where: str) -> Iterator[Finding]:
    engines = entry(obj, "/C")
    if not is_dictionary(engines):
        return
    for name, value in named_items(engines):
        if not _ENGINE_NAME.fullmatch(name):
            yield Rule.SETTINGS_C_NAME.broken(where, f"the key {name} of C is not company:product:version:contentType")
        if not is_dictionary(value):
            yield Rule.SETTINGS_C_VALUE.broken(where, f"the value of {name} is not a dictionary")


def _check_closed(file: CheckedFile, all_settings: list[_Settings]) -> Iterator[Finding]:
    if not all_settings:
        return
    targets = frozenset().union(*(settings.graph for settings in all_settings))
    for obj, mentioned in file.objects():
        referrer = ref(obj)
        if referrer is None or targets.isdisjoint(mentioned):
            continue
        for target in sorted(_direct_references(obj).keys() & targets):
            for settings in all_settings:
                if target in settings.graph and not settings.admits(referrer, target):
                    yield Rule.SETTINGS_CLOSED.broken(
                        settings.where,
                        f"{cite(referrer)} refers to {cite(target)}, a part of the settings",
                    )


def _graph(root: object) -> frozenset[Ref]:
    """Return the indirect objects that ``root`` leads to."""
    graph: set[Ref] = set(filter(None, [ref(root)]))
    pending: list[object] = [root]
    while pending:
        for reference, value in _direct_references(pending.pop()).items():
            if reference not in graph:
                graph.add(reference)
                pending.append(value)
    return frozenset(graph)


def _direct_references(obj: object) -> dict[Ref, pikepdf.Object]:
    """Return the objects that an object refers to directly."""
    found: dict[Ref, pikepdf.Object] = {}
    pending: list[object] = children(obj)
    while pending:
        value = pending.pop()
        reference = ref(value)
        if reference is None:
            pending.extend(children(value))
        elif isinstance(value, pikepdf.Object):
            found[reference] = value
    return found
