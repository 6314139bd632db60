"""The preparation of an HTML page for the layout: absolute references, and no elements that are not shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.dom.minidom import Document, Element, Node

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls, inline_text
from wcspider.engines.document.absolute_urls import absolute, link_target
from wcspider.engines.document.dom import ancestor, new_element, new_text, rename, replace, text_of, walk
from wcspider.engines.document.forms import Control, Forms
from wcspider.engines.fields import Field
from wcspider.engines.xhtml2pdf.source import quotations
from wcspider.engines.xhtml2pdf.source.author_meaning import AuthorStyles, remove_styles
from wcspider.engines.xhtml2pdf.source.dom_parsing import parse
from wcspider.engines.xhtml2pdf.source.long_documents import cut_into_parts
from wcspider.engines.xhtml2pdf.source.plain_tables import prepare_tables
from wcspider.engines.xhtml2pdf.source.replaced_elements import ReplacedElements
from wcspider.web.styles.responsive import Viewport, applies
from wcspider.web.urls import is_capturable, split_fragment

CONTROL = "wcspider-control"
"""The attribute of an IMG element that shows a field: the index of its `ShownControl`."""

_UNSHOWN = frozenset(
    {"script", "template", "meta", "param", "track", "datalist", "area", "map", "wbr", "canvas",
     "frame", "applet", "basefont", "bgsound", "link", "style", "title", "base", "noframes", "rp"}
)  # fmt: skip
_CONTROLS: Mapping[str, Callable[[Element], str]] = {
    "input": controls.input_text,
    "select": controls.select_text,
    "textarea": controls.textarea_text,
}
_READ = frozenset(
    {"alt", "aria-label", "colspan", "dir", "href", "id", "lang", "reversed", "src", "start", "style", "title", "value",
     CONTROL}
)  # fmt: skip
_READ_OF = {"img": _READ | {"width", "height"}, "ol": _READ | {"type"}, "li": _READ | {"type"}}
"""The attributes that the layout reads. All others are removed, because they only change the appearance."""

_COPIED = ("id", "style")
"""The attributes of a form control that its field or its text gets."""

_INVISIBLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff\ufe00-\ufe0f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ShownControl:
    """An element that shows a field."""

    control: Control
    placeholder: str
    """The text of the element while the field is empty."""


@dataclass
class Page:
    """A page ready for layout."""

    document: Document
    title: str = ""
    anchors: list[str] = field(default_factory=list)
    """The ``id`` and ``name`` attributes that can be the target of a link, in document order."""

    language: str = ""
    fields: list[Field] = field(default_factory=list)
    controls: list[ShownControl] = field(default_factory=list)
    """The elements that show the fields."""

    warnings: list[str] = field(default_factory=list)


def prepare(task: RenderTask, viewport: Viewport) -> Page:
    """Parse the body of `task` and make it ready for layout."""
    page = Page(parse(task))
    _Preparation(task, viewport, page).run()
    return page


class _Preparation:
    """A single pass through the nodes of a page, in document order."""

    def __init__(self, task: RenderTask, viewport: Viewport, page: Page) -> None:
        self.task, self.viewport, self.page = task, viewport, page
        self.base = self._base()
        self.forms = Forms(page.document, task.url, self.base, task.encoding)
        self.replaced = replaced = ReplacedElements(task.assets, self.base, task.encoding, viewport)
        self.handlers: Mapping[str, Callable[[Element], None]] = {
            **dict.fromkeys(("input", "select", "textarea", "button"), self._control),
            "a": self._link,
            "img": replaced.image,
            "noscript": replaced.without_twins,
            "object": replaced.embedded,
            "embed": replaced.embedded,
            "video": replaced.video,
            "audio": replaced.audio,
            "iframe": replaced.frame,
            "svg": replaced.drawing,
            "progress": _gauge,
            "meter": _gauge,
            "q": quotations.write_marks,
            "ruby": inline_text.write_ruby,
            "math": inline_text.write_formula,
            "hr": _rule,
        }

    def run(self) -> None:
        document = self.page.document
        titles = (" ".join(text_of(e).split()) for e in document.getElementsByTagName("title"))
        self.page.title = next((title for title in titles if title), "")
        root = document.documentElement
        self.page.language = root.getAttribute("lang") if root is not None else ""
        self._apply_styles()
        for node in list(walk(document)):
            if node.nodeType == Node.ELEMENT_NODE:
                self._element(node)
            elif node.nodeType == Node.TEXT_NODE:
                node.data = _INVISIBLE.sub("", node.data)
            elif node.nodeType != Node.DOCUMENT_NODE and node.parentNode is not None:
                node.parentNode.removeChild(node)
        cut_into_parts(document)
        geometry = self.task.geometry
        prepare_tables(document, (geometry.width - geometry.margin_left - geometry.margin_right) / geometry.scale)
        for element in document.getElementsByTagName("*"):
            for name in element.attributes.keys() - _READ_OF.get(element.tagName, _READ):
                element.removeAttribute(name)
        self.page.fields = self.forms.fields

    def _base(self) -> str:
        bases = (element.getAttribute("href") for element in self.page.document.getElementsByTagName("base"))
        base = split_fragment(absolute(self.task.url, next(bases, ""), self.task.encoding))[0]
        return base if is_capturable(base) else self.task.url

    def _apply_styles(self) -> None:
        document = self.page.document
        if self.task.step >= Step.NO_AUTHOR_STYLES:
            remove_styles(document)
            return
        styles = AuthorStyles(self.task.assets, self.viewport)
        for element in document.getElementsByTagName("*"):
            media_type = element.getAttribute("type").strip().lower()
            if element.tagName not in ("link", "style") or media_type not in ("", "text/css"):
                continue
            if not applies(element.getAttribute("media"), self.viewport):
                continue
            if element.tagName == "style":
                styles.add_text(text_of(element), self.base)
            elif set(element.getAttribute("rel").lower().split()) & {"stylesheet", "alternate"} == {"stylesheet"}:
                styles.add_linked(absolute(self.base, element.getAttribute("href"), self.task.encoding))
        self.page.warnings += styles.apply(document)

    def _element(self, element: Element) -> None:
        tag = element.tagName.lower()
        self._anchor(element)
        is_closed = tag == "dialog" and not element.hasAttribute("open")
        if tag in _UNSHOWN or element.hasAttribute("hidden") or is_closed:
            replace(element, None)
        elif tag.replace(":", "").startswith("pdf"):
            # xhtml2pdf would execute elements such as pdf:toc and pdf:insertpdf.
            rename(element, "span")
        elif tag in self.handlers:
            self.handlers[tag](element)

    def _anchor(self, element: Element) -> None:
        names = [element.getAttribute("id")]
        if element.tagName == "a":
            names.append(element.getAttribute("name"))
        names = [name for name in names if name.strip()]
        if names:
            self.page.anchors += names
            # The layout uses ids only.
            element.setAttribute("id", names[0].strip())

    def _link(self, element: Element) -> None:
        target = link_target(self.base, element.getAttribute("href"), self.task.encoding)
        if target is None or not element.hasAttribute("href"):
            rename(element, "span")  # so that it does not look like a link
        else:
            element.setAttribute("href", target)

    def _control(self, element: Element) -> None:
        """Show a form control as a field, as an image, or as text."""
        is_picture = element.tagName == "input" and element.getAttribute("type").strip().lower() == "image"
        picture = self.replaced.image_of(element) if is_picture else None
        is_field = self.task.forms and self.task.step < Step.TEXT_ONLY
        control = self.forms.read(element) if is_field else None
        if control is not None:
            self._show(element, control, picture)
        elif picture is not None:
            replace(element, picture)
        elif element.tagName == "button":
            rename(element, "span")
        else:
            text = element.getAttribute("alt") if is_picture else _CONTROLS[element.tagName](element)
            replace(element, new_element(element, "span", text, _COPIED) if text else None)

    def _show(self, element: Element, control: Control, picture: Element | None) -> None:
        """Replace a form control by an IMG element that shows its field."""
        box = picture or new_element(element, "img", kept=_COPIED)
        box.setAttribute(CONTROL, str(len(self.page.controls)))
        self.page.controls.append(ShownControl(control, element.getAttribute("placeholder")))
        parent: Any = element.parentNode
        for image in element.getElementsByTagName("img"):
            parent.insertBefore(image, element.nextSibling)
        replace(element, box)


def _gauge(element: Element) -> None:
    """Write the value of a PROGRESS or METER element that has no text."""
    if not text_of(element).strip():
        value, maximum = element.getAttribute("value"), element.getAttribute("max")
        element.appendChild(new_text(element, controls.gauge_text(element.tagName, value, maximum)))


def _rule(rule: Element) -> None:
    """Change an HR element in a table cell into a line break; xhtml2pdf would make the cell as wide as possible."""
    if ancestor(rule, "td", "th") is not None:
        rename(rule, "div")
