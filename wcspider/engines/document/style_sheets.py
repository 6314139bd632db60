"""The style sheets of a page, as rules in the order of the cascade (CSS Cascading and Inheritance 5, 6.4).

Imports are inserted, conditions are evaluated, and nested rules are resolved.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from zlib import crc32

import tinycss2

from wcspider.engines.base import Asset
from wcspider.engines.document.absolute_urls import absolute, asset_key
from wcspider.engines.document.html_trees import elements
from wcspider.web.numbers import with_readable_number_bytes
from wcspider.web.styles.css import MAX_IMPORT_DEPTH
from wcspider.web.styles.layers import Layer, in_order
from wcspider.web.styles.responsive import Viewport, applies
from wcspider.web.styles.sheets import is_linked_sheet, is_style
from wcspider.web.styles.tokens import significant, split_list, text_of, url_of

_KEPT: Final = frozenset({"font-face", "counter-style", "property"})
"""The at-rules that are no conditions and contain no rules."""

MAX_LAYER_DEPTH: Final = 10
"""The number of layers inside each other; the rules of deeper layers belong to the one at this depth."""

CONTAINER: Final = "data-wcspider-container"
"""The attribute with the size queries that a container meets, with underscores in the place of spaces."""

_PLAIN_QUERY: Final = re.compile(r"[\w\s()<>=:.%/+*-]+", re.ASCII)
_PSEUDO_ELEMENT: Final = re.compile(r"(?:::[\w-]+|:(?:before|after|first-line|first-letter))?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rule:
    """A style rule (CSS Syntax 3, 9.1)."""

    selector: str
    """The list of selectors; for a nested rule, those of the rules around it are part of it."""

    declarations: tuple[Any, ...]
    """The declarations, as objects of tinycss2."""


@dataclass(frozen=True, slots=True)
class Import:
    """A reference to a style sheet whose rules come before those of the sheet that imports it."""

    url: str
    path: tuple[str, ...]
    """The path of the layer that gets the rules; see `Layer`."""

    mentioned: tuple[Layer, ...]
    """The layers that the importing sheet mentions before it."""


class Rules:
    """The rules of one style sheet, by layer. `path` is the path of the layer into which the sheet is imported.

    `meets` tells whether the condition of an @supports rule is met. `known` returns a selector list without the
    selectors that have no effect; "" if none is left.
    """

    def __init__(
        self,
        body: bytes,
        charset: str | None,
        viewport: Viewport,
        path: tuple[str, ...] = (),
        *,
        meets: Callable[[Sequence[Any]], bool],
        known: Callable[[str], str] = str,
    ) -> None:
        self.imports: list[Import] = []
        self.layers: dict[Layer, list[Any]] = {Layer(path): []}
        """The rules of each layer, and the at-rules that stand between them. The layers are in the order of mention."""

        self._path = path
        self._digest = f"{crc32(body):x}"
        self._containers = ""
        """The condition for elements in containers, as a part of their selectors."""

        self._viewport, self._meets, self._known = viewport, meets, known
        readable = with_readable_number_bytes(body)
        nodes, _ = tinycss2.parse_stylesheet_bytes(readable, charset, skip_comments=True, skip_whitespace=True)
        self._add_all(nodes, "")

    def _add_all(self, nodes: Sequence[Any], within: str) -> None:
        """Add rules. `within` is the selector of the rule around them, or empty."""
        for node in nodes:
            with suppress(RecursionError):  # tinycss2 cannot write deeply nested rules
                if node.type == "qualified-rule":
                    # An error, such as a brace too many, makes the rule behind it invalid.
                    is_valid = all(token.type != "error" for token in node.prelude)
                    selector = self._known(text_of(node.prelude)) if is_valid else ""
                    if selector:
                        self._add(_nested(within, selector) if within else selector, node.content)
                elif node.type == "at-rule":
                    self._add_at_rule(node, within)

    def _add(self, selector: str, content: Sequence[Any]) -> None:
        items = tinycss2.parse_blocks_contents(content, True, True)
        conditional = with_condition(selector, self._containers)
        declarations = [item for item in items if item.type == "declaration"]
        if self._path:
            important = [declaration for declaration in declarations if declaration.important]
            declarations = [declaration for declaration in declarations if not declaration.important]
            if important:
                found = self.layers.setdefault(Layer(self._path, is_important=True), [])
                found.append(Rule(conditional, tuple(important)))
        self.layers[Layer(self._path)].append(Rule(conditional, tuple(declarations)))
        self._add_all(items, selector)

    def _add_at_rule(self, rule: Any, within: str) -> None:
        keyword = rule.lower_at_keyword
        if keyword in _KEPT:
            self.layers[Layer(self._path)].append(rule)
        elif keyword == "import" and not within:  # inside another rule, it would apply to the whole page
            self._add_import(significant(rule.prelude))
        elif keyword == "layer":
            paths = [self._mentioned(name) for name in split_list(rule.prelude)]
            with self._in_layer(paths[0]):
                self._add_contents(rule, within)
        elif keyword == "container":
            around, self._containers = self._containers, self._containers + _in_container(rule)
            self._add_contents(rule, within)
            self._containers = around
        elif keyword == "scope":
            self._add_contents(rule, _scope(rule, within))
        elif self._applies(rule):
            self._add_contents(rule, within)

    def _mentioned(self, name: str) -> tuple[str, ...]:
        """Return the path of a layer that the sheet mentions. A layer without a name differs from all others."""
        own = name.split(".", MAX_LAYER_DEPTH) if name else [f" {self._digest} {len(self.layers)}"]
        path = (*self._path, *own)[:MAX_LAYER_DEPTH]
        self.layers.setdefault(Layer(path), [])
        return path

    @contextmanager
    def _in_layer(self, path: tuple[str, ...]) -> Iterator[None]:
        outer, self._path = self._path, path
        try:
            yield
        finally:
            self._path = outer

    def _applies(self, rule: Any) -> bool:
        """Tell whether an at-rule is a condition that is met."""
        if rule.lower_at_keyword == "media":
            return applies(tinycss2.serialize(rule.prelude), self._viewport)
        return rule.lower_at_keyword == "supports" and self._meets(rule.prelude)

    def _add_contents(self, rule: Any, within: str) -> None:
        if rule.content is not None and within:
            self._add(within, rule.content)
        elif rule.content is not None:
            self._add_all(tinycss2.parse_rule_list(rule.content, True, True), within)

    def _add_import(self, tokens: Sequence[Any]) -> None:
        target = url_of(tokens[0], strings=True) if tokens else None
        rest = list(tokens[1:])
        names = [rest.pop(0)] if rest and _word(rest[0]) == "layer" else []
        if rest and _word(rest[0]) == "supports":
            rest.pop(0)
        if target and applies(" ".join(token.serialize() for token in rest), self._viewport):
            mentioned = tuple(self.layers)
            path = self._mentioned(text_of(getattr(names[0], "arguments", ()))) if names else self._path
            self.imports.append(Import(target, path, mentioned))


def _word(token: Any) -> str:
    """Return a keyword, or the name of a function, in lower case; "" for other tokens."""
    return str(getattr(token, "lower_name", "") if token.type == "function" else getattr(token, "lower_value", ""))


def _in_container(rule: Any) -> str:
    """Return the condition for elements in containers that meet the query of a rule (CSS Conditional Rules 5, 4).

    A query that cannot be written into a selector is never met.
    """
    query = " ".join(tinycss2.serialize(rule.prelude).split())
    mark = query.replace(" ", "_") if _PLAIN_QUERY.fullmatch(query) else ""
    return f':where([{CONTAINER}~="{mark}"] *)'


def with_condition(selector: str, condition: str) -> str:
    """Return a selector list with a condition for the elements that it selects."""
    if not condition:
        return selector
    return ", ".join(_PSEUDO_ELEMENT.sub(rf"{condition}\g<0>", part, count=1) for part in split_list(selector))


def _scope(rule: Any, within: str) -> str:
    """Return the selector of the roots of a scope (CSS Cascade 6, 2.5). Its limits are not read."""
    roots = [text_of(block.content) for block in significant(rule.prelude)[:1] if block.type == "() block"]
    if not roots:
        return within
    return _nested(within, roots[0]) if within else f":where({roots[0]})"


def _nested(outer: str, inner: str) -> str:
    """Return the selector of a rule inside another rule (CSS Nesting 1, 3) or in a scope."""
    around, inner = f":is({outer})", inner.replace(":scope", "&")
    parts = [part if "&" in part else f"& {part}" for part in split_list(inner)]
    return ", ".join(parts).replace("&", around)


class StyleSheets(ABC):
    """A collector of the style sheets of a page, in order. Each comes after the style sheets that it imports."""

    def __init__(self, assets: Mapping[str, Asset], viewport: Viewport) -> None:
        self._assets, self._viewport = assets, viewport
        self.layers: dict[Layer, list[Any]] = {}
        """The rules of each layer. The layers are in the order in which the page mentions them."""

    @property
    def rules(self) -> list[Any]:
        """The rules in the order of the cascade."""
        return list(chain.from_iterable(self.layers[layer] for layer in in_order(self.layers)))

    def add_linked(self, url: str, path: tuple[str, ...] = (), depth: int = 0) -> None:
        """Add the style sheet at `url` to the layer with a path."""
        asset = self._assets.get(asset_key(url, url))
        if asset is not None and depth <= MAX_IMPORT_DEPTH:
            self._add(asset.body, asset.charset, asset.url or url, path, depth)

    def add_text(self, text: str, base: str) -> None:
        """Add the contents of a STYLE element of a page whose base URL is `base`."""
        self._add(text.encode("utf-8", "replace"), "utf-8", base, (), 0)

    def _add(self, body: bytes, charset: str | None, url: str, path: tuple[str, ...], depth: int) -> None:
        sheet = self.read(body, charset, url, path)
        for imported in sheet.imports:
            for layer in imported.mentioned:
                self.layers.setdefault(layer, [])
            self.add_linked(absolute(url, imported.url), imported.path, depth + 1)
        self.keep(sheet)

    @abstractmethod
    def read(self, body: bytes, charset: str | None, url: str, path: tuple[str, ...]) -> Any:
        """Return a style sheet of the layer with a path.

        The sheet has the attributes ``imports``, the references to the style sheets that it imports, and ``layers``,
        its rules by layer.
        """

    def keep(self, sheet: Any) -> None:
        """Add the rules of a style sheet that was read."""
        for layer, rules in sheet.layers.items():
            self.layers.setdefault(layer, []).extend(rules)

    def add_all(self, root: Any, base: str, encoding: str) -> None:
        """Add the contents of the STYLE elements of a page, and the linked style sheets."""
        for element in elements(root, ("link", "style")):
            if not applies(element.get("media", ""), self._viewport):
                continue
            if element.tag == "style" and is_style(element):
                self.add_text("".join(element.itertext()), base)
            elif element.tag == "link" and is_linked_sheet(element):
                self.add_linked(absolute(base, element.get("href", ""), encoding))
