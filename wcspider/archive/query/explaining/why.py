"""The reason why a URL is in a file or not, as a value for JSON or as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wcspider.archive.database.content_index import Stored, is_image_set, sources_among
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.database.skipped_records import SkippedRecords
from wcspider.archive.query.explaining.link_paths import Discovery, LinkPaths, explained_refusal
from wcspider.archive.query.explaining.resource_uses import ResourceUses, use
from wcspider.archive.query.listing import FORMS, iso, page_range
from wcspider.archive.query.versions import last_version
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.run_records import REFRESH, all_runs
from wcspider.pdf.webcapture.skipped import SkippedRecord
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.units import format_count
from wcspider.web.urls import canonical_url, has_login, without_login
from wcspider.webcapture.records import ALL_LEVELS, Command

UNRECORDED = "the file has no record of it (WEBCAPTURE_MAX_OMITTED limits their number)"
SITEMAP = "it is a sitemap, which lists pages but is not a page"
UNLINKED = "no page in the file links to it"
LINKS_LIMIT = "WEBCAPTURE_MAX_LINKS"
"""The setting that the notes about pages with too many links name."""

NO_COMMAND = "no command in the file leads to it"
NO_ITEM = "the spider of another project captured the file and yielded no item for it (its log says why)"
SHOWN_PAGES = 3
"""The number of these pages that are shown."""

LINKS_UNKNOWN = "the links of the pages are not recorded in the file"

Description = dict[str, Any]


def explain(database: ContentDatabase, url: str) -> Description:
    """Return the reason why a URL is in a file or not, as one JSON object.

    Raises `InvalidURLError` if it is not an absolute URL that can be captured.
    """
    explained = _Explainer(database, canonical_url(url))
    if explained.record is None and not explained.found and has_login(explained.url):
        explained = _Explainer(database, without_login(explained.url))
    return explained.describe()


def _record_of(database: ContentDatabase, url: str) -> SkippedRecord | None:
    records = SkippedRecords(database)
    return records.find(url) or records.find_by_redirect(url)


class _Explainer:
    """The explanation of one URL."""

    def __init__(self, database: ContentDatabase, url: str) -> None:
        self.database = database
        self.url = url
        self.record = _record_of(database, url)
        self.paths = LinkPaths(database)
        self.found = database.find_by_url(url)
        self.uses = ResourceUses(database, url)

    def describe(self) -> Description:
        """Return the explanation."""
        pages = [self._page(stored, source) for stored, source in sources_among(self.found, self.url)]
        images = sum(sum(stored.content.counts) for stored in filter(is_image_set, self.found))
        is_resource = bool(images) or self.uses.is_held
        described = {
            "url": self.url,
            "in_file": bool(pages) or is_resource,
            "pages": pages,
            "shown_on": images,
            "is_resource": is_resource,
            "resource": self.uses.described(),
        }
        if is_resource and not pages:
            return {**described, **_explanation(None, None), "earlier": None}
        earlier = None if pages else last_version(self.database.file.path, self.url, self.database.clock)
        return {**described, **self._history(pages), "earlier": earlier}

    def _page(self, stored: Stored[PageSet], source: SourceInformation) -> Description:
        way = next((chain[chain.index(self.url) :] for chain in source.chains if self.url in chain), ())
        number = self.database.catalog.pages.page_number
        return {
            "pages": [number(page) for page in stored.content.objects],
            "url": source.url,
            "redirects": [*way, source.url] if way else [],
            "updated": iso(source.updated),
            "gone": iso(source.gone),
            "form": int(source.form),
            "notice": source.notice or None,
            "command": self.paths.index_of(source.command),
        }

    def _history(self, pages: list[Description]) -> Description:
        """Return how a crawl found the URL, and why it was skipped, if it was."""
        is_excluded = self.record is not None and self.record.excluded and not self.record.gone
        if self.record is not None and not (is_excluded and pages):  # another command has captured an excluded page
            return _explanation(self.record.reason, self._recorded(self.record), self.record.redirects)
        return self._captured() if pages else self._not_captured()

    def _captured(self) -> Description:
        """Return how a crawl found a URL that the file has pages of, or a URL that redirects to it."""
        urls = {key for stored in self.found for source in stored.content.sources for key in source.keys}
        discovery = self.paths.find(urls)
        if discovery is None or discovery.refusal:  # WEBCAPTURE_FOLLOW_NOFOLLOW was set
            discovery = self.paths.find(urls, follow_nofollow=True)
        return _explanation(None, None if discovery is None else self._discovered(discovery))

    def _not_captured(self) -> Description:
        """Return the reason for a URL without a page set and without a record: by its use, or by the commands."""
        problem = self.uses.problem()
        if problem is not None:
            return _explanation(problem, None)
        sitemap = self.paths.sitemap_at(self.url)
        if sitemap is not None:
            return _explanation(SITEMAP, self._discovered(sitemap))
        discovery = self.paths.find({self.url})
        if discovery is not None:
            return _explanation(discovery.refusal or UNRECORDED, self._discovered(discovery))
        page = self.paths.linking_page(self.url)
        if page is not None:
            return _explanation(NO_COMMAND if self.paths.commands else NO_ITEM, _linked(page))
        is_recorded = bool(self.database.catalog.history)
        reason = f"{UNLINKED}{self._limit_of_links()}" if is_recorded else LINKS_UNKNOWN
        return _explanation(reason, None, commands=self._refusals())

    def _limit_of_links(self) -> str:
        """Return the pages with more links than the file stores, as the rest of a reason; empty if there are none."""
        runs = all_runs(self.database.catalog.history)
        notes = [note for run in runs for note in run.notes if LINKS_LIMIT in note.reason]
        urls = dict.fromkeys(url for note in notes for url in note.urls)
        if not urls:
            return ""
        shown = ", ".join(list(urls)[:SHOWN_PAGES]) + (", ..." if len(urls) > SHOWN_PAGES else "")
        return f", but pages with more links than {LINKS_LIMIT} may do so behind the links that are stored: {shown}"

    def _recorded(self, record: SkippedRecord) -> Description | None:
        command = self.paths.index_of(record.command)
        return None if command is None else self._discovered(Discovery(command, record.level, record.referrer))

    def _discovered(self, discovery: Discovery) -> Description:
        command = self.paths.commands[discovery.command][1]
        is_listed = command.sitemap and discovery.level != 1 and discovery.referrer in ("", command.url)
        return {
            "command": discovery.command,
            "level": discovery.level,
            "levels": command.levels,
            "url": command.url,
            "linked_from": command.url if is_listed else discovery.referrer or None,
            "sitemap": is_listed,
        }

    def _refusals(self) -> Iterator[Description]:
        """Yield the reasons of the commands not to capture the URL, each once, with its commands."""
        by_reason: dict[str, list[int]] = {}
        for index, scope in self.paths.scopes.items():
            reason = self._refusal(explained_refusal(scope, self.url), self._command(index))
            by_reason.setdefault(reason, []).append(index)
        yield from ({"reason": reason, "commands": indices} for reason, indices in by_reason.items())

    def _command(self, index: int) -> Command:
        return self.paths.commands[index][1]

    @staticmethod
    def _refusal(refusal: str, command: Command) -> str:
        if refusal:
            return refusal
        return "captures its own URL only" if command.levels == 1 else "would capture it if a page linked to it"


def _explanation(
    reason: str | None,
    discovery: Description | None,
    redirects: Iterable[str] = (),
    commands: Iterable[Description] = (),
) -> Description:
    return {"reason": reason, "met": discovery, "redirects": list(redirects), "commands": list(commands)}


def _linked(page: str) -> Description:
    """Return the discovery of a URL on a page to which no command leads."""
    return {"command": None, "level": 0, "levels": None, "url": None, "linked_from": page, "sitemap": False}


def lines(description: Description) -> Iterator[str]:
    """Yield an explanation as lines of text."""
    url = description["url"]
    for page in description["pages"]:
        form = f" ({FORMS[page['form']]})" if page["form"] in FORMS else ""
        yield f"{url} is in the file, {page_range(page['pages'], 'without pages')}{form}{_dates(page)}"
        if page["redirects"]:
            yield f"    it redirects: {' -> '.join(page['redirects'])}"
        if page["notice"]:
            yield f"    it may be incomplete: {page['notice']}"
    if not description["pages"] and description["is_resource"]:
        used = use(description["resource"]) if description["resource"] else "a resource of pages"
        shown = f", shown on {format_count(description['shown_on'], 'page')}" if description["shown_on"] else ""
        yield f"{url} is in the file as {used}{shown}"
    elif not description["pages"]:
        yield f"{url} is not in the file: {description['reason']}"
    elif description["reason"] and any(page["gone"] for page in description["pages"]):
        yield f"    it is gone from the site: {description['reason']}"
    elif description["reason"]:
        yield f"    the last attempt to fetch it failed: {description['reason']}"
    if description["redirects"]:
        yield f"    it redirects: {' -> '.join(description['redirects'])}"
    if description["met"] is not None:
        yield f"    {_discovery(description['met'])}"
    if description["earlier"] is not None:
        yield f"    {_earlier(description['earlier'])}"
    for row in description["commands"]:
        yield f"    {_numbered('command', row['commands'])}: {row['reason']}"


def _earlier(found: Description) -> str:
    """Return in words which earlier revisions have a page, and what became of it."""
    first, last = found["revisions"]
    kept = f"revision {first} has" if first == last else f"revisions {first} to {last} have"
    done = "a refresh dropped it" if found["run"] == REFRESH else "it was removed"
    return f"{kept} the page; {done} in revision {last + 1}"


def _dates(page: Description) -> str:
    if page["gone"]:
        return f", and gone since {page['gone']}"
    return f", as of {page['updated']}" if page["updated"] else ""


def _discovery(found: Description) -> str:
    if found["command"] is None:
        return f"{found['linked_from']} links to it"
    levels = "all levels" if found["levels"] >= ALL_LEVELS else f"levels {found['levels']}"
    line = f"command {found['command']} ({found['url']}, {levels})"
    if found["level"]:
        line += f", level {found['level']}"
    if found["sitemap"]:
        return f"{line}: its sitemap lists it"
    if found["linked_from"]:
        return f"{line}: {found['linked_from']} links to it"
    return f"{line}: it is the URL of the command" if found["level"] == 1 else line


def _numbered(noun: str, numbers: list[int]) -> str:
    limit = 10
    shown = ", ".join(map(str, numbers[:limit])) + (", ..." if len(numbers) > limit else "")
    return f"{noun} {shown}" if len(numbers) == 1 else f"{noun}s {shown}"
