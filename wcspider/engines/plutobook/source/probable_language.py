"""The probable language of a page that declares none, if the font depends on it.

Chinese, Japanese and Korean fonts have different variants of the same characters.
"""

from __future__ import annotations

import re
from typing import Any, Final

_LETTERS: Final = {"ko": re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]"), "ja": re.compile("[\u3041-\u30ff]")}
"""The letters that only Korean, or only Japanese, has."""

_IDEOGRAPHS: Final = re.compile("[\u4e00-\u9fff]")
_LEAST: Final = 0.1
"""The least number of these letters for each ideograph. A menu with names of languages has fewer."""


def declare(root: Any) -> None:
    """Declare a page with Korean or Japanese letters to be in this language."""
    body = root.find("body")
    text = "".join(part for part in body.itertext() if not part.isascii())
    counts = {language: len(letters.findall(text)) for language, letters in _LETTERS.items()}
    language = max(counts, key=counts.__getitem__)
    if counts[language] > _LEAST * len(_IDEOGRAPHS.findall(text)):
        root.set("lang", language)
