"""The content of a file in a form that can be compared, read without our own code.

Left out is what a capture of the present state of a site cannot know: dates, validators, the numbers of objects, the
past of the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf

from tests.support.crawls import Archive, ContentSet, tree


def state_of(path: Path) -> dict[str, Any]:
    """Return the content of a file."""
    with Archive(path) as archive:
        return {
            "order": [found.identifier.hex() for found in archive.page_sets],
            "page sets": {found.identifier.hex(): _page_set(archive, found) for found in archive.page_sets},
            "image sets": {found.identifier.hex(): _image_set(archive, found) for found in archive.image_sets},
            "urls": {url: sorted(found.identifier.hex() for found in sets) for url, sets in archive.urls.items()},
            "auxiliaries": _auxiliaries(archive.pdf),
            "uses": _uses(archive.pdf),
        }


def dangling(path: Path) -> list[object]:
    """Return the named destinations and the outline items that lead to no page, or are not where they should be."""
    with Archive(path) as archive:
        names = [name for name, target in archive.destinations if target[0].objgen not in archive.page_numbers]
        outlines = archive.pdf.Root.get("/Outlines")
        return [*names, *(_misplaced(archive, outlines) if outlines is not None else ())]


def _misplaced(archive: Archive, parent: pikepdf.Object) -> Iterator[object]:
    """Yield the faults of the items below an outline item, or below the outline dictionary (12.3.3).

    Those of page sets stand in the order of their pages.
    """
    count, before, item = 0, None, parent.get("/First")
    page = 0
    while item is not None:
        count += 1
        if item.Parent.objgen != parent.objgen or (before is not None and item.Prev.objgen != before.objgen):
            yield item.objgen
        if item.Dest[0].objgen not in archive.page_numbers:
            yield str(item.Title)
        elif "/WCSP_Item" in item:
            if archive.page_numbers[item.Dest[0].objgen] < page:
                yield f"{item.Title}: before its turn"
            page = archive.page_numbers[item.Dest[0].objgen]
        yield from _misplaced(archive, item)
        before, item = item, item.get("/Next")
    if before is not None and parent.Last.objgen != before.objgen:
        yield parent.objgen
    if abs(parent.get("/Count", 0)) != count:
        yield parent.objgen, parent.get("/Count", 0), count


def _page_set(archive: Archive, found: ContentSet) -> dict[str, Any]:
    return {
        "text": found.text_identifier and found.text_identifier.hex(),
        "title": found.title,
        "type": found.content_type,
        "pages": [_page(archive, archive.pdf.pages[page]) for page in found.pages],
        "sources": {
            source.url: (sorted(source.chains), source.form, _command(archive, source.command))
            for source in found.sources
        },
    }


def _command(archive: Archive, number: int | None) -> str | None:
    return None if number is None else str(archive.commands[number].URL)


def _image_set(archive: Archive, found: ContentSet) -> dict[str, Any]:
    return {
        "type": found.content_type,
        "images": [_digest(archive.pdf.get_object(image)) for image in found.images],
        "counts": found.counts,
        "sources": {source.url: sorted(source.chains) for source in found.sources},
    }


def _page(archive: Archive, page: pikepdf.Page) -> dict[str, Any]:
    """Return the visible content of a page and the targets of its links."""
    shown = page.obj.Resources.get("/XObject", {})
    contents = page.obj.get("/Contents")
    images = {name: _digest(image) for name, image in shown.items()}
    annotations = list(page.obj.get("/Annots", []))
    return {
        "identifier": bytes(page.obj.ID).hex(),
        "contents": None if contents is None else _drawn(contents.read_bytes(), images),
        "images": sorted(images.values()),
        "links": [_target(archive, annotation) for annotation in annotations if annotation.Subtype == "/Link"],
        "fields": [_field(annotation) for annotation in annotations if annotation.Subtype == "/Widget"],
    }


def _field(widget: pikepdf.Object) -> dict[str, str | None]:
    """Return a field as a page shows it, under the name that it has in the page: the unique one may be older."""
    field = widget.get("/Parent", widget)
    entries = {key: str(field[key]) if key in field else None for key in ("/FT", "/TM", "/V", "/DV", "/Ff")}
    shown = widget.get("/AP", {}).get("/N")
    return {**entries, "shown": _digest(shown) if isinstance(shown, pikepdf.Stream) else None}


def _target(archive: Archive, annotation: pikepdf.Object) -> Any:
    """Return where a link leads: a URI, or a page set, a page of it and a place on that."""
    action = annotation.A
    if action.S == "/URI":
        return str(action.URI)
    target = dict(archive.destinations)[bytes(action.D)]
    page = archive.page_numbers[target[0].objgen]
    [home] = [found for found in archive.page_sets if page in found.pages]
    return home.identifier.hex(), home.pages.index(page), [str(entry) for entry in list(target)[1:]]


def _drawn(contents: bytes, images: dict[str, str]) -> str:
    """Return the digest of the drawing of a page, with images named by their content."""
    for name in sorted(images, key=len, reverse=True):
        contents = contents.replace(name.encode(), b"/" + images[name].encode())
    return hashlib.md5(contents).hexdigest()


def _digest(stream: pikepdf.Object) -> str:
    size = b"%d %d " % (stream.get("/Width", 0), stream.get("/Height", 0))
    is_picture = stream.get("/Subtype") == "/Image"  # a JPEG file is not decoded
    return hashlib.md5(size + (stream.read_raw_bytes() if is_picture else stream.read_bytes())).hexdigest()


def _auxiliaries(pdf: pikepdf.Pdf) -> dict[str, Any]:
    """Return our own records of auxiliary resources: later refreshes rely on them, and on their counts."""
    records = tree(pdf.Root.Names.get("/WCSP_Auxiliaries", pikepdf.Dictionary()))
    return {
        url.decode(): (
            str(record.Kind),
            bytes(record.ID).hex() if "/ID" in record else None,
            record.Uses,
            record.Data.read_bytes() if "/Data" in record else None,
        )
        for url, record in records
    }


def _uses(pdf: pikepdf.Pdf) -> dict[str, Any]:
    """Return how often each source of an image set is counted, which is our own too."""
    sets = [entry for _, entry in tree(pdf.Root.Names.IDS) if not isinstance(entry, pikepdf.Array)]
    arrays = [entry for _, entry in tree(pdf.Root.Names.IDS) if isinstance(entry, pikepdf.Array)]
    images = [entry for entry in [*sets, *(kid for array in arrays for kid in array)] if entry.S == "/SIS"]
    return {
        bytes(entry.ID).hex(): {
            str(source.AU.U if isinstance(source.AU, pikepdf.Dictionary) else source.AU): source.get("/WCSP_Uses")
            for source in (entry.SI if isinstance(entry.SI, pikepdf.Array) else [entry.SI])
        }
        for entry in images
    }


def urls_of(path: Path) -> dict[str, list[str]]:
    """Return the identifiers of the page sets that came from each URL."""
    with Archive(path) as archive:
        found: dict[str, list[str]] = {}
        for page_set in archive.page_sets:
            for source in page_set.sources:
                found.setdefault(source.url, []).append(page_set.identifier.hex())
        return found


def differences(one: Any, other: Any, at: str = "") -> list[str]:
    """Return where two states differ, a line for each place."""
    if isinstance(one, dict) and isinstance(other, dict):
        missing = [f"{at}.{key}: only in the first: {one[key]!r}" for key in one if key not in other]
        extra = [f"{at}.{key}: only in the second: {other[key]!r}" for key in other if key not in one]
        common = [line for key in one if key in other for line in differences(one[key], other[key], f"{at}.{key}")]
        return [*missing, *extra, *common]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [line for index, (mine, its) in pairs for line in differences(mine, its, f"{at}[{index}]")]
    return [] if one == other else [f"{at}: {one!r} is not {other!r}"]
