"""PDF files to read and capture into: without Web Capture, as we write it, as Acrobat did, and broken.

They are made with pikepdf and by hand, never with what is tested.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Pdf, Stream, String

STAMP = String("D:20240229120000Z")
HTML, GIF, PDF_TYPE = String("text/html; charset=utf-8"), String("image/gif"), String("application/pdf")
SITE = "http://www.example.com"
TREE_FANOUT = 2
"""How many pairs a leaf of a name tree holds, so that small files have trees with several levels."""


def plain_pdf(pages: int, path: Path) -> Path:
    """A PDF without Web Capture structures."""
    with Pdf.new() as pdf:
        for number in range(1, pages + 1):
            pdf.add_blank_page(page_size=(300, 200))
            pdf.pages[-1].obj.Contents = pdf.make_stream(b"0 0 %d 10 re f" % number)
        pdf.docinfo["/Title"] = "A plain file"
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path


def classic_pdf(path: Path) -> Path:
    """A PDF 1.3 with a cross-reference table, as old programs write them (7.5.4)."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
    }
    return handmade_pdf(objects, path)


def handmade_pdf(objects: Mapping[int, bytes], path: Path, trailer: bytes = b"") -> Path:
    """A PDF file of these objects, numbered from 1, without any correction. The first object is the catalog.

    `trailer` is what else the trailer says.
    """
    body, offsets = _write(b"%PDF-1.3\n%\xe2\xe3\xcf\xd3\n", objects)
    size = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n" % size + _rows(offsets)
    path.write_bytes(_with_trailer(body + table, b"<</Size %d/Root 1 0 R%s>>" % (size, trailer), len(body)))
    return path


