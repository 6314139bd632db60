"""URLs that were typed without their scheme, such as ``www.example.com``."""

from __future__ import annotations

import re
from typing import Final

_HOST: Final = re.compile(
    r"(?P<name>localhost|\[[0-9A-Fa-f:.]+\]|[^\s/?#@:]+\.[^\s/?#@:.]+)\.?(?P<port>:\d+)?(?=[/?#]|$)", re.IGNORECASE
)
"""A name with a dot, localhost or an IPv6 address, with or without a port."""

_LOCAL: Final = ("localhost", "127.", "[::1]")
"""The beginnings of hosts that usually have no certificate, so that http is the better guess."""

_FILES: Final = (".gz", ".htm", ".html", ".json", ".pdf", ".txt", ".xml")
"""The ends of file names that look like host names."""

_LONGEST: Final = 200


def question(url: str) -> str | None:
    """Return the question whether a URL with a scheme was meant; None if the text does not begin with a host."""
    text = url.strip().removeprefix("//")
    host = _HOST.match(text)
    if host is None or len(text) > _LONGEST or host["name"].lower().endswith(_FILES):
        return None
    scheme = "http" if host["name"].lower().startswith(_LOCAL) else "https"
    return f"did you mean {scheme}://{text}?"
