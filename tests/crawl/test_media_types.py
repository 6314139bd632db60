"""The media type and the charset that the headers of a response name."""

from __future__ import annotations

import pytest
from scrapy.http import Response

from wcspider.crawl.reading.parsing import header_charset, media_type, named_type

# the lines of Content-Type, the media type, the charset
TYPES: list[tuple[list[str], str, str]] = [
    ([], "", ""),
    ([""], "", ""),
    (["text/html"], "text/html", ""),
    (["TEXT/HTML ; Charset='UTF-8'"], "text/html", "UTF-8"),
    (["image/jpg"], "image/jpeg", ""),
    (["text/plain", "text/html"], "text/html", ""),  # of several types, the last one counts
    (["text/html, text/html; charset=utf-8"], "text/html", "utf-8"),
    (["text/html; charset=gbk, text/html"], "text/html", "gbk"),  # from the Fetch standard
    (["text/html; charset=gbk, text/plain, text/html"], "text/html", ""),
    (["text/html, */*"], "text/html", ""),
    (["text/html; charset=gbk, cannot-parse"], "text/html", "gbk"),
    ([";;;"], "", ""),
    (["html"], "", ""),
    (["text/html\x00"], "", ""),
    (["audio/x\x1b[31m"], "", ""),  # no escape sequence gets into the reasons of the summary
    (["text/" + "x" * 128], "", ""),
]


@pytest.mark.parametrize(("lines", "kind", "charset"), TYPES)
def test_the_last_valid_type_counts(lines: list[str], kind: str, charset: str) -> None:
    response = Response("http://h/", headers={"Content-Type": lines})
    assert (named_type(response.headers), header_charset(response)) == (kind, charset)


@pytest.mark.parametrize(
    ("named", "body", "kind"),
    [
        ("text/html\x00", b"<!doctype html>", "text/html"),
        ("html", b"\n<html>", "text/html"),
        ("html", b"<HTML\nlang=en>", "text/html"),
        ("", b"<!-- saved --><html>", "text/html"),
        ("", b"<title>text</title>", "text/html"),
        ("", b"<Body bgcolor=white>", "text/html"),
        ("", b"<b>text", "text/html"),
        ("", b"<book>text", "application/octet-stream"),
        ("", b"text <b>text", "application/octet-stream"),
        ("application/octet-stream", b"%PDF-1.7", "application/pdf"),
        ("nonsense", b"PK\x03\x05", "application/octet-stream"),
        ("application/octet-stream", b"PK\x03\x04", "application/zip"),
        ("image/x-ms-bmp", b"BM", "image/bmp"),
        ("application/x-pdf", b"%PDF-1.7", "application/pdf"),
        ("text/html", b"RIFF\n\0\0\0WEBPVP8 ", "image/webp"),
        ("application/octet-stream", b"MM\0*\0\0", "image/tiff"),
        ("text/html", b"PK\x03\x04", "application/zip"),
        ("text/html", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("text/plain", b"%PDF-1.7", "application/pdf"),
        ("text/plain", b"<html>", "text/plain"),
        ("audio/ogg", b"<html>", "audio/ogg"),
    ],
)
def test_without_a_type_that_can_be_true_the_first_bytes_decide(named: str, body: bytes, kind: str) -> None:
    assert media_type(Response("http://h/", headers={"Content-Type": named}, body=body)) == kind
