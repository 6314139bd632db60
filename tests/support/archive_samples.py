"""Captures and fragments made by hand, for tests of the store that need no engine."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime

from wcspider.archive.database.database import ContentDatabase
from wcspider.archive.pages.field_objects import form_fields
from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.packed import PackedFragment, Rendered
from wcspider.engines.base import Anchor, PageStructure
from wcspider.pdf.file.revision import RevisionFile
from wcspider.pdf.objects import Name, Ref, Stream
from wcspider.web.resources import Auxiliary, AuxiliaryKind, Resource
from wcspider.webcapture.identifiers import page_set_identifier
from wcspider.webcapture.records import Capture, Command

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SITE = "http://example.com"
COMMAND = Command(SITE + "/", levels=2, engine="WCSP:null:1:HTML", settings={"Scale": 1.0, "Media": "print"})


def clock():
    """Return a time that stands still."""
    return NOW


def image(name):
    """Make an image resource: its bytes are its name."""
    return Resource(f"{SITE}/{name}", name.encode(), "image/png", fetched=NOW)


def rendered(path, body=None, *, pages=1, images=(), links=(), anchors=(), hops=(), title=None):
    """Make a capture of a page at a path: ``images`` are names of what each of its pages shows."""
    body = (body if body is not None else f"page {path}").encode()
    resource = Resource(SITE + path, body, "text/html", hops=hops, fetched=NOW)
    auxiliaries = tuple(Auxiliary(image(name).url, AuxiliaryKind.IMAGE, image(name)) for name in images)
    identifier = page_set_identifier(body, [(entry.url, entry.resource.digest) for entry in auxiliaries])
    capture = Capture(
        resource, "utf-8", identifier, hashlib.md5(body).digest(), title or f"Title of {path}", auxiliaries
    )
    return Rendered(capture, PackedFragment.of(fragment(pages, images, links, anchors, body)), zoom=4 / 3)


def with_notes(capture, notes):
    """Return a capture whose conversion left some notes."""
    return replace(capture, packed=PackedFragment.of(replace(capture.fragment, notes=notes)))


def fragment(pages=1, images=(), links=(), anchors=(), text=b"", headings=(), fields=()):
    """Make a fragment whose pages share a font and show images through a form XObject.

    `fields` have no widgets, so that they get hidden ones on the first page.
    """
    objects = [{} for _ in range(pages)]
    objects.append({"Type": Name("Font"), "Subtype": Name("Type1"), "BaseFont": Name("Helvetica")})
    font = Ref(len(objects) - 1)
    shown = {}
    for name in images:
        dictionary = {
            "Type": Name("XObject"),
            "Subtype": Name("Image"),
            "Width": len(name),
            "Height": 1,
            "ColorSpace": Name("DeviceGray"),
            "BitsPerComponent": 8,
        }
        objects.append(Stream.deflated(dictionary, name.encode()))
        shown[len(objects) - 1] = f"{SITE}/{name}"
    form = {
        "Type": Name("XObject"),
        "Subtype": Name("Form"),
        "BBox": [0, 0, 1, 1],
        "Resources": {"XObject": {f"I{index}": Ref(index) for index in shown}},
    }
    objects.append(Stream.deflated(form, b" ".join(b"/I%d Do" % index for index in shown)))
    drawing = Ref(len(objects) - 1)
    for index in range(pages):
        objects.append(Stream.deflated({}, b"BT /F 9 Tf (%s %d) Tj ET /X Do" % (text, index)))
        objects[index] = {
            "Type": Name("Page"),
            "MediaBox": [0, 0, 200, 100],
            "Resources": {"Font": {"F": font}, "XObject": {"X": drawing}},
            "Contents": Ref(len(objects) - 1),
            "Annots": [annotation(uri) for uri in links],
        }
    made = form_fields(fields, objects, pages)
    return Fragment(
        objects=tuple(objects),
        pages=tuple(range(pages)),
        images=shown,
        page_images=tuple(frozenset(shown) for _ in range(pages)),
        structure=PageStructure(
            anchors=tuple(Anchor(name, page, 10, 90 - 10 * page) for name, page in anchors), headings=tuple(headings)
        ),
        fields=made,
    )


def annotation(uri):
    """Make a Link annotation to a URI."""
    action = {"Type": Name("Action"), "S": Name("URI"), "URI": uri.encode()}
    return {"Type": Name("Annot"), "Subtype": Name("Link"), "Rect": [0, 0, 9, 9], "A": action}


def new_database(path):
    """Make a database over a new file."""
    path.touch()
    return ContentDatabase(RevisionFile.create(path), clock)
