"""An HTML page made ready for layout: a document tree in which every reference is absolute or gone.

What is not shown is taken out; what xhtml2pdf cannot lay out, or only in a time that grows with the square of
its length, is put in another form.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.dom.minidom import Document, Element, Node

import html5lib

from wcspider.engines.base import RenderTask, Step
from wcspider.engines.document import controls, inline_svg, inline_text, limits, quotations
from wcspider.engines.document.absolute_urls import absolute, asset_key, link_target
from wcspider.engines.document.forms import Control, Forms, text_of
from wcspider.engines.document.limits import document_of
from wcspider.engines.document.xhtml import as_html
from wcspider.engines.fields import Field, FieldKind
from wcspider.engines.xhtml2pdf.boxes.widgets import CONTROL
from wcspider.engines.xhtml2pdf.styles.fitting import THICKEST
from wcspider.engines.xhtml2pdf.styles.sheets import FontFace, Styles, inline
from wcspider.web.charset import decode
from wcspider.web.documents.doctype import without_internal_subset
from wcspider.web.numbers import at_most
from wcspider.web.styles.responsive import Viewport, applies, image_url, is_lazy
from wcspider.web.urls import is_capturable, split_fragment

_UNSHOWN = frozenset(
    {"script", "template", "meta", "param", "track", "datalist", "area", "map", "wbr", "canvas",
     "frame", "applet", "basefont", "bgsound", "link", "style", "title", "base", "noframes", "rp"}
)  # fmt: skip
_CONTROLS: Mapping[str, Callable[[Element], str]] = {
    "input": controls.input_text,
    "select": controls.select_text,
    "textarea": controls.textarea_text,
}
_NOT_OF_THE_PAGE = ("style", "link", "base", "title", "meta", "script")
"""What a document in a page says of itself alone."""

MAX_FRAMES = 100
"""How many documents in a page are shown, those in them included."""

LARGEST_FONT = 7
"""What the attribute size of a FONT goes up to."""

_SVG_REFERENCES = ("href", "xlink:href")
_EMBEDDED_TYPES = frozenset({"image/png", "image/jpeg", "image/gif"})
"""The media types of images that svglib draws."""

_NUMBER = re.compile(r"\s*(-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u200b\u2060\ufeff\ufe00-\ufe0f\ufffe\uffff]")


@dataclass
class Page:
    """A page ready for layout."""

    document: Document
    title: str = ""
    stylesheets: list[str] = field(default_factory=list)
    faces: list[FontFace] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    """Each ``id`` and ``name`` that a link may lead to, in document order."""

    language: str = ""
    fields: list[Field] = field(default_factory=list)
    controls: list[Control] = field(default_factory=list)
    """What shows the fields, by the number in the attribute `CONTROL` of the elements."""


def prepare(task: RenderTask, viewport: Viewport) -> Page:
    """Parse the body of `task` and make it ready for layout."""
    document = _parse(task)
    page = Page(document)
    _Preparation(task, viewport, page).run()
    return page


def _parse(task: RenderTask) -> Document:
    text = without_internal_subset(decode(task.body, task.encoding))
    document = _parse_text(as_html(text) if "xml" in task.media_type else text)
    for frameset in document.getElementsByTagName("frameset")[:1]:
        _unframe(document, frameset)
    for _ in range(MAX_FRAMES):
        frames = document.getElementsByTagName("iframe")
        frame = next((frame for frame in frames if frame.hasAttribute("srcdoc")), None)
        if frame is None:
            break
        _open_frame(document, frame)
    return document


def _parse_text(text: str) -> Document:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("dom"), namespaceHTMLElements=False)
    document: Document = parser.parse(text)
    return document


def _unframe(document: Document, frameset: Element) -> None:
    """Put in the place of a FRAMESET what it has for readers without frames, and its frames one after the other."""
    otherwise = "".join(text_of(element) for element in frameset.getElementsByTagName("noframes"))
    body = document.importNode(_parse_text(otherwise).getElementsByTagName("body")[0], True)
    for frame in list(frameset.getElementsByTagName("frame")):
        paragraph = body.appendChild(document.createElement("p"))
        _rename(paragraph.appendChild(frame), "iframe")
    assert frameset.parentNode is not None
    frameset.parentNode.replaceChild(body, frameset)


def _open_frame(document: Document, frame: Element) -> None:
    """Show the document that an IFRAME brings along in its place."""
    inside = _parse_text(frame.getAttribute("srcdoc"))
    frame.removeAttribute("srcdoc")
    for name in _NOT_OF_THE_PAGE:
        for element in inside.getElementsByTagName(name):
            _replace(element, None)
    _rename(frame, "div")
    while frame.firstChild is not None:
        frame.removeChild(frame.firstChild)
    for body in inside.getElementsByTagName("body"):
        for node in _walk(body):
            node.ownerDocument = document
        for node in list(body.childNodes):
            frame.appendChild(node)


class _Preparation:
    """One walk through a document, in document order."""

    def __init__(self, task: RenderTask, viewport: Viewport, page: Page) -> None:
        self.task = task
        self.page = page
        self.styles = Styles(task.assets, viewport)
        self.viewport = viewport
        self.base = task.url
        self.styled = task.step < Step.NO_AUTHOR_STYLES
        self._lazy = ""
        """The key of the last IMG if a script loads its image; otherwise empty."""

        self.handlers: Mapping[str, Callable[[Element], None]] = {
            "a": self._link,
            "img": self._image,
            "noscript": self._drop_twins,
            "object": self._embedded,
            "embed": self._embedded,
            "video": self._video,
            "audio": self._audio,
            "progress": _say_value,
            "meter": _say_value,
            "iframe": self._frame,
            "button": self._button,
            "table": _foot_last,
            "q": self._quotation,
            "ruby": inline_text.write_ruby,
            "math": inline_text.write_formula,
            "font": lambda element: _bound(element, "size", LARGEST_FONT),
            "hr": lambda element: _bound(element, "size", THICKEST),
            "svg": self._drawing,
        }

    def run(self) -> None:
        document = self.page.document
        self._head(document)
        self.forms = Forms(document, self.task.url, self.base, self.task.encoding)
        for node in list(_walk(document)):
            if node.nodeType == Node.ELEMENT_NODE:
                self._element(node)
            elif node.nodeType == Node.TEXT_NODE:
                if _INVISIBLE.search(node.data):
                    node.data = _INVISIBLE.sub("", node.data)
            elif node.nodeType != Node.DOCUMENT_NODE and node.parentNode is not None:
                node.parentNode.removeChild(node)
        limits.apply(document)
        self.page.fields = self.forms.fields
        self.page.stylesheets, self.page.faces = self.styles.texts, self.styles.faces

    def _head(self, document: Document) -> None:
        """Read what holds for the whole page: base URL, title, language, stylesheets."""
        bases = (e.getAttribute("href") for e in document.getElementsByTagName("base"))
        base = split_fragment(absolute(self.task.url, next(bases, ""), self.task.encoding))[0]
        self.base = base if is_capturable(base) else self.task.url
        titles = (" ".join(text_of(e).split()) for e in document.getElementsByTagName("title"))
        self.page.title = next((title for title in titles if title), "")
        root = document.documentElement
        self.page.language = root.getAttribute("lang") if root is not None else ""
        if self.styled:
            for element in _walk(document):
                if element.nodeType == Node.ELEMENT_NODE and element.tagName in ("link", "style"):
                    self._stylesheet(element)

    def _stylesheet(self, element: Element) -> None:
        if element.getAttribute("type").strip().lower() not in ("", "text/css"):
            return
        if not applies(element.getAttribute("media"), self.viewport):
            return
        if element.tagName == "style":
            self.styles.add_text(text_of(element), self.base)
        elif set(element.getAttribute("rel").lower().split()) & {"stylesheet", "alternate"} == {"stylesheet"}:
            self.styles.add_linked(absolute(self.base, element.getAttribute("href"), self.task.encoding))

    def _element(self, element: Element) -> None:
        tag = element.tagName.lower()
        self._anchor(element)
        if tag in _UNSHOWN or element.hasAttribute("hidden") or _closed_dialog(element):
            _replace(element, None)
        elif tag in _CONTROLS:
            if not self._field(element):
                self._as_text(element)
        elif tag.replace(":", "").startswith("pdf"):
            # xhtml2pdf takes these for orders to itself (pdf:toc, pdf:insertpdf).
            _rename(element, "span")
        elif tag in self.handlers:
            self.handlers[tag](element)
        if element.hasAttribute("style"):
            self._inline_style(element)

    def _anchor(self, element: Element) -> None:
        names = [element.getAttribute("id")]
        if element.tagName == "a":
            names.append(element.getAttribute("name"))
            if names[1]:
                element.removeAttribute("name")
        names = [name for name in names if name.strip()]
        if names:
            self.page.anchors += names
            # The layout knows ids only; a name without an id becomes one.
            element.setAttribute("id", names[0].strip())

    def _inline_style(self, element: Element) -> None:
        style = inline(element.getAttribute("style"), self.base) if self.styled else ""
        if style:
            element.setAttribute("style", style)
        else:
            element.removeAttribute("style")

    def _drawing(self, element: Element) -> None:
        """Put an image in the place of an SVG element, its styles fitted to the page as those of others are."""
        for picture in element.getElementsByTagName("image"):
            self._embed(picture)
        image = inline_svg.replacement(element)
        _replace(element, image)
        if image is not None and image.hasAttribute("style"):
            self._inline_style(image)

    def _embed(self, picture: Element) -> None:
        """Put the data of the image that an SVG element names into the element: the file of a drawing stands alone."""
        references = [picture.getAttribute(name) for name in _SVG_REFERENCES]
        asset = self.task.assets.get(asset_key(self.base, next(filter(None, references), ""), self.task.encoding))
        if asset is not None and asset.content_type in _EMBEDDED_TYPES:
            data = base64.b64encode(asset.body).decode()
            picture.setAttribute("xlink:href", f"data:{asset.content_type};base64,{data}")

    def _link(self, element: Element) -> None:
        target = link_target(self.base, element.getAttribute("href"), self.task.encoding)
        if target is None or not element.hasAttribute("href"):
            # Not a link, so it should not look like one; xhtml2pdf has no selector for "a link" that is cheap.
            _rename(element, "span")
        else:
            element.setAttribute("href", target)

    def _quotation(self, element: Element) -> None:
        quotations.mark(element)
        if quotations.SHEET not in self.styles.texts:
            self.styles.texts.insert(0, quotations.SHEET)

    def _button(self, element: Element) -> None:
        if not self._field(element):
            _rename(element, "span")

    def _field(self, element: Element) -> bool:
        """Make an element the box of a field; False if it is to be none."""
        control = self.forms.read(element) if self.task.forms and self.task.step < Step.TEXT_ONLY else None
        if control is None:
            return False
        controls.fill(element, self.forms.fields[control.field])
        if control.kind is FieldKind.BUTTON and _is_picture(element):
            self._picture(element)
        element.setAttribute(CONTROL, str(len(self.page.controls)))
        self.page.controls.append(control)
        # What lays out the children of an element by its own rules gets a box around the field.
        around = self.page.document.createElement("span")
        _replace(element, around)
        around.appendChild(element)
        return True

    def _as_text(self, element: Element) -> None:
        """Draw a form control that is no field: as text, or as the picture that it is."""
        if _is_picture(element):
            _rename(element, "img")
            self._image(element)
        else:
            _replace(element, _control(element, _CONTROLS[element.tagName.lower()](element)))

    def _picture(self, element: Element) -> None:
        """Put the picture of an INPUT of type image in the place of its caption, if there is one."""
        key = asset_key(self.base, element.getAttribute("src"), self.task.encoding)
        if key in self.task.assets and element.firstChild is not None:
            element.replaceChild(self._image_of(element, key, ("width", "height")), element.firstChild)

    def _image_of(self, element: Element, key: str, kept: Iterable[str]) -> Element:
        """Return an IMG element for a resource, with attributes of another element."""
        image = self.page.document.createElement("img")
        image.setAttribute("src", key)
        for name in kept:
            if element.hasAttribute(name):
                image.setAttribute(name, element.getAttribute(name))
        if image.hasAttribute("style"):
            self._inline_style(image)
        return image

    def _image(self, element: Element) -> None:
        key = self._image_key(element)
        self._lazy = key if is_lazy(_Tree(element)) else ""
        if key in self.task.assets or key.startswith("data:image/"):
            element.setAttribute("src", key)
        else:
            _replace(element, self.page.document.createTextNode(element.getAttribute("alt")))

    def _image_key(self, element: Element) -> str:
        return asset_key(self.base, image_url(_Tree(element), self.viewport), self.task.encoding)

    def _drop_twins(self, element: Element) -> None:
        """Remove from a NOSCRIPT the images that repeat the lazy image before it."""
        for image in list(element.getElementsByTagName("img")) if self._lazy else ():
            key = self._image_key(image)
            if key == self._lazy or key not in self.task.assets:
                _replace(image, None)

    def _embedded(self, element: Element) -> None:
        """Show the image of an OBJECT or EMBED, or the poster of a VIDEO; else what it holds."""
        attribute = {"object": "data", "embed": "src", "video": "poster"}[element.tagName]
        key = asset_key(self.base, element.getAttribute(attribute), self.task.encoding)
        if key in self.task.assets:
            _replace(element, self._image_of(element, key, ("width", "height", "id", "class", "style")))
        else:
            _rename(element, "div")

    def _video(self, element: Element) -> None:
        if text_of(element).strip() or element.hasAttribute("poster"):
            self._embedded(element)
        else:
            self._medium(element)

    def _audio(self, element: Element) -> None:
        """Put a link in the place of an AUDIO element that can be seen."""
        if element.hasAttribute("controls"):
            self._medium(element)
        else:
            _replace(element, None)

    def _medium(self, element: Element) -> None:
        sources = [element, *element.getElementsByTagName("source")]
        self._link_instead(element, next(filter(None, (source.getAttribute("src") for source in sources)), ""))

    def _frame(self, element: Element) -> None:
        """Put a link in the place of an IFRAME: what it shows is a page of its own."""
        self._link_instead(element, element.getAttribute("src"))

    def _link_instead(self, element: Element, reference: str) -> None:
        target = link_target(self.base, reference, self.task.encoding)
        link = self.page.document.createElement("a")
        if target is None:
            _replace(element, None)
            return
        link.setAttribute("href", target)
        link.appendChild(self.page.document.createTextNode(element.getAttribute("title") or target))
        _replace(element, link)


class _Tree:
    """An element of our tree as `capture.responsive` reads elements: the part of lxml's interface that it uses."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self.tag = element.tagName
        self.get = lambda name, default="": element.getAttribute(name) or default

    def getparent(self) -> _Tree | None:
        """Return the parent element."""
        parent = self._element.parentNode
        return _Tree(parent) if isinstance(parent, Element) else None

    def itersiblings(self, preceding: bool) -> Iterator[_Tree]:
        """Yield the preceding siblings, the nearest first."""
        sibling: Any = self._element.previousSibling
        while sibling is not None:
            if isinstance(sibling, Element):
                yield _Tree(sibling)
            sibling = sibling.previousSibling


