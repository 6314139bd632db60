"""The item that travels from a spider through the pipelines: a page to capture."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from itemadapter import ItemAdapter
from itemadapter.adapter import AdapterInterface
from scrapy import Request
from scrapy.http import Response

from wcspider.archive.pages.packed import PackedFragment
from wcspider.archive.query.listing import iso
from wcspider.web.references import Reference
from wcspider.web.resources import Auxiliary, Link, Resource
from wcspider.web.urls import canonical_url, without_login
from wcspider.webcapture.records import Capture, FormCode, Outcome

__all__ = ["Auxiliary", "CaptureItem", "CaptureItemAdapter", "FormCode", "Link", "Outcome", "Resource"]

BROWSER = "playwright"
"""The response flag, and the request meta key, by which scrapy-playwright says that a browser rendered the page."""


@dataclass(slots=True, repr=False)
class CaptureItem:
    """A page, image or document that was fetched. Each pipeline fills in the parts that the next pipeline needs."""

    capture: Capture
    """The page and its metadata, as the file will hold them."""

    references: tuple[Reference, ...] = ()
    """The auxiliary resources that the page names, in order of first reference."""

    key: str | None = None
    """The key of the page in the reading order; None for an item that is stored when it arrives."""

    link_charset: str | None = None
    """The charset attribute of the link that led to the page."""

    fragment: PackedFragment | None = None
    """The rendered pages; filled in by the render pipeline. None if the file holds them already."""

    response: Response | None = None
    """The response that the read pipeline has to read; None once it has been read."""

    is_rendered: bool = False
    """True if the text of the response is a browser's rendering of the page, not the bytes that the server sent."""

    request: Request | None = None
    """The request of the page. Its cookies, proxy and login are used for the auxiliary resources."""

    @classmethod
    def from_response(
        cls,
        response: Response,
        *,
        title: str = "",
        form: FormCode | None = None,
        link_charset: str | None = None,
        is_rendered: bool | None = None,
    ) -> Self:
        """Return an item for a response, for a spider to yield. The pipelines read the page.

        `title` replaces the title of the page. `form` is the form submission by which the page came; the default is
        POST for the response to a POST request. `link_charset` is the charset attribute of the link that led to the
        page.

        The digital identifier (14.10.3.3) is computed from the body of the response and from the auxiliary resources.
        For a page that a browser rendered, it is computed from the document that the browser made, encoded in UTF-8,
        because the bytes that the server sent are not available. Responses of scrapy-playwright are recognised;
        `is_rendered` says it for other browsers.

        Raises `InvalidURLError` for a response without an absolute URL, such as ``about:blank``.
        """
        request = response.request
        if is_rendered is None:
            is_rendered = BROWSER in response.flags or (request is not None and bool(request.meta.get(BROWSER)))
        if form is None:
            form = FormCode.POST if request is not None and request.method == "POST" else FormCode.NONE
        resource = Resource(without_login(canonical_url(response.url)), response.body, "")
        return cls(
            Capture(resource, encoding="", identifier=b"", title=title, form=form),
            link_charset=link_charset,
            response=response,
            is_rendered=is_rendered,
            request=request,
        )

    def update(self, **changes: Any) -> None:
        """Change some fields of `capture`."""
        self.capture = replace(self.capture, **changes)

    @property
    def resource(self) -> Resource:
        """The bytes of the page, with the media type, the dates and other headers of the answer."""
        return self.capture.resource

    @property
    def encoding(self) -> str:
        """The name of the character encoding of the page; empty for a page that is not text."""
        return self.capture.encoding

    @property
    def title(self) -> str:
        """The title of the page set. A pipeline may set it."""
        return self.capture.title

    @title.setter
    def title(self, title: str) -> None:
        self.update(title=title)

    @property
    def links(self) -> tuple[Link, ...]:
        """The pages that the page links to, in order, each once."""
        return self.capture.links

    @property
    def auxiliaries(self) -> tuple[Auxiliary, ...]:
        """The auxiliary resources of the page, in order of first reference; filled in by the auxiliary pipeline."""
        return self.capture.auxiliaries

    @property
    def identifier(self) -> bytes:
        """The digital identifier of the page set (14.10.3.3); filled in by the auxiliary pipeline."""
        return self.capture.identifier

    @property
    def text_identifier(self) -> bytes | None:
        """The text identifier (14.10.3.3); None for a page without text."""
        return self.capture.text_identifier

    @property
    def command(self) -> int:
        """The index of the command of the run that asked for the page."""
        return self.capture.command

    @property
    def form(self) -> FormCode:
        """The form submission by which the page came (14.10.5.1)."""
        return self.capture.form

    @property
    def outcome(self) -> Outcome:
        """The outcome of the request. Unless it is FETCHED, the file holds the page set with the identifier."""
        return self.capture.outcome

    @property
    def problem(self) -> str:
        """The reason why the page could not be laid out, or could not be fetched; empty if there is no problem."""
        return self.capture.problem

    @problem.setter
    def problem(self, problem: str) -> None:
        self.update(problem=problem)

    def __repr__(self) -> str:
        """Describe the item in one line, without the bytes of the page: Scrapy logs each item."""
        return f"<CaptureItem {self.resource.url} {self.identifier.hex()}>"


_EXPORTED: dict[str, Callable[[CaptureItem], Any]] = {
    "url": lambda item: item.resource.url,
    "chain": lambda item: list(item.resource.hops),
    "title": lambda item: item.title,
    "content_type": lambda item: item.resource.content_type,
    "encoding": lambda item: item.encoding,
    "id": lambda item: item.identifier.hex(),
    "text_id": lambda item: item.text_identifier.hex() if item.text_identifier else None,
    "updated": lambda item: iso(item.resource.fetched),
    "expires": lambda item: iso(item.resource.expires),
    "problem": lambda item: item.problem,
}


class CaptureItemAdapter(AdapterInterface):
    """The fields of a capture item for Scrapy's exporters, and for pipelines that use `ItemAdapter`."""

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        """Tell whether this adapter is for items of a class."""
        return issubclass(item_class, CaptureItem)

    @classmethod
    def get_field_names_from_class(cls, item_class: type) -> list[str] | None:
        """Return the names of the fields."""
        return list(_EXPORTED)

    def __getitem__(self, name: str) -> Any:
        """Return the value of a field."""
        return _EXPORTED[name](self.item)

    def __setitem__(self, name: str, value: Any) -> None:
        """Refuse to set a field."""
        raise KeyError(f"{name}: the fields of a CaptureItem are read-only here; set item.title to change the title")

    def __delitem__(self, name: str) -> None:
        """Refuse to remove a field."""
        raise KeyError(f"{name}: the fields of a CaptureItem cannot be removed")

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the fields."""
        return iter(_EXPORTED)

    def __len__(self) -> int:
        """Return the number of fields."""
        return len(_EXPORTED)


ItemAdapter.ADAPTER_CLASSES = deque([CaptureItemAdapter, *ItemAdapter.ADAPTER_CLASSES])
