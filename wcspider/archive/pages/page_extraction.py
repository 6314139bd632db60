"""The extraction of the pages of a rendering, or of a PDF source, as a fragment.

It happens in the worker process that rendered the page, so that the process that writes the file only has to number the
objects and write them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pikepdf

from wcspider.archive.pages.active_content import remove_active_content
from wcspider.archive.pages.field_objects import form_fields
from wcspider.archive.pages.fragments import ConversionNotes, Fragment
from wcspider.archive.pages.link_syntax import grouped, link_annotation
from wcspider.engines.base import DrawnImage, Rendering
from wcspider.engines.saving import LinkAnnotation, OpenDocument, opened
from wcspider.exceptions import SourceUnreadableError, TargetDamagedError
from wcspider.image_files import TIFF_BYTE_ORDERS
from wcspider.pdf.file.base_file import reason
from wcspider.pdf.image_frames import MAX_PIXELS, LaterFrames, later_frames
from wcspider.pdf.object_syntax import LONGEST_NUMBER, from_pikepdf
from wcspider.pdf.objects import Name, Ref, Stream, Template, Value, references, renumbered
from wcspider.pdf.values import read_text

if TYPE_CHECKING:
    from wcspider.engines.images.pixel_data import PixelData

_IS_READ = re.compile(
    rb"/(?:XObject|Resources|StructParent|Page|Pages|Catalog|PageLabels)\b|/WCSP_|[\d.]{%d}" % (LONGEST_NUMBER + 1)
)
"""Syntax of objects that have to be parsed; all other objects are copied as they are."""

LOCAL = b"file:"
"""The scheme of local files."""

PRIVATE = "WCSP_"
"""The beginning of the private entries of wcspider."""

FIRST_PAGE_ONLY = "only the first page of a TIFF file is shown"

BYTES_PER_PIXEL = 3
"""The size of a pixel in color."""

NOT_COPIED = frozenset({"Parent", "StructParents", "B", "ID", "PZ", "Thumb", "Metadata"})
"""The entries of a page that are valid only in the document from which it is extracted."""


def extract_pages(
    rendering: Rendering,
    sources: Mapping[str, bytes] | None = None,
    *,
    is_source: bool = False,
    keeps_active: bool = True,
    keeps_local_links: bool = True,
) -> Fragment:
    """Extract the pages of a rendering, or of a PDF source if `is_source` is set.

    `sources` has the bytes of the image files by URL, for later frames that are not drawn. Unless `keeps_active`,
    the active content of the pages is removed, and unless `keeps_local_links`, the links to local files.
    A PDF source may have been captured by wcspider; its private entries are left out.
    Raises `SourceUnreadableError` if the PDF file cannot be read.
    """
    unsaved = rendering.file if isinstance(rendering.file, OpenDocument) else None
    links = unsaved.take_links() if unsaved is not None else ()
    try:
        with opened(rendering.file) as pdf:
            removed = Counter[str]() if keeps_active else remove_active_content(pdf)
            images = {image.name: image for image in rendering.images}
            walk = _Walk(pdf, images, links, deflates=unsaved is not None, keeps_local_links=keeps_local_links)
            walk.keeps_private = not is_source
            fragment = walk.fragment(rendering, sources or {})
            warnings = (*rendering.warnings, *walk.warnings)
            notes = ConversionNotes(
                warnings=warnings, unreadable=rendering.unreadable, removed_active=tuple(sorted(removed))
            )
            return replace(fragment, notes=notes)
    except pikepdf.PasswordError as error:
        raise SourceUnreadableError("the PDF file needs a password") from error
    except TargetDamagedError as error:
        raise SourceUnreadableError(f"the PDF file is damaged ({error.problem})") from error
    except (pikepdf.PdfError, ValueError) as error:
        raise SourceUnreadableError(f"the PDF file is damaged ({reason(error)})") from error


class _Walk:
    """Collects the objects to which the pages of a document refer, each once."""

    def __init__(
        self,
        pdf: pikepdf.Pdf,
        image_names: Mapping[str, DrawnImage],
        links: Sequence[Sequence[LinkAnnotation]],
        *,
        deflates: bool,
        keeps_local_links: bool,
    ) -> None:
        self.pdf = pdf
        self.links = links
        """The Link annotations of each page that are not in the document; empty if all are in it."""

        self.deflates = deflates
        """Whether streams without a filter are compressed, as if the document had been saved before."""

        self.keeps_local_links = keeps_local_links
        self.keeps_private = True
        """Whether private entries are kept: those of a rendering belong to its form fields."""

        self.image_names = image_names
        self.pages = {Ref(*page.obj.objgen): index for index, page in enumerate(pdf.pages)}
        self.indices: dict[Ref, int] = dict(self.pages)
        self.objects: list[Value] = [None] * len(self.pages)
        self.images: dict[int, str] = {}
        self.drawn_frames: dict[int, DrawnImage] = {}
        """The XObjects that show later frames, by index."""

        self.frame_pixels = 0
        """The number of pixels of the later frames so far."""

        self.warnings: list[str] = []
        """Remarks about images with several frames."""

    def fragment(self, rendering: Rendering, sources: Mapping[str, bytes]) -> Fragment:
        contents = [self._page(page) for page in self.pdf.pages]
        for index, page in enumerate(contents):
            self.objects[index] = self._local(page)
        for page, links in zip(self.objects[: len(contents)], self.links, strict=bool(self.links)):
            if links:
                page["Annots"] = [*links, *page.get("Annots", ())]
        self._follow()
        fields = form_fields(rendering.fields, self.objects, len(contents))
        targets: dict[bytes, bytes] = {}
        for page in self.objects[: len(contents)]:
            if "Annots" in page:
                page["Annots"] = list(grouped(filter(self._is_kept, page["Annots"]), targets))
        structure = replace(rendering.structure, title=rendering.structure.title or _title(self.pdf))
        frames = {index: self._frames(url, sources.get(url)) for index, url in self.images.items()}
        return Fragment(
            objects=tuple(self.objects),
            pages=tuple(range(len(contents))),
            images=self.images,
            page_images=tuple(frozenset(self._images_of(index)) for index in range(len(contents))),
            frames={index: indices for index, indices in frames.items() if indices},
            structure=structure,
            fields=fields,
            targets=targets,
        )

    def _is_kept(self, annotation: Value) -> bool:
        is_link = isinstance(annotation, LinkAnnotation)
        return self.keeps_local_links or not (is_link and annotation.uri[: len(LOCAL)].lower() == LOCAL)

    def _page(self, page: pikepdf.Page) -> dict[str, Value]:
        """Return a page dictionary without entries that are valid only in its document.

        Opening the document has put the inherited entries (7.7.3.4) into the page.
        """
        content: dict[str, Value] = from_pikepdf(page.obj)
        content.setdefault("Resources", {})
        content.setdefault("MediaBox", [0, 0, 612, 792])
        if "Annots" in content:
            found: Iterable[Any] = page.obj.Annots.as_list()  # None for a deleted annotation
            content["Annots"] = [self._annotation(entry) for entry in found if isinstance(entry, pikepdf.Object)]
        return {key: entry for key, entry in content.items() if key not in NOT_COPIED}

    def _annotation(self, annotation: pikepdf.Object) -> Value:
        """Return a Link annotation as a direct object, and any other annotation unchanged."""
        if not isinstance(annotation, pikepdf.Dictionary) or annotation.get("/Subtype") != "/Link":
            return Ref(*annotation.objgen) if annotation.is_indirect else from_pikepdf(annotation)
        link = link_annotation(annotation)
        if link is not None:
            return link
        content: dict[str, Value] = from_pikepdf(annotation)
        if isinstance(content.get("A"), Ref):
            content["A"] = from_pikepdf(annotation["/A"])
        for holder, key in ((content, "Dest"), (content.get("A"), "D")):
            if isinstance(holder, dict) and isinstance(name := _resolved(self.pdf, holder.get(key)), bytes | Name):
                holder[key] = self.destinations.get(_text_of(name))
        return {key: entry for key, entry in content.items() if key not in ("P", "StructParent")}

    @cached_property
    def destinations(self) -> dict[str, Value]:
        """The explicit destinations of the document's named destinations, whose names are not valid in another file."""
        return _named_destinations(self.pdf)

    def _local(self, value: Value) -> Value:
        """Replace the references of a value with indices; objects without an index get one."""
        self._name_images(value)
        value = value if self.keeps_private else _without_private(value)
        return renumbered(value, self._index)

    def _index(self, reference: Ref) -> Ref | None:
        if reference not in self.indices:
            self.indices[reference] = len(self.objects)
            self.objects.append(reference)
        return Ref(self.indices[reference])

    def _name_images(self, value: Value) -> None:
        """Note the XObjects of a resource dictionary that show auxiliary resources."""
        if isinstance(value, Stream):
            value = value.dictionary
        for resources in _resource_dictionaries(value):
            xobjects = resources.get("XObject")
            if isinstance(xobjects, Ref):
                xobjects = from_pikepdf(self.pdf.get_object(*xobjects))
            for name, entry in xobjects.items() if isinstance(xobjects, dict) else ():
                if name in self.image_names and isinstance(entry, Ref):
                    index = self._index(entry)
                    self._name_image(index.number if index else 0, self.image_names[name])

    def _name_image(self, index: int, image: DrawnImage) -> None:
        if image.frame:
            self.drawn_frames[index] = image
        else:
            self.images[index] = image.url

    def _follow(self) -> None:
        """Read every object with an index, and the objects to which it refers in turn."""
        at = 0
        while at < len(self.objects):
            pending = self.objects[at]
            if type(pending) is Ref:
                self.objects[at] = self._local(self._read(pending))
            at += 1

    def _read(self, reference: Ref) -> Value:
        source: Any = self.pdf.get_object(*reference)
        if isinstance(source, pikepdf.Object) and not isinstance(source, pikepdf.Stream):
            syntax = source.unparse(resolved=True)
            if not _IS_READ.search(syntax):
                return Template.of(syntax)
        value = from_pikepdf(source)
        if isinstance(value, dict):
            if value.get("Type") in ("Page", "Pages", "Catalog") or "PageLabels" in value:
                return None
            value.pop("StructParent", None)
        elif isinstance(value, Stream):
            value.dictionary.pop("Length", None)  # it may be an indirect object
            if value.dictionary.get("Subtype") == "Image":
                value.dictionary.pop("ID", None)  # that of an image set of another file (14.10.6)
            if self.deflates and "Filter" not in value.dictionary:
                value = Stream.deflated(value.dictionary, value.data)
        return value

    def _frames(self, url: str, body: bytes | None) -> tuple[int, ...]:
        """Return the indices of the later frames of an image. Those that are not drawn are added."""
        drawn = {image.frame: index for index, image in self.drawn_frames.items() if image.url == url}
        if drawn or body is None:
            return tuple(index for _, index in sorted(drawn.items()))
        frames = _frames_of(body, MAX_PIXELS - self.frame_pixels)
        self.frame_pixels += frames.pixels
        self.warnings += [frames.warning] if frames.warning else []
        indices = []
        for image, mask in frames.images:
            if mask is not None:
                self.objects.append(mask)
                image.dictionary["SMask"] = Ref(len(self.objects) - 1)
            self.objects.append(image)
            indices.append(len(self.objects) - 1)
        return tuple(indices)

    def _images_of(self, index: int) -> Iterator[int]:
        if not self.images:
            return
        seen = {index}
        stack = [index]
        while stack:
            at = stack.pop()
            if at in self.images or at in self.drawn_frames:
                yield at
            for reference in references(self.objects[at]):
                if reference.number not in seen and reference.number >= len(self.pages):  # no other page
                    seen.add(reference.number)
                    stack.append(reference.number)


