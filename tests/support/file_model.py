"""A model of a file: what is to be in it after a crawl of a site in memory, a refresh, or a merge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from tests.support.archive_samples import SITE
from tests.support.memory_sites import FIELD, Answer, Page, Redirect, Site
from wcspider.webcapture.names import field_name


@dataclass
class Source:
    """A source of a page set."""

    chains: set[tuple[str, ...]]
    updated: datetime
    gone: datetime | None = None

    @property
    def is_gone(self) -> bool:
        """True if the page was removed from the site."""
        return self.gone is not None


@dataclass
class PageSet:
    """A page set, with its sources by URL."""

    page: Page
    sources: dict[str, Source] = field(default_factory=dict)

    @property
    def is_present(self) -> bool:
        """True unless the page was removed from the site."""
        return not all(source.is_gone for source in self.sources.values())

    def urls(self) -> set[str]:
        """Return the URLs that find the page set."""
        return {*self.sources, *(hop for source in self.sources.values() for chain in source.chains for hop in chain)}

    def updated_at(self, url: str) -> datetime:
        """Return when the page set was last up to date as the content of a URL."""
        return max(
            source.updated
            for own, source in self.sources.items()
            if url == own or any(url in chain for chain in source.chains)
        )


class Command(NamedTuple):
    """A command: a seed, and the number of levels (None for all)."""

    seed: str
    levels: int | None


@dataclass
class Entry:
    """A command of a file, and the name of its run. Commands of runs with one name are repeated together."""

    command: Command
    run: object


@dataclass
class Model:
    """The content of a file."""

    page_sets: dict[bytes, PageSet] = field(default_factory=dict)
    """In the order of their pages."""

    commands: list[Entry] = field(default_factory=list)
    incomplete: set[bytes] = field(default_factory=set)
    """The page sets of which another program has removed a page."""

    unlisted: set[bytes] = field(default_factory=set)
    """The page sets whose bookmarks a user has deleted, and those that may have replaced them."""

    others: int = 0
    """The number of pages of another program, in front of the page sets."""

    is_flat: bool = False
    """True if another program has put all pages below one node: a refresh does not put such pages in order."""

    values: dict[bytes, str] = field(default_factory=dict)
    """The values that a user has filled into fields, by the name of the field."""

    count: int = 0
    """The number of runs so far."""

    def copy(self) -> Model:
        """Return a model that does not change with this one."""
        return deepcopy(self)

    def found(self, url: str) -> set[bytes]:
        """Return the identifiers of the page sets with a URL."""
        return {identifier for identifier, page_set in self.page_sets.items() if url in page_set.urls()}

    def latest(self, url: str) -> set[bytes]:
        """Return the identifiers of the page sets to which a link to a URL may lead."""
        found = self.found(url)
        newest = max((self.page_sets[identifier].updated_at(url) for identifier in found), default=None)
        return {identifier for identifier in found if self.page_sets[identifier].updated_at(url) == newest}

    def found_at(self, url: str) -> list[bytes]:
        """Return the identifiers of the page sets with a source at a URL."""
        return [identifier for identifier, page_set in self.page_sets.items() if url in page_set.sources]

    def sources_at(self, url: str) -> list[Source]:
        """Return the sources at a URL: the versions of one page."""
        return [page_set.sources[url] for page_set in self.page_sets.values() if url in page_set.sources]

    def urls(self) -> set[str]:
        """Return the URLs of all sources."""
        return {url for page_set in self.page_sets.values() for url in page_set.sources}

    def present(self) -> dict[str, set[bytes]]:
        """Return the URLs that are on the site, with the identifiers of their page sets."""
        found: dict[str, set[bytes]] = {}
        for identifier, page_set in self.page_sets.items():
            for url, source in page_set.sources.items():
                if not source.is_gone:
                    found.setdefault(url, set()).add(identifier)
        return found

    def capture(self, site: Site, commands: Sequence[Command], moment: datetime) -> bool:
        """Add the pages that a capture finds; return whether there is any."""
        arrivals = [arrival for arrival in visited(site, [commands]) if isinstance(arrival.answer, Page)]
        if not arrivals:
            return False
        for url, hops, page in arrivals:
            assert isinstance(page, Page)
            self.forget_incomplete(page.identifier)
            sources = self.page_sets.setdefault(page.identifier, PageSet(page)).sources
            known = sources.setdefault(url, Source(set(), moment))
            known.updated, known.gone = moment, None
            known.chains |= {hops} - {()}
        self.count += 1
        for command in commands:
            present = next((entry for entry in self.commands if entry.command == command), None)
            if present is None:
                self.commands.append(Entry(command, self.count))
            else:
                present.run = self.count
        return True

    def forget_incomplete(self, identifier: bytes) -> None:
        """Forget a page set that another program has damaged, because its pages are added again."""
        if identifier in self.incomplete:
            self.incomplete.remove(identifier)
            self.unlisted.discard(identifier)
            del self.page_sets[identifier]
            self.values.pop(field_name(FIELD.encode(), identifier), None)

    def repeated(self, selected: Sequence[Command] | None = None) -> list[list[Command]]:
        """Return the commands that a refresh of all or of selected commands repeats, by run: of equal ones the last."""
        last = {entry.command: entry for entry in self.commands if selected is None or entry.command in selected}
        names = list(dict.fromkeys(entry.run for entry in self.commands))
        return [[entry.command for entry in last.values() if entry.run == name] for name in names]

    def selection(self, at: int, by_url: bool) -> tuple[dict[str, str], list[Command]]:
        """Return the arguments that select some commands for a refresh, and these commands."""
        index = at % len(self.commands)
        chosen = self.commands[index].command
        if not by_url:
            return {"command": str(index)}, [chosen]
        alike = [entry.command for entry in self.commands if entry.command.seed == chosen.seed]
        return {"only": SITE + chosen.seed}, alike

    def forget_runs(self) -> None:
        """Forget the runs, as `optimize` does: commands that differ only in their URL then belong together."""
        for entry in self.commands:
            entry.run = f"levels {entry.command.levels}"

    def refresh(self, site: Site, moment: datetime, *, drop: bool) -> bool:
        """Bring the pages up to date with a site whose answers are all certain; return whether there is any page."""
        arrivals = list(visited(site, self.repeated()))
        pages: dict[str, PageSet] = {}
        passed: dict[str, str] = {}
        removed: set[str] = set()
        for url, hops, answer in arrivals:
            passed |= dict.fromkeys(hops, url)
            if isinstance(answer, Page):
                known = pages.setdefault(url, PageSet(answer, {url: Source(set(), moment)}))
                known.sources[url].chains |= {hops} - {()}
            else:
                removed |= {url, *hops}
        if not pages:
            return False
        after: dict[bytes, PageSet] = {}
        for url, page_set in pages.items():
            after.setdefault(page_set.page.identifier, PageSet(page_set.page)).sources[url] = page_set.sources[url]
        for identifier, old in {} if drop else self.page_sets.items():
            for url, source in old.sources.items():
                destination = pages.get(passed.get(url, ""))
                has_moved = destination is not None and destination.page.identifier == identifier
                if url in pages or has_moved:
                    continue
                chains = {chain for chain in source.chains if not any(passed.get(hop, hop) in pages for hop in chain)}
                kept = Source(chains, source.updated, source.gone or moment)
                after.setdefault(identifier, PageSet(old.page)).sources[url] = kept
        self._move_values(after)
        self.renew(after)
        self.incomplete &= after.keys() - {page_set.page.identifier for page_set in pages.values()}
        self.count += 1
        return True

    def renew(self, after: dict[bytes, PageSet]) -> None:
        """Take the page sets after a refresh. Those that replace others in place have the bookmarks of the others."""
        without = {
            url for identifier in self.unlisted & self.page_sets.keys() for url in self.page_sets[identifier].sources
        }
        replacing = {key for key in after.keys() - self.page_sets.keys() if after[key].sources.keys() & without}
        self.unlisted = self.unlisted & after.keys() | replacing
        self.page_sets = after

    def _move_values(self, after: dict[bytes, PageSet]) -> None:
        """Move the values that a user has filled in to the pages that replace others in place."""
        new = after.keys() - self.page_sets.keys()
        for identifier, page_set in self.page_sets.items():
            value = self.values.get(field_name(FIELD.encode(), identifier))
            [url, *others] = page_set.sources
            if value is None or others or identifier in after or identifier in self.incomplete:
                continue
            for renewed in new:
                alone = list(after[renewed].sources) == [url] and self.found_at(url) == [identifier]
                if alone and after[renewed].page.has_form:
                    self.values[field_name(FIELD.encode(), renewed)] = value

    def merge(self, other: Model) -> None:
        """Add the content of another file."""
        for identifier, theirs in other.page_sets.items():
            if identifier in other.incomplete:
                continue
            self.forget_incomplete(identifier)
            if identifier not in self.page_sets and (name := field_name(FIELD.encode(), identifier)) in other.values:
                self.values[name] = other.values[name]
            if identifier not in self.page_sets and identifier in other.unlisted:
                self.unlisted.add(identifier)
            mine = self.page_sets.setdefault(identifier, PageSet(theirs.page))
            for url, source in theirs.sources.items():
                marks = {found.gone for found in (source, *self.sources_at(url)) if found.gone}
                known = mine.sources.setdefault(url, deepcopy(source))
                known.chains |= source.chains
                if source.updated > known.updated:
                    known.updated, known.gone = source.updated, source.gone
                for found in self.sources_at(url):
                    found.gone = min((mark for mark in marks if mark >= found.updated), default=found.gone)
        names: dict[object, object] = {}
        for entry in other.commands:
            mine_too = [have for have in self.commands if have.command == entry.command]
            self.count += entry.run not in names
            name = names.setdefault(entry.run, self.count)
            if mine_too:
                mine_too[0].run = name
            else:
                self.commands.append(Entry(entry.command, name))
        self.count += 1


class Arrival(NamedTuple):
    """The answer to a request, at the last URL of its redirects."""

    url: str
    hops: tuple[str, ...]
    answer: Answer
    """A redirect if the redirects form a loop."""

    @property
    def is_certain(self) -> bool:
        """True if the answer tells whether the site has the page."""
        return not isinstance(self.answer, Redirect) and self.answer != "HTTP 500"


def visited(site: Site, runs: Sequence[Sequence[Command]]) -> Iterator[Arrival]:
    """Yield the answers to the requests of runs of commands, in the reading order."""
    for commands in runs:
        queue = [(SITE + command.seed, 1) for command in commands]
        placed = {url for url, _ in queue}
        for url, level in queue:
            hops: list[str] = []
            answer = site.get(url.removeprefix(SITE), "HTTP 404")
            while isinstance(answer, Redirect) and url not in hops:
                hops.append(url)
                url = SITE + answer.path
                answer = site.get(answer.path, "HTTP 404")
            yield Arrival(url, tuple(hop for hop in hops if hop != url), answer)
            is_followed = any(command.levels is None or level < command.levels for command in commands)
            for link in answer.links if isinstance(answer, Page) and is_followed else ():
                target = SITE + link.partition("#")[0]
                if target not in placed:
                    placed.add(target)
                    queue.append((target, level + 1))
