"""An HTML page made ready for layout: a tree with absolute references, and without anything that is not shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.dom.minidom import Document, Element, Node

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls, inline_text
from wcspider.engines.document.absolute_urls import absolute, link_target
from wcspider.engines.document.forms import Control, Forms, text_of
from wcspider.engines.document.limits import ancestor, document_of
from wcspider.engines.fields import Field
from wcspider.engines.xhtml2pdf.source import quotations
from wcspider.engines.xhtml2pdf.source.author_meaning import AuthorStyles, remove_styles
from wcspider.engines.xhtml2pdf.source.dom_parsing import parse, rename, replace, walk
from wcspider.engines.xhtml2pdf.source.long_documents import cut_into_parts
from wcspider.engines.xhtml2pdf.source.plain_tables import prepare_tables
from wcspider.engines.xhtml2pdf.source.replaced_elements import ReplacedElements
from wcspider.web.styles.responsive import Viewport, applies
from wcspider.web.urls import is_capturable, split_fragment

CONTROL = "wcspider-control"
"""The attribute of an IMG that stands for a field: the number of its `ShownControl`."""

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
"""The attributes that the layout reads. All others would only change the appearance."""

_NUMBER = re.compile(r"\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff\ufe00-\ufe0f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class ShownControl:
    """An element that shows a field."""

    control: Control
    placeholder: str
    """The text that it shows while the field is empty."""


@dataclass
class Page:
    """A page ready for layout."""

    document: Document
    title: str = ""
    anchors: list[str] = field(default_factory=list)
    """Each ``id`` and ``name`` that a link may lead to, in document order."""

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
    """One walk through a document, in document order."""

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
            "progress": _write_value,
            "meter": _write_value,
            "q": quotations.write_marks,
            "ruby": inline_text.write_ruby,
            "math": inline_text.write_formula,
            "hr": _remove_from_cells,
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
            # xhtml2pdf takes these for orders to itself (pdf:toc, pdf:insertpdf).
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
            # The layout knows ids only; a name without an id becomes one.
            element.setAttribute("id", names[0].strip())

    def _link(self, element: Element) -> None:
        target = link_target(self.base, element.getAttribute("href"), self.task.encoding)
        if target is None or not element.hasAttribute("href"):
            rename(element, "span")  # not a link, so it should not look like one
        else:
            element.setAttribute("href", target)

    def _control(self, element: Element) -> None:
        """Show a form control as a field, as a picture, or as text."""
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
            replace(element, _text_box(element, text) if text else None)

    def _show(self, element: Element, control: Control, picture: Element | None) -> None:
        """Put an IMG that stands for a field in the place of its element."""
        box = picture or document_of(element).createElement("img")
        for name in ("id", "style"):
            if element.hasAttribute(name):
                box.setAttribute(name, element.getAttribute(name))
        box.setAttribute(CONTROL, str(len(self.page.controls)))
        self.page.controls.append(ShownControl(control, element.getAttribute("placeholder")))
        parent: Any = element.parentNode
        for image in element.getElementsByTagName("img"):
            parent.insertBefore(image, element.nextSibling)
        replace(element, box)


def _text_box(element: Element, text: str) -> Element:
    """Return a form control as text."""
    box = document_of(element).createElement("span")
    for name in ("id", "style"):
        if element.hasAttribute(name):
            box.setAttribute(name, element.getAttribute(name))
    box.appendChild(document_of(element).createTextNode(text))
    return box


def _write_value(element: Element) -> None:
    """Let a PROGRESS or METER without text show its value."""
    value = _NUMBER.match(element.getAttribute("value"))
    if value is None or text_of(element).strip():
        return
    most = _NUMBER.match(element.getAttribute("max"))
    if most is not None:
        text = f"{_written(value[1])}/{_written(most[1])}"
    else:
        text = f"{float(value[1]) * 100:g} %" if element.tagName == "progress" else _written(value[1])
    element.appendChild(document_of(element).createTextNode(text))


def _written(number: str) -> str:
    return number.replace(".", "0.", 1) if number.lstrip("+-").startswith(".") else number


def _remove_from_cells(rule: Element) -> None:
    """End the line at an HR in a cell; xhtml2pdf would make the cell as wide as possible."""
    if ancestor(rule, "td", "th") is not None:
        rename(rule, "div")
