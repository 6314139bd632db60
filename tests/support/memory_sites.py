"""A site in memory, and crawls of it into a file: without Scrapy, without a network and without a layout engine."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from tests.support.archive_samples import SITE, fragment
from wcspider.archive.journal.journal import Place
from wcspider.archive.pages.packed import PackedFragment, Rendered
from wcspider.config import CaptureConfig, defaults
from wcspider.crawl.arguments import CaptureArguments, RefreshArguments
from wcspider.crawl.frontier import Frontier
from wcspider.crawl.job import CaptureJob
from wcspider.crawl.tasks import task_of
from wcspider.engines.base import Heading
from wcspider.engines.fields import Field, FieldKind
from wcspider.steps import Slices, completed
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Link, Resource
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Capture, Outcome

FIELD = "q"
"""The name of the field of a page with a form."""

PATHS = ("/", "/a", "/b", "/c", "/d", "/e")
"""The paths that a site may have."""

ANCHOR = "part"
"""The name of an anchor that each page has on its last PDF page."""


@dataclass(frozen=True)
class Page:
    """A page of a site. Two URLs with equal pages have the same content."""

    title: str
    version: int = 0
    links: tuple[str, ...] = ()
    """The paths to which it links, which may have a fragment."""

    images: tuple[str, ...] = ()
    """The content of its images, each of which has the URL of its first character."""

    pages: int = 1
    """The number of its PDF pages."""

    has_form: bool = False

    @property
    def body(self) -> bytes:
        """The source of the page, in which the images are URLs."""
        return repr(replace(self, images=tuple(map(image_url, self.images)))).encode()

    @property
    def word(self) -> str:
        """A word that no page with other content contains."""
        return f"w{self.identifier.hex()}"

    @property
    def identifier(self) -> bytes:
        """The digital identifier of its page set."""
        return page_set_identifier(self.body, [(entry.url, digest_of(entry)) for entry in self.auxiliaries(None)])

    def auxiliaries(self, moment: datetime | None) -> tuple[Auxiliary, ...]:
        """Return its images, fetched at a moment."""
        return tuple(
            Auxiliary(url, AuxiliaryKind.IMAGE, Resource(url, image.encode(), "image/png", fetched=moment))
            for image in self.images
            for url in [image_url(image)]
        )

    def capture(self, url: str, hops: tuple[str, ...], moment: datetime) -> Capture:
        """Return the page as it was fetched from a URL."""
        resource = Resource(url, self.body, "text/html", hops=hops, fetched=moment, etag=self.word)
        links = dict.fromkeys(SITE + path.partition("#")[0] for path in self.links)
        return Capture(
            resource,
            "utf-8",
            self.identifier,
            hashlib.md5(self.word.encode()).digest(),
            self.title,
            self.auxiliaries(moment),
            tuple(Link(link, "a") for link in links),
        )


@dataclass(frozen=True)
class Redirect:
    """A URL that redirects to the URL of another path."""

    path: str


Answer = Page | Redirect | str
"""What the server answers; a string is the reason for which there is no page."""

Site = Mapping[str, Answer]
"""The answers of a server by path."""


def image_url(image: str) -> str:
    """Return the URL of an image."""
    return f"{SITE}/{image[0]}.png"


def digest_of(entry: Auxiliary) -> bytes:
    """Return the digest of an auxiliary resource."""
    assert entry.resource is not None
    return entry.resource.digest


@lru_cache(maxsize=256)
def laid_out(page: Page) -> PackedFragment:
    """Return the PDF pages of a page."""
    fields = (Field(FieldKind.TEXT, FIELD, form=0, is_hidden=True),) if page.has_form else ()
    made = fragment(
        page.pages,
        page.images,
        [SITE + path for path in page.links],
        [(ANCHOR, page.pages - 1)],
        page.word.encode(),
        headings=[Heading(f"Section of {page.title}", 0, page.pages - 1, 50)],
        fields=fields,
    )
    shown = {index: image_url(url.removeprefix(f"{SITE}/")) for index, url in made.images.items()}
    return PackedFragment.of(replace(made, images=shown))


def config_at(moment: datetime, **changed: Any) -> CaptureConfig:
    """Return the settings of a crawl at a moment."""
    given = {"fixed_time": moment.isoformat(), "system_fonts": False, "batch_pages": 2, "lookahead": 3, **changed}
    return CaptureConfig.from_settings({**defaults(), **{f"WEBCAPTURE_{key.upper()}": given[key] for key in given}})


class KilledError(Exception):
    """The end of a crawl that the test has killed."""


class MemoryCrawl:
    """A crawl of a site in memory. The requests are answered in an order that depends on a seed."""

    def __init__(
        self,
        arguments: CaptureArguments | RefreshArguments,
        site: Site,
        config: CaptureConfig,
        seed: int = 0,
        *,
        conditional: bool = True,
    ) -> None:
        """`conditional` tells whether the server knows conditional requests."""
        self.site = site
        self.conditional = conditional
        self._random = random.Random(seed)
        self.moment = config.clock()
        self.job = CaptureJob.open(
            task_of(arguments, config), config, lambda event, page_set: None, Slices(), cast("Any", None)
        )
        self.job.begin()
        self.frontier = Frontier(self.job, config, self.job.writer.turn)
        self.frontier.begin()

    def run(self, answers: int | None = None) -> bool:
        """Answer all requests, or some of them, and finish the crawl; tell whether the file was written.

        After the given number of answers, `KilledError` is raised.
        """
        self._answer_requests(answers)
        written = completed(self.job.settle((), "finished", is_finished=True, is_reached=True))
        if answers is not None:
            raise KilledError
        if written:
            self.job.target.finish()
            self.job.task.follow_up()
        else:
            self.job.target.discard()
        self.job.writer.close()
        return written

    def stop(self, answers: int) -> None:
        """Answer some requests, and end like a crawl that a user has stopped: the same command continues it."""
        with suppress(KilledError):
            self._answer_requests(answers)
        self.job.writer.commit()
        self.job.target.keep()
        self.job.writer.close()

    def die(self, torn: int | None = None) -> None:
        """End like a killed process: whatever came after the last checkpoint is in no journal.

        With `torn`, a revision follows the last checkpoint, of which so many bytes are in the part.
        """
        checkpoint = self.job.journal.checkpoint.length
        if torn is not None:
            self.job.database.commit()
        self.job.writer.close()
        self.job.target.keep()
        if torn is not None:
            with self.job.target.part.open("r+b") as part:
                part.truncate(min(checkpoint + torn, part.seek(0, 2)))

    def _answer_requests(self, answers: int | None) -> None:
        for number, place in enumerate(self._requested()):
            if number == answers:
                raise KilledError
            self._answer(place)

    def _requested(self) -> Iterator[Place]:
        """Yield the places that are requested, in any order."""
        waiting: list[Place] = []
        while True:
            waiting += self.frontier.advance()
            if waiting:
                yield waiting.pop(self._random.randrange(len(waiting)))
            elif not self.frontier.is_behind and not self.frontier.begin_next_run():
                return

    def _answer(self, place: Place) -> None:
        way, position = (place.key,), place.position
        while isinstance(answer := self.site.get(way[-1].removeprefix(SITE), "HTTP 404"), Redirect):
            if answer.path == way[-1].removeprefix(SITE):
                answer = "too many redirects"
                break
            way = (*way, SITE + answer.path)
            if not self.frontier.claim(way[-1], position):
                self.frontier.record_redirect(position, way)
                return
        held = self.job.held.requested(way[-1]) if self.job.is_refresh else None
        if isinstance(answer, Page):
            capture = answer.capture(way[-1], way[:-1], self.moment)
            if held is not None and self.conditional and held.source.etag == answer.word:
                capture = replace(
                    self.job.held.capture(held),
                    resource=replace(self.job.held.capture(held).resource, hops=way[:-1], fetched=self.moment),
                    auxiliaries=capture.auxiliaries,
                )
        elif held is not None and not answer.startswith("HTTP 4"):
            capture = replace(self.job.held.capture(held), outcome=Outcome.FAILED, problem=answer)
        else:
            self.frontier.record_failure(position, answer)
            return
        self.frontier.record_content(position, way, capture.links)
        self._store(way[-1], replace(capture, command=place.command), answer)

    def _store(self, key: str, capture: Capture, answer: Answer) -> None:
        packed = None
        if self.job.has_pages_of(capture):
            self.job.rely_on(capture.identifier)
        else:
            assert isinstance(answer, Page)
            packed = laid_out(answer)
        self.job.writer.captured(key, Rendered(capture, packed, zoom=4 / 3))


def capture_into(path: Path, seeds: str, levels: str) -> CaptureArguments:
    """Return the arguments of a capture of some paths of the site."""
    urls = ",".join(SITE + seed for seed in seeds.split(","))
    return CaptureArguments.parse({"url": urls, "levels": levels, "pdf": str(path), "engine": "xhtml2pdf"})


def refresh_of(path: Path, gone: str, **others: str) -> RefreshArguments:
    """Return the arguments of a refresh."""
    return RefreshArguments.parse({"pdf": str(path), "gone": gone, "force": "true", **others})
