"""Where the links of a captured site lead, read with programs that are not ours."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

import lxml.html
import pikepdf
import pypdfium2

LINES_BELOW, PARAGRAPH_BELOW = 60, 200
"""How far below a destination its text may begin, in points: a few lines; a place within a line is taken for its
paragraph."""

INLINE = frozenset({"a", "b", "cite", "code", "em", "i", "span", "strong", "sup"})

WORDS = 3
"""How many words are looked for: one of them has to be there, since the mark of a footnote may stand beside it."""

WORD = re.compile(r"\w+")


@dataclass
class LinkReport:
    """The faults of the links of a file, one line each."""

    jumps: int = 0
    places: int = 0
    """Jumps to a place within a page."""

    problems: list[str] = field(default_factory=list)


class Site:
    """A captured file beside the folder that it was captured from."""

    def __init__(self, path: Path, described: dict[str, Any], folder: Path, root: str) -> None:
        self.pdf = pikepdf.open(path)
        self.text = pypdfium2.PdfDocument(path)
        self.folder, self.root = folder, root
        self._elements: dict[str, Mapping[str, Any]] = {}
        page_sets = [entry for entry in described["content_sets"] if entry["subtype"] == "SPS"]
        self.pages_of = {url: entry["pages"] for entry in page_sets for url in _urls(entry)}
        self.identifier_of = {url: bytes.fromhex(entry["id"]) for entry in page_sets for url in _urls(entry)}
        self.numbers = {page.obj.objgen: number for number, page in enumerate(self.pdf.pages, 1)}
        self.destinations = dict(_names(self.pdf.Root.Names.Dests))

    def check(self) -> LinkReport:
        """Follow every link of every page."""
        report = LinkReport()
        for url, pages in self.pages_of.items():
            wanted = self._wanted(url)
            for number in pages:
                for annotation in self.pdf.pages[number - 1].obj.get("/Annots") or ():
                    if annotation.Subtype == "/Link":
                        self._check_link(f"{url}, page {number}", annotation.A, wanted, report)
        return report

    def _wanted(self, url: str) -> dict[tuple[int, ...], set[str]]:
        """Return the fragments that a page links to, by the pages of the target."""
        wanted = defaultdict(set)
        for href in self._tree(url).xpath("//a/@href | //area/@href"):
            target, fragment = urldefrag(urljoin(url, href.strip()))
            if target in self.pages_of:
                wanted[tuple(self.pages_of[target])].add(unquote(fragment))
        return wanted

    def _check_link(self, where: str, action: Any, wanted: dict[tuple[int, ...], set[str]], report: LinkReport) -> None:
        if action.S == "/URI":
            target = urldefrag(bytes(action.URI).decode()).url
            if target in self.pages_of:
                report.problems.append(f"{where}: leads to the web, though {target} is in the file")
            return
        report.jumps += 1
        place = self.destinations.get(bytes(action.D))
        if place is None:
            report.problems.append(f"{where}: leads nowhere ({bytes(action.D)!r})")
            return
        number = self.numbers[place[0].objgen]
        pages = next((pages for pages in wanted if number in pages), None)
        if pages is None:
            report.problems.append(f"{where}: leads to page {number}, which is of no page that it links to")
            return
        url = next(url for url, found in self.pages_of.items() if tuple(found) == pages)
        fragment = bytes(action.D).removesuffix(_escaped(self.identifier_of[url])).decode()
        if fragment not in wanted[pages] and fragment:
            report.problems.append(f"{where}: leads to #{fragment} of {url}, to which it has no link")
        elif fragment:
            report.places += 1
            self._check_place(f"{where}: #{fragment} of {url}", url, fragment, number, place, report)

    def _check_place(self, what: str, url: str, fragment: str, number: int, place: Any, report: LinkReport) -> None:
        """See whether the text of an element begins where its destination is."""
        element = self._places(url).get(fragment)
        words = WORD.findall(_text_at(element))[:WORDS]
        is_inline = element is not None and element.tag in INLINE
        found = self._text_from(number, float(place[3]), PARAGRAPH_BELOW if is_inline else LINES_BELOW)
        if words and set(words).isdisjoint(WORD.findall(found)):
            report.problems.append(f"{what}: there is {found[:40]!r}, not {' '.join(words)!r}")

    def _text_from(self, number: int, y: float, below: int) -> str:
        """Return the text of a page from a height on, and of the next page where the page ends."""
        page = self.text[number - 1]
        left, _, right, top = page.get_mediabox()
        bottom = max(0.0, y - below)
        found: str = page.get_textpage().get_text_bounded(left, bottom, right, min(top, y + 3))
        if bottom < below and number < len(self.text):
            found += self.text[number].get_textpage().get_text_bounded(left, top - 2 * below, right, top)
        return found

    def _places(self, url: str) -> Mapping[str, Any]:
        """Return the elements of a page that links may name, the first of each name."""
        if url not in self._elements:
            places: dict[str, Any] = {}
            for element in self._tree(url).iter():
                for name in (element.get("id"), element.get("name")):
                    if name:
                        places.setdefault(name, element)
            self._elements[url] = places
        return self._elements[url]

    def _tree(self, url: str) -> Any:
        return lxml.html.fromstring((self.folder / url.removeprefix(self.root).lstrip("/")).read_bytes())


def _text_at(element: Any) -> str:
    """Return the text that begins at an element, in the order of the source."""
    parts: list[str] = []
    while element is not None and len("".join(parts).split()) < WORDS:
        parts += [element.text_content() or " ", element.tail or ""]
        element = element.getnext() if element.getnext() is not None else element.getparent().getnext()
    return " ".join("".join(parts).split())


def _urls(entry: dict[str, Any]) -> Iterator[str]:
    yield from (source["url"] for source in entry["sources"])


def _names(node: Any) -> Iterator[tuple[bytes, Any]]:
    names = node.get("/Names") or []
    yield from ((bytes(names[at]), names[at + 1]) for at in range(0, len(names), 2))
    for kid in node.get("/Kids") or []:
        yield from _names(kid)


def _escaped(identifier: bytes) -> bytes:
    """Return an identifier as it stands in names (Table 351)."""
    return identifier.replace(b"\\", b"\\\\").replace(b"\0", b"\\0").replace(b".", b"\\p")