def hybrid_pdf(path: Path) -> Path:
    """A hybrid-reference file: a cross-reference table, with a stream for PDF 1.5 (7.5.8.4)."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/Extra 5 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
        4: b"<</Type/ObjStm/N 1/First 4/Length 20>>\nstream\n5 0 <</Hidden true>>\nendstream",
    }
    body, offsets = _write(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n", objects)
    hidden = len(body)
    rows = b"\x02" + (4).to_bytes(4, "big") + b"\x00"
    body += b"6 0 obj\n<</Type/XRef/Size 7/W[1 4 1]/Index[5 1]/Length 6>>\nstream\n" + rows
    body += b"\nendstream\nendobj\n"
    start = len(body)
    body += b"xref\n0 5\n0000000005 65535 f \n" + _rows(offsets)
    body += b"5 2\n0000000000 00000 f \n%010d 00000 n \n" % hidden
    path.write_bytes(_with_trailer(body, b"<</Size 7/Root 1 0 R/XRefStm %d>>" % hidden, start))
    return path


def missing_page_pdf(path: Path) -> Path:
    """A file whose first page is no page, and whose second page contains a word."""
    content = b"BT /F 12 Tf 20 100 Td (word) Tj ET"
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 300 200]/Resources<</Font<</F 6 0 R>>>>>>",
        3: b"42",
        4: b"<</Type/Page/Parent 2 0 R/Contents 5 0 R>>",
        5: b"<</Length %d>>\nstream\n%s\nendstream" % (len(content), content),
        6: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    }
    return handmade_pdf(objects, path)


def unlisted_pdf(path: Path) -> Path:
    """A file whose cross-reference stream (7.5.8) has no entry for itself, like those of Acrobat."""
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 200]/Resources<<>>>>",
        3: b"<</Type/Page/Parent 2 0 R>>",
    }
    body, offsets = _write(b"%PDF-1.6\n%\xe2\xe3\xcf\xd3\n", objects)
    rows = b"\x00\x00\x00\xff" + b"".join(b"\x01" + offsets[number].to_bytes(2, "big") + b"\x00" for number in objects)
    start = len(body)
    body += b"4 0 obj\n<</Type/XRef/Size 5/W[1 2 1]/Index[0 4]/Root 1 0 R/Length %d>>\nstream\n" % len(rows) + rows
    path.write_bytes(body + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % start)
    return path


def encrypted_pdf(path: Path) -> Path:
    """A PDF that opens without a password, but is encrypted."""
    with Pdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(path, encryption=pikepdf.Encryption(owner="owner", user=""))
    return path


def locked_pdf(path: Path) -> Path:
    """A PDF that opens with a password only."""
    with Pdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(path, encryption=pikepdf.Encryption(owner="owner", user="user"))
    return path


def damaged_pdf(path: Path) -> Path:
    """The first half of a PDF, as an interrupted download leaves it."""
    data = conforming_pdf(path).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def misplaced_pdf(path: Path) -> Path:
    """The conforming file with a wrong offset of its cross-reference table, as after a transfer as text."""
    conforming_pdf(path)
    with Pdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    path.write_bytes(path.read_bytes().replace(b"startxref\n", b"startxref\n1"))
    return path


def conforming_pdf(path: Path) -> Path:
    """A PDF with every Web Capture structure of 14.10, as the standard has them."""
    with Pdf.new() as pdf:
        _Conforming(pdf).build()
        pdf.save(path, min_version="1.7", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path


def acrobat_pdf(path: Path) -> Path:
    """A PDF with the Web Capture structures in the shape in which Acrobat 5 to 9 wrote them."""
    with Pdf.new() as pdf:
        _Acrobat(pdf).build()
        pdf.save(path, min_version="1.6", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return path


def grey_image(pdf: Pdf, grey: int) -> Stream:
    """An image of one pixel."""
    return pdf.make_stream(
        bytes([grey]),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=1,
        Height=1,
        ColorSpace=Name.DeviceGray,
        BitsPerComponent=8,
    )


def md5(data: bytes | str) -> bytes:
    return hashlib.md5(data.encode() if isinstance(data, str) else data, usedforsecurity=False).digest()


class _Builder:
    """The common parts of the sample files."""

    def __init__(self, pdf: Pdf) -> None:
        self.pdf = pdf

    def image(self, digest: bytes | None, grey: int) -> Stream:
        image = grey_image(self.pdf, grey)
        if digest is not None:
            image.ID = String(digest)
        return image

    def form(self, content: bytes, **images: Object) -> Stream:
        return self.pdf.make_stream(
            content,
            Type=Name.XObject,
            Subtype=Name.Form,
            BBox=[0, 0, 10, 10],
            Resources=Dictionary(XObject=_named(images)),
        )

    def page(self, digest: bytes | None = None, **images: Object) -> Dictionary:
        content = b" ".join(b"q 10 0 0 10 0 0 cm /%s Do Q" % name.encode() for name in images)
        page = Dictionary(
            Type=Name.Page,
            MediaBox=[0, 0, 300, 200],
            Contents=self.pdf.make_stream(content),
            Resources=Dictionary(XObject=_named(images)),
        )
        if digest is not None:
            page.ID, page.PZ = String(digest), Decimal("1.25")
        return self.pdf.make_indirect(page)

    def node(self, kids: Sequence[Object]) -> Dictionary:
        """A page tree node over pages or nodes."""
        count = sum(int(kid.get("/Count", 1)) for kid in kids)
        node = self.pdf.make_indirect(Dictionary(Type=Name.Pages, Kids=Array(kids), Count=count))
        for kid in kids:
            kid.Parent = node
        return node

    def pages(self, kids: Sequence[Object]) -> None:
        self.pdf.Root.Pages = self.node(kids)

    def content_set(self, subtype: Name, digest: bytes, members: Iterable[Object], **more: Any) -> Dictionary:
        return self.pdf.make_indirect(Dictionary(S=subtype, ID=String(digest), O=Array(members), TS=STAMP, **more))


class _Conforming(_Builder):
    """A site of five captures: a page with images, twins, a PDF, an image by itself, and a form's answer."""

    def build(self) -> None:
        logo, animation = md5("logo.gif"), md5("animation.gif")
        self.logo = self.image(logo, 10)
        self.frames = [self.image(animation, 20), self.image(animation, 30)]
        self._commands()
        sets = {
            "home": self._home(md5("home")),
            "twins": self._twins(md5("twins")),
            "paper": self._paper(md5("paper.pdf")),
            "logo page": self._logo_page(logo),
            "form": self._form(md5("form")),
        }
        uncaptured = self.page(None)
        self.pages([uncaptured, *(self.node(list(found.O)) for found in sets.values())])
        sets["logo"] = self._logo_set(logo)
        sets["animation"] = self._animation_set(animation)
        self._database(sets)

    def _commands(self) -> None:
        settings = self.pdf.make_indirect(
            Dictionary(
                G=self.pdf.make_indirect(Dictionary(PageSize=[300, 200])),
                C=Dictionary({"/WCSP:xhtml2pdf:0.2.28:HTML": Dictionary(Media=Name.print)}),
            )
        )
        self.get = self.pdf.make_indirect(
            Dictionary(URL=f"{SITE}/", L=2, F=3, S=settings, H=String("Accept-Language: en\r\nX-Empty:\r\n"))
        )
        self.post = self.pdf.make_indirect(
            Dictionary(
                URL=f"{SITE}/ask",
                F=4,
                P=self.pdf.make_stream(b'{"q": 1}'),
                CT="application/json",
                S=settings,
            )
        )
        self.pdf.Root.SpiderInfo = self.pdf.make_indirect(Dictionary(V=Decimal("1.0"), C=Array([self.get, self.post])))

    def _home(self, digest: bytes) -> Dictionary:
        alias = Dictionary(
            U=f"{SITE}/",
            C=Array(
                [
                    Array([String("http://example.com/")]),
                    Array([String(f"{SITE}/old"), String(f"{SITE}/older")]),
                ]
            ),
        )
        source = Dictionary(AU=alias, TS=STAMP, E=String("D:20300101000000+01'00"), S=0, C=self.get)
        in_form = self.form(b"/Im Do", Im=self.logo)
        return self.content_set(
            Name.SPS,
            digest,
            [
                self.page(digest, Im=self.logo, A0=self.frames[0]),
                self.page(digest, Fm=in_form, Again=in_form),
            ],
            Type=Name.SpiderContentSet,
            CT=HTML,
            T=String("Home"),
            TID=String(md5("text of home")),
            SI=source,
        )

    def _twins(self, digest: bytes) -> Dictionary:
        sources = [
            self.pdf.make_indirect(Dictionary(AU=f"{SITE}/{name}", TS=STAMP, C=self.get))
            for name in ("twin-a", "twin-b")
        ]
        return self.content_set(
            Name.SPS, digest, [self.page(digest)], CT=HTML, T=String("Zwillinge \u20ac"), SI=Array(sources)
        )

    def _paper(self, digest: bytes) -> Dictionary:
        pages = [self.page(digest), self.page(digest), self.page(digest)]
        return self.content_set(Name.SPS, digest, pages, CT=PDF_TYPE, SI=Dictionary(AU=f"{SITE}/paper.pdf", C=self.get))

    def _logo_page(self, digest: bytes) -> Dictionary:
        """The page that shows an image by itself; it has the identifier of the image."""
        source = Dictionary(AU=f"{SITE}/logo.gif", C=self.get)
        return self.content_set(Name.SPS, digest, [self.page(digest, Im=self.logo)], CT=GIF, SI=source)

    def _form(self, digest: bytes) -> Dictionary:
        page = self.page(digest)
        page.Annots = Array([self.pdf.make_indirect(self._button())])
        return self.content_set(Name.SPS, digest, [page], CT=HTML, SI=Dictionary(AU=f"{SITE}/ask", S=2, C=self.post))

    def _button(self) -> Dictionary:
        face = self.form(b"/Im Do", Im=self.frames[1])
        return Dictionary(
            Type=Name.Annot, Subtype=Name.Stamp, Rect=[0, 0, 10, 10], AP=Dictionary(N=Dictionary(On=face))
        )

    def _logo_set(self, digest: bytes) -> Dictionary:
        source = self.pdf.make_indirect(Dictionary(AU=f"{SITE}/logo.gif", TS=STAMP))
        return self.content_set(Name.SIS, digest, [self.logo], R=3, CT=GIF, SI=source)

    def _animation_set(self, digest: bytes) -> Dictionary:
        source = Dictionary(AU=f"{SITE}/animation.gif")
        return self.content_set(Name.SIS, digest, self.frames, R=Array([1, 1]), CT=GIF, SI=source)

    def _database(self, sets: Mapping[str, Dictionary]) -> None:
        by_url = {
            f"{SITE}/": ["home"],
            "http://example.com/": ["home"],
            f"{SITE}/old": ["home"],
            f"{SITE}/older": ["home"],
            f"{SITE}/twin-a": ["twins"],
            f"{SITE}/twin-b": ["twins"],
            f"{SITE}/paper.pdf": ["paper"],
            f"{SITE}/logo.gif": ["logo page", "logo"],
            f"{SITE}/ask": ["form"],
            f"{SITE}/animation.gif": ["animation"],
        }
        by_id: dict[bytes, list[Object]] = {}
        for found in sets.values():
            by_id.setdefault(bytes(found.ID), []).append(found)
        urls = {url.encode(): _one_or_array([sets[name] for name in names]) for url, names in by_url.items()}
        ids = {digest: _one_or_array(found) for digest, found in by_id.items()}
        self.pdf.Root.Names = self.pdf.make_indirect(
            Dictionary(URLS=name_tree(self.pdf, urls), IDS=name_tree(self.pdf, ids))
        )


