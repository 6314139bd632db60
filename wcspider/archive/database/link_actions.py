"""Links between the pages of a file: one action for each target, changed when the target is captured.

All links to one target refer to the same action object. The second-class name tree WCSP_Links finds it by the target's
URL. A link may be written before its target is captured, in this run or an earlier one. It then becomes a jump within
the file by changing this one object from a URI action to a go-to action. A jump leads to a named destination with a
unique name (ISO 32000-1, 14.10.3.4), which is created with the first link to it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes

from wcspider.archive.database.catalog import Catalog
from wcspider.engines.base import Anchor
from wcspider.exceptions import InvalidURLError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Name, Ref, Syntax, Value, write
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.web.urls import canonical_url, split_fragment
from wcspider.webcapture.names import destination_name

LINKS = "WCSP_Links"
DESTINATIONS = "Dests"
CACHED_ANCHORS = 64
CACHED_ACTIONS = 16384

_FRAGMENT_SAFE = "!$%&'()*+,/:;=?@-._~"
"""The characters that are not encoded in a fragment (RFC 3986, 3.5), and the percent sign of encoded characters."""


class AnchorPosition(NamedTuple):
    """The position of an anchor: the index of its page in the page set, and its coordinates on that page."""

    page: int
    x: Value
    y: Value


class Links:
    """The actions of links, by target, and the named destinations to which they lead."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._anchors: LruCache[Ref, dict[bytes, AnchorPosition]] = LruCache(CACHED_ANCHORS)
        self._actions: LruCache[bytes, Ref] = LruCache(CACHED_ACTIONS)

    def action(self, uri: bytes, target: Callable[[], PageSet | None]) -> Ref:
        """Return the action for all links to `uri`; `target` finds the page set to which it leads."""
        known = self._actions.get(uri)
        return self._actions.put(uri, self._find_action(uri, target)) if known is None else known

    def _find_action(self, uri: bytes, target: Callable[[], PageSet | None]) -> Ref:
        key = link_key(uri) or uri
        tree = self.catalog.tree_to_change(LINKS)
        known = tree.get(key)
        if isinstance(known, Ref):
            return known
        page_set = target()
        reference = self.file.add(_written_uri_action(uri) if page_set is None else self._jump(key, page_set))
        tree[key] = reference
        return reference

    def retarget(self, url: str, target: PageSet | None) -> None:
        """Make the links to a URL, with or without a fragment, lead to a page set, or to the web for None."""
        tree = self.catalog.tree(LINKS)
        if tree is None:
            return
        page = url_key(url)
        for key, reference in list(tree.items(page, page + b"$")):  # "$" is the character behind "#"
            if key == page or key.startswith(page + b"#"):
                action = uri_action(key) if target is None else self._jump(key, target)
                if self.file.get(reference) != action:
                    self.file.put(reference, action)

    def remove_destinations(self, target: PageSet) -> None:
        """Remove the named destinations in a page set."""
        tree = self.catalog.tree(DESTINATIONS)
        if tree is None:
            return
        for fragment in (b"", *self._positions(target)):
            name = destination_name(fragment, target.identifier)
            if name in tree:
                del tree[name]

    def store_anchors(self, anchors: tuple[Anchor, ...]) -> Ref | None:
        """Put the anchors of a page set into the file; None if there are none."""
        if not anchors:
            return None
        entries: list[Value] = []
        for anchor in anchors:
            entries += [anchor.name.encode("utf-8", "replace"), anchor.page, round(anchor.x), round(anchor.y)]
        return self.file.add(entries)

    def _jump(self, key: bytes, target: PageSet) -> dict[str, Value]:
        _, _, fragment = key.partition(b"#")
        position = self._positions(target).get(fragment)
        name = destination_name(fragment if position else b"", target.identifier)
        tree = self.catalog.tree_to_change(DESTINATIONS)
        if name not in tree:
            tree[name] = self.file.add(self._destination(target, position))
        return {"S": Name("GoTo"), "D": name}

    def _destination(self, target: PageSet, position: AnchorPosition | None) -> list[Value]:
        """Return an explicit destination (12.3.2.2): an anchor, or the top of the page set for None."""
        page, x, y = position or (0, None, None)
        return [target.objects[min(page, len(target.objects) - 1)], Name("XYZ"), x, y, None]

    def _positions(self, target: PageSet) -> dict[bytes, AnchorPosition]:
        """Return the positions of the anchors of a page set, by name."""
        if target.anchors is None:
            return {}
        known = self._anchors.get(target.anchors)
        if known is not None:
            return known
        flat = self.file.get(target.anchors) or []
        rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=False)
        return self._anchors.put(target.anchors, {name: AnchorPosition(page, x, y) for name, page, x, y in rows})


def uri_action(uri: bytes) -> dict[str, Value]:
    """Return a URI action (12.6.4.7); the fragment, which is decoded in keys, is encoded again."""
    return {"S": Name("URI"), "URI": _encoded_fragment(uri)}


def _encoded_fragment(uri: bytes) -> bytes:
    page, _, fragment = uri.partition(b"#")
    return page + b"#" + quote_from_bytes(fragment, safe=_FRAGMENT_SAFE).encode() if fragment else page


def _written_uri_action(uri: bytes) -> Syntax:
    """Return the syntax of a URI action. Pages have hundreds, so it is put together without the dictionary."""
    return Syntax(b"<</S /URI/URI %b>>" % write(_encoded_fragment(uri)))


def url_key(url: str) -> bytes:
    """Return a URL as a name tree key. Non-ASCII bytes in files of other programs were read as Latin-1."""
    return url.encode("latin-1", "replace")


def link_key(uri: bytes) -> bytes | None:
    """Return the key of a link's target: its canonical URL, and its fragment decoded; None if it cannot be captured."""
    try:
        page, fragment = split_fragment(uri.decode("utf-8"))
        url = _page_key(page)
    except (InvalidURLError, UnicodeDecodeError):
        return None
    return url + b"#" + unquote_to_bytes(fragment) if fragment else url


@lru_cache(maxsize=4096)
def _page_key(url: str) -> bytes:
    """Return the canonical form of a URL without a fragment: many links lead to places in the same page."""
    return canonical_url(url).encode("ascii")
