"""The targets of links and outline items in a file that is merged: URLs, and explicit destinations (12.3.2.2)."""

from __future__ import annotations

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.link_actions import DESTINATIONS, LINKS
from wcspider.archive.journal.temporary_map import TemporaryMap
from wcspider.archive.pages.link_keys import uri_action
from wcspider.pdf.objects import Name, Ref, Value

MOST_STEPS = 8
"""The limit of the number of references and dictionaries between a destination and its array."""


class LinkTargets:
    """The URLs to which the links of a file lead, also of links that are jumps.

    The name tree WCSP_Links finds actions by URL. This is the reverse, in a temporary database: a file may have
    millions of links.
    """

    def __init__(self, source: ContentDatabase) -> None:
        self.file = source.file
        entries = source.catalog.tree_items(LINKS)
        self._keys = TemporaryMap((action.number, key) for key, action in entries if isinstance(action, Ref))

    def close(self) -> None:
        """Remove the temporary database."""
        self._keys.close()

    def uri(self, action: Value) -> bytes | None:
        """Return the URI to which an action leads; None if it is another kind of action, or if others follow it."""
        content = self.file.dictionary(action)
        uri = self.file.resolve(content.get("URI"))
        if content.get("S") == "URI" and isinstance(uri, bytes) and "Next" not in content:
            return uri
        key = self._keys.get(action.number) if isinstance(action, Ref) and content.get("S") == "GoTo" else None
        return None if key is None else bytes(uri_action(key)["URI"])


class Destinations:
    """The explicit destinations of a file."""

    def __init__(self, source: ContentDatabase) -> None:
        self.source = source
        self.file = source.file

    def explicit(self, destination: Value) -> list[Value] | None:
        """Return the array of a destination or of a named destination (12.3.2.3); None if there is none."""
        value = destination
        for _ in range(MOST_STEPS):
            value = self.file.resolve(value)
            if isinstance(value, bytes | Name):
                value = self._named(value)
            elif isinstance(value, dict):
                value = value.get("D")
            else:
                break
        return value if isinstance(value, list) and value and isinstance(value[0], Ref) else None

    def _named(self, name: bytes | Name) -> Value:
        if isinstance(name, Name):
            return self.file.dictionary(self.source.catalog.entry(DESTINATIONS)).get(name)
        return self.source.catalog.tree_value(DESTINATIONS, name)
