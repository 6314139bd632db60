"""The frozen values that travel from the spider to the store. They can be pickled and know no Scrapy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from wcspider.web.resources import Auxiliary, Link, Resource

ALL_LEVELS = 2**31 - 1
"""The value of a command's L entry that stands for "all levels" (14.10.5.3 has no word for it)."""

DEFAULT_POST_TYPE = "application/x-www-form-urlencoded"
"""The default of a command's CT entry (14.10.5.3, Table 357)."""


class FormCode(IntEnum):
    """By which form submission source data was accessed: the S entry (14.10.5.1, Table 355)."""

    NONE = 0
    GET = 1
    POST = 2


class Outcome(StrEnum):
    """What became of a page that was asked for."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    """The server says that what the file holds still holds, or what it said before has not expired."""

    FAILED = "failed"
    """It could not be fetched, which says nothing of the page: what the file holds is kept."""


@dataclass(frozen=True, slots=True)
class Command:
    """What the user asked for: a Web Capture command (14.10.5.3, Table 357)."""

    url: str
    levels: int = 1
    """How many levels of pages, from 1 (the URL alone) to `ALL_LEVELS`."""

    same_site: bool = False
    same_path: bool = False
    submit: bool = False
    """The URL is a form submission by GET."""

    data: bytes | None = None
    """Posted data; a command with data is an HTTP POST."""

    content_type: str = DEFAULT_POST_TYPE
    headers: tuple[tuple[str, str], ...] = ()
    keep_data: bool = False
    """The user says that the posted data may be kept in the file."""

    kept_headers: frozenset[str] = frozenset()
    """The names, in lower case, of the headers that the user says may be kept in the file."""

    withheld: frozenset[str] = frozenset()
    """Of a command that was read from a file: which of P and H the user did not allow to be kept."""

    allow: str = ""
    """What the URLs of pages have to match, beyond the command's own (`wcspider.webcapture.patterns`)."""

    deny: str = ""
    """What they may not match."""

    sitemap: bool = False
    """The URL is that of a sitemap, or of a robots.txt that names some: no page, but it links to its pages."""

    since: str = ""
    """From when on pages of the sitemap have to have changed (`wcspider.web.dates`)."""

    until: str = ""
    """Until when."""

    engine: str = ""
    """The internal name of the conversion engine (14.10.5.4), ``company:product:version:contentType``."""

    settings: Mapping[str, object] = field(default_factory=dict)
    """The engine's settings for the command: numbers, booleans and strings by key."""

    @property
    def is_submission(self) -> bool:
        """Whether the command is a form submission, by GET or POST: the Submit flag (Table 358)."""
        return self.submit or self.data is not None or "P" in self.withheld

    @property
    def form_code(self) -> FormCode:
        """The S entry of the source information of what the command's URL itself gave."""
        if self.data is not None:
            return FormCode.POST
        return FormCode.GET if self.submit else FormCode.NONE


@dataclass(frozen=True, slots=True)
class Capture:
    """One page, image or document with all that is needed to make a page set of it."""

    resource: Resource
    encoding: str
    """The name of the encoding that the charset decision chose; empty for what is not text."""

    identifier: bytes
    """The digital identifier of the page set (14.10.3.3), 16 bytes."""

    text_identifier: bytes | None = None
    """The text identifier (14.10.3.3), 16 bytes; None where there is no text."""

    title: str = ""
    auxiliaries: tuple[Auxiliary, ...] = ()
    """In order of first reference."""

    links: tuple[Link, ...] = ()
    """The pages that it leads to, in order, each once."""

    outcome: Outcome = Outcome.FETCHED
    """Of what is not FETCHED, the body, the auxiliaries and the links are not at hand: the file has them."""

    problem: str = ""
    """Why it FAILED."""

    command: int = 0
    """Which of the run's commands fetched it."""

    form: FormCode = FormCode.NONE
