"""The frozen values that the spider passes to the store. They can be pickled and do not depend on Scrapy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from wcspider.web.resources import Auxiliary, Link, Resource

ALL_LEVELS = 2**31 - 1
"""The value of a command's L entry that means "all levels" (14.10.5.3 does not define one)."""

DATA, HEADERS, COOKIES, LOGIN = "P", "H", "Cookies", "Login"
"""The kinds of secrets of a request: posted data, headers, cookies of a cookie file, a login of a netrc file."""

WITHHELD_NAMES = {DATA: "posted data", HEADERS: "headers", COOKIES: "cookies", LOGIN: "login"}
"""These kinds in words."""

DEFAULT_POST_TYPE = "application/x-www-form-urlencoded"
"""The default of a command's CT entry (14.10.5.3, Table 357)."""


class FormCode(IntEnum):
    """The form submission by which source data was accessed: the S entry (14.10.5.1, Table 355)."""

    NONE = 0
    GET = 1
    POST = 2


class Outcome(StrEnum):
    """The outcome of the request for a page."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    """The page set in the file is up to date: the server answered 304, or the page has not expired."""

    NOT_REQUESTED = "not requested"
    """The page has not expired, so the server was not asked."""

    FAILED = "failed"
    """The page could not be fetched, so its page set in the file is kept."""


@dataclass(frozen=True, slots=True)
class Command:
    """A Web Capture command: a request of the user (14.10.5.3, Table 357)."""

    url: str
    levels: int = 1
    """The number of levels of pages, from 1 (the URL alone) to `ALL_LEVELS`."""

    same_site: bool = False
    same_path: bool = False
    submit: bool = False
    """True if the URL is a form submission by GET."""

    data: bytes | None = None
    """Posted data; a command with data is an HTTP POST."""

    content_type: str = DEFAULT_POST_TYPE
    headers: tuple[tuple[str, str], ...] = ()
    keep_data: bool = False
    """True if the user allows the posted data to be stored in the file."""

    kept_headers: frozenset[str] = frozenset()
    """The names, in lower case, of the headers that the user allows to be stored in the file."""

    withheld: frozenset[str] = frozenset()
    """The secrets that the command is executed with and that are not stored in the file.

    P and H, the entries for posted data and headers that the user did not allow to be stored, only for a command that
    was read from a file; `COOKIES` and `LOGIN`.
    """

    allow: str = ""
    """The pattern that the URLs of all pages but the first have to match (`wcspider.webcapture.patterns`)."""

    deny: str = ""
    """The pattern that the URLs of pages must not match."""

    sitemap: bool = False
    """True if the URL is that of a sitemap or of a robots.txt with sitemaps: not a page, but a list of pages."""

    since: str = ""
    """The earliest date of the last change of a page in the sitemap (`wcspider.web.dates`)."""

    until: str = ""
    """The latest date of the last change of a page in the sitemap."""

    engine: str = ""
    """The internal name of the conversion engine (14.10.5.4), ``company:product:version:contentType``."""

    settings: Mapping[str, object] = field(default_factory=dict)
    """The engine's settings for the command: numbers, booleans and strings by key."""

    @property
    def withheld_names(self) -> list[str]:
        """The kinds of secrets in words that the command was executed with and that are not stored."""
        return [name for kind, name in WITHHELD_NAMES.items() if kind in self.withheld]

    @property
    def is_submission(self) -> bool:
        """Whether the command is a form submission, by GET or POST: the Submit flag (Table 358)."""
        return self.submit or self.data is not None or DATA in self.withheld

    @property
    def form_code(self) -> FormCode:
        """The S entry of the source information of the page at the URL of the command."""
        if self.data is not None:
            return FormCode.POST
        return FormCode.GET if self.submit else FormCode.NONE


@dataclass(frozen=True, slots=True)
class Capture:
    """A page, image or document, with everything that is needed to make a page set."""

    resource: Resource
    encoding: str
    """The name of the encoding that the charset decision chose; empty if the resource is not text."""

    identifier: bytes
    """The digital identifier of the page set (14.10.3.3), 16 bytes."""

    text_identifier: bytes | None = None
    """The text identifier (14.10.3.3), 16 bytes; None if there is no text."""

    title: str = ""
    auxiliaries: tuple[Auxiliary, ...] = ()
    """In order of first reference."""

    links: tuple[Link, ...] = ()
    """The links to other pages, in order, each once."""

    outcome: Outcome = Outcome.FETCHED
    """Unless it is FETCHED, the body, the auxiliaries and the links are missing here; the file has them."""

    problem: str = ""
    """Why the outcome is FAILED."""

    notice: str = ""
    """Why the content of the page may be missing (`wcspider.web.documents.page_notices`); usually empty."""

    command: int = 0
    """The index of the command of the run that fetched the page."""

    form: FormCode = FormCode.NONE
