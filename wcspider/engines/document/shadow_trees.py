"""Declarative shadow trees (HTML, 4.12.3): the contents of web components that a server rendered."""

from __future__ import annotations

import hashlib
import re
from typing import Any, Final

from wcspider.engines.document.html_trees import append_text, drop, empty, put_contents_behind
from wcspider.web.documents.html import is_shadow_root

HOST: Final = "data-wcspider-host"
"""The attribute of the host of a shadow tree, with a name for the style sheets of the tree."""

_HOST_SELECTOR: Final = re.compile(r":host(?:\s*(?=\()|(?![-\w]))")
_SLOTTED: Final = re.compile(r"(?:slot)?::slotted\(")


def show(root: Any) -> None:
    """Replace the contents of the hosts in a document by their shadow trees, with the contents in the slots.

    The STYLE elements of a tree become rules for its host, at the end of the HEAD. Inner trees come first, because
    a host may be in the tree of another one.
    """
    sheets: dict[str, list[Any]] = {}
    for template in reversed(list(root.iter("template"))):
        if _is_tree(template) and not any(map(_is_tree, template.itersiblings("template", preceding=True))):
            styles = list(template.iter("style"))
            name = hashlib.md5("".join(map(_text, styles)).encode(), usedforsecurity=False).hexdigest()
            for style in styles:
                drop(style)
            sheets[name] = [nested_style(style, f":where([{HOST}='{name}'])") for style in styles]
            template.getparent().set(HOST, name)
            _show(template, template.getparent())
    for styles in reversed(sheets.values()):
        root.find("head").extend(styles)


def nested_style(style: Any, selector: str) -> Any:
    """Return a STYLE element whose rules are nested in a rule with a selector (CSS Nesting 1, 3).

    Selectors for the host of a shadow tree become selectors for the outer rule.
    """
    media = {"media": style.get("media")} if style.get("media") else {}
    nested = style.makeelement("style", media)
    rules = _SLOTTED.sub(":is(", _HOST_SELECTOR.sub(_outer, _text(style)))
    nested.text = f"{selector} {{ {rules} }}"
    return nested


def _outer(host: re.Match[str]) -> str:
    return "&:is" if host.string.startswith("(", host.end()) else "&"


def _text(style: Any) -> str:
    return "".join(style.itertext())


def _is_tree(template: Any) -> bool:
    return is_shadow_root("template", template.attrib) and template.getparent() is not None


def _show(template: Any, host: Any) -> None:
    """Put the tree in a TEMPLATE in the place of the contents of its host."""
    given = _contents_by_slot(template, host)
    for slot in list(template.iter("slot")):
        contents = given.pop(slot.get("name", ""), None)
        if contents is not None and (len(contents) or contents.text):
            empty(slot)
            slot.text = contents.text
            slot.extend(list(contents))
        put_contents_behind(slot)
        drop(slot)
    empty(host)
    host.text = template.text
    host.extend(list(template))


def _contents_by_slot(template: Any, host: Any) -> dict[str, Any]:
    """Return elements with the contents of a host for each slot; the slot "" gets all that names no other slot."""
    given = {"": host.makeelement("slot", {})}
    given[""].text = host.text
    for child in list(host):
        behind, child.tail = child.tail, None
        if child is not template:
            name = child.get("slot", "")
            given.setdefault(name, host.makeelement("slot", {})).append(child)
        append_text(given[""], behind or "")
    return given