def _walk(root: Any) -> Iterator[Any]:
    """Yield the nodes below `root` in document order, without recursion."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.childNodes))


def _replace(element: Element, other: Any) -> None:
    parent = element.parentNode
    if parent is None:
        return
    if other is None:
        parent.removeChild(element)
    else:
        parent.replaceChild(other, element)


def _say_value(element: Element) -> None:
    """Let a PROGRESS or METER that says nothing to those without it say its value."""
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


def _foot_last(table: Element) -> None:
    """Put the TFOOT of a table below its bodies, where HTML shows it wherever it stands (CSS 2.1, 17.2)."""
    for child in table.childNodes:
        if getattr(child, "tagName", "") == "tfoot":
            table.appendChild(child)
            return


def _rename(element: Element, tag: str) -> None:
    element.tagName = element.nodeName = tag


def _bound(element: Element, name: str, most: int) -> None:
    """Have an attribute say no more than so much."""
    value = element.getAttribute(name).strip().lstrip("+")
    if value.isdecimal() and at_most(value, most + 1) > most:
        element.setAttribute(name, str(most))


def _is_picture(element: Element) -> bool:
    return element.tagName == "input" and element.getAttribute("type").strip().lower() == "image"


def _closed_dialog(element: Element) -> bool:
    return element.tagName == "dialog" and not element.hasAttribute("open")


def _control(element: Element, text: str) -> Element | None:
    """Return a form control drawn as text."""
    if not text:
        return None
    document = document_of(element)
    box = document.createElement("span")
    box.setAttribute("class", f"{element.getAttribute('class')} wcspider-control")
    if element.getAttribute("id"):
        box.setAttribute("id", element.getAttribute("id"))
    box.appendChild(document.createTextNode(text))
    return box
