"""What travels from a spider through the pipelines: a page to keep."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from itemadapter import ItemAdapter
from itemadapter.adapter import AdapterInterface
from scrapy import Request
from scrapy.http import Response

from wcspider.archive.pages.packed import PackedFragment
from wcspider.archive.query.listing import iso
from wcspider.web.references import Reference
from wcspider.web.resources import Auxiliary, Link, Resource
from wcspider.web.urls import canonical_url
from wcspider.webcapture.records import FormCode, Outcome

BROWSER = "playwright"
"""The flag of a response, and the key of a request's meta, by which scrapy-playwright says that a browser was there."""


@dataclass(slots=True, repr=False)
class CaptureItem:
    """A page, image or document that was fetched. Each pipeline fills in what the next one needs."""

    resource: Resource
    encoding: str = ""
    """The name of the encoding that the charset decision chose; empty for what is not text."""

    references: tuple[Reference, ...] = ()
    """The auxiliary resources that the page names, in order of first reference."""

    links: tuple[Link, ...] = ()
    """The pages that it leads to, in order, each once."""

    title: str = ""
    text_identifier: bytes | None = None
    key: str | None = None
    """By which turn of a crawl's reading order it is called for; None for an item that comes as it arrives."""

    command: int = 0
    """Which of the run's commands fetched it."""

    form: FormCode = FormCode.NONE
    link_charset: str | None = None
    """The charset attribute of the link that led to it."""

    outcome: Outcome = Outcome.FETCHED
    """Of what is not FETCHED, the file has the page set with that `identifier`."""

    auxiliaries: tuple[Auxiliary, ...] = ()
    """Filled in by the auxiliary pipeline."""

    identifier: bytes = b""
    """The digital identifier of the page set; filled in by the auxiliary pipeline."""

    fragment: PackedFragment | None = None
    """The rendered pages; filled in by the render pipeline. None where the file holds them already."""

    problem: str = ""
    """Why it could not be made into pages; filled in by the render pipeline. Or why it could not be fetched."""

    response: Response | None = None
    """What the read pipeline is to fill in the item from; None once it has."""

    is_rendered: bool = False
    """The text of the response is what a browser made of the page, not what the server sent."""

    request: Request | None = None
    """The request of the page, by whose cookies, proxy and login its resources are fetched."""

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
        """Make an item of a response, for a spider to yield. The pipelines read the page, by the crawl's settings.

        `title` is for a page that has none, or a wrong one; `form` says by which form submission the page came (POST,
        if the request was one and nothing is said); `link_charset` is the charset attribute of the link that led to
        the page.

        The digital identifier (14.10.3.3) is computed from the response's body, and from what the page refers to. Of
        a page that a browser rendered, it is computed from the document as the browser left it, encoded in UTF-8:
        this is what is kept, since what the server sent is not at hand. That is so for responses of
        scrapy-playwright, and where `is_rendered` says so.

        Raises `InvalidURLError` for a response from nowhere, such as ``about:blank``.
        """
        request = response.request
        if is_rendered is None:
            is_rendered = BROWSER in response.flags or (request is not None and bool(request.meta.get(BROWSER)))
        if form is None:
            form = FormCode.POST if request is not None and request.method == "POST" else FormCode.NONE
        return cls(
            Resource(canonical_url(response.url), response.body, ""),
            title=title,
            form=form,
            link_charset=link_charset,
            response=response,
            is_rendered=is_rendered,
            request=request,
        )

    def __repr__(self) -> str:
        """Describe the item in a line: Scrapy logs each, and the bytes of a page are no matter for a log."""
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
    """How a capture item looks to Scrapy's exporters, and to pipelines that use `ItemAdapter`: a line, no bytes."""

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        """Tell whether items of a class look so."""
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
        raise KeyError(f"{name}: a CaptureItem is changed by its attributes")

    def __delitem__(self, name: str) -> None:
        """Refuse to remove a field."""
        raise KeyError(f"{name}: a CaptureItem has all of its fields")

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the fields."""
        return iter(_EXPORTED)

    def __len__(self) -> int:
        """Return the number of fields."""
        return len(_EXPORTED)


ItemAdapter.ADAPTER_CLASSES = deque([CaptureItemAdapter, *ItemAdapter.ADAPTER_CLASSES])
