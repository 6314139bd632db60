"""The probable languages of Chinese, Japanese and Korean text where a page declares none, or another one.

Fonts have different variants of the same characters for these languages. A page may declare the language of its
template, and word processors declare English for the letters and digits of a text, and often for the words around them.
"""

from __future__ import annotations

import re
from typing import Any, Final

from lxml import etree

_LETTERS: Final = {"ko": re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"), "ja": re.compile("[\u3041-\u30ff]")}
"""The letters that only Korean, or only Japanese, has."""

_IDEOGRAPHS: Final = re.compile("[\u3400-\u9fff]")
_EAST_ASIAN: Final = re.compile("(zh|ja|ko|cmn|yue|nan|hak|wuu|lzh)\\b", re.IGNORECASE)
_LEAST: Final = 0.1
"""The least number of letters of a language for each ideograph, and of ideographs for each character of a page.

A menu with names of languages has fewer.
"""

_DECLARING: Final = etree.XPath(".//*[@lang]")


def declare(root: Any, language: str) -> None:
    """Declare the probable language of a page if it has another font than `language`, the declared one of its root.

    Other elements lose declarations of languages that do not have their characters.
    """
    if not _EAST_ASIAN.match(language):
        probable = _probable_language(root.find("body"))
        if not probable:
            return
        root.set("lang", probable)
    for element in _DECLARING(root):
        if not _EAST_ASIAN.match(element.get("lang")) and any(map(_IDEOGRAPHS.search, element.itertext())):
            del element.attrib["lang"]


def _probable_language(body: Any) -> str:
    """Return the language of a text if its variants of ideographs are not those of simplified Chinese; "" otherwise."""
    parts = list(body.itertext())
    text = "".join(part for part in parts if not part.isascii())
    ideographs = "".join(_IDEOGRAPHS.findall(text))
    counts = {language: len(letters.findall(text)) for language, letters in _LETTERS.items()}
    language = max(counts, key=counts.__getitem__)
    if counts[language] > _LEAST * len(ideographs):
        return language
    # Each of these standards lacks the characters that only the other form of Chinese has.
    traditional, simplified = (len(ideographs.encode(codec, "ignore")) for codec in ("big5", "gb2312"))
    return "zh-TW" if traditional > simplified and len(ideographs) > _LEAST * sum(map(len, parts)) else ""
