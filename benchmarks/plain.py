"""A render pipeline without an engine: minimal pages, made in the worker processes.

Everything else is as in a real capture: a task is sent to a worker, and a fragment comes back.
"""

from __future__ import annotations

import io
import re
from typing import Any

from PIL import Image

from wcspider.archive.pages.fragments import Fragment
from wcspider.archive.pages.packed import PackedFragment
from wcspider.engines.base import RenderTask
from wcspider.pdf.objects import Name, Ref, Stream, Value
from wcspider.pipelines.render import RenderPipeline

WIDTH, HEIGHT = 595, 842

_TEXT = re.compile(rb">([^<]+)")
_LINK = re.compile(rb'<a href="([^"]*)"')


class PlainPipeline(RenderPipeline):
    """A render pipeline that makes one page of text from each HTML page, with its links and images."""

    async def _fragment(self, item: Any) -> PackedFragment:
        return await self.session.job.pool.run(plain_fragment, self.task_for(item))


def plain_fragment(task: RenderTask) -> PackedFragment:
    """Return a page with the lines, links and images of a source. Runs in a worker process."""
    pictures = {url: asset.body for url, asset in task.assets.items() if asset.content_type == "image/png"}
    first_image = 3
    xobjects = {f"Im{number}": Ref(first_image + number) for number in range(len(pictures))}
    links = [_link(task.url, href.decode(), row) for row, href in enumerate(_LINK.findall(task.body))]
    page = {
        "Type": Name("Page"),
        "MediaBox": [0, 0, WIDTH, HEIGHT],
        "Resources": {"Font": {"F1": Ref(1)}, "XObject": xobjects},
        "Contents": Ref(2),
        "Annots": links,
    }
    font = {"Type": Name("Font"), "Subtype": Name("Type1"), "BaseFont": Name("Helvetica")}
    images = {first_image + number: url for number, url in enumerate(pictures)}
    objects = (page, font, _content(task.body, list(xobjects)), *map(_image, pictures.values()))
    return PackedFragment.of(Fragment(objects, pages=(0,), images=images, page_images=(frozenset(images),)))


def _content(body: bytes, images: list[str]) -> Stream:
    lines = [b"(%s) Tj T*" % re.sub(rb"([()\\])", rb"\\\1", line) for line in _TEXT.findall(body)]
    drawn = b"".join(b"q 24 0 0 24 %d 800 cm /%s Do Q " % (24 * at, name.encode()) for at, name in enumerate(images))
    return Stream.deflated({}, drawn + b"BT /F1 8 Tf 10 TL 20 790 Td " + b" ".join(lines) + b" ET")


def _link(url: str, href: str, row: int) -> Value:
    site = "/".join(url.split("/")[:3])
    return {
        "Type": Name("Annot"),
        "Subtype": Name("Link"),
        "Rect": [20, 20 + 10 * row, 200, 28 + 10 * row],
        "Border": [0, 0, 0],
        "A": {"S": Name("URI"), "URI": (site + href).encode()},
    }


def _image(body: bytes) -> Stream:
    with Image.open(io.BytesIO(body)) as picture:
        size, pixels = picture.size, picture.convert("RGB").tobytes()
    dictionary = {"Type": Name("XObject"), "Subtype": Name("Image"), "Width": size[0], "Height": size[1]}
    return Stream.deflated({**dictionary, "ColorSpace": Name("DeviceRGB"), "BitsPerComponent": 8}, pixels)
