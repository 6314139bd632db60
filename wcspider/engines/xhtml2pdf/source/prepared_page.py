"""The preparation of an HTML page for the layout: absolute references, and no elements that are not shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lxml import etree

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls, formulas, html_trees, inline_text, page_head, page_parsing
from wcspider.engines.document.absolute_urls import link_target
from wcspider.engines.document.html_trees import drop, replace
from wcspider.engines.document.media import Media
from wcspider.engines.xhtml2pdf.source import inline_svg
from wcspider.engines.xhtml2pdf.source.author_meaning import DISPLAY, WHITE_SPACE, AuthorStyles
from wcspider.web.styles.responsive import Viewport

_UNSHOWN = html_trees.UNSHOWN | {"wbr", "rp"}
_COPIED = ("id", DISPLAY, WHITE_SPACE)
"""The attributes of a form control that its text gets."""


class Page:
    """A page that is prepared for layout, in a single pass through its elements, in document order."""

    def __init__(self, task: RenderTask, viewport: Viewport) -> None:
        """Parse the body of `task` and make it ready for layout."""
        self.root = page_parsing.parse(task)
        """The tree, with the meaning of the author's styles in attributes."""

        etree.strip_attributes(self.root, controls.CONTROL, DISPLAY, WHITE_SPACE)  # those of the source mean nothing
        self.title, self.language = page_head.title_of(self.root), page_head.language_of(self.root)
        self._task, self._base = task, page_head.base_url(self.root, task)
        self._media = Media(task, self._base, viewport)
        self._controls = controls.Controls(self.root, task, self._base, self._media, _COPIED)
        self._handlers: Mapping[str, Callable[[Any], None]] = {
            **self._media.handlers,
            **dict.fromkeys(controls.CONTROLS, self._control),
            **dict.fromkeys(("progress", "meter"), partial(controls.write_text, kept=_COPIED)),
            "svg": self._drawing,
            "ruby": inline_text.write_ruby,
            "math": formulas.write,
            "ol": inline_text.number_items,
            "table": _move_foot,
        }
        self.warnings = [] if task.step >= Step.NO_AUTHOR_STYLES else self._apply_styles(viewport)
        for element in html_trees.outside_drawings(self.root, list(self.root.iter(etree.Element))):
            self._element(element)
        for link in self.root.xpath("//a[@href]"):  # these include the links in place of frames and media
            self._link(link)
        self.unreadable = self._media.unreadable
        """The reasons why images cannot be shown, by the URLs of the images."""

        self.fields, self.controls = self._controls.fields, self._controls.shown
        """The fields of the page, and the elements that show them."""

    def _apply_styles(self, viewport: Viewport) -> list[str]:
        """Write the meaning of the author's styles into the tree; return warnings."""
        styles = AuthorStyles(self._task.assets, viewport)
        styles.add_all(self.root, self._base, self._task.encoding)
        return styles.apply(self.root)

    def _element(self, element: Any) -> None:
        tag = element.tag
        is_closed = tag == "dialog" and "open" not in element.attrib
        if tag in _UNSHOWN or is_closed or {"hidden", "popover"} & set(element.attrib):
            drop(element)
        elif tag in self._handlers:
            self._handlers[tag](element)

    def _link(self, element: Any) -> None:
        """Make the target of a link absolute, or remove it if its scheme is not kept."""
        target = link_target(self._base, element.get("href"), self._task.encoding)
        if target is None:
            del element.attrib["href"]
        else:
            element.set("href", target)

    def _drawing(self, element: Any) -> None:
        self._media.resolve_images(element)
        replace(element, inline_svg.replacement(element, self._task.assets))

    def _control(self, element: Any) -> None:
        """Show a form control as text or as an image; or replace it by an IMG element that shows its field."""
        key = self._media.key(element, "src") if controls.is_picture(element) else None
        if self._controls.read(element) is None:
            return
        for image in list(element.iter("img")):  # a text in the element is the caption of the field
            image.tail = None
            element.addnext(image)
        html_trees.empty(element)
        element.tag = "img"
        element.set("src", key or "")


def _move_foot(table: Any) -> None:
    """Move the first TFOOT element of a table to the end, where browsers show it (CSS 2.1, 17.2)."""
    foot = table.find("tfoot")
    if foot is not None:
        foot.tail = None
        table.append(foot)
