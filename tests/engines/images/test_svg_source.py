"""SVG files in all encodings, compressed, and not well-formed."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcspider.engines.images import svg_source as module
from wcspider.engines.images.svg_source import svg_source
from wcspider.exceptions import SourceUnreadableError

NAMESPACE = "xmlns='http://www.w3.org/2000/svg'"
SVG = f"<svg {NAMESPACE}><text>é</text></svg>"
UTF_8 = SVG.encode()


def declared(encoding: str) -> bytes:
    return f"<?xml version='1.0' encoding='{encoding}'?>\n{SVG}".encode(encoding)


@pytest.mark.parametrize(
    "body",
    [
        UTF_8,
        b"\xef\xbb\xbf" + UTF_8,
        declared("utf-8"),
        b"<?xml version='1.0' encoding='utf-16'?>" + UTF_8,  # it cannot be
        b"<?xml version='1.0' encoding='klingon'?>" + UTF_8,
        b"<!--" + b"x" * 5_000 + b"-->" + UTF_8,
        b"<s:svg xmlns:s='http://www.w3.org/2000/svg'/>",
        f"<!DOCTYPE svg [<!ENTITY e 'é'>]>{SVG.replace('é', '&e;')}".encode(),
    ],
)
def test_utf_8_stays_byte_for_byte(body: bytes) -> None:
    assert svg_source(body) == body
    assert svg_source(gzip.compress(body)) == body


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "windows-1252", "macintosh"])
def test_other_encodings(encoding: str) -> None:
    for body in (declared(encoding), gzip.compress(declared(encoding))):
        assert (svg_source(body) or b"").strip() == UTF_8


@pytest.mark.parametrize("bom", [b"\xff\xfe", b"\xfe\xff"])
def test_byte_order_marks(bom: bytes) -> None:
    assert svg_source(bom + SVG.encode("utf-16-le" if bom[0] == 0xFF else "utf-16-be")) == UTF_8


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"<svg {NAMESPACE}><rect></svg>", "mismatched tag"),
        (f"<svg {NAMESPACE}><rect>", "no element found"),
        (f"<svg {NAMESPACE} width=5/>", "not well-formed (invalid token)"),
        (f"<svg {NAMESPACE}>&nbsp;</svg>", "undefined entity"),
        (f"<svg {NAMESPACE}><use xlink:href='#a'/></svg>", "unbound prefix"),
        (f"{SVG}<p>", "junk after document element"),
        ("<svg/>", "no SVG namespace"),
    ],
)
def test_files_that_no_browser_shows(body: str, reason: str) -> None:
    for source in (body.encode(), body.encode("utf-16"), gzip.compress(body.encode())):
        with pytest.raises(SourceUnreadableError) as error:
            svg_source(source)
        assert str(error.value) == f"an SVG image cannot be read: {reason}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x89PNG\r\n\x1a\n",
        b"<!DOCTYPE html><title>404</title><svg></svg>",
        b"<html><svg><p></html>",
        b"\x1f\x8b",
        gzip.compress(UTF_8, mtime=0)[:12],
        gzip.compress(b"text", mtime=0),
        b"\xff\xfe",
        b"<p>",
    ],
)
def test_other_files(body: bytes) -> None:
    assert svg_source(body) is None


def test_what_is_compressed_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SIZE", 1_000)
    with pytest.raises(SourceUnreadableError, match="an SVG image has more than 1000 bytes"):
        svg_source(gzip.compress(b"<svg " + b" " * 2_000))


def test_entities_are_not_expanded() -> None:
    entities = "".join(f"<!ENTITY e{level} '{f'&e{level - 1};' * 10}'>" for level in range(1, 12))
    bomb = f"<!DOCTYPE svg [<!ENTITY e0 'xxxxxxxxxx'>{entities}]><svg {NAMESPACE}>&e11;</svg>"
    with pytest.raises(SourceUnreadableError):
        svg_source(bomb.encode())


@given(st.binary(max_size=60), st.sampled_from([b"", b"<", b"\0<", b"<\0", b"\xff\xfe", b"<svg ", b"\x1f\x8b", UTF_8]))
def test_any_bytes_are_answered(body: bytes, start: bytes) -> None:
    try:
        found = svg_source(start + body)
    except SourceUnreadableError:
        found = None
    assert found is None or b"svg" in found
