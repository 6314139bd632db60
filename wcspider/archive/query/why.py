"""Why a URL is in a file, or is not, in words and as one value that can be written as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.link_paths import Meeting, Paths
from wcspider.archive.query.listing import iso
from wcspider.pdf.webcapture.content_sets import ImageSet, PageSet
from wcspider.pdf.webcapture.skipped import SkippedRecord
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.web.urls import canonical_url, without_login
from wcspider.webcapture.records import ALL_LEVELS, Command

UNRECORDED = "the file has no record of what became of it (it keeps as many as WEBCAPTURE_MAX_OMITTED says)"
NO_PAGE = "it is a sitemap, which leads to pages and is none"
UNLINKED = "no page in the file links to it"
UNLED = "no command of the file leads to it"
UNKNOWN = "the file does not know what its pages link to"

Description = dict[str, Any]


def explain(database: ContentDatabase, url: str) -> Description:
    """Return why a URL is in a file or is not, as one JSON object. Raises `InvalidURLError` for what is none."""
    url = canonical_url(url)
    record = _record_of(database, url)
    if record is None and not database.find_by_url(url):
        url = without_login(url)
        record = _record_of(database, url)
    return _Explainer(database, url, record).describe()


def _record_of(database: ContentDatabase, url: str) -> SkippedRecord | None:
    skip_reasons = SkippedRecords(database)
    return skip_reasons.find(url) or skip_reasons.find_by_redirect(url)


class _Explainer:
    def __init__(self, database: ContentDatabase, url: str, record: SkippedRecord | None) -> None:
        self.database = database
        self.url = url
        self.record = record
        self.paths = Paths(database)
        self.found = database.find_by_url(url)

    def describe(self) -> Description:
        """Return what is known of the URL."""
        pages = list(self._pages())
        images = sum(sum(stored.content.counts) for stored in self.found if isinstance(stored.content, ImageSet))
        is_resource = bool(images) or self.database.auxiliaries.find(self.url) is not None
        described = {
            "url": self.url,
            "in_file": bool(pages) or is_resource,
            "pages": pages,
            "shown_on": images,
            "is_resource": is_resource,
        }
        if is_resource and not pages:
            return {**described, **_said(None, None)}
        return {**described, **self._history(pages)}

    def _pages(self) -> Iterator[Description]:
        for stored in self.found:
            for source in stored.content.sources if isinstance(stored.content, PageSet) else ():
                if self.url in source.keys:
                    yield self._page(stored, source)

    def _page(self, stored: Stored, source: SourceInformation) -> Description:
        way = next((chain[chain.index(self.url) :] for chain in source.chains if self.url in chain), ())
        number = self.database.catalog.pages.page_number
        return {
            "pages": [number(page) for page in stored.content.objects],
            "url": source.url,
            "redirects": [*way, source.url] if way else [],
            "updated": iso(source.updated),
            "gone": iso(source.gone),
            "command": self.paths.index_of(source.command),
        }

    def _history(self, pages: list[Description]) -> Description:
        """Return where the URL was met, and why it was left out, if it was."""
        if self.record is not None:
            return _said(self.record.reason, self._recorded(self.record), self.record.redirects)
        return self._held() if pages else self._not_held()

    def _held(self) -> Description:
        """Return where a URL was met of which the file has pages, or what redirects to them."""
        urls = {key for stored in self.found for source in stored.content.sources for key in source.keys}
        met = self.paths.find(urls)
        if met is None or met.refusal:  # it was followed by WEBCAPTURE_FOLLOW_NOFOLLOW
            met = self.paths.find(urls, follow_nofollow=True)
        return _said(None, None if met is None else self._met(met))

    def _not_held(self) -> Description:
        """Return what the rules say of a URL that came to nothing which the file has a record of."""
        sitemap = self.paths.sitemap_at(self.url)
        if sitemap is not None:
            return _said(NO_PAGE, self._met(sitemap))
        met = self.paths.find({self.url})
        if met is not None:
            return _said(met.refusal or UNRECORDED, self._met(met))
        page = self.paths.linking_page(self.url)
        if page is not None:  # which another project's spider yielded, or no page links to any more
            return _said(UNLED, _linked(page))
        is_ours = bool(self.database.catalog.history)
        return _said(UNLINKED if is_ours else UNKNOWN, None, commands=self._refusals())

    def _recorded(self, record: SkippedRecord) -> Description | None:
        command = self.paths.index_of(record.command)
        return None if command is None else self._met(Meeting(command, record.level, record.referrer))

    def _met(self, met: Meeting) -> Description:
        command = self.paths.commands[met.command][1]
        is_listed = command.sitemap and met.level != 1 and met.referrer in ("", command.url)
        return {
            "command": met.command,
            "level": met.level,
            "levels": command.levels,
            "url": command.url,
            "linked_from": command.url if is_listed else met.referrer or None,
            "sitemap": is_listed,
        }

    def _refusals(self) -> Iterator[Description]:
        """Yield what the commands say of a URL that no page links to, each reason once, with its commands."""
        by_reason: dict[str, list[int]] = {}
        for index, scope in self.paths.scopes.items():
            by_reason.setdefault(self._refusal(scope.refusal(self.url), self._command(index)), []).append(index)
        yield from ({"reason": reason, "commands": indices} for reason, indices in by_reason.items())

    def _command(self, index: int) -> Command:
        return self.paths.commands[index][1]

    @staticmethod
    def _refusal(refusal: str, command: Command) -> str:
        if refusal:
            return refusal
        return "takes its own URL only" if command.levels == 1 else "would take it, if a page linked to it"


def _said(
    reason: str | None,
    met: Description | None,
    redirects: Iterable[str] = (),
    commands: Iterable[Description] = (),
) -> Description:
    return {"reason": reason, "met": met, "redirects": list(redirects), "commands": list(commands)}


def _linked(page: str) -> Description:
    """Return that a page links to a URL, and no command leads to the page."""
    return {"command": None, "level": 0, "levels": None, "url": None, "linked_from": page, "sitemap": False}


def lines(description: Description) -> Iterator[str]:
    """Yield an explanation as lines for a reader."""
    url = description["url"]
    for page in description["pages"]:
        yield f"{url} is in the file, {_numbers(page['pages'])}{_dates(page)}"
        if page["redirects"]:
            yield f"    it redirects: {' -> '.join(page['redirects'])}"
    if not description["pages"] and description["is_resource"]:
        shown = f", shown on {_counted(description['shown_on'])}" if description["shown_on"] else ""
        yield f"{url} is in the file as a resource of pages{shown}"
    elif not description["pages"]:
        yield f"{url} is not in the file: {description['reason']}"
    elif description["reason"]:
        yield f"    it was left out last: {description['reason']}"
    if description["redirects"]:
        yield f"    it redirects: {' -> '.join(description['redirects'])}"
    if description["met"] is not None:
        yield f"    {_meeting(description['met'])}"
    for row in description["commands"]:
        yield f"    {_numbered('command', row['commands'])}: {row['reason']}"


def _numbers(pages: list[int]) -> str:
    if not pages:
        return "without pages"
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]}-{pages[-1]}"


def _dates(page: Description) -> str:
    if page["gone"]:
        return f", and gone since {page['gone']}"
    return f", as of {page['updated']}" if page["updated"] else ""


def _counted(count: int) -> str:
    return f"{count} page" if count == 1 else f"{count} pages"


def _meeting(met: Description) -> str:
    if met["command"] is None:
        return f"{met['linked_from']} links to it"
    levels = "all levels" if met["levels"] >= ALL_LEVELS else f"levels {met['levels']}"
    said = f"command {met['command']} ({met['url']}, {levels})"
    if met["level"]:
        said += f", level {met['level']}"
    if met["sitemap"]:
        return f"{said}: its sitemap lists it"
    if met["linked_from"]:
        return f"{said}: {met['linked_from']} links to it"
    return f"{said}: it is what the command asks for" if met["level"] == 1 else said


def _numbered(noun: str, numbers: list[int]) -> str:
    most = 10
    shown = ", ".join(map(str, numbers[:most])) + (", ..." if len(numbers) > most else "")
    return f"{noun} {shown}" if len(numbers) == 1 else f"{noun}s {shown}"
