"""The preparation of an HTML page for the layout: absolute references, and no elements that are not shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls, html_trees, inline_text, page_head, page_parsing
from wcspider.engines.document.absolute_urls import link_target
from wcspider.engines.document.forms import Control
from wcspider.engines.document.html_trees import drop, replace
from wcspider.engines.document.media import Media
from wcspider.engines.fields import Field
from wcspider.engines.xhtml2pdf.source import inline_svg
from wcspider.engines.xhtml2pdf.source.author_meaning import MEANING, AuthorStyles
from wcspider.web.styles.responsive import Viewport

_UNSHOWN = html_trees.UNSHOWN | {"wbr", "rp"}
_COPIED = ("id", MEANING)
"""The attributes of a form control that its text gets."""


@dataclass
class Page:
    """A page ready for layout."""

    root: Any
    """The tree, with the meaning of the author's styles in attributes."""

    title: str = ""
    anchors: list[str] = field(default_factory=list)
    """The ``id`` and ``name`` attributes that can be the target of a link, in document order."""

    language: str = ""
    fields: list[Field] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    """The elements that show the fields."""

    warnings: list[str] = field(default_factory=list)


def prepare(task: RenderTask, viewport: Viewport) -> Page:
    """Parse the body of `task` and make it ready for layout."""
    return _Preparation(task, viewport).page()


class _Preparation:
    """A single pass through the elements of a page, in document order."""

    def __init__(self, task: RenderTask, viewport: Viewport) -> None:
        self.task, self.viewport = task, viewport
        self.root = page_parsing.parse(task)
        etree.strip_attributes(self.root, controls.CONTROL, MEANING)  # those of the source mean nothing
        self.base = page_head.base_url(self.root, task)
        self.media = Media(task, self.base, viewport)
        self.controls = controls.Controls(self.root, task, self.base, self.media, _COPIED)
        self.anchors: list[str] = []
        self.handlers: Mapping[str, Callable[[Any], None]] = {
            **self.media.handlers,
            **dict.fromkeys(controls.CONTROLS, self._control),
            **dict.fromkeys(("progress", "meter"), _write_text),
            "svg": self._drawing,
            "ruby": inline_text.write_ruby,
            "math": inline_text.write_formula,
            "ol": inline_text.number_items,
            "table": _move_foot,
        }

    def page(self) -> Page:
        """Take all steps, in order."""
        title, language = page_head.title_of(self.root), page_head.language_of(self.root)
        warnings = self._apply_styles()
        for element in html_trees.outside_drawings(self.root, list(self.root.iter(etree.Element))):
            self._element(element)
        for link in list(self.root.iter("a")):  # these include the links in place of frames and media
            self._link(link)
        warnings += self.media.warnings
        fields, shown = self.controls.fields, self.controls.shown
        return Page(self.root, title, self.anchors, language, fields, shown, warnings)

    def _apply_styles(self) -> list[str]:
        """Write the meaning of the author's styles into the tree; return warnings."""
        if self.task.step >= Step.NO_AUTHOR_STYLES:
            return []
        styles = AuthorStyles(self.task.assets, self.viewport)
        styles.add_all(self.root, self.base, self.task.encoding)
        return styles.apply(self.root)

    def _element(self, element: Any) -> None:
        tag = element.tag
        self._anchor(element)
        is_closed = tag == "dialog" and "open" not in element.attrib
        if tag in _UNSHOWN or "hidden" in element.attrib or is_closed:
            drop(element)
        elif tag in self.handlers:
            self.handlers[tag](element)

    def _anchor(self, element: Any) -> None:
        names = [element.get("id", "")]
        if element.tag == "a":
            names.append(element.get("name", ""))
        names = [name for name in names if name.strip()]
        if names:
            self.anchors += names
            # The layout uses ids only.
            element.set("id", names[0].strip())

    def _link(self, element: Any) -> None:
        target = link_target(self.base, element.get("href", ""), self.task.encoding)
        if target is None or "href" not in element.attrib:
            element.tag = "span"  # so that it does not look like a link
        else:
            element.set("href", target)

    def _drawing(self, element: Any) -> None:
        self.media.resolve_images(element)
        replace(element, inline_svg.replacement(element, self.task.assets))

    def _control(self, element: Any) -> None:
        """Show a form control as text or as an image; or replace it by an IMG element that shows its field."""
        key = self.media.key(element, "src") if controls.is_picture(element) else None
        if self.controls.read(element) is None:
            return
        for image in list(element.iter("img")):  # a text in the element is the caption of the field
            image.tail = None
            element.addnext(image)
        html_trees.empty(element)
        element.tag = "img"
        element.set("src", key or "")


def _write_text(element: Any) -> None:
    controls.write_text(element, _COPIED)


def _move_foot(table: Any) -> None:
    """Move the first TFOOT element of a table to the end, where browsers show it (CSS 2.1, 17.2)."""
    foot = table.find("tfoot")
    if foot is not None:
        foot.tail = None
        table.append(foot)
