"""Images in data: URLs: embedded once and as they are, with their links, and without a resource of their own."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterator

import pikepdf
import pytest

from tests.support.pictures import file_of, quarters
from tests.support.rendered_pages import Asset, task, text
from tests.support.shown_images import svg_of
from wcspider.engines.base import Rendering
from wcspider.engines.document.page_parsing import parse_text
from wcspider.engines.plutobook.css.data_urls import images_in, private_url
from wcspider.engines.plutobook.engine import PlutoBookEngine

PNG, JPEG = file_of(quarters(), "PNG"), file_of(quarters(), "JPEG")


def _url(body: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{b64encode(body).decode()}"


def _images(rendering: Rendering) -> list[bytes]:
    """The data of the images in a file, as they are stored."""
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        return [bytes(found.read_raw_bytes()) for found in _streams(pdf) if found.get("/Subtype") == "/Image"]


def _streams(pdf: pikepdf.Pdf) -> Iterator[pikepdf.Stream]:
    yield from (found for found in pdf.objects if isinstance(found, pikepdf.Stream))


def test_an_image_is_embedded_once_as_it_is() -> None:
    rendering = PlutoBookEngine().render(task(f"<img src='{_url(JPEG, 'jpeg')}'><p><img src=' {_url(JPEG, 'jpeg')}'>"))
    assert _images(rendering) == [JPEG]
    assert rendering.images == ()


def test_a_resource_with_the_same_bytes_keeps_its_url() -> None:
    url = "https://example.com/dir/i"
    rendering = PlutoBookEngine().render(
        task(f"<img src='{_url(PNG, 'png')}'><img src=i>", {url: Asset(PNG, "image/png")})
    )
    assert {image.url for image in rendering.images} == {url}


@pytest.mark.parametrize(
    "markup",
    [
        "<object data='{url}'></object>",
        "<video poster='{url}'></video>",
        "<input type=image src='{url}'>",
        "<picture><img src='{url}'></picture>",
        "<img src='{url}'>",
    ],
)
def test_images_of_other_elements(markup: str) -> None:
    rendering = PlutoBookEngine().render(task(markup.format(url=_url(JPEG, "jpeg"))))
    assert _images(rendering) == [JPEG]


def test_a_high_image_in_a_link_is_a_link() -> None:
    markup = f"<a href=/there><img src='{_url(JPEG, 'jpeg')}' style='width: 100px; height: 300px'></a>"
    rendering = PlutoBookEngine().render(task(markup))
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        (_, bottom, _, top) = max(map(_rect, pdf.pages[0].Annots), key=lambda rect: rect[3] - rect[1])
    assert top - bottom == pytest.approx(225, abs=1)


def _rect(annotation: pikepdf.Object) -> tuple[float, ...]:
    return tuple(map(float, annotation.Rect))


def test_drawings_stay_drawings() -> None:
    url = _url(svg_of("<rect width='80' height='40' fill='red'/>"), "svg+xml")
    rendering = PlutoBookEngine().render(task(f"<img src='{url}'>"))
    assert _images(rendering) == []
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert any(b"1 0 0 rg" in found.read_bytes() for found in _streams(pdf))


@pytest.mark.parametrize("body", [b"no image" * 9, PNG[:60], b"<svg>" * 20])
def test_an_image_that_cannot_be_read_is_reported(body: bytes) -> None:
    rendering = PlutoBookEngine().render(task(f"<img src='{_url(body, 'png')}' alt='a picture'>"))
    assert "a picture" in text(rendering)
    [(url, reason)] = rendering.unreadable.items()
    assert url == f"{_url(body, 'png')[:60]}..."
    assert reason


@pytest.mark.parametrize("url", ["data:image/png;base64,A", "data:image/svg+xml;utf8,<svg/>"])
def test_invalid_urls_have_no_image(url: str) -> None:
    assert images_in(parse_text(f"<img src='{url}'>")) == {}


def test_text_that_looks_like_an_image_stays() -> None:
    assert images_in(parse_text(f"<p title='{_url(PNG, 'png')}'>{_url(PNG, 'png')}")) == {}


def test_private_urls() -> None:
    url = _url(PNG, "png")
    assert len({private_url(url), private_url(f"{url}#here"), private_url("https://example.com/")}) == 3
    assert private_url("https://example.com/") == "https://example.com/"


def test_a_drawing_with_a_number_sign_is_shown() -> None:
    """Strictly, a color such as #f00 would be the fragment of the URL."""
    drawing = svg_of('<rect width="80" height="40" fill="#f00"/>').decode()
    rendering = PlutoBookEngine().render(task(f"""<img src="data:image/svg+xml,{drawing.replace('"', "'")}">"""))
    with pikepdf.open(io.BytesIO(rendering.pdf)) as pdf:
        assert any(b"1 0 0 rg" in found.read_bytes() for found in _streams(pdf))
