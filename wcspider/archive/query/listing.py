"""The content sets and commands of a file, as values for JSON or as lines of text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from wcspider.archive.database.content_index import Stored
from wcspider.archive.database.database import ContentDatabase
from wcspider.pdf.objects import Ref, Stream
from wcspider.pdf.webcapture.content_sets import ContentSet, ImageSet, PageSet
from wcspider.pdf.webcapture.sources import SourceInformation
from wcspider.program_names import file_command
from wcspider.units import format_count
from wcspider.webcapture.records import ALL_LEVELS, DATA, Command, FormCode

FORMS = {FormCode.GET: "form, GET", FormCode.POST: "form, POST"}
"""The kinds of form submissions by which pages were accessed, in words."""


class Listing:
    """Descriptions of the content sets and commands of a file."""

    def __init__(self, database: ContentDatabase) -> None:
        self.database = database
        self._commands = database.commands()
        self._index = {reference: index for index, (reference, _) in enumerate(self._commands)}

    def describe(self, found: Iterable[Stored[ContentSet]]) -> dict[str, Any]:
        """Return content sets, and the commands of the file, as one JSON object.

        The content sets are an iterator. They are read again one by one, because all of them take much memory: the page
        sets in the order of their first pages, then the image sets in the order of their numbers.
        """
        info = self.database.catalog.web_capture
        return {
            "version": None if info is None else float(info.version),
            "content_sets": self._content_sets(self._ordered(found)),
            "commands": [_command(command) for _, command in self._commands],
        }

    def _ordered(self, found: Iterable[Stored[ContentSet]]) -> list[Ref]:
        """Return the references of content sets in the order of the list."""
        first_pages: dict[Ref, Ref] = {}
        others: list[Ref] = []
        for stored in found:
            if isinstance(stored.content, PageSet) and stored.content.objects:
                first_pages[stored.reference] = stored.content.objects[0]
            else:
                others.append(stored.reference)
        numbers = self.database.catalog.pages.page_numbers(set(first_pages.values()))
        return [*sorted(first_pages, key=lambda entry: (numbers.get(first_pages[entry], 0), entry)), *sorted(others)]

    def _content_sets(self, references: Iterable[Ref]) -> Iterator[dict[str, Any]]:
        for reference in references:
            stored = self.database.at(reference)
            if stored is not None:
                yield self._content_set(stored)

    def _content_set(self, stored: Stored[ContentSet]) -> dict[str, Any]:
        content = stored.content
        page_set = content if isinstance(content, PageSet) else None
        text_identifier = page_set.text_identifier if page_set else None
        return {
            "subtype": content.subtype,
            "id": content.identifier.hex(),
            "text_id": text_identifier.hex() if text_identifier else None,
            "title": page_set.title or None if page_set else None,
            "content_type": content.content_type or None,
            "created": iso(content.created),
            "pages": self._pages(page_set) if page_set else [],
            "images": list(self._images(content)) if isinstance(content, ImageSet) else [],
            "sources": [self._source(source) for source in content.sources],
        }

    def _pages(self, page_set: PageSet) -> list[int | None]:
        """Return the numbers of the pages of a page set; None for a page that is not in the page tree."""
        numbers = self.database.catalog.pages.numbers_of_siblings(page_set.objects)
        return [numbers.get(page) for page in page_set.objects]

    def _images(self, content: ImageSet) -> Iterator[dict[str, Any]]:
        for reference, count in zip(content.objects, content.counts, strict=True):
            image = self.database.file.get(reference)
            dictionary = image.dictionary if isinstance(image, Stream) else {}
            size = {key: self.database.file.resolve(dictionary.get(key)) for key in ("Width", "Height")}
            yield {"width": size["Width"], "height": size["Height"], "references": count}

    def _source(self, source: SourceInformation) -> dict[str, Any]:
        return {
            "url": source.url,
            "chains": [list(chain) for chain in source.chains],
            "updated": iso(source.updated),
            "expires": iso(source.expires),
            "gone": iso(source.gone),
            "form": int(source.form),
            "command": self._index.get(source.command) if isinstance(source.command, Ref) else None,
        }


def _command(command: Command) -> dict[str, Any]:
    flags = {"SameSite": command.same_site, "SamePath": command.same_path, "Submit": command.is_submission}
    return {
        "url": command.url,
        "levels": command.levels,
        "flags": [name for name, is_set in flags.items() if is_set],
        "post": command.data is not None or DATA in command.withheld,
        "content_type": command.content_type if command.data is not None else None,
        "headers": dict(command.headers),
        "withheld": command.withheld_names,
        "sitemap": command.sitemap,
        "allow": command.allow or None,
        "deny": command.deny or None,
        "since": command.since or None,
        "until": command.until or None,
        "settings": {"engine": command.engine, **command.settings},
    }


def iso(moment: datetime | None) -> str | None:
    """Return a moment in the format of ISO 8601, in whole seconds."""
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def lines(description: dict[str, Any], path: object = "") -> Iterator[str]:
    """Yield a description of a file as lines of text."""
    for content in description["content_sets"]:
        yield from _content_set_lines(content)
    for index, command in enumerate(description["commands"]):
        yield from _command_lines(index, command)
    if description.get("omitted"):
        skipped = format_count(description["omitted"], "page")
        yield f"skipped: {skipped} (see: {file_command('omitted', path)})"


def _content_set_lines(content: dict[str, Any]) -> Iterator[str]:
    if content["subtype"] == "SPS":
        yield f"{page_range(content['pages'])}  {content['title'] or '(no title)'}"
    else:
        yield f"image  {_image_sizes(content['images'])}"
    yield f"    id {content['id']}  {content['content_type'] or 'unknown type'}  {content['created'] or 'undated'}"
    for source in content["sources"]:
        yield f"    {source['url']}{_source_details(source)}"
        yield from (f"      from {' -> '.join(chain)}" for chain in source["chains"])


def _image_sizes(images: Sequence[dict[str, Any]]) -> str:
    """Return the sizes of the images of a set. Frames of an animation that no page shows are only counted.

    >>> page = {"width": 600, "height": 800, "references": 1}
    >>> _image_sizes([page, page, {**page, "height": 400}])
    '2 of 600 x 800, each on 1 page, 600 x 400, on 1 page'
    """
    shown = [image for image in images if image["references"]] or images[:1]
    equal = Counter((image["width"], image["height"], format_count(image["references"], "page")) for image in shown)
    sizes = [
        f"{count} of {width} x {height}, each on {pages}" if count > 1 else f"{width} x {height}, on {pages}"
        for (width, height, pages), count in equal.items()
    ]
    hidden = len(images) - len(shown)
    return ", ".join([*sizes, f"and {hidden} more on no page"] if hidden else sizes)


def _source_details(source: dict[str, Any]) -> str:
    details = [FORMS.get(source["form"]), source["updated"] and f"as of {source['updated']}"]
    details += [source["expires"] and f"expires {source['expires']}"]
    details += [source["gone"] and f"gone since {source['gone']}"]
    shown = ", ".join(detail for detail in details if detail)
    return f"  ({shown})" if shown else ""


def page_range(pages: Sequence[int | None], none: str = "no page") -> str:
    """Return page numbers in words; `none` if another program has removed all of the pages.

    >>> page_range([3, 4, 5]), page_range([3]), page_range([None])
    ('pages 3-5', 'page 3', 'no page')
    """
    known = [page for page in pages if page is not None]
    if not known:
        return none
    return f"page {known[0]}" if len(known) == 1 else f"pages {known[0]}-{known[-1]}"


def _command_lines(index: int, command: dict[str, Any]) -> Iterator[str]:
    levels = "all levels" if command["levels"] >= ALL_LEVELS else f"levels {command['levels']}"
    parts = [levels, *command["flags"], *(["POST"] if command["post"] else [])]
    parts += ["sitemap"] if command["sitemap"] else []
    parts += [f"{name} {command[name]}" for name in ("allow", "deny", "since", "until") if command[name]]
    parts += [f"not stored: {', '.join(command['withheld'])}"] if command["withheld"] else []
    yield f"command {index}  {command['url']}  ({', '.join(parts)})"