class _Acrobat(_Builder):
    """A page captured by Acrobat, with an image, beside a page that was not captured."""

    def build(self) -> None:
        home, photo = md5("acrobat home.\\\0"), md5("photo.jpg")
        image = self.image(None, 40)
        unused = self.image(None, 50)
        page = self.page(None, Im0=image)
        page.PZ = Decimal("1.33999")
        self.pages([page, self.page(None)])
        self._command()
        self._destination(home, page)
        sets = {
            home: self._set(Name.SPS, home, f"{SITE}/", [page], T=String("Home"), CT=String("text/html")),
            photo: self._set(Name.SIS, photo, f"{SITE}/photo.jpg", [image], R=Array([1])),
            md5("gone.jpg"): self._set(Name.SIS, md5("gone.jpg"), f"{SITE}/gone.jpg", [unused], R=Array([0])),
        }
        self.pdf.Root.Names.IDS = _flat_tree(self.pdf, sets)
        self.pdf.Root.Names.URLS = self.pdf.make_indirect(Dictionary())

    def _set(self, subtype: Name, digest: bytes, url: str, members: list[Object], **more: Any) -> Dictionary:
        source = self.pdf.make_indirect(Dictionary(AU=url, TS=String("D:20080229120000")))
        return self.content_set(subtype, digest, members, SI=source, **more)

    def _command(self) -> None:
        settings = self.pdf.make_indirect(
            Dictionary(G=Dictionary(PgSz=Array([595, 842]), PgMg=Array([36, 36, 36, 36])))
        )
        command = self.pdf.make_indirect(Dictionary(URL=f"{SITE}/", S=settings))
        self.pdf.Root.SpiderInfo = self.pdf.make_indirect(
            Dictionary(V=Decimal("1.25"), C=self.pdf.make_indirect(Array([command])))
        )

    def _destination(self, digest: bytes, page: Dictionary) -> None:
        """A named destination: the identifier, escaped by Table 351, and then the anchor."""
        escaped = digest.replace(b"\\", b"\\\\").replace(b"\0", b"\\0").replace(b".", b"\\p")
        target = self.pdf.make_indirect(Dictionary(D=Array([page, Name.XYZ, 0, 200, 0])))
        self.pdf.Root.Names = self.pdf.make_indirect(Dictionary(Dests=_flat_tree(self.pdf, {escaped + b"top": target})))


