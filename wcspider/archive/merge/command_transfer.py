"""The commands (ISO 32000-1, 14.10.5.3) of an input, added to those of the merged file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.merge.page_reading import Extract, graft_of
from wcspider.archive.run.sitemap_links import listed, listed_sitemaps, store_listed
from wcspider.pdf.objects import Ref
from wcspider.pdf.webcapture.commands import WebCaptureInfo
from wcspider.webcapture.records import Command


def add_commands(
    database: ContentDatabase, source: ContentDatabase, extract: Callable[[Ref], Extract]
) -> dict[Ref, Ref]:
    """Add the commands of a file in their order; return the commands of the merged file for them.

    A command that the merged file has already is not added again, so that merging a file every night adds no command.
    """
    present: dict[str, list[tuple[Ref, Command]]] = {}
    for reference, command in database.commands():
        present.setdefault(command.url, []).append((reference, command))
    found: dict[Ref, Ref] = {}
    added: list[Ref] = []
    for theirs, command in source.commands():
        alike = present.setdefault(command.url, [])
        mine = next((reference for reference, other in alike if other == command), None)
        if mine is None:
            mine = _copied(database, extract(theirs))
            added.append(mine)
            alike.append((mine, command))
        elif command.sitemap:
            store_listed(database, mine, listed(source, theirs), listed_sitemaps(source, theirs))
        found[theirs] = mine
    info = database.catalog.web_capture or WebCaptureInfo()
    database.catalog.web_capture = replace(info, commands=(*info.commands, *added))
    return found


def _copied(database: ContentDatabase, extract: Extract) -> Ref:
    """Put a command into the file with all entries, also those of other programs."""
    graft = graft_of(database, extract)
    return database.file.put(graft.reserve(0), graft.local(extract.fragment.objects[0]))
