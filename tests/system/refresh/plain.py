"""A render pipeline without an engine: pages made in the crawling process, of the least that a page can be.

What a page says, shows and links to is all there, so that two files can be held against each other; all else of a
crawl is as it always is.
"""

from __future__ import annotations

import io
from urllib.parse import urljoin

from lxml import html
from PIL import Image

from wcspider.archive.pages.conversion import Conversion, convert
from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.packed import PackedFragment
from wcspider.crawl.reading.parsing import IMAGES, PDF
from wcspider.crawl.reading.source_contents import HTML
from wcspider.engines.base import Anchor, Heading, PageStructure, RenderTask
from wcspider.items import CaptureItem
from wcspider.pdf.image_frames import later_frames
from wcspider.pdf.objects import Name, Ref, Stream, Value
from wcspider.pipelines.render import RenderPipeline

WORDS_ON_A_PAGE = 12


class PlainPipeline(RenderPipeline):
    """Makes pages of sources by itself. The pages of a PDF file are taken as ever."""

    async def _fragment(self, item: CaptureItem) -> PackedFragment:
        task = self.task_for(item)
        if task.media_type in PDF:
            return convert(Conversion(task, self.session.engine_of(item.command)))
        return PackedFragment.of(_Pages(task).fragment())


class _Pages:
    """The pages of one source: a page for so many words, each image on a page and the first on all of them."""

    def __init__(self, task: RenderTask) -> None:
        self.task = task
        self.objects: list[Value] = []
        self.images: dict[int, str] = {}
        self.frames: dict[int, tuple[int, ...]] = {}
        self.is_html = task.media_type in HTML
        self.tree = html.document_fromstring(task.body or b"<p>") if self.is_html else None

    def fragment(self) -> Fragment:
        words = self._text().split()
        count = 1 + len(words) // WORDS_ON_A_PAGE
        self.objects = [None] * count
        pictures = self._pictures()
        shown = [frozenset(pictures[:1] + pictures[1:][page::count]) for page in range(count)]
        for page in range(count):
            self.objects[page] = self._page(words[page * WORDS_ON_A_PAGE :][:WORDS_ON_A_PAGE], sorted(shown[page]))
        self.objects[0]["Annots"] = self._links()
        return Fragment(
            objects=tuple(self.objects),
            pages=tuple(range(count)),
            images=self.images,
            page_images=tuple(shown),
            frames=self.frames,
            structure=PageStructure(
                anchors=tuple(self._anchors(count)),
                headings=tuple(Heading(word, at % 2, at % count, 90 - at) for at, word in enumerate(words[:3])),
            ),
        )

    def _text(self) -> str:
        """Return the text of the page and the text of its style sheets."""
        sheets = [asset.body.decode() for asset in self.task.assets.values() if asset.content_type == "text/css"]
        if self.task.media_type in IMAGES:
            return ""
        body = self.task.body.decode(self.task.encoding) if self.tree is None else self.tree.text_content()
        return " ".join([body, *sheets])

    def _pictures(self) -> list[int]:
        bodies = {url: asset.body for url, asset in self.task.assets.items() if asset.content_type in IMAGES}
        if self.task.media_type in IMAGES:
            bodies = {self.task.url: self.task.body}
        return [self._picture(url, body) for url, body in bodies.items()]

    def _picture(self, url: str, body: bytes) -> int:
        """Put an image into the fragment, with the frames behind its first one."""
        with Image.open(io.BytesIO(body)) as picture:
            self.objects.append(_xobject(picture.convert("RGB")))
        index = len(self.objects) - 1
        self.images[index] = url
        frames = []
        for frame, _ in later_frames(body).images:
            self.objects.append(frame)
            frames.append(len(self.objects) - 1)
        if frames:
            self.frames[index] = tuple(frames)
        return index

    def _page(self, words: list[str], pictures: list[int]) -> dict[str, Value]:
        names = {f"I{at}": Ref(index) for at, index in enumerate(pictures)}
        drawn = b"".join(b"q 20 0 0 20 0 0 cm /%s Do Q " % name.encode() for name in names)
        said = " ".join(words).encode("latin-1", "replace").replace(b"\\", b"/").replace(b"(", b"[").replace(b")", b"]")
        self.objects.append(Stream.deflated({}, drawn + b"BT /F 9 Tf (%s) Tj ET" % said))
        contents = Ref(len(self.objects) - 1)
        self.objects.append({"Type": Name("Font"), "Subtype": Name("Type1"), "BaseFont": Name("Helvetica")})
        return {
            "Type": Name("Page"),
            "MediaBox": [0, 0, round(self.task.geometry.width), round(self.task.geometry.height)],
            "Resources": {"Font": {"F": Ref(len(self.objects) - 1)}, "XObject": names},
            "Contents": contents,
        }

    def _links(self) -> list[Value]:
        if self.tree is None:
            return []
        targets = [
            urljoin(self.task.url, element.get("href")) for element in self.tree.iter("a") if element.get("href")
        ]
        return [
            {
                "Type": Name("Annot"),
                "Subtype": Name("Link"),
                "Rect": [10 * at, 0, 10 * at + 9, 9],
                "A": {"S": Name("URI"), "URI": target.encode()},
            }
            for at, target in enumerate(targets)
        ]

    def _anchors(self, count: int) -> list[Anchor]:
        if self.tree is None:
            return []
        names = [element.get("id") for element in self.tree.iter() if element.get("id")]
        return [Anchor(name, at % count, 10, 10 * at) for at, name in enumerate(names)]


def _xobject(picture: Image.Image) -> Stream:
    dictionary = {
        "Type": Name("XObject"),
        "Subtype": Name("Image"),
        "Width": picture.width,
        "Height": picture.height,
        "ColorSpace": Name("DeviceRGB"),
        "BitsPerComponent": 8,
    }
    return Stream.deflated(dictionary, picture.tobytes())
