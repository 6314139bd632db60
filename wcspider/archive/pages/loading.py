"""The loading of the libraries for conversions. The main process imports this module early, so it must stay cheap."""

from __future__ import annotations

import sys
from typing import Final

from wcspider.engines.base import RenderTask

_PAGE: Final = b"<p>word <b>word</b><p style='font-family: sans-serif'>word <b>word</b><pre>word</pre>"
"""A page with the usual fonts."""


def warm_up(engine: str, *, system_fonts: bool = True) -> None:
    """Load the libraries and the fonts that an engine needs, by converting a page with a few words.

    `system_fonts` must be the same as for the later pages. A process cannot change it: PlutoBook would start another
    process for each page with the other value.
    """
    from wcspider.archive.pages.conversion import Conversion, convert

    task = RenderTask("about:blank", _PAGE, system_fonts=system_fonts)
    for message in convert(Conversion(task, engine)).unpacked().notes.messages:
        print(message, file=sys.stderr)
