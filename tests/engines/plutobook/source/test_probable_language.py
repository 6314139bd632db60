"""The probable languages of Chinese, Japanese and Korean text."""

from __future__ import annotations

import pytest
from lxml import html

from wcspider.engines.plutobook.source.probable_language import declare

TRADITIONAL = "這個網站有許多關於電腦與網路的說明"
SIMPLIFIED = "这个网站有许多关于电脑与网络的说明"
JAPANESE = "この資料は日本語で書かれています"
KOREAN = "이 문서는 한국어로 작성되었습니다"


def languages(body: str, language: str = "") -> list[str | None]:
    """The languages that the elements of a page declare afterwards, of the root first."""
    root = html.document_fromstring(f"<html{f' lang={language}' if language else ''}><body>{body}</body></html>")
    declare(root, language)
    return [root.get("lang"), *(element.get("lang") for element in root.iter("span"))]


@pytest.mark.parametrize(
    ("text", "declared", "expected"),
    [
        (TRADITIONAL, "", "zh-TW"),
        (TRADITIONAL, "en", "zh-TW"),
        (TRADITIONAL, "zh", "zh"),
        (TRADITIONAL, "ZH-hk", "ZH-hk"),
        (SIMPLIFIED, "", None),
        (SIMPLIFIED, "en", "en"),
        (JAPANESE, "", "ja"),
        (JAPANESE, "en-US", "ja"),
        (JAPANESE, "zh-CN", "zh-CN"),
        (KOREAN, "", "ko"),
        (KOREAN, "de", "ko"),
        (f"{'many words ' * 30}{TRADITIONAL}", "en", "en"),
        (f"{SIMPLIFIED * 3}日本語でも한국어로", "", None),
        ("Zürich, Ω, ∑", "de", "de"),
        ("", "", None),
    ],
)
def test_pages(text: str, declared: str, expected: str | None) -> None:
    assert languages(text, declared) == [expected]


@pytest.mark.parametrize(
    ("language", "text", "is_kept"),
    [
        ("EN-US", "營地", False),
        ("EN-US", "<b>N24 營地</b>", False),
        ("EN-US", "N24 39 16.4", True),
        ("ja", "日本語", True),
        ("", "營地", False),
    ],
)
def test_elements_with_another_language(language: str, text: str, is_kept: bool) -> None:
    body = f"{TRADITIONAL}<span lang='{language}'>{text}</span>"
    assert languages(body, "zh-TW") == ["zh-TW", language if is_kept else None]


def test_elements_of_other_pages_keep_their_language() -> None:
    assert languages("many words of a page in English <span lang=en>漢字</span>", "en") == ["en", "en"]