def _frames_of(body: bytes, max_pixels: int) -> LaterFrames:
    """Return the frames of an image in an HTML page after the first, of at most `max_pixels` together."""
    if body[:2] not in TIFF_BYTE_ORDERS:
        return later_frames(body, max_pixels)
    # Imported here: few pages show TIFF files, and the main process needs no library for images.
    from wcspider.engines.images.tiff_pages import later_pages

    found = later_pages(body, BYTES_PER_PIXEL * max_pixels)
    images = tuple(_stream_of(picture.samples) for picture in found.pictures)
    pixels = -(-found.size // BYTES_PER_PIXEL)
    return LaterFrames(images, pixels, FIRST_PAGE_ONLY if images or found.warning else "")


def _stream_of(samples: PixelData) -> tuple[Stream, Stream | None]:
    """Return samples as an image XObject, and its soft mask."""
    mask = None if samples.alpha is None else _stream_of(samples.alpha)[0]
    return Stream(from_pikepdf(pikepdf.Object.parse(b"<<%b>>" % samples.entries)), samples.data), mask


def _without_private(value: Value) -> Value:
    """Return a value without the private entries of wcspider."""
    if isinstance(value, dict):
        return {key: _without_private(entry) for key, entry in value.items() if not key.startswith(PRIVATE)}
    if isinstance(value, list):
        return [_without_private(entry) for entry in value]
    return Stream(_without_private(value.dictionary), value.data) if isinstance(value, Stream) else value


def _resource_dictionaries(value: Value) -> Iterator[dict[str, Value]]:
    if isinstance(value, dict):
        if isinstance(value.get("Resources"), dict):
            yield value["Resources"]
        if "XObject" in value:
            yield value


def _named_destinations(pdf: pikepdf.Pdf) -> dict[str, Value]:
    """Return the destinations of a document by name (12.3.2.3), from its name tree and its PDF 1.1 dictionary."""
    older = from_pikepdf(pdf.Root.get("/Dests"))
    found: dict[str, Value] = dict(older) if isinstance(older, dict) else {}
    names = pdf.Root.get("/Names")
    tree = names.get("/Dests") if isinstance(names, pikepdf.Dictionary) else None
    if isinstance(tree, pikepdf.Dictionary):
        found |= {str(name): from_pikepdf(target) for name, target in pikepdf.NameTree(tree).items()}
    targets = {name: _resolved(pdf, target) for name, target in found.items()}
    places = {
        name: _resolved(pdf, target.get("D")) if isinstance(target, dict) else target
        for name, target in targets.items()
    }
    return {name: place for name, place in places.items() if place is not None}


def _text_of(name: bytes | Name) -> str:
    """Return the name of a destination as text: the same name may have several encodings."""
    return read_text(name) if isinstance(name, bytes) else str(name)


def _resolved(pdf: pikepdf.Pdf, value: Value) -> Value:
    return from_pikepdf(pdf.get_object(*value)) if isinstance(value, Ref) else value


def _title(pdf: pikepdf.Pdf) -> str:
    title = pdf.docinfo.get("/Title")
    return " ".join(str(title).split()) if isinstance(title, pikepdf.String) else ""
