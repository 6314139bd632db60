"""The versions of one URL: its page sets in all states of a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from wcspider.archive.database.content_index import Clock
from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.query.history import Revision, lost, revisions
from wcspider.archive.query.listing import FORMS, iso, page_range
from wcspider.archive.query.plain_text import visible
from wcspider.exceptions import WebCaptureError
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.values import UNDATED
from wcspider.pdf.webcapture.content_sets import PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.webcapture.records import FormCode


@dataclass(frozen=True, slots=True)
class Version:
    """A page set with the URL, in the consecutive revisions that have it."""

    first_revision: int
    last_revision: int
    url: str
    """The URL of its source: the destination of the redirects from the URL."""

    identifier: bytes
    title: str
    pages: tuple[int | None, ...]
    """The numbers of its PDF pages in the last of these revisions."""

    captured: datetime | None
    """The time stamp of the source in the first of these revisions."""

    updated: datetime | None
    """The time stamp of the source in the last of these revisions: the page was found unchanged then."""

    gone: datetime | None
    """The date of the refresh that found the page gone."""

    form: FormCode = FormCode.NONE
    """The kind of form submission by which it was accessed: one URL may have pages by GET and by POST."""

    def continues(self, other: Version) -> bool:
        """Return whether it continues another version: the same content, in the next revision.

        A page that is marked as gone is still the same version; one that returns to the site begins a new version.
        """
        is_same = (self.url, self.form, self.identifier) == (other.url, other.form, other.identifier)
        return is_same and other.gone in (None, self.gone) and self.first_revision == other.last_revision + 1


def find_versions(path: Path, url: str, clock: Clock) -> tuple[list[Version], list[int]]:
    """Return the versions of a URL, the oldest first, and the numbers of the revisions that are lost."""
    found = revisions(path, repair=True)
    missing = list(lost(path, found))
    versions: list[Version] = []
    for revision in found:
        if revision.number not in missing:
            for version in _in_revision(path, revision, url, clock):
                _add(versions, version)
    return sorted(versions, key=lambda version: (version.captured or UNDATED, version.first_revision)), missing


def last_version(path: Path, url: str, clock: Clock) -> dict[str, Any] | None:
    """Return the last earlier revisions with a page of a URL that the present file has no page of, as a JSON object.

    It contains the kind of the run after them; None if no earlier revision can be read that has the page.
    """
    try:
        found = revisions(path, repair=True)
        versions = find_versions(path, url, clock)[0] if len(found) > 1 else []
    except WebCaptureError:
        return None
    if not versions:
        return None
    latest = max(versions, key=lambda version: version.last_revision)
    run = found[latest.last_revision].run if latest.last_revision < len(found) else None
    first = min(version.first_revision for version in versions if version.last_revision == latest.last_revision)
    return {"revisions": [first, latest.last_revision], "run": None if run is None else run.kind}


def _in_revision(path: Path, revision: Revision, url: str, clock: Clock) -> Iterator[Version]:
    with closing(ContentDatabase(RevisionFile.open(path, revision.length, repair=True), clock)) as database:
        for stored, source in database.sources_at(url):
            pages = tuple(map(database.catalog.pages.page_number, stored.content.objects))
            yield _version(revision.number, source, stored.content, pages)


def _version(number: int, source: SourceInformation, content: PageSet, pages: tuple[int | None, ...]) -> Version:
    return Version(
        number,
        number,
        source.url,
        content.identifier,
        content.title,
        pages,
        source.updated,
        source.updated,
        source.gone,
        source.form,
    )


def _add(versions: list[Version], new: Version) -> None:
    for index, known in enumerate(versions):
        if new.continues(known):
            versions[index] = replace(new, first_revision=known.first_revision, captured=known.captured)
            return
    versions.append(new)


# Output


def describe(url: str, versions: list[Version], missing: list[int]) -> dict[str, Any]:
    """Return the versions of a URL as one JSON object."""
    rows = [
        {
            "revisions": [version.first_revision, version.last_revision],
            "url": version.url,
            "id": version.identifier.hex(),
            "title": version.title or None,
            "pages": list(version.pages),
            "captured": iso(version.captured),
            "updated": iso(version.updated),
            "gone": iso(version.gone),
            "form": int(version.form),
        }
        for version in versions
    ]
    return {"url": url, "versions": rows, "lost_revisions": missing}


def lines(description: dict[str, Any]) -> Iterator[str]:
    """Yield the versions of a URL as lines of text."""
    for row in description["versions"]:
        first, last = row["revisions"]
        numbers = f"revision {first}" if first == last else f"revisions {first}-{last}"
        title = visible(row["title"] or "(no title)")
        yield f"{row['captured'] or 'undated'}  {numbers}  {page_range(row['pages'])}  {title}"
        yield f"    id {row['id']}{_details(row, description)}"
    if description["lost_revisions"]:
        numbers = ", ".join(map(str, description["lost_revisions"]))
        yield f"lost, because another program has rewritten the file: revision {numbers}"


def _details(row: dict[str, Any], description: dict[str, Any]) -> str:
    details = [
        FORMS.get(row["form"], ""),
        f"redirected to {visible(row['url'])}" if row["url"] != description["url"] else "",
        f"{_found(row, description['versions'])} {row['updated']}" if row["updated"] != row["captured"] else "",
        f"gone since {row['gone']}" if row["gone"] else "",
    ]
    return "".join(f"  {detail}" for detail in details if detail)


def _found(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return how a version was found at its last date: unchanged, or again, after another version was captured."""
    between = (other for other in rows if (row["captured"] or "") < (other["captured"] or "") < row["updated"])
    return "unchanged until" if next(between, None) is None else "found again at"
