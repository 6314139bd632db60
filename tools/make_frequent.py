"""A script that makes wcspider/engines/text/frequent_characters.txt, the frequent characters of languages.

    apt-get install debian-handbook
    python tools/make_frequent.py

The languages are Chinese, Japanese and Korean. The characters are counted in the translated messages of the programs
of a Debian system and in the Debian handbook.
"""

from __future__ import annotations

import gettext
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from lxml import html

TARGET = Path(__file__).parent.parent / "wcspider" / "engines" / "text" / "frequent_characters.txt"
LANGUAGES = {"JP": ("ja", "ja-JP"), "SC": ("zh_CN", "zh-CN"), "TC": ("zh_TW", "zh-TW"), "KR": ("ko", "ko-KR")}
COUNT = 2_000


def texts(locale: str, edition: str) -> Iterator[str]:
    """Yield texts in a language."""
    for file in sorted(Path("/usr/share/locale", locale, "LC_MESSAGES").glob("*.mo")):
        with file.open("rb") as stream, suppress(UnicodeError, OSError, ValueError):
            yield from map(str, gettext.GNUTranslations(stream)._catalog.values())  # type: ignore[attr-defined]
    for file in sorted(Path("/usr/share/doc/debian-handbook/html", edition).glob("*.html")):
        yield html.parse(str(file)).getroot().text_content()


def is_counted(character: str) -> bool:
    """Tell whether a character is an ideograph, a kana, a Korean syllable, or East Asian punctuation."""
    return any(first <= character <= last for first, last in ("、ヿ", "㐀鿿", "가힣", "！～"))


def main() -> None:
    """Write the file: a line for each font variant, with its characters, the most frequent first."""
    rows = []
    for variant, (locale, edition) in LANGUAGES.items():
        counts = Counter(character for text in texts(locale, edition) for character in text if is_counted(character))
        ranked = sorted(counts, key=lambda character: (-counts[character], character))[:COUNT]
        rows.append(f"{variant} {''.join(ranked)}\n")
    TARGET.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
