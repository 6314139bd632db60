"""The versions and fonts of a machine, on which the bytes of a laid out page depend."""

from __future__ import annotations

import platform
import zlib
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from wcspider.engines.text import system_fonts as installed
from wcspider.version import VERSION

PACKAGES = (
    "plutoprint", "xhtml2pdf", "reportlab", "fonttools", "uharfbuzz", "pikepdf", "pypdfium2", "pdfminer.six", "Pillow",
    "lxml", "tinycss2", "cssselect", "cssselect2", "coloraide",
)  # fmt: skip
"""The packages that take part in a layout."""


@cache
def fingerprint(*, system_fonts: bool) -> Mapping[str, str]:
    """Return the versions and the fonts of this machine, as plain text by name, so that every version can read them.

    `system_fonts` says whether the fonts of the system are used. The result holds for the life of the process.
    """
    return {
        "wcspider": VERSION,
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "processor": platform.machine(),
        "zlib": zlib.ZLIB_RUNTIME_VERSION,
        **{name: _version(name) for name in PACKAGES},
        "fonts": _digest(system_fonts=system_fonts),
    }


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return the differences between two machines in words; empty if there are none."""
    names = [name for name in {**here, **there} if here.get(name) != there.get(name)]
    return ", ".join(f"{name}: {here.get(name, 'none')} here, {there.get(name, 'none')} there" for name in names)


def _version(package: str) -> str:
    """Return the version of a package, `none` if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _digest(*, system_fonts: bool) -> str:
    """Return the number and a digest of the font files that a layout can use; their folders do not matter."""
    fonts: list[Traversable] = [font for font in files("wcspider.fonts").iterdir() if font.name.endswith(".ttf")]
    if system_fonts:
        fonts += [Path(file) for file in {face.file for face in installed.faces()}]
    total = blake2b(digest_size=8)
    for name, content in sorted((font.name, blake2b(font.read_bytes()).digest()) for font in fonts):
        total.update(name.encode() + b"\0" + content)
    return f"{len(fonts)} files with digest {total.hexdigest()}"