def _named(objects: Mapping[str, Object]) -> Dictionary:
    return Dictionary({f"/{name}": obj for name, obj in objects.items()})


def _one_or_array(found: list[Object]) -> Object:
    return found[0] if len(found) == 1 else Array(found)


def _flat_tree(pdf: Pdf, entries: Mapping[bytes, Object]) -> Dictionary:
    """A name tree that is only a root (7.9.6)."""
    return pdf.make_indirect(Dictionary(Names=_pairs(sorted(entries.items()))))


def name_tree(pdf: Pdf, entries: Mapping[bytes, Object]) -> Dictionary:
    """A balanced name tree with keys of bytes (7.9.6), which `pikepdf.NameTree` cannot make."""
    pairs = sorted(entries.items())
    leaves = [pairs[start : start + TREE_FANOUT] for start in range(0, len(pairs), TREE_FANOUT)]
    level = [
        pdf.make_indirect(Dictionary(Limits=_limits(leaf[0][0], leaf[-1][0]), Names=_pairs(leaf))) for leaf in leaves
    ]
    while len(level) > TREE_FANOUT:
        groups = [level[start : start + TREE_FANOUT] for start in range(0, len(level), TREE_FANOUT)]
        level = [
            pdf.make_indirect(
                Dictionary(Limits=_limits(bytes(group[0].Limits[0]), bytes(group[-1].Limits[1])), Kids=Array(group))
            )
            for group in groups
        ]
    return pdf.make_indirect(Dictionary(Kids=Array(level)))


