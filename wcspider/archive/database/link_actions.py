"""Links between what a file holds: one action for each target, turned when the target is captured.

Every link to one target refers to the same action object. A name tree of our own, WCSP_Links, finds it by the
target's URL, so a link that was written before its target was captured, in this run or an earlier one, is turned from
a URI action into a jump by changing that one object. A jump leads to a named destination with a unique name
(ISO 32000-1, 14.10.3.4), which is made when the first link to it is.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote_from_bytes, unquote_to_bytes

from wcspider.archive.database.catalog import Catalog
from wcspider.engines.base import Anchor
from wcspider.exceptions import InvalidURLError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.lru import LruCache
from wcspider.pdf.objects import Name, Ref, Value
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.web.urls import canonical_url, split_fragment
from wcspider.webcapture.names import destination_name

LINKS = "WCSP_Links"
DESTINATIONS = "Dests"
ANCHORS_KEPT = 64
ACTIONS_KEPT = 4096

_FRAGMENT_SAFE = "!$%&'()*+,/:;=?@-._~"
"""What stands in a fragment as it is (RFC 3986, 3.5), and the percent sign of what is encoded already."""

Place = tuple[int, Value, Value]


class Links:
    """The actions of links, by target, and the named destinations that they lead to."""

    def __init__(self, file: RevisionFile, catalog: Catalog) -> None:
        self.file = file
        self.catalog = catalog
        self._anchors: LruCache[Ref, dict[bytes, Place]] = LruCache(ANCHORS_KEPT)
        self._actions: LruCache[bytes, Ref] = LruCache(ACTIONS_KEPT)

    def action(self, uri: bytes, target: Callable[[], PageSet | None]) -> Ref:
        """Return the action of every link to `uri`; `target` finds the page set that it leads to."""
        known = self._actions.get(uri)
        return self._actions.put(uri, self._find_action(uri, target)) if known is None else known

    def _find_action(self, uri: bytes, target: Callable[[], PageSet | None]) -> Ref:
        key = link_key(uri) or uri
        tree = self.catalog.tree_to_change(LINKS)
        known = tree.get(key)
        if isinstance(known, Ref):
            return known
        page_set = target()
        action = _uri_action(uri) if page_set is None else self._jump(key, page_set)
        reference = self.file.add(action)
        tree[key] = reference
        return reference

    def turn(self, url: str, target: PageSet | None) -> None:
        """Let the links to a URL, and to places in it, lead to a page set that came from it; None: to the web."""
        tree = self.catalog.tree(LINKS)
        if tree is None:
            return
        page = url_key(url)
        for key, reference in list(tree.items(page, page + b"$")):  # "$" is the character behind "#"
            if key == page or key.startswith(page + b"#"):
                action = _uri_action(key) if target is None else self._jump(key, target)
                if self.file.get(reference) != action:
                    self.file.put(reference, action)

    def forget(self, target: PageSet) -> None:
        """Remove the named destinations that lead into a page set."""
        tree = self.catalog.tree(DESTINATIONS)
        if tree is None:
            return
        for fragment in (b"", *self._places(target)):
            name = destination_name(fragment, target.identifier)
            if name in tree:
                del tree[name]

    def keep_anchors(self, anchors: tuple[Anchor, ...]) -> Ref | None:
        """Put the places of a page set that links may name into the file; None if there are none."""
        if not anchors:
            return None
        entries: list[Value] = []
        for anchor in anchors:
            entries += [anchor.name.encode("utf-8", "replace"), anchor.page, round(anchor.x), round(anchor.y)]
        return self.file.add(entries)

    def _jump(self, key: bytes, target: PageSet) -> dict[str, Value]:
        _, _, fragment = key.partition(b"#")
        place = self._places(target).get(fragment)
        name = destination_name(fragment if place else b"", target.identifier)
        tree = self.catalog.tree_to_change(DESTINATIONS)
        if name not in tree:
            tree[name] = self.file.add(self._destination(target, place))
        return {"S": Name("GoTo"), "D": name}

    def _destination(self, target: PageSet, place: Place | None) -> list[Value]:
        """Return an explicit destination (12.3.2.2): a place, or the top of the page set."""
        page, x, y = place or (0, None, None)
        return [target.objects[min(page, len(target.objects) - 1)], Name("XYZ"), x, y, None]

    def _places(self, target: PageSet) -> dict[bytes, Place]:
        if target.anchors is None:
            return {}
        known = self._anchors.get(target.anchors)
        if known is not None:
            return known
        flat = self.file.get(target.anchors) or []
        rows = zip(flat[::4], flat[1::4], flat[2::4], flat[3::4], strict=False)
        return self._anchors.put(target.anchors, {name: (page, x, y) for name, page, x, y in rows})


def _uri_action(uri: bytes) -> dict[str, Value]:
    """Return a URI action (12.6.4.7); of a key, the fragment is encoded again."""
    page, _, fragment = uri.partition(b"#")
    encoded = b"#" + quote_from_bytes(fragment, safe=_FRAGMENT_SAFE).encode() if fragment else b""
    return {"S": Name("URI"), "URI": page + encoded}


def url_key(url: str) -> bytes:
    """Return a URL as it stands in a file: what is not ASCII in somebody else's was read as Latin-1."""
    return url.encode("latin-1", "replace")


def link_key(uri: bytes) -> bytes | None:
    """Return the key of a link's target: its canonical URL, and its fragment decoded; None for what has no page."""
    try:
        page, fragment = split_fragment(uri.decode("utf-8"))
        url = canonical_url(page).encode("ascii")
    except (InvalidURLError, UnicodeDecodeError):
        return None
    return url + b"#" + unquote_to_bytes(fragment) if fragment else url
