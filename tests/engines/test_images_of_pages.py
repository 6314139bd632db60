"""Images that several elements name, and images in drawings: both engines draw each of them once."""

from __future__ import annotations

import io

import pikepdf
import pytest

from tests.support.pictures import grey_png
from wcspider.engines.base import Asset, RenderTask
from wcspider.engines.registry import render

ASSETS = {f"http://a.example/{name}.png": Asset(grey_png(60, 40, grey), "image/png") for grey, name in enumerate("ab")}


@pytest.mark.parametrize("engine", ["plutobook", "xhtml2pdf"])
@pytest.mark.parametrize(
    ("body", "drawn"),
    [
        ("<img data-src=/a.png src=/tiny.gif><noscript><img src=/a.png></noscript>", 1),
        ("<img data-src=/a.png><noscript><p><img src=/other-size.png alt=twin></p></noscript>", 1),
        ("<img data-src=/a.png>text<noscript><img src=/b.png></noscript>", 2),  # not a twin: it was fetched
        ("<img src=/a.png><noscript><img src=/a.png></noscript>", 2),  # no script loads the first one
        ("<noscript><img src=/a.png></noscript>", 1),
        ("<svg width=200 height=100><image href=/a.png width=60 height=40 /></svg>", 1),
        ("<svg width=200 height=100><image xlink:href='a.png' width=60 height=40 /></svg>", 1),
        ("<svg width=200 height=100><image href=/missing.png width=60 height=40 /></svg>", 0),
    ],
)
def test_each_image_is_drawn_once(engine: str, body: str, drawn: int) -> None:
    rendering = render(engine, RenderTask("http://a.example/", f"<div>text {body}".encode(), assets=ASSETS))
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        instructions = [str(entry.operator) for page in pdf.pages for entry in pikepdf.parse_content_stream(page)]
        contents = b"".join(page.Contents.read_bytes() for page in pdf.pages)
    assert instructions.count("Do") == drawn
    assert b"twin" not in contents