def _limits(least: bytes, greatest: bytes) -> Array:
    return Array([String(least), String(greatest)])


def _pairs(pairs: Iterable[tuple[bytes, Object]]) -> Array:
    return Array([item for key, value in pairs for item in (String(key), value)])


def _write(header: bytes, objects: Mapping[int, bytes]) -> tuple[bytes, dict[int, int]]:
    """Objects one after the other, and where each begins."""
    body, offsets = header, {}
    for number, data in objects.items():
        offsets[number] = len(body)
        body += b"%d 0 obj\n%s\nendobj\n" % (number, data)
    return body, offsets


def _rows(offsets: Mapping[int, int]) -> bytes:
    """The entries of a cross-reference table for objects that follow each other (7.5.4)."""
    return b"".join(b"%010d 00000 n \n" % offsets[number] for number in sorted(offsets))


def _with_trailer(body: bytes, trailer: bytes, start: int) -> bytes:
    return body + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, start)


def append_objects(path: Path, objects: dict[tuple[int, int], bytes]) -> None:
    """Append a revision (7.5.6) with objects, by number and generation, to a file with a cross-reference table."""
    body = path.read_bytes()
    previous = int(body.rpartition(b"startxref")[2].split()[0])
    root, size = re.findall(rb"/Root (\d+ \d+ R)", body)[-1], max(number for number, _ in objects) + 1
    sections = []
    for (number, generation), syntax in objects.items():
        sections.append(b"%d 1\n%010d %05d n \n" % (number, len(body), generation))
        body += b"%d %d obj\n%s\nendobj\n" % (number, generation, syntax)
    trailer = b"<< /Root %s /Size %d /Prev %d >>" % (root, size, previous)
    table = b"xref\n" + b"".join(sections)
    path.write_bytes(body + table + b"trailer\n%s\nstartxref\n%d\n%%%%EOF\n" % (trailer, len(body)))
