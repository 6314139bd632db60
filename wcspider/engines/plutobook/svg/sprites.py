"""Symbols from other files (SVG 2, 5.6): a copy of the symbol takes the place of a USE element that refers to it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, Final

from lxml import etree

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import asset_key
from wcspider.engines.document.media import HREFS
from wcspider.engines.images.svg_source import svg_source
from wcspider.exceptions import SourceUnreadableError

MAX_ELEMENTS: Final = 20_000
"""How many elements are copied into a page."""

_PARSER: Final = etree.XMLParser(resolve_entities="internal", no_network=True, remove_comments=True, remove_pis=True)


class Sprites:
    """The symbols in the files of a page."""

    def __init__(self, assets: Mapping[str, Asset], base: str, encoding: str) -> None:
        self._assets, self._base, self._encoding = assets, base, encoding
        self._left = MAX_ELEMENTS

    @property
    def has_too_many(self) -> bool:
        """True if some symbols were not copied, because the page had too many."""
        return self._left < 0

    def copy_into(self, drawing: Any) -> None:
        """Replace the USE elements of a drawing that refer to other files. Others are not changed."""
        for use in list(drawing.iter("use")):
            reference = next(filter(None, map(use.get, HREFS)), "")
            url, _, name = reference.partition("#")
            symbol = self._symbol(url, name) if url.strip() and name else None
            if symbol is not None:
                self._replace(use, deepcopy(symbol))

    def _symbol(self, url: str, name: str) -> Any:
        asset = self._assets.get(asset_key(self._base, url, self._encoding))
        return None if asset is None else _symbols(asset.body).get(name)

    def _replace(self, use: Any, symbol: Any) -> None:
        elements = list(symbol.iter(etree.Element))
        self._left -= len(elements)
        if self._left < 0:
            return
        for element in elements:
            element.tag = etree.QName(element).localname
            element.attrib.pop("id", None)
        etree.cleanup_namespaces(symbol)
        place = {name: value for name, value in use.attrib.items() if name not in HREFS}
        if symbol.tag in ("symbol", "svg"):
            symbol.tag = "svg"
            symbol.attrib.update({"width": "100%", "height": "100%"} | place)
            copy = symbol
        else:
            x, y = place.pop("x", "0"), place.pop("y", "0")
            place["transform"] = f"{place.get('transform', '')} translate({x} {y})".strip()
            copy = use.makeelement("g", place)
            copy.append(symbol)
        copy.tail = use.tail
        use.getparent().replace(use, copy)


@lru_cache(maxsize=8)
def _symbols(body: bytes) -> Mapping[str, Any]:
    """Return the elements of an SVG file by ID; of a file that cannot be read, none."""
    try:
        source = svg_source(body)
        root = None if source is None else etree.fromstring(source, _PARSER)
    except (SourceUnreadableError, etree.XMLSyntaxError):
        root = None
    return {} if root is None else {element.get("id"): element for element in root.iter() if element.get("id")}
