"""Elements of an lxml tree with the part of the DOM's interface that `forms` and other modules use."""

from __future__ import annotations

from typing import Any
from xml.dom.minidom import Node


class TextNode:
    """A text in a tree."""

    nodeType = Node.TEXT_NODE  # noqa: N815
    TEXT_NODE = Node.TEXT_NODE
    childNodes: tuple[Any, ...] = ()  # noqa: N815

    def __init__(self, data: str) -> None:
        self.data = data


class ElementNode:
    """An element of a tree. The same element always has the same object."""

    nodeType = Node.ELEMENT_NODE  # noqa: N815
    TEXT_NODE = Node.TEXT_NODE

    def __init__(self, element: Any, document: DocumentNode) -> None:
        self.element = element
        self._document = document
        self.tagName = str(element.tag).lower()

    def getAttribute(self, name: str) -> str:  # noqa: N802
        """Return the value of an attribute, or an empty text."""
        return self.element.get(name) or ""

    def hasAttribute(self, name: str) -> bool:  # noqa: N802
        """Tell whether there is an attribute with a name."""
        return name in self.element.attrib

    def getElementsByTagName(self, name: str) -> list[ElementNode]:  # noqa: N802
        """Return the elements with a tag name inside this one, in document order."""
        return [self._document.node(found) for found in self.element.iter(name) if found is not self.element]

    @property
    def parentNode(self) -> ElementNode | DocumentNode | None:  # noqa: N802
        """The parent element, or the document; None if the element was removed from the document."""
        parent = self.element.getparent()
        if parent is not None:
            return self._document.node(parent)
        return self._document if self.element is self._document.root else None

    @property
    def childNodes(self) -> list[Any]:  # noqa: N802
        """The child elements and texts."""
        nodes: list[Any] = [TextNode(self.element.text)] if self.element.text else []
        for child in self.element:
            nodes.append(self._document.node(child))
            if child.tail:
                nodes.append(TextNode(child.tail))
        return nodes


class DocumentNode:
    """A whole tree."""

    nodeType = Node.DOCUMENT_NODE  # noqa: N815
    parentNode = None  # noqa: N815

    def __init__(self, root: Any) -> None:
        self.root = root
        self._nodes: dict[Any, ElementNode] = {}

    def node(self, element: Any) -> ElementNode:
        """Return the node of an element."""
        if element not in self._nodes:
            self._nodes[element] = ElementNode(element, self)
        return self._nodes[element]

    def getElementsByTagName(self, name: str) -> list[ElementNode]:  # noqa: N802
        """Return the elements with a tag name, in document order."""
        return [self.node(found) for found in self.root.iter(name)]
